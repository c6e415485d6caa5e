# SPDX-License-Identifier: GPL-2.0-only
"""devices: what is on the dax devices of a host."""
import subprocess

import manual
import ondisk
import shared
from guest import DAX, Pool, dax_size, write_dax
from harness import Tool, case
from shells import bash, zsh

TITLES = ["DEVICE", "MODE", "SIZE", "ALIGN", "NODE", "STATE", "POOL", "PART", "LABEL", "UUID",
          "NOTE"]


def device(**kwargs):
    """What is told of the guest's device."""
    rows = Tool("devices", "--json", **kwargs).json()
    row, = [row for row in rows if row["device"] == DAX]
    assert set(row) <= set(manual.keys("devices")), row
    return row


def daxctl(verb):
    subprocess.run(["daxctl", verb, "dax0.0"], check=True, stderr=subprocess.DEVNULL)


@case("devices", "devices tells empty, formatted, attached and damaged apart, and only reads")
def devices():
    write_dax(0, b"\0" * 2 * ondisk.COPY)
    empty = device()
    assert empty["state"] == "empty" and empty["mode"] == "devdax", empty
    assert empty["size"] == dax_size() and empty["align"] == 2 << 20, empty
    assert "uuid" not in empty and "note" not in empty, empty
    made = Tool("format", DAX, "--label", "lab\\x", "--json").json()
    formatted = device()
    assert formatted["state"] == "formatted" and formatted["part"] == "1/1", formatted
    assert formatted["uuid"] == made["uuid"] and formatted["label"] == made["label"]
    assert "pool" not in formatted
    with Pool("a", DAX, "--quarantine-ms", "100"):
        attached = device()
        assert (attached["state"], attached["pool"]) == ("attached", "a"), attached
        title, line, *_ = Tool("devices").ok().out.splitlines()
        assert title.split() == TITLES and made["uuid"] in line, line
        assert Tool("info", "a", "--json").json()["clients"] == 0
    assert device() == formatted
    for copy in (0, 1):
        write_dax(copy * ondisk.COPY + 100, b"\xaa")
    damaged = device()
    assert damaged["state"] == "damaged" and "superblock is damaged" in damaged["note"], damaged
    Tool("format", DAX, "--force").ok()


@case("devices-user", "devices works without root, and says what only root can look at")
def devices_user():
    row = device(user="nobody")
    assert row["state"] == "unknown" and "root" in row["note"], row
    assert row["size"] == dax_size(), row


@case("devices-disabled", "a disabled device is listed, with what enables it")
def devices_disabled():
    daxctl("disable-device")
    try:
        row = device()
        assert (row["mode"], row["state"]) == ("disabled", "unknown"), row
        assert "daxctl enable-device dax0.0" in row["note"], row
    finally:
        daxctl("enable-device")
    assert device()["state"] == "formatted"


@case("completed", "bash and zsh complete devices, and names of pools that are there")
def completed():
    shared.end()
    assert DAX in bash("format", ""), bash("format", "")
    assert bash("format", "/dev/dax0") == [":compopt -o filenames -o default", DAX]
    assert bash("evict", "") == []
    with Pool("kv0", DAX, "--quarantine-ms", "100"):
        assert bash("evict", "") == bash("evict", "--count", "1", "k") == ["kv0"]
        assert zsh("query", "kv") == ["kv0"]
        assert bash("attach", "") == [] and bash("evict", "x") == []
