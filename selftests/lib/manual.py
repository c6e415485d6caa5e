#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""manual.py structs|constants: what libmarul1.h gives to a program is in the manual
pages, and they name nothing that it has not.  Prints what differs."""
import os
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGES = [TOP / "libmarul1/libmarul1.3", TOP / "libmarul1/marul1_items.3"]

# The kernel's own forms of what the library has structures or functions for.
HIDDEN = {"maru_l1_" + name for name in """batch reserve commit abort read release renew
    delete touch query setup layout subscribe attach grow detach pool_status
    client_status""".split()}
# Not for users of the library: numbers of calls, netlink, the control node, the status
# page.  Accounts have marul1_account_name().
OTHERS = re.compile(r"MARU_L1_(IOC|C_\w+|N_\w+|A_\w+|DETACH_FORCE|MMAP_STATUS)$")


def preprocessed(*options):
    """The header as a compiler sees it."""
    return subprocess.run(
        [os.environ.get("CC", "cc"), "-E", "-P", *options, f"-I{TOP}/uapi",
         f"-I{TOP}/libmarul1", "-x", "c", "-"],
        input="#include <libmarul1.h>", capture_output=True, text=True, check=True).stdout


def structs_of_header():
    """Name of each structure -> its members."""
    found = {}
    for name, body in re.findall(r"struct (marul?_?l?1_\w+) \{(.*?)\};", preprocessed(), re.S):
        if name not in HIDDEN:
            found[name] = {re.sub(r"\[.*", "", member.split()[-1]).lstrip("*")
                           for member in body.split(";") if member.strip()}
    return found


def structs_of_pages():
    """The same of the pages: sections, and the lines that begin a member's item."""
    found, members = {}, None
    for line in "\n".join(page.read_text() for page in PAGES).splitlines():
        if line.startswith((".Sh ", ".Ss ")):
            section = re.match(r"\.Ss struct (\w+)$", line)
            members = found.setdefault(section[1], set()) if section else None
        elif members is not None and line.startswith(".It Fa "):
            members.update(line.removeprefix(".It Fa ").split(" , "))
    return found


def constants_of_header():
    """Names of flags, limits, kinds and states."""
    names = set()
    for name, value in re.findall(r"#define (MARU_?L1_\w+) (.*)", preprocessed("-dM")):
        if not value.startswith("_IO("):
            names.add(name)
    for body in re.findall(r"enum maru_l1_\w+ \{(.*?)\};", preprocessed(), re.S):
        names.update(re.findall(r"MARU_L1_\w+", body))
    return {name for name in names if not OTHERS.match(name)}


def statuses():
    """Which the pages name without their prefix."""
    body = re.search(r"enum maru_l1_status \{(.*?)\};", preprocessed(), re.S)[1]
    return set(re.findall(r"MARU_L1_\w+", body))


def check_structs():
    """Each member of each structure, and no other."""
    header, pages = structs_of_header(), structs_of_pages()
    if not header:
        print("the header has no structures")
    for name in sorted(header | pages):
        for member in sorted(header.get(name, set()) - pages.get(name, set())):
            print(f"not in the manual: {name}.{member}")
        for member in sorted(pages.get(name, set()) - header.get(name, set())):
            print(f"not in the header: {name}.{member}")


def check_constants():
    """Each constant, and no other."""
    text = re.sub(r"^\.Dt .*", "", "\n".join(page.read_text() for page in PAGES), flags=re.M)
    header = constants_of_header()
    if not header:
        print("the header has no constants")
    for name in sorted(header):
        short = name.removeprefix("MARU_L1_") if name in statuses() else name
        if not re.search(rf"\b{short}\b", text):
            print(f"not in the manual: {name}")
    known = preprocessed() + preprocessed("-dM")
    for name in sorted(set(re.findall(r"\bMARU_?L1_\w+", text))):
        if not re.search(rf"\b{name}\b", known):
            print(f"not in the header: {name}")


{"structs": check_structs, "constants": check_constants}[sys.argv[1]]()
