// SPDX-License-Identifier: GPL-2.0-only
/* G2: a fenced pool grants nothing, trusts nothing, and says so. */

#include "fixture.h"

#define FENCED	MARU_L1_R_FENCED

CASE(fence_rows)
{
	u64 held = publish(A, "held"), staged = stage(A, "staged");
	struct maru_l1_reserve w;
	struct maru_l1_commit c;
	struct maru_l1_release r;
	struct maru_l1_read read;

	hold(A, "held", 2);
	maru_pool_fence(f->pool, f->now);
	EXPECT_EQ(f->status.state, MARU_L1_I_FENCED);
	read = reserve_read(A, "held", 1);
	EXPECT_STATUS(read.status, NOT_FOUND);
	EXPECT_EQ(read.result, FENCED);
	EXPECT_EQ(peek(A, "held").result, FENCED);
	EXPECT_STATUS(peek(A, "held").status, NOT_FOUND);
	w = reserve(A, f->page, "new", 0, 0);
	EXPECT_STATUS(w.status, NO_SPACE);
	EXPECT_EQ(w.result, FENCED);
	c = commit(A, "staged", 0, 1);
	EXPECT_STATUS(c.status, STALE);
	EXPECT_EQ(c.result, FENCED);
	EXPECT_STATUS(delete(A, "held", 0), LOCKED);
	EXPECT_STATUS(delete(A, "nothing", MARU_L1_B_FORCE), LOCKED);
	EXPECT_STATUS(renew(A, "", held), STALE);
	r = release(A, "", held, 2);
	EXPECT_STATUS(r.status, STALE);
	EXPECT_EQ(r.result & FENCED, FENCED);
	EXPECT_EQ(query(A, "held").my_holds, 0);
	EXPECT_STATUS(release(A, "", held, 1).status, NOT_HELD);
	EXPECT_STATUS(abort_id(A, staged), OK);
}

/* Every row says FENCED, also of a visible key and of a malformed item. */
CASE(fence_flags)
{
	struct maru_l1_reserve w;

	publish(A, "k");
	maru_pool_fence(f->pool, f->now);
	w = reserve(A, f->page, "k", 0, 0);
	EXPECT_STATUS(w.status, NO_SPACE);
	EXPECT_EQ(w.result, FENCED);
	EXPECT_EQ(reserve(A, f->page, "", 0, 0).result, FENCED);
	EXPECT_EQ(commit(A, "", 0, 0).result, FENCED);
	EXPECT_EQ(reserve_read(A, "", 1).result, FENCED);
	EXPECT_EQ(release(A, "", 0, 1).result, FENCED);
	EXPECT_EQ(query(A, "k").result, FENCED);
}

/* The epoch rises and everyone is told, once. */
CASE(fence_told)
{
	struct maru_l1_event e[2];
	u64 epoch;

	publish(A, "k");
	subscribe(A, MARU_L1_EV_MASK(MARU_L1_EV_FENCED), MARU_L1_EVENTS_MIN);
	hold(B, "k", 1);
	epoch = B->status.epoch;
	maru_pool_fence(f->pool, f->now);
	maru_pool_fence(f->pool, f->now);
	EXPECT_EQ(B->status.epoch, epoch + 1);
	EXPECT_EQ(maru_events_peek(A->core, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(e[0].kind, MARU_L1_EV_FENCED);
}

/* Nothing goes that another node may still read: no eviction, no purge. */
CASE(fence_keeps)
{
	union maru_call_arg evict = { .evict = { .count = 1 } }, purge = { 0 };

	publish(A, "k");
	maru_pool_fence(f->pool, f->now);
	EXPECT_EQ(call_single(A, MARU_L1_EVICT, &evict, NULL, NULL), 0);
	EXPECT_EQ(evict.evict.evicted, 0);
	EXPECT_EQ(call_single(A, MARU_L1_PURGE, &purge, NULL, NULL), 0);
	EXPECT_EQ(purge.purge.deleted, 0);
	EXPECT_EQ(usage(A).objects, 1);
}

/* Clients still end as always. */
CASE(fence_close)
{
	publish(A, "k");
	hold(B, "k", 1);
	stage(B, "s");
	maru_pool_fence(f->pool, f->now);
	user_close(B, false);
	EXPECT_EQ(usage(A).quarantined, PAGE);
	pass(f, QUARANTINE);
	EXPECT_EQ(usage(A).quarantined, 0);
	EXPECT_EQ(usage(A).orphan_pins, 0);
}

CASES(fence_cases,
	{ "G2", "a fenced pool answers each call as the contract says", fence_rows },
	{ "G2-flags", "every answer of a fenced pool is flagged", fence_flags },
	{ "G2-told", "a fence raises the epoch and is told once", fence_told },
	{ "G2-keeps", "nothing is evicted or purged in a fenced pool", fence_keeps },
	{ "G2-close", "clients of a fenced pool end as always", fence_close });
