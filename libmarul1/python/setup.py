# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Builds marul1._marul1 with libmarul1: the tree's own, or the installed one."""
import glob
import os
import subprocess

from setuptools import Extension, setup

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("MARUL1_TOP", os.path.dirname(os.path.dirname(HERE)))
IN_TREE = os.path.exists(os.path.join(TOP, "libmarul1/libmarul1.map"))


def pkg_config(option):
    return subprocess.run(["pkg-config", option, "libmarul1"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()


def version():
    if not IN_TREE:
        return pkg_config("--modversion")[0]
    with open(os.path.join(TOP, "VERSION"), encoding="ascii") as file:
        return file.read().strip()


def how_to_link():
    """In the tree: static, so that the binding and the library cannot differ."""
    if not IN_TREE:
        return {"extra_compile_args": pkg_config("--cflags"),
                "extra_link_args": pkg_config("--libs")}
    out = os.environ.get("O", os.path.join(TOP, "build"))
    subprocess.run(["make", "-s", "-C", os.path.join(TOP, "libmarul1"), f"O={out}"], check=True)
    return {"include_dirs": [os.path.join(TOP, "libmarul1"), os.path.join(TOP, "uapi")],
            "extra_objects": [os.path.join(out, "lib/libmarul1.a")],
            "extra_link_args": ["-pthread"] + subprocess.run(
                ["pkg-config", "--libs", "liburcu"], check=True, text=True,
                stdout=subprocess.PIPE).stdout.split()}


os.chdir(HERE)
setup(version=version(),
      ext_modules=[Extension("marul1._marul1", sorted(glob.glob("src/*.c")),
                             depends=glob.glob("src/*.h"), **how_to_link())])
