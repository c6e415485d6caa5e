// SPDX-License-Identifier: GPL-2.0-only
/*
 * lifetime: in a kernel with the module, as root, with no pool attached.
 * MARU_DAX names a device-dax node whose content may be lost.
 */
#include "lifetime.h"

static struct tap_case cases[64];

static size_t add(size_t nr, const struct tap_case *more, size_t nr_more)
{
	memcpy(cases + nr, more, nr_more * sizeof(*more));
	return nr + nr_more;
}

static void torn_down(void)
{
	place_end(&place);
}

int main(int argc, char **argv)
{
	static const struct tap_case end = {
		"end", "nothing is left of what the clients had", torn_down,
	};
	size_t nr = 0;

	nr = add(nr, share_cases, nr_share_cases);
	nr = add(nr, mapped_cases, nr_mapped_cases);
	nr = add(nr, exit_cases, nr_exit_cases);
	nr = add(nr, detach_cases, nr_detach_cases);
	nr = add(nr, revoke_cases, nr_revoke_cases);
	nr = add(nr, fence_cases, nr_fence_cases);
	nr = add(nr, kill_cases, nr_kill_cases);
	nr = add(nr, unbind_cases, nr_unbind_cases);
	nr = add(nr, &end, 1);
	nr = add(nr, poison_cases, nr_poison_cases);
	if (!place_begin(&place, POOL, QUARANTINE_MS)) {
		printf("lifetime: 0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	return tap_run("lifetime", cases, nr, argc, argv);
}
