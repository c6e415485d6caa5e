# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For the scripts of this directory: what they build, and a pool of the module.

top=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
out=${O:-$top/build}
# shellcheck disable=SC2034 # used by the scripts
story=$out/tests/demo/story
POOL=demo

die() {
	echo "demo: $*" >&2
	exit 1
}

build_story() {
	make -s -C "$top/selftests/demo" O="$out"
}

build_tool() {
	make -s -C "$top/tools/maru-l1ctl" O="$out"
}

# build_module KVER KDIR
build_module() {
	make -s -C "$top/kmod" KVER="$1" KDIR="$2" OUT="$out/kmod-$1" >"$out/kmod-$1.log" 2>&1 || {
		tail -n 10 "$out/kmod-$1.log" >&2
		die "the module does not build for kernel $1; all of it is in $out/kmod-$1.log"
	}
}

ctl() {
	echo "\$ maru-l1ctl $*"
	"$out/bin/maru-l1ctl" "$@"
}

# pool_begin MODULE DEVICE: from a kernel without the module to a formatted device.
pool_begin() {
	[[ ! -e /sys/module/maru_l1 ]] || die "the module maru_l1 is loaded already: unload it first"
	echo "\$ insmod ${1##*/}"
	insmod "$1" || die "the module cannot be loaded: see above and dmesg"
	# All hosts of this pool are this one: its caches need no flushing.
	ctl format "$2" --label Qwen3-8B --coherent yes --force
}

# pool_attach DEVICE QUARANTINE_MS
pool_attach() {
	ctl attach "$POOL" "$1" --quarantine-ms "$2"
}

# Without force: it is refused if anything is left behind.
pool_detach() {
	ctl detach "$POOL"
}

pool_end() {
	echo "\$ rmmod maru_l1"
	rmmod maru_l1
}

# sentence_of TEXT: the sentence that the story names there as not true.
sentence_of() {
	sed -n "s/^demo: not true: sentence '\([a-z-]*\)'$/\1/p" <<<"$1"
}
