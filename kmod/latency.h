/* SPDX-License-Identifier: GPL-2.0-only */
/* How long calls take: one histogram for each call, on each processor. */
#ifndef MARU_LATENCY_H
#define MARU_LATENCY_H

#include <linux/percpu.h>
#include <linux/types.h>

#define MARU_LATENCY_FIRST	0x20		/* number of the first call of a pool */
#define MARU_LATENCY_CALLS	24
#define MARU_LATENCY_BUCKETS	40		/* the last one has all that is longer */

/**
 * struct maru_latency - of one call
 * @calls: how many
 * @errors: how many failed as a whole
 * @total_ns: of all of them
 * @buckets: element n: calls of 2^n to 2^(n+1) - 1 ns
 */
struct maru_latency {
	u64 calls;
	u64 errors;
	u64 total_ns;
	u64 buckets[MARU_LATENCY_BUCKETS];
};

struct maru_latencies {
	struct maru_latency call[MARU_LATENCY_CALLS];
};

/* A call number that is not one of a pool is not recorded. */
void maru_latency_record(struct maru_latencies __percpu *all, u32 nr, u64 ns,
			 bool failed);
/* Of the call MARU_LATENCY_FIRST + @index, all processors together. */
void maru_latency_sum(struct maru_latencies __percpu *all, u32 index,
		      struct maru_latency *sum);

#endif /* MARU_LATENCY_H */
