// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a SIGBUS was about.  Runs in signal handlers: no lock, no system call. */
#include "internal.h"

#include <signal.h>

int marul1_sigbus(struct marul1_client *client, const siginfo_t *info,
		  uint64_t *offset, uint64_t *length)
{
	uint64_t mapped, at, unit;
	int err;

	/* Of a signal that somebody sent, and of other signals, si_addr says nothing. */
	if (info->si_signo != SIGBUS || info->si_code <= 0)
		return -ENOENT;
	err = marul1_offset(client, info->si_addr, &at);
	if (err)
		return err;
	if (info->si_code != BUS_MCEERR_AR && info->si_code != BUS_MCEERR_AO)
		return -ENODEV;
	/* The mapping begins at a multiple of every page size that it can have. */
	unit = 1ULL << (info->si_addr_lsb & 63);
	*offset = at & ~(unit - 1);
	marul1_base(client, &mapped);
	*length = unit < mapped - *offset ? unit : mapped - *offset;
	return 0;
}
