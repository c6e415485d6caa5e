# SPDX-License-Identifier: GPL-2.0-only
"""Command lines completed by bash and zsh, as their scripts do it."""
import os
import subprocess
import tempfile

from harness import Tool, case
from shells import bash, zsh


@case("bash", "bash completes verbs, options, choices and values of options, and nothing else")
def bash_completes():
    assert bash("ev") == ["evict", "events"]
    assert "evict" in bash("") and "help" in bash("") and "complete" not in bash("")
    assert bash("frob") == [] and bash("frob", "") == []
    assert bash("evict", "--dr") == ["--dry-run"]
    assert bash("evict", "p", "--count", "") == []
    assert bash("evict", "p", "--count", "1", "--dr") == ["--dry-run"]
    assert bash("help", "purg") == ["purge"]
    assert bash("completion", "") == ["bash", "zsh"]
    assert bash("completion", "bash", "") == []
    assert bash("format", "--coherent", "") == ["yes", "no"]
    assert bash("format", "--coherent", "=", "y") == ["yes"]
    assert bash("format", "--coherent", "=") == ["yes", "no"]
    assert bash("query", "p", "k", "") == []
    assert {"--json", "--help"} <= set(bash("devices", "-"))


@case("files", "bash completes files where a file can stand, and only there")
def files():
    told = [":compopt -o filenames -o default"]
    assert bash("put", "p", "k", "") == told and bash("get", "p", "k", "x") == told
    assert bash("put", "p", "") == [] and bash("put", "p", "k", "f", "") == []
    assert bash("format", "/nonexistent") == told
    assert bash("format", "--label", "x", "/nonexistent") == told


@case("script", "the script for bash is clean")
def script():
    text = Tool("completion", "bash").ok().out
    with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
        file.write(text)
        file.flush()
        subprocess.run(["shellcheck", "-s", "bash", file.name], check=True)


@case("zsh", "zsh completes the same, with what each is")
def zsh_completes():
    assert "evict:delete objects that nobody holds" in zsh("")
    assert zsh("evict", "--dr") == ["--dry-run:tell what would be evicted, and change nothing"]
    assert zsh("format", "--coherent", "") == ["yes", "no"]
    assert zsh("put", "p", "k", "") == [":files"]
    assert zsh("frob", "") == [] and zsh("evict", "p", "--count", "") == []


@case("installed", "make install puts both scripts where the shells look for them")
def installed():
    tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as root:
        subprocess.run(["make", "-s", "-C", f"{tree}/tools/maru-l1ctl", "install",
                        f"O={os.path.dirname(os.path.dirname(Tool.path))}", f"DESTDIR={root}",
                        "PREFIX=/usr"] +
                       (["EXTRA=-fsanitize=address,undefined -fno-sanitize-recover=all"]
                        if "asan" in Tool.path else []), check=True)
        for shell, path in (("bash", "bash-completion/completions/maru-l1ctl"),
                            ("zsh", "zsh/site-functions/_maru-l1ctl")):
            with open(f"{root}/usr/share/{path}", encoding="ascii") as file:
                assert file.read() == Tool("completion", shell).ok().out
