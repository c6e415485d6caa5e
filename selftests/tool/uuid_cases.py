# SPDX-License-Identifier: GPL-2.0-only
"""Pools that are named by uuid, and waiting for them."""
from harness import Tool, case

ABSENT = "00000000-0000-4000-8000-000000000001"


@case("uuid", "what is no uuid is wrong usage, and a device beside one too")
def uuid():
    for value in ("", "1", ABSENT[:-1], ABSENT + "0", ABSENT[:-1] + "g", "/dev/dax0.0"):
        Tool("attach", "a", "--uuid", value).misused("32 hexadecimal digits")
    Tool("attach", "a", "--uuid", ABSENT, "/dev/dax0.0").misused("one argument too many")
    Tool("attach", "a").misused("argument")


@case("uuid-absent", "a pool that no device has is named")
def uuid_absent():
    for value in (ABSENT, ABSENT.replace("-", "")):
        Tool("attach", "a", "--uuid", value).fails(ABSENT, "maru-l1ctl devices")
    Tool("attach", "a", "--uuid", ABSENT, "--wait", "1").fails(ABSENT)


@case("wait", "what is no time to wait is wrong usage, and one without a uuid too")
def wait():
    for value in ("", "-1", "1s", "0.5", "86401", "18446744073709551617"):
        Tool("attach", "a", "--uuid", ABSENT, "--wait", value).misused("number of seconds")
        Tool("detach", "a", "--wait", value).misused("number of seconds")
    Tool("attach", "a", "/dev/dax0.0", "--wait", "1").misused("--uuid")
