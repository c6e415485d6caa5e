# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Shared by the scripts of this directory: messages, and where things live.

PROG=${0##*/}
QUIET=${QUIET:-}

# Kernels, QEMU and initramfs images are large and survive a "git clean".
CACHE=${MARU_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME or MARU_CACHE}/.cache}/maru_l1}
[[ $CACHE == /* ]] || CACHE=$PWD/$CACHE

say() {
	[[ $QUIET ]] || printf 'vm/%s: %s\n' "$PROG" "$*" >&2
}

warn() {
	printf 'vm/%s: %s\n' "$PROG" "$*" >&2
}

# The rig's own failures have one exit code, so that a caller can tell them
# from a failure of what it ran.
die() {
	warn "$*"
	exit 125
}

need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool is missing: run 'make deps' (scripts/deps vm)"
	done
}

# need_space DIR MB
need_space() {
	local free
	free=$(df -Pm "$1" | awk 'NR == 2 { print $4 }')
	((free >= $2)) ||
		die "$1 has $free MB free, $2 MB are needed: make room or set MARU_CACHE to another disk"
}

# Two runs may want to fill the same place in the cache: the second waits for
# the first and then finds the work done. Lock 9 lasts as long as the script.
cache_lock() {
	mkdir -p "$CACHE" || die "cannot create $CACHE: set MARU_CACHE to a writable directory"
	exec 9>"$CACHE/.lock-$1"
	flock -n 9 && return
	say "waiting for another process that prepares $1"
	flock 9
}
