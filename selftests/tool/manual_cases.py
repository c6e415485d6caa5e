# SPDX-License-Identifier: GPL-2.0-only
"""The manual page against what the program says of itself."""
import re
import subprocess

import manual
from harness import Tool, case

EVERYWHERE = ["--json", "--help"]


def helped():
    return re.findall(r"^  (\w+) ", Tool("help").ok().out, re.M)


@case("manual-verbs", "the manual has exactly the verbs that help lists, each with an example")
def verbs():
    sections = manual.sections()
    assert set(sections) == set(helped()), set(sections) ^ set(helped())
    assert list(sections) == manual.synopsis(), manual.synopsis()
    shown = {verb: [command for of, _, command, _ in manual.examples() if of == verb]
             for verb in sections}
    for verb, commands in shown.items():
        assert any(re.search(rf"\bmaru-l1ctl {verb}\b", line) for line in commands), verb


@case("manual-options", "the manual has exactly the options that help names, verb by verb")
def options():
    for verb in helped():
        told = re.findall(r"^  (--[\w-]+)", Tool("help", verb).ok().out, re.M)
        told = [option for option in told if option not in EVERYWHERE]
        assert sorted(manual.options(verb)) == sorted(told), (verb, manual.options(verb), told)
    general = manual.plain(manual.page()).split("\n.SH OPTIONS\n")[1].split("\n.SH ")[0]
    assert re.findall(r"^\.B (--\w+)", general, re.M) == EVERYWHERE


@case("manual-clean", "mandoc finds nothing to say about the manual")
def clean():
    subprocess.run(["mandoc", "-T", "lint", "-W", "warning", manual.PATH], check=True)


@case("manual-shape", "the comparison of examples sees a wrong title, word, line and order")
def shape():
    shown = "KEY  SIZE\na    1.5 GiB\n...\nPool 5f0c2a5e-8c7c-4b8e-9d5e-2f0b9c1d7a34, 3 left.\n"
    real = ("KEY    SIZE\na      24 KiB\nb  7 B\n"
            "Pool 00000000-8c7c-4b8e-9d5e-2f0b9c1d7a34, 17 left.\n")
    assert manual.same_shape(shown, real)
    for wrong in (real.replace("SIZE", "BYTES"), real.replace("left", "right"),
                  real.replace("KEY    SIZE", "SIZE  KEY"), real + "more\n", real[5:],
                  real.replace("Pool", "Pool x"), ""):
        assert not manual.same_shape(shown, wrong), wrong
