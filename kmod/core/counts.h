/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a pool counts.  All of it changes under the pool's lock, in the step that
 * it counts, so that no look sees the one without the other; there is nothing to
 * gain from a copy for each processor while the lock is taken anyway.
 */
#ifndef MARU_COUNTS_H
#define MARU_COUNTS_H

#include "shim.h"
#include <linux/maru_l1.h>

#define MARU_NR_CAUSES		(MARU_L1_C_PRIVATE + 1)
#define MARU_NR_REFUSALS	(MARU_L1_N_FENCED + 1)

struct maru_tally {
	u64 count;
	u64 bytes;
};

/**
 * struct maru_counts - since the pool was made, unless it says otherwise
 * @bytes_stored: of objects published
 * @bytes_served: of objects on which a client took its first hold
 * @lost_races: commits that lost
 * @expired_holds: holds whose lease ran out
 * @expired_writes: writes whose lease ran out
 * @events_lost: records that did not fit into a client's ring
 * @quarantined: extents that went to quarantine
 * @unquarantined: extents that left it
 * @removed: objects that went, by enum maru_l1_cause
 * @refused: items answered NO_SPACE, by enum maru_l1_refusal
 * @held: objects that somebody holds, now
 * @holds: holds on them, now
 */
struct maru_counts {
	u64 bytes_stored;
	u64 bytes_served;
	u64 lost_races;
	u64 expired_holds;
	u64 expired_writes;
	u64 events_lost;
	struct maru_tally quarantined;
	struct maru_tally unquarantined;
	struct maru_tally removed[MARU_NR_CAUSES];
	u64 refused[MARU_NR_REFUSALS];
	u64 held;
	u64 holds;
};

static inline void maru_tally_add(struct maru_tally *tally, u64 bytes)
{
	tally->count++;
	tally->bytes += bytes;
}

static inline void maru_tally_sub(struct maru_tally *tally, u64 bytes)
{
	tally->count--;
	tally->bytes -= bytes;
}

#endif /* MARU_COUNTS_H */
