// SPDX-License-Identifier: GPL-2.0-only
/* The end of a client: quarantine, orphan pins, and what must wait for what. */

#include "fixture.h"

/* One of everything that a client can leave. */
static void leave_all(struct fixture *f)
{
	leases(B, 0, 1000);
	publish(B, "held");
	hold(B, "held", 3);
	make_private(B, "idle", 0);
	make_private(B, "private", 2);
	stage(B, "staged");
	stage(B, "expired");
	f->now += 1000 * MS;
	stage(B, "staged again");
	CHECK(f);
}

static void expect_waiting(struct fixture *f)
{
	struct maru_l1_usage u = usage(A);

	EXPECT_EQ(u.quarantined, 5 * PAGE);
	EXPECT_EQ(u.staged, 0);
	EXPECT_EQ(u.private_bytes, 0);
	EXPECT_EQ(u.orphan_pins, 1);
	EXPECT_EQ(query(A, "held").holders, 1);
	EXPECT_STATUS(delete(A, "held", 0), LOCKED);
	EXPECT_STATUS(reserve_read(A, "idle", 1).status, NOT_FOUND);
	EXPECT_STATUS(reserve_read(A, "staged", 1).status, NOT_FOUND);
	EXPECT(!maru_pool_settled(f->pool));
	CHECK(f);
}

static void expect_gone(struct fixture *f)
{
	EXPECT_EQ(usage(A).used, PAGE);
	EXPECT_EQ(usage(A).orphan_pins, 0);
	EXPECT_EQ(query(A, "held").holders, 0);
	EXPECT(maru_pool_settled(f->pool));
	EXPECT_STATUS(delete(A, "held", 0), OK);
	CHECK(f);
}

/* Z1: all goes when the quarantine has passed, and not a moment before. */
CASE(close_quarantine)
{
	leave_all(f);
	EXPECT(!user_close(B, false));
	expect_waiting(f);
	pass(f, QUARANTINE - 1);
	expect_waiting(f);
	pass(f, 1);
	expect_gone(f);
}

/* A process that reserved is still exiting: the time does not begin. */
CASE(close_exiting)
{
	struct maru_client *core = B->core;

	leave_all(f);
	ASSERT(user_close(B, true));
	pass(f, 100 * QUARANTINE);
	expect_waiting(f);
	maru_client_settle(core, f->now);
	pass(f, QUARANTINE - 1);
	expect_waiting(f);
	pass(f, 1);
	expect_gone(f);
}

/* One that leaves nothing is gone at once, whoever is exiting. */
CASE(close_empty)
{
	publish(B, "published");
	EXPECT(!user_close(B, true));
	EXPECT(maru_pool_settled(f->pool));
	EXPECT_STATUS(reserve_read(A, "published", 1).status, OK);
}

/* The extent is not handed out again before its time: quarantine is for DMA. */
CASE(close_no_reuse, .bytes = 2 * MIB)
{
	u32 all = layout(A, 2 * MIB, 0);

	EXPECT_STATUS(reserve(B, all, "b", 0, 0).status, OK);
	user_close(B, false);
	EXPECT_STATUS(reserve(A, all, "a", 0, 0).status, NO_SPACE);
	pass(f, QUARANTINE - 1);
	EXPECT_STATUS(reserve(A, all, "a", 0, 0).status, NO_SPACE);
	pass(f, 1);
	EXPECT_STATUS(reserve(A, all, "a", 0, 0).status, OK);
}

/* What a live client let expire waits for its word, however long. */
CASE(close_after_expiry, .bytes = 2 * MIB)
{
	u32 all = layout(A, 2 * MIB, 0);
	u64 id;

	leases(B, 0, 10);
	id = reserve(B, all, "b", 0, 0).id;
	pass(f, 10 * MS);
	EXPECT_EQ(usage(B).my_unacked, 1);
	pass(f, 100 * QUARANTINE);
	EXPECT_STATUS(reserve(A, all, "a", 0, 0).status, NO_SPACE);
	EXPECT_STATUS(abort_id(B, id), OK);
	EXPECT_STATUS(reserve(A, all, "a", 0, 0).status, OK);
}

/* Orphan pins protect what is read: no eviction, no reuse, no lease on them. */
CASE(close_orphans)
{
	union maru_call_arg arg = { .evict = { .count = 10 } };

	publish(A, "k");
	leases(B, 10, 1000);
	hold(B, "k", 1);
	user_close(B, false);
	pass(f, 20 * MS);
	EXPECT_EQ(usage(A).orphan_pins, 1);
	EXPECT_EQ(call_single(A, MARU_L1_EVICT, &arg, NULL, NULL), 0);
	EXPECT_EQ(arg.evict.evicted, 0);
	EXPECT_EQ(arg.evict.skipped, 1);
	pass(f, QUARANTINE - 20 * MS);
	EXPECT_EQ(usage(A).orphan_pins, 0);
	EXPECT_STATUS(delete(A, "k", 0), OK);
}

/* More than a slice of each: closed and swept in several, counted once. */
CASE(close_many)
{
	enum { N = 2 * MARU_SLICE + 7 };
	char key[16];
	u32 i;

	for (i = 0; i < N; i++) {
		snprintf(key, sizeof(key), "%u", i);
		publish(A, key);
		hold(B, key, 2);
		snprintf(key, sizeof(key), "s%u", i);
		stage(B, key);
	}
	user_close(B, false);
	EXPECT_EQ(usage(A).orphan_pins, N);
	EXPECT_EQ(usage(A).quarantined, (u64)N * PAGE);
	CHECK(f);
	f->now += QUARANTINE;
	EXPECT(maru_pool_reap(f->pool, f->now));
	EXPECT(usage(A).used > (u64)N * PAGE);
	pass(f, 0);
	EXPECT_EQ(usage(A).orphan_pins, 0);
	EXPECT_EQ(usage(A).used, (u64)N * PAGE);
	EXPECT_EQ(f->pool->counts.quarantined.count, N);
}

/* Bad memory under an orphan pin: it goes with the object, not twice. */
CASE(close_then_bad)
{
	union maru_call_arg arg = { 0 };

	publish(A, "k");
	arg.report_bad.offset = hold(B, "k", 1) ? 64 * MIB - 2 * MIB : 0;
	user_close(B, false);
	EXPECT_EQ(call_single(A, MARU_L1_REPORT_BAD, &arg, NULL, NULL), 0);
	EXPECT(arg.report_bad.id);
	EXPECT_EQ(usage(A).orphan_pins, 0);
	EXPECT_EQ(usage(A).retired, PAGE);
	CHECK(f);
}

/* A pool may end while closed clients still wait. */
static void close_pool(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->pool = pool_make(&(struct maru_pool_params){ 0 }, &f->status);
	user_open(f, A, true);
	user_open(f, B, true);
	f->page = layout(A, PAGE, 0);
	leave_all(f);
	user_close(B, false);
	user_close(A, false);
	EXPECT(!maru_pool_settled(f->pool));
	maru_pool_destroy(f->pool);
	free(f);
}

CASES(close_cases,
	{ "Z1", "what a closed client left goes at the quarantine's end", close_quarantine },
	{ "Z1-exiting", "the quarantine does not begin while a writer exits", close_exiting },
	{ "Z1-empty", "a client that leaves nothing is gone at once", close_empty },
	{ "Z1-reuse", "an extent in quarantine is not handed out", close_no_reuse },
	{ "X3", "an expired write of a live client waits for its abort", close_after_expiry },
	{ "Z1-orphans", "orphan pins hold for the quarantine, whatever their lease", close_orphans },
	{ "I9-many", "thousands of things go in slices, each once", close_many },
	{ "M1-orphans", "bad memory takes an orphan pin along", close_then_bad },
	{ "close-pool", "a pool may end while closed clients wait", close_pool });
