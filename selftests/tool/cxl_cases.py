# SPDX-License-Identifier: GPL-2.0-only
"""maru-l1ctl where /dev/dax0.0 is a CXL region, which can also be system memory."""
import subprocess

from guest import DAX, Pool, dax_size
from harness import MIB, Tool, case


def reconfigure(*options):
    subprocess.run(["daxctl", "reconfigure-device", *options, "dax0.0"], check=True,
                   stdout=subprocess.DEVNULL)


@case("system-ram", "a device that is system memory is told apart, with what to do")
def system_ram():
    # The kernel's policy would use the memory at once, and never give it back.
    with open("/sys/devices/system/memory/auto_online_blocks", "w", encoding="ascii") as file:
        file.write("offline")
    reconfigure("--mode=system-ram", "--no-online")
    for args in (("format", DAX), ("attach", "a", DAX)):
        Tool(*args).fails("system-ram", "daxctl reconfigure-device --mode=devdax dax0.0")
    reconfigure("--mode=devdax", "--force")


@case("pool", "a CXL region becomes a pool whose NUMA node is known")
def pool():
    told = Tool("format", DAX, "--json").json()
    assert told["size"] == dax_size() - 2 * MIB and not told["coherent"], told
    assert told["numa_node"] >= 0, told
    with Pool("cxl", DAX):
        info = Tool("info", "cxl", "--json").json()
        assert info["numa_node"] == told["numa_node"] and info["uuid"] == told["uuid"], info
        assert Tool("check", "cxl").ok().out == "OK, 0 extents walked\n"
