# SPDX-License-Identifier: GPL-2.0-only
"""The completion scripts of maru-l1ctl, run in the shells that they are for."""
import subprocess

from harness import Tool

BASH = """
PATH=$(dirname "$1"):$PATH
source <(maru-l1ctl completion bash)
COMP_WORDS=("${@:2}")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
compopt() { echo ":compopt $*"; }
_maru_l1ctl
printf '%s\\n' "${COMPREPLY[@]}"
"""

# The script's own functions run; what belongs to zsh's completion system is told.
ZSH = """
path=(${1:h} $path)
compdef() { print -r -- "compdef $*" }
_describe() { print -rl -- "${(@P)argv[-1]}" }
_files() { print -r -- :files }
words=("${@:2}")
CURRENT=$#words
"""

ZSH_READ_IN = ZSH + """
source <(maru-l1ctl completion zsh)
_maru-l1ctl
"""

# As compinit does it: from a folder, with the first call.
ZSH_LOADED = ZSH + """
fpath=($(mktemp -d) $fpath)
maru-l1ctl completion zsh >$fpath[1]/_maru-l1ctl
autoload -Uz _maru-l1ctl
_maru-l1ctl
print again
_maru-l1ctl
rm -r $fpath[1]
"""


def run(shell, code, words):
    done = subprocess.run([*shell, code, "sh", Tool.path, "maru-l1ctl", *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          stdin=subprocess.DEVNULL, timeout=30)
    return done.stdout.decode().splitlines(), done.stderr.decode()


def bash(*words):
    found, errors = run(("bash", "--norc", "-c"), BASH, words)
    assert not errors, errors
    return [word for word in found if word]


def zsh(*words):
    """The script is read in, or loaded, which comes to the same each time."""
    read_in, errors = run(("zsh", "-f", "-c"), ZSH_READ_IN, words)
    assert not errors, errors
    assert read_in[0] == "compdef _maru-l1ctl maru-l1ctl", read_in
    found = read_in[1:]
    loaded, errors = run(("zsh", "-f", "-c"), ZSH_LOADED, words)
    assert not errors and loaded == [*found, "again", *found], (found, loaded, errors)
    return found
