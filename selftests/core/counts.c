// SPDX-License-Identifier: GPL-2.0-only
/* U1: what a pool counts beside its answers: what went and why, and what is held. */

#include "fixture.h"
#include "walk.h"

#define COUNTS(f)	((f)->pool->counts)

static u64 removed(struct fixture *f, enum maru_l1_cause cause)
{
	EXPECT_EQ(COUNTS(f).removed[cause].bytes % PAGE, 0);
	return COUNTS(f).removed[cause].count;
}

static u64 removed_in_all(struct fixture *f)
{
	u64 n = 0;
	u32 i;

	for (i = 0; i < MARU_NR_CAUSES; i++)
		n += COUNTS(f).removed[i].count;
	return n;
}

static struct maru_l1_evict evict(struct user *u, struct maru_l1_evict how)
{
	union maru_call_arg arg = { .evict = how };

	EXPECT_EQ(call_single(u, MARU_L1_EVICT, &arg, NULL, NULL), 0);
	return arg.evict;
}

/* Each way in which a published object goes, one object each. */
CASE(counts_removed)
{
	union maru_call_arg bad = { .report_bad = { .size = 0 } };
	union maru_call_arg purge = { .purge = { .flags = 0 } };
	u32 i;

	publish(A, "1");
	EXPECT_STATUS(delete(A, "1", 0), OK);
	EXPECT_EQ(removed(f, MARU_L1_C_DELETED), 1);
	publish(A, "2");
	evict(A, (struct maru_l1_evict){ .bytes = 1 });
	EXPECT_EQ(removed(f, MARU_L1_C_EVICT_BYTES), 1);
	publish(A, "3");
	evict(A, (struct maru_l1_evict){ .flags = MARU_L1_EVICT_TARGET });
	EXPECT_EQ(removed(f, MARU_L1_C_EVICT_TARGET), 1);
	publish(A, "4");
	evict(A, (struct maru_l1_evict){ .count = 1 });
	EXPECT_EQ(removed(f, MARU_L1_C_EVICT_COUNT), 1);
	publish(A, "5");
	evict(A, (struct maru_l1_evict){ .flags = MARU_L1_EVICT_LAYOUT, .layout = f->page,
					 .bytes = usage(A).available + PAGE });
	EXPECT_EQ(removed(f, MARU_L1_C_EVICT_LAYOUT), 1);
	publish(A, "6");
	EXPECT_EQ(call_single(A, MARU_L1_PURGE, &purge, NULL, NULL), 0);
	EXPECT_EQ(removed(f, MARU_L1_C_PURGED), 1);
	publish(A, "7");
	hold(B, "7", 1);
	bad.report_bad.offset = peek(B, "7").offset;
	EXPECT_EQ(call_single(A, MARU_L1_REPORT_BAD, &bad, NULL, NULL), 0);
	EXPECT_EQ(removed(f, MARU_L1_C_RETIRED), 1);
	EXPECT_EQ(removed_in_all(f), 7);
	for (i = MARU_L1_C_DELETED; i <= MARU_L1_C_RETIRED; i++)
		EXPECT_EQ(COUNTS(f).removed[i].bytes, PAGE);
}

/* A dry run and what is refused remove nothing; nor does a race that was lost. */
CASE(counts_not_removed)
{
	publish(A, "k");
	evict(A, (struct maru_l1_evict){ .count = 1, .flags = MARU_L1_EVICT_DRY_RUN });
	hold(B, "k", 1);
	evict(A, (struct maru_l1_evict){ .count = 1 });
	EXPECT_STATUS(delete(A, "k", 0), LOCKED);
	EXPECT_STATUS(delete(A, "absent", 0), NOT_FOUND);
	stage(A, "w");
	EXPECT_STATUS(abort_key(A, "w", 0), OK);
	EXPECT_EQ(removed_in_all(f), 0);
}

/* Private objects end in four ways; one that its closed client left is not among them. */
CASE(counts_private)
{
	union maru_call_arg clear = { .clear = { .flags = 0 } };

	make_private(A, "read", 1);
	EXPECT_STATUS(release(A, "read", 0, 1).status, OK);
	EXPECT_EQ(removed(f, MARU_L1_C_PRIVATE), 1);
	make_private(A, "deleted", 0);
	EXPECT_STATUS(delete(A, "deleted", 0), OK);
	make_private(A, "cleared", 0);
	EXPECT_EQ(call_single(A, MARU_L1_CLEAR, &clear, NULL, NULL), 0);
	leases(A, 10, 1000);
	make_private(A, "expired", 0);
	pass(f, 20 * MS);
	EXPECT_EQ(removed(f, MARU_L1_C_PRIVATE), 4);
	make_private(B, "left", 0);
	user_close(B, false);
	pass(f, 2 * QUARANTINE);
	EXPECT_EQ(removed_in_all(f), 4);
	EXPECT_EQ(COUNTS(f).removed[MARU_L1_C_PRIVATE].bytes, 4 * PAGE);
}

/* What went in and out of quarantine differs by what is in it. */
CASE(counts_quarantine)
{
	u64 id;

	leases(A, 0, 10);
	id = stage(A, "expires");
	stage(B, "left");
	pass(f, 20 * MS);
	EXPECT_EQ(COUNTS(f).quarantined.count, 1);
	user_close(B, false);
	EXPECT_EQ(COUNTS(f).quarantined.count, 2);
	EXPECT_EQ(COUNTS(f).quarantined.bytes, 2 * PAGE);
	EXPECT_EQ(COUNTS(f).unquarantined.count, 0);
	EXPECT_STATUS(abort_id(A, id), OK);
	EXPECT_EQ(COUNTS(f).unquarantined.count, 1);
	EXPECT_EQ(usage(A).quarantined,
		  COUNTS(f).quarantined.bytes - COUNTS(f).unquarantined.bytes);
	pass(f, 2 * QUARANTINE);
	EXPECT_EQ(COUNTS(f).unquarantined.count, 2);
	EXPECT_EQ(COUNTS(f).unquarantined.bytes, 2 * PAGE);
}

/* Objects that are held, once each, and the holds on them; orphan pins too. */
CASE(counts_held)
{
	publish(A, "a");
	publish(A, "b");
	hold(A, "a", 3);
	hold(B, "a", 2);
	EXPECT_EQ(COUNTS(f).held, 1);
	EXPECT_EQ(COUNTS(f).holds, 5);
	hold(B, "b", 1);
	release(A, "a", 0, 3);
	EXPECT_EQ(COUNTS(f).held, 2);
	EXPECT_EQ(COUNTS(f).holds, 3);
	user_close(B, false);
	EXPECT_EQ(COUNTS(f).held, 2);
	EXPECT_EQ(COUNTS(f).holds, 3);
	pass(f, 2 * QUARANTINE);
	EXPECT_EQ(COUNTS(f).held, 0);
	EXPECT_EQ(COUNTS(f).holds, 0);
	make_private(A, "p", 2);
	EXPECT_EQ(COUNTS(f).held, 1);
	release(A, "p", 0, 2);
	EXPECT_EQ(COUNTS(f).held, 0);
}

/* Every NO_SPACE has one reason. */
static void expect_refused(struct fixture *f, enum maru_l1_refusal reason, u64 items)
{
	u64 n = 0;
	u32 i;

	EXPECT_EQ(COUNTS(f).refused[reason], items);
	for (i = 0; i < MARU_NR_REFUSALS; i++)
		n += COUNTS(f).refused[i];
	EXPECT_EQ(n, f->pool->answers[(MARU_L1_RESERVE_WRITE & 0xff) - MARU_NR_FIRST]
				     [MARU_L1_NO_SPACE]);
}

CASE(counts_refused_space, .bytes = 4 * MIB)
{
	u32 block = layout(A, 2 * MIB, 0);

	EXPECT_STATUS(reserve(A, block, "1", 0, 0).status, OK);
	EXPECT_STATUS(reserve(A, block, "2", 0, 0).status, OK);
	EXPECT_STATUS(reserve(A, block, "3", 0, 0).status, NO_SPACE);
	EXPECT_STATUS(reserve(A, block, "1", 0, 0).status, NOT_WRITABLE);
	expect_refused(f, MARU_L1_N_SPACE, 1);
}

/* At the border: the last one fits, one more does not, and one less makes room. */
CASE(counts_refused_objects, .max_objects = 2)
{
	publish(A, "1");
	stage(A, "2");
	EXPECT_STATUS(reserve(B, f->page, "3", 0, 0).status, NO_SPACE);
	expect_refused(f, MARU_L1_N_OBJECTS, 1);
	EXPECT_STATUS(delete(A, "1", 0), OK);
	EXPECT_STATUS(reserve(B, f->page, "3", 0, 0).status, OK);
	expect_refused(f, MARU_L1_N_OBJECTS, 1);
}

CASE(counts_refused_client, .max_client_bytes = 2 * PAGE)
{
	stage(A, "1");
	stage(A, "2");
	EXPECT_STATUS(reserve(A, f->page, "3", 0, 0).status, NO_SPACE);
	EXPECT_STATUS(reserve(B, f->page, "3", 0, 0).status, OK);
	expect_refused(f, MARU_L1_N_CLIENT_BYTES, 1);
	EXPECT_STATUS(commit(A, "1", 0, 0).status, OK);
	EXPECT_STATUS(reserve(A, f->page, "3", 0, 0).status, OK);
	expect_refused(f, MARU_L1_N_CLIENT_BYTES, 1);
}

CASE(counts_refused_tags)
{
	u64 tag;

	for (tag = 0; tag < MARU_L1_TAGS_MAX; tag++)
		EXPECT_STATUS(reserve(A, f->page, "k", tag, 0).status, OK);
	EXPECT_STATUS(reserve(A, f->page, "k", tag, 0).status, NO_SPACE);
	expect_refused(f, MARU_L1_N_TAGS, 1);
}

CASE(counts_refused_fenced)
{
	maru_pool_fence(f->pool, f->now);
	EXPECT_STATUS(reserve(A, f->page, "k", 0, 0).status, NO_SPACE);
	EXPECT_STATUS(reserve(A, f->page, "", 0, 0).status, INVALID);
	expect_refused(f, MARU_L1_N_FENCED, 1);
}

/* Records that did not fit are counted one by one, and are told of once. */
CASE(counts_events_lost)
{
	u32 i, n = 2 * MARU_L1_EVENTS_MIN / sizeof(struct maru_l1_event);

	subscribe(A, MARU_L1_EV_MASK(MARU_L1_EV_DELETED), MARU_L1_EVENTS_MIN);
	for (i = 0; i < n; i++) {
		publish(B, "k");
		EXPECT_STATUS(delete(B, "k", 0), OK);
	}
	/* All but the last record in the ring, which is LOST, were delivered. */
	EXPECT_EQ(COUNTS(f).events_lost, n - (A->status.events - 1));
	EXPECT(COUNTS(f).events_lost > 1);
}

/* STATS tells sums of the same numbers. */
CASE(counts_stats)
{
	struct maru_l1_stats stats = { 0 };
	struct maru_counts counts;

	publish(A, "1");
	publish(A, "2");
	publish(A, "3");
	evict(A, (struct maru_l1_evict){ .count = 1 });
	evict(A, (struct maru_l1_evict){ .bytes = 1 });
	evict(A, (struct maru_l1_evict){ .flags = MARU_L1_EVICT_TARGET });
	maru_pool_stats(f->pool, &stats, NULL, 0, &counts);
	EXPECT_EQ(stats.evicted, 3);
	EXPECT_EQ(stats.purged, 0);
	EXPECT_EQ(stats.quarantined, counts.quarantined.count);
	EXPECT(!memcmp(&counts, &COUNTS(f), sizeof(counts)));
}

CASES(counts_cases,
	{ "counts-removed", "U1 each way out of the directory is counted under its cause",
	  counts_removed },
	{ "counts-kept", "U1 what stays is not counted as removed", counts_not_removed },
	{ "counts-private", "U1 private objects that end are counted", counts_private },
	{ "counts-quarantine", "U1 into quarantine less out of it is what is in it",
	  counts_quarantine },
	{ "counts-held", "U1 held objects and holds, those of closed clients too", counts_held },
	{ "counts-space", "U1 NO_SPACE for want of space", counts_refused_space },
	{ "counts-objects", "U1 NO_SPACE at the pool's object limit", counts_refused_objects },
	{ "counts-client", "U1 NO_SPACE at the client's byte limit", counts_refused_client },
	{ "counts-tags", "U1 NO_SPACE at the limit of writes of a key", counts_refused_tags },
	{ "counts-fenced", "U1 NO_SPACE of a fenced node", counts_refused_fenced },
	{ "counts-events", "U1 each event that did not fit is counted", counts_events_lost },
	{ "counts-stats", "U1 STATS tells the same numbers", counts_stats });
