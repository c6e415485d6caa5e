// SPDX-License-Identifier: GPL-2.0-only
/* The pool's own check: each kind of corruption is seen and named. */

#include "fixture.h"

/* Whether the check names @account, and it alone (or with @also). */
static bool named(struct fixture *f, u32 account, u32 also)
{
	struct maru_l1_difference list[32];
	union maru_call_arg arg = { .check = { .nr_items = ARRAY_SIZE(list) } };
	bool found = false;
	u32 i;

	EXPECT_EQ(call_single(A, MARU_L1_CHECK, &arg, list, NULL), 0);
	EXPECT(arg.check.nr_items <= ARRAY_SIZE(list));
	for (i = 0; i < arg.check.nr_items; i++) {
		found |= list[i].account == account;
		EXPECT(list[i].account == account || list[i].account == also);
	}
	return found;
}

/* The three that a debug build can plant. */
CASE(check_planted)
{
	static const u32 accounts[] = {
		MARU_L1_A_PINS, MARU_L1_A_FREE, MARU_L1_A_BLOCKS,
	};
	unsigned int n;

	publish(A, "k");
	hold(A, "k", 1);
	stage(A, "s");
	CHECK(f);
	for (n = 0; n < ARRAY_SIZE(accounts); n++) {
		EXPECT_EQ(maru_pool_corrupt(f->pool, n), 0);
		EXPECT(named(f, accounts[n], accounts[n]));
		EXPECT_EQ(maru_pool_corrupt(f->pool, n | MARU_CORRUPT_UNDO), 0);
		CHECK(f);
	}
	EXPECT_EQ(maru_pool_corrupt(f->pool, n), -EINVAL);
}

/* @word is off by @by: named; put right: not. */
#define OFF_BY(word, by, account, also) do {				\
	(word) += (by);							\
	EXPECT(named(f, account, also));				\
	(word) -= (by);							\
	CHECK(f);							\
} while (0)

/* Each number that the pool keeps, one off. */
CASE(check_numbers, .segment_bytes = 4 * MIB)
{
	struct maru_pool *pool = f->pool;
	struct maru_run *run;
	u32 i;

	leases(B, 500, 1000);
	publish(A, "k");
	hold(B, "k", 2);
	stage(B, "s");
	make_private(B, "p", 0);
	stage(B, "t");
	delete(B, "t", MARU_L1_B_FORCE);
	CHECK(f);
	for (i = 0; i < MARU_NR_STATES; i++)
		OFF_BY(pool->bytes[i], PAGE, i, i);
	OFF_BY(pool->free_pages, PAGE, MARU_L1_A_FREE, MARU_L1_A_FREE);
	OFF_BY(pool->extents, 1, MARU_L1_A_EXTENTS, MARU_L1_A_EXTENTS);
	OFF_BY(pool->directory.count, 1, MARU_L1_A_OBJECTS, MARU_L1_A_LRU);
	OFF_BY(pool->orphan_pins, 1, MARU_L1_A_ORPHANS, MARU_L1_A_ORPHANS);
	OFF_BY(pool->nr_clients, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	OFF_BY(pool->free_blocks, -1, MARU_L1_A_BLOCKS, MARU_L1_A_BLOCKS);
	OFF_BY(pool->empty_segments, 1, MARU_L1_A_SEGMENTS, MARU_L1_A_SEGMENTS);
	OFF_BY(pool->segments[0].used, 1, MARU_L1_A_SEGMENTS, MARU_L1_A_SEGMENTS);
	OFF_BY(B->core->nr_staged.count, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	OFF_BY(B->core->nr_unacked.bytes, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	OFF_BY(B->core->nr_private.bytes, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	OFF_BY(B->core->nr_held, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	OFF_BY(B->core->nr_holds, 1, MARU_L1_A_CLIENT, MARU_L1_A_CLIENT);
	run = list_first_entry(&pool->runs, struct maru_run, link);
	OFF_BY(run->free, 1, MARU_L1_A_FREE, MARU_L1_A_FREE);
	OFF_BY(run->idle, 1, MARU_L1_A_STATE, MARU_L1_A_STATE);
	OFF_BY(run->layout->free, 1, MARU_L1_A_FREE, MARU_L1_A_FREE);
	OFF_BY(run->layout->pages, 1, MARU_L1_A_FREE, MARU_L1_A_BLOCKS);
}

/* Pins, states and places of objects. */
CASE(check_objects)
{
	struct maru_object *k, *s;

	publish(A, "k");
	hold(B, "k", 2);
	stage(B, "s");
	k = list_first_entry(&f->pool->lru, struct maru_object, link);
	s = list_first_entry(&B->core->staged, struct maru_object, link);
	OFF_BY(k->holders, 1, MARU_L1_A_PINS, MARU_L1_A_PINS);
	/* It looks evictable, too. */
	OFF_BY(k->holders, -1, MARU_L1_A_PINS, MARU_L1_A_STATE);
	OFF_BY(s->holders, 1, MARU_L1_A_PINS, MARU_L1_A_PINS);
	OFF_BY(s->offset, PAGE, MARU_L1_A_OVERLAP, MARU_L1_A_OVERLAP);
	OFF_BY(s->state, 100, MARU_L1_A_STATE, MARU_L1_A_STAGED);
	list_del(&k->link);
	EXPECT(named(f, MARU_L1_A_LRU, MARU_L1_A_LRU));
	list_add(&k->link, &f->pool->lru);
}

/* More differences than room: counted all the same. */
CASE(check_room)
{
	union maru_call_arg arg = { .check = { .nr_items = 1 } };
	struct maru_l1_difference one;

	f->pool->extents += 1;
	f->pool->orphan_pins += 1;
	EXPECT_EQ(call_single(A, MARU_L1_CHECK, &arg, &one, NULL), 0);
	EXPECT_EQ(arg.check.nr_items, 1);
	EXPECT_EQ(arg.check.differences, 2);
	f->pool->extents -= 1;
	f->pool->orphan_pins -= 1;
}

CASES(check_cases,
	{ "check-planted", "the three planted corruptions are each named", check_planted },
	{ "check-numbers", "each account that is off is named", check_numbers },
	{ "check-objects", "pins, states and places that are wrong are named", check_objects },
	{ "check-room", "differences without room are counted", check_room });
