// SPDX-License-Identifier: GPL-2.0-only
/* The counters and latencies of a pool, in one message. */

#include <linux/err.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "core/walk.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

#define COUNTERS_MAX	512	/* more than there are calls times answers */

static int put_counter(struct sk_buff *skb, const struct maru_l1_counter *counter)
{
	struct nlattr *nest = nla_nest_start(skb, MARU_L1_A_STATS_COUNTER);

	if (!nest ||
	    nla_put_u32(skb, MARU_L1_A_COUNTER_OP, counter->op) ||
	    nla_put_u32(skb, MARU_L1_A_COUNTER_STATUS, counter->status) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_COUNTER_COUNT, counter->count,
			      MARU_L1_A_COUNTER_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_latency(struct sk_buff *skb, u32 op,
		       const struct maru_latency *latency)
{
	struct nlattr *nest = nla_nest_start(skb, MARU_L1_A_STATS_LATENCY);

	if (!nest ||
	    nla_put_u32(skb, MARU_L1_A_LATENCY_OP, op) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_LATENCY_CALLS, latency->calls,
			      MARU_L1_A_LATENCY_PAD) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_LATENCY_ERRORS, latency->errors,
			      MARU_L1_A_LATENCY_PAD) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_LATENCY_TOTAL_NS, latency->total_ns,
			      MARU_L1_A_LATENCY_PAD) ||
	    nla_put(skb, MARU_L1_A_LATENCY_HISTOGRAM, sizeof(latency->buckets),
		    latency->buckets))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_removal(struct sk_buff *skb, u32 cause, const struct maru_tally *removed)
{
	struct nlattr *nest = nla_nest_start(skb, MARU_L1_A_STATS_REMOVAL);

	if (!nest ||
	    nla_put_u32(skb, MARU_L1_A_REMOVAL_CAUSE, cause) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_REMOVAL_OBJECTS, removed->count,
			      MARU_L1_A_REMOVAL_PAD) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_REMOVAL_BYTES, removed->bytes,
			      MARU_L1_A_REMOVAL_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_refusal(struct sk_buff *skb, u32 reason, u64 items)
{
	struct nlattr *nest = nla_nest_start(skb, MARU_L1_A_STATS_REFUSAL);

	if (!nest ||
	    nla_put_u32(skb, MARU_L1_A_REFUSAL_REASON, reason) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_REFUSAL_ITEMS, items,
			      MARU_L1_A_REFUSAL_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* Those that are 0 too: they are few, and a reader sees which there are. */
static int put_reasons(struct sk_buff *skb, const struct maru_counts *counts)
{
	u32 i;

	for (i = 0; i < MARU_NR_CAUSES; i++)
		if (put_removal(skb, i, &counts->removed[i]))
			return -EMSGSIZE;
	for (i = 0; i < MARU_NR_REFUSALS; i++)
		if (put_refusal(skb, i, counts->refused[i]))
			return -EMSGSIZE;
	return 0;
}

static int put_counts(struct sk_buff *skb, const struct maru_counts *counts)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_STATS_##_attr, offsetof(struct maru_counts, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(QUARANTINED_BYTES, quarantined.bytes),
		FIELD(UNQUARANTINED, unquarantined.count),
		FIELD(UNQUARANTINED_BYTES, unquarantined.bytes),
		FIELD(EVENTS_LOST, events_lost),
		FIELD(HELD, held), FIELD(HOLDS, holds),
	};
#undef FIELD

	if (maru_nl_put_fields(skb, counts, fields, ARRAY_SIZE(fields),
			       MARU_L1_A_STATS_PAD))
		return -EMSGSIZE;
	return put_reasons(skb, counts);
}

static int put_latencies(struct sk_buff *skb, struct maru_dev *dev)
{
	struct maru_latency sum;
	u32 i;

	for (i = 0; i < MARU_LATENCY_CALLS; i++) {
		maru_latency_sum(dev->latencies, i, &sum);
		if (sum.calls && put_latency(skb, MARU_LATENCY_FIRST + i, &sum))
			return -EMSGSIZE;
	}
	return 0;
}

/**
 * struct stats_view - the counters of a pool, of one moment
 * @stats: as STATS tells them
 * @counts: the others
 * @counters: those that are not 0, stats.nr_items
 */
struct stats_view {
	struct maru_l1_stats stats;
	struct maru_counts counts;
	struct maru_l1_counter counters[COUNTERS_MAX];
};

static int put_stats(struct sk_buff *skb, struct maru_dev *dev,
		     const struct stats_view *view)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_STATS_##_attr, offsetof(struct maru_l1_stats, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(BYTES_STORED, bytes_stored),
		FIELD(BYTES_SERVED, bytes_served),
		FIELD(LOST_RACES, lost_races), FIELD(EVICTED, evicted),
		FIELD(PURGED, purged), FIELD(EXPIRED_HOLDS, expired_holds),
		FIELD(EXPIRED_WRITES, expired_writes),
		FIELD(QUARANTINED, quarantined),
	};
#undef FIELD
	u32 i;

	if (nla_put_string(skb, MARU_L1_A_STATS_POOL, dev->name) ||
	    maru_nl_put_fields(skb, &view->stats, fields, ARRAY_SIZE(fields),
			       MARU_L1_A_STATS_PAD) ||
	    put_counts(skb, &view->counts))
		return -EMSGSIZE;
	for (i = 0; i < view->stats.nr_items; i++)
		if (put_counter(skb, &view->counters[i]))
			return -EMSGSIZE;
	return put_latencies(skb, dev);
}

/* Room for @counters and a latency of each call. */
static struct sk_buff *stats_new(u32 counters)
{
	size_t counter = nla_total_size(2 * nla_total_size(sizeof(u32)) +
					nla_total_size_64bit(sizeof(u64)));
	size_t latency = nla_total_size(nla_total_size(sizeof(u32)) +
					3 * nla_total_size_64bit(sizeof(u64)) +
					nla_total_size(sizeof(u64) *
						       MARU_LATENCY_BUCKETS));

	size_t reason = nla_total_size(nla_total_size(sizeof(u32)) +
				       2 * nla_total_size_64bit(sizeof(u64)));

	return genlmsg_new(NLMSG_DEFAULT_SIZE + counters * counter +
			   MARU_LATENCY_CALLS * latency +
			   (MARU_NR_CAUSES + MARU_NR_REFUSALS) * reason, GFP_KERNEL);
}

static int reply_stats(const struct genl_info *info, struct maru_dev *dev,
		       const struct stats_view *view)
{
	struct sk_buff *skb = stats_new(view->stats.nr_items);
	void *head;

	if (!skb)
		return -ENOMEM;
	head = genlmsg_iput(skb, info);
	if (!head || put_stats(skb, dev, view)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, (struct genl_info *)info);
}

int maru_l1_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct maru_dev *dev = maru_nl_pool(info, MARU_L1_A_STATS_POOL);
	struct stats_view *view;
	int err = -ENODEV, idx;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	view = kvzalloc(sizeof(*view), GFP_KERNEL);
	if (!view) {
		err = -ENOMEM;
	} else if (maru_dev_enter(dev, &idx)) {
		maru_pool_stats(dev->pool, &view->stats, view->counters, COUNTERS_MAX,
				&view->counts);
		maru_dev_leave(dev, idx);
		err = reply_stats(info, dev, view);
	}
	kvfree(view);
	maru_dev_put(dev);
	return err;
}
