// SPDX-License-Identifier: GPL-2.0-only
/*
 * Latency histograms.  Each processor counts for itself, so that the calls of
 * two clients share no line; a sum is not a snapshot of one moment.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "latency.h"

void maru_latency_record(struct maru_latencies __percpu *all, u32 nr, u64 ns,
			 bool failed)
{
	u32 bucket = min_t(u32, ilog2(ns | 1), MARU_LATENCY_BUCKETS - 1);
	u32 index = nr - MARU_LATENCY_FIRST;

	if (index >= MARU_LATENCY_CALLS)
		return;
	this_cpu_inc(all->call[index].calls);
	if (failed)
		this_cpu_inc(all->call[index].errors);
	this_cpu_add(all->call[index].total_ns, ns);
	this_cpu_inc(all->call[index].buckets[bucket]);
}

void maru_latency_sum(struct maru_latencies __percpu *all, u32 index,
		      struct maru_latency *sum)
{
	const struct maru_latency *one;
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		one = &per_cpu_ptr(all, cpu)->call[index];
		sum->calls += READ_ONCE(one->calls);
		sum->errors += READ_ONCE(one->errors);
		sum->total_ns += READ_ONCE(one->total_ns);
		for (i = 0; i < MARU_LATENCY_BUCKETS; i++)
			sum->buckets[i] += READ_ONCE(one->buckets[i]);
	}
}
