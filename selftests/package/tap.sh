# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# KTAP for the scripts of this directory; "work" is a directory of theirs.

passed=0 failed=0 skipped=0 nr=0

# check TEXT COMMAND...: holds when COMMAND exits 0; its output is shown if not.
check() {
	local text=$1
	shift
	nr=$((nr + 1))
	if "$@" >"$work/said" 2>&1; then
		passed=$((passed + 1))
		echo "ok $nr $text"
	else
		failed=$((failed + 1))
		sed 's/^/# /' "$work/said" | tail -n 20
		echo "not ok $nr $text"
	fi
}

# refused TEXT COMMAND...: holds when COMMAND fails.
refused() {
	local text=$1
	shift
	check "$text" fails "$@"
}

fails() {
	! "$@"
}

# total SUITE: the last line, and the exit status of the script.
total() {
	echo "1..$nr"
	echo "$1: $passed passed, $failed failed, $skipped skipped"
	((failed == 0))
}
