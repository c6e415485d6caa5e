# SPDX-License-Identifier: GPL-2.0-only
"""put and get: files become objects and objects files, whole or not at all."""
import os
import signal
import stat
import subprocess

import manual
from guest import Client, Pool, new_memfd
from harness import MIB, Tool, case
from shared import NAME, empty_pool, folder, info, new_file, put, settle

SIZES = (1, 63, 4096, MIB + 1, 2 * MIB, 10 * MIB - 1)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def start(*args, **kwargs):
    """The tool, while it runs."""
    return subprocess.Popen([Tool.path, *args], stderr=subprocess.PIPE, **kwargs)


def end(tool, code, *words):
    err = tool.communicate(timeout=30)[1].decode()
    assert tool.returncode == code, (tool.returncode, err)
    for word in words:
        assert word in err, f"no '{word}' in: {err}"


@case("put-get", "a file comes back byte for byte, whatever its size, and both verbs say so")
def put_get():
    with empty_pool(), folder() as at:
        for size in SIZES:
            data = os.urandom(size)
            path, copy = new_file(f"{at}/{size}", data), f"{at}/{size}.copy"
            told = Tool("put", NAME, f"k{size}", path).ok().out
            assert told.startswith(f"Stored {path} in {NAME}: ") and f"key k{size}." in told
            told = Tool("get", NAME, f"k{size}", copy).ok().out
            assert told.startswith(f"Wrote {copy}: ") and f"key k{size} of {NAME}" in told
            assert read(copy) == data, size
            assert stat.S_IMODE(os.stat(copy).st_mode) == 0o644
        assert sorted(os.listdir(at)) == sorted([f"{s}{x}" for s in SIZES for x in ("", ".copy")])
        assert info()["published"] >= sum(SIZES) and info()["clients"] == 0


@case("put-get-json", "put and get tell programs what is where, under the keys of the manual")
def put_get_json():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/f", b"x" * 5000)
        stored = Tool("put", NAME, "k", path, "--json").json()
        got = Tool("get", NAME, "k", f"{at}/g", "--json").json()
        assert stored == {"name": NAME, "key": "k", "size": 5000, "page_size": 5000,
                          "offset": stored["offset"], "id": stored["id"]}, stored
        assert got == {key: stored[key] for key in got}, got
        assert Tool("query", NAME, "k", "--json").json()[0]["id"] == stored["id"]
        assert set(manual.keys("put")) == set(stored) and set(manual.keys("get")) == set(got)
        stored = Tool("put", NAME, "l", path, "--page-size", "2M", "--json").json()
        assert (stored["size"], stored["page_size"]) == (5000, 2 * MIB)
        assert info()["layouts"] >= 2


@case("pipes", "standard input and output: pipes, and the rest of a file that was begun")
def pipes():
    with empty_pool(), folder() as at:
        data = os.urandom(3 * MIB + 7)
        Tool("put", NAME, "pipe", "-", input=data).ok()
        path = new_file(f"{at}/f", data)
        with open(path, "rb", buffering=0) as file:
            file.seek(MIB)
            Tool("put", NAME, "rest", "-", stdin=file).ok()
        for key, wanted in (("pipe", data), ("rest", data[MIB:])):
            with open(f"{at}/out", "wb") as file:
                got = Tool("get", NAME, key, stdout=file)
            assert got.code == 0 and not got.err and read(f"{at}/out") == wanted
        os.mkfifo(f"{at}/fifo")
        with open(f"{at}/out", "wb") as file, \
                subprocess.Popen(["cat", f"{at}/fifo"], stdout=file) as cat:
            Tool("get", NAME, "pipe", f"{at}/fifo").ok()
            assert cat.wait(30) == 0
        assert read(f"{at}/out") == data
        assert stat.S_ISFIFO(os.stat(f"{at}/fifo").st_mode)


@case("any-key", "keys of any bytes, up to 1024, are written as they are shown, or in hex")
def any_key():
    every = bytes(range(256))
    keys = (b"a", b"\0", b"\\", b"\\x00", b"hex:00", b" ", b"-k", b"'\"$`\n", "é".encode(),
            every, every * 4, b"\xff" * 1024, b"k" * 1024)
    with empty_pool():
        client = Client(NAME)
        try:
            for n, key in enumerate(keys):
                in_hex = "hex:" + key.hex().upper()
                stored = Tool("put", NAME, "--json", "--", in_hex, "-", input=b"%d" % n).json()
                row, = Tool("query", NAME, "--json", "--", stored["key"]).json()
                assert row["state"] == "published" and row["key"] == stored["key"], row
                assert client.get(key) == b"%d" % n, key
                got = Tool("get", NAME, "--", stored["key"]).ok()
                assert got.out == f"{n}", got
        finally:
            client.close()
        assert info()["objects"] == len(keys)
        told = Tool("evict", NAME, "--json", *(f"--key=hex:{key.hex()}" for key in keys)).json()
        assert told["evicted"] == len(keys) and told["met"], told


@case("empty-file", "an empty file, pipe or closed input is no object")
def empty_file():
    with empty_pool(), folder() as at:
        Tool("put", NAME, "k", new_file(f"{at}/f", b"")).fails(f"{at}/f is empty")
        Tool("put", NAME, "k", "-", input=b"").fails("standard input is empty")
        Tool("put", NAME, "k", "/dev/null").fails("/dev/null is empty")
        Tool("put", NAME, "k", "-",
             through=("sh", "-c", 'exec "$@" <&-', "sh")).fails("cannot be read")
        assert info()["extents"] == 0


@case("no-file", "what is no file to read is told, and nothing is stored")
def no_file():
    with empty_pool(), folder() as at:
        Tool("put", NAME, "k", f"{at}/none").fails(f"{at}/none", "No such file")
        Tool("put", NAME, "k", at).fails("is a directory")
        # sysfs says 4096 bytes and has fewer.
        Tool("put", NAME, "k", "/sys/kernel/uevent_seqnum").fails("changed its size")
        assert info()["extents"] == 0
        # procfs says none and has some.
        Tool("put", NAME, "k", "/proc/version").ok()
        assert Tool("get", NAME, "k").ok().out.startswith("Linux")


@case("huge", "what is longer than the pool is refused before anything is taken")
def huge():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/sparse", b"x")
        os.truncate(path, 1 << 40)
        Tool("put", NAME, "k", path).fails("longer than the pool")
        with subprocess.Popen(["cat", "/dev/zero"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as zeros:
            Tool("put", NAME, "k", "-", stdin=zeros.stdout).fails("longer than the pool")
            zeros.stdout.close()
        small = new_file(f"{at}/small", b"x" * 100)
        Tool("put", NAME, "k", small, "--page-size", "1T").fails("longer than the pool")
        Tool("put", NAME, "k", small, "--page-size", "99").fails("more than --page-size")
        assert info()["extents"] == 0


@case("full-pool", "a pool without room says so, and keeps what it has")
def full_pool():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/f", b"x" * (20 * MIB))
        for n in range(3):
            Tool("put", NAME, f"k{n}", path).ok()
        Tool("put", NAME, "k3", path).fails("no room for 20 MiB", "evict")
        assert info()["objects"] == 3 and info()["staged"] == 0


@case("key-taken", "an object that is there is kept, and the file refused")
def key_taken():
    with empty_pool():
        put("k", 100)
        Tool("put", NAME, "k", "-", input=b"other").fails("already", "evict shared --key 'k'")
        assert Tool("get", NAME, "k").ok().out.startswith("k k k")
        assert info()["objects"] == 1 and info()["extents"] == 1


@case("file-there", "a file that is there is kept without --force, and replaced whole with it")
def file_there():
    with empty_pool(), folder() as at:
        put("k", 5000)
        path = new_file(f"{at}/f", b"mine")
        os.symlink("f", f"{at}/link")
        Tool("get", NAME, "k", path).fails("exists already", "--force")
        Tool("get", NAME, "k", f"{at}/link").fails("exists already")
        Tool("get", NAME, "k", at, "--force").fails("is a directory")
        Tool("get", NAME, "none", path, "--force").fails("no object of the key none")
        assert read(path) == b"mine"
        old = os.open(path, os.O_RDONLY)
        Tool("get", NAME, "k", f"{at}/link", "--force").ok()
        assert os.path.islink(f"{at}/link") and len(read(path)) == 5000
        # Who had the old file open still has all of it.
        assert os.read(old, 100) == b"mine"
        os.close(old)
        os.symlink("nowhere", f"{at}/dangling")
        Tool("get", NAME, "k", f"{at}/dangling").fails("exists already")
        assert sorted(os.listdir(at)) == ["dangling", "f", "link"]
        Tool("get", NAME, "k", "/dev/null").ok()
        Tool("get", NAME, "k", "/dev/null", "--force").ok()
        assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
        assert info()["orphan_pins"] == 0, "a hold was left behind"


@case("ended-get", "a get that is ended by a signal leaves the whole file or none")
def ended_get():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/f", b"x" * (56 * MIB))
        Tool("put", NAME, "k", path).ok()
        tool = start("get", NAME, "k", f"{at}/g", stdout=subprocess.DEVNULL)
        while len(os.listdir(at)) == 1:
            assert tool.poll() is None, "it ended without a file"
        tool.terminate()
        tool.communicate(timeout=30)
        assert tool.returncode in (0, -signal.SIGTERM)
        left = ["f", "g"] if tool.returncode == 0 else ["f"]
        assert sorted(os.listdir(at)) == left, (tool.returncode, os.listdir(at))


@case("get-absent", "a key without an object is told, and no file is made")
def get_absent():
    with empty_pool(), folder() as at:
        Tool("get", NAME, "none", f"{at}/f").fails(f"{NAME} has no object of the key none")
        Tool("get", NAME, "none", f"{at}/no/f").fails("No such file")
        assert not os.listdir(at)


@case("full-disk", "a full disk fails get and the spool of put, and leaves nothing there")
def full_disk():
    with empty_pool(), folder() as at:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1M", "none", at], check=True)
        try:
            put("k", 3 * MIB)
            Tool("get", NAME, "k", f"{at}/f").fails("cannot be written", "No space left")
            assert not os.listdir(at)
            Tool("put", NAME, "l", "-", input=b"x" * (3 * MIB),
                 env={"TMPDIR": at}).fails("No space left", "TMPDIR")
            Tool("put", NAME, "l", "-", input=b"x",
                 env={"TMPDIR": f"{at}/none"}).fails("no temporary file", "TMPDIR")
        finally:
            subprocess.run(["umount", at], check=True)
        with open("/dev/full", "wb") as file:
            Tool("get", NAME, "k", stdout=file).fails("standard output cannot be written")
        Tool("get", NAME, "k", "/dev/full").fails("/dev/full cannot be written")
        assert info()["objects"] == 1 and info()["orphan_pins"] == 0


@case("closed-output", "get to a closed standard output fails")
def closed_output():
    with empty_pool():
        put("k", 100)
        Tool("get", NAME, "k",
             through=("sh", "-c", 'exec "$@" >&-', "sh")).fails("cannot be written")


@case("terminal", "get writes no object to a terminal")
def terminal():
    with empty_pool():
        put("k", 100)
        master, slave = os.openpty()
        Tool("get", NAME, "k", stdout=slave).fails("is a terminal")
        os.close(master)
        os.close(slave)


@case("killed-put", "inv9 a put that is killed leaves nothing but a quarantine, which passes")
def killed_put():
    with empty_pool(), folder() as at:
        path = new_file(f"{at}/f", os.urandom(56 * MIB))
        client = Client(NAME)
        tool = start("put", NAME, "k", path, stdout=subprocess.DEVNULL)
        while not client.usage("staged"):
            assert tool.poll() is None, "it ended before it staged anything"
        tool.send_signal(signal.SIGKILL)
        end(tool, -signal.SIGKILL)
        assert client.usage("staged") == 0 and client.get(b"k") == -2
        client.close()
        settle()
        assert info()["used"] == 0
        Tool("put", NAME, "k", path).ok()


class Blocked:
    """A get that holds an object and waits for its output to be read."""

    def __init__(self, pool, key):
        self.tool = start("get", pool, key, stdout=subprocess.PIPE)
        row = {}
        while not row.get("holders"):
            assert self.tool.poll() is None, "it ended before it held anything"
            row, = Tool("query", pool, key, "--json").json()


@case("held-get", "D2 an object that is being fetched is not evicted, and comes whole")
def held_get():
    with empty_pool():
        offset = put("k", 8 * MIB, "--json").json()["offset"]
        get = Blocked(NAME, "k")
        assert Tool("evict", NAME, "--key", "k").code == 1
        assert Tool("query", NAME, "k", "--json").json()[0]["state"] == "published"
        data = get.tool.stdout.read()
        end(get.tool, 0)
        assert len(data) == 8 * MIB and data.startswith(b"k k ") and offset == 0
        Tool("evict", NAME, "--key", "k").ok()


@case("lost-get", "F5 G3 get fails when its object or its pool is given up while it reads")
def lost_get():
    memfd = new_memfd()
    with Pool("lost", memfd.path, "--quarantine-ms", "100"), folder() as at:
        path = new_file(f"{at}/f", b"x" * (8 * MIB))
        for key in ("bad", "good"):
            Tool("put", "lost", key, path).ok()
        get = Blocked("lost", "bad")
        Tool("retire", "lost", "0").ok()
        get.tool.stdout.read()
        end(get.tool, 1, "given up while it was read", "void")
        Tool("get", "lost", "bad", f"{at}/g").fails("no object of the key bad")
        get = Blocked("lost", "good")
        Tool("detach", "lost", "--force").ok()
        assert len(get.tool.stdout.read()) < 8 * MIB
        end(get.tool, 1, "lost has been detached")
        assert os.listdir(at) == ["f"]
    memfd.close()


@case("killed-get", "Z1 a get that is killed holds its object for the quarantine and no longer")
def killed_get():
    with empty_pool():
        put("k", 4 * MIB)
        get = Blocked(NAME, "k")
        get.tool.kill()
        end(get.tool, -signal.SIGKILL)
        row, = Tool("query", NAME, "k", "--json").json()
        assert row["holders"] == 1 or info()["orphan_pins"] == 0, row
        settle()
        Tool("evict", NAME, "--key", "k").ok()
