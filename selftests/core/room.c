// SPDX-License-Identifier: GPL-2.0-only
/* EVICT for a layout: what it says is allocatable can be allocated. */

#include "fixture.h"

static struct maru_l1_evict make_room(struct user *u, u32 page_layout, u64 bytes)
{
	union maru_call_arg arg = { .evict = {
		.flags = MARU_L1_EVICT_LAYOUT, .layout = page_layout, .bytes = bytes } };

	EXPECT_EQ(call_single(u, MARU_L1_EVICT, &arg, NULL, NULL), 0);
	return arg.evict;
}

static void publish_in(struct user *u, u32 page_layout, u32 n)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", n);
	u->f->now += MS;
	EXPECT_STATUS(reserve(u, page_layout, key, 0, 0).status, OK);
	EXPECT_STATUS(commit(u, key, 0, 0).status, OK);
}

static bool exists(struct user *u, u32 n)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", n);
	return query(u, key).state == MARU_L1_S_PUBLISHED;
}

/* A pool of 8 blocks full of pages of a block, 0 the oldest. */
static u32 fill(struct fixture *f)
{
	u32 block = layout(A, 2 * MIB, 0);
	u32 i;

	for (i = 0; i < 8; i++)
		publish_in(A, block, i);
	EXPECT_EQ(usage(A).available, 0);
	return block;
}

/* The oldest goes with a neighbour, as much as a page needs. */
CASE(room_neighbours, .bytes = 16 * MIB)
{
	u32 large = layout(A, 4 * MIB, 0);
	struct maru_l1_evict e;

	fill(f);
	e = make_room(A, large, 4 * MIB);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.evicted_bytes, 4 * MIB);
	EXPECT(!exists(A, 0));
	EXPECT_STATUS(reserve(A, large, "large", 0, 0).status, OK);
	CHECK(f);
}

/* What is free already counts: nothing goes that need not. */
CASE(room_there, .bytes = 16 * MIB)
{
	u32 large = layout(A, 4 * MIB, 0);

	fill(f);
	EXPECT_EQ(make_room(A, large, 8 * MIB).evicted, 4);
	EXPECT_EQ(make_room(A, large, 8 * MIB).evicted, 0);
	/* One page of its own layout, free in a run of it, counts as well. */
	EXPECT_STATUS(reserve(A, large, "1st", 0, 0).status, OK);
	EXPECT_EQ(make_room(A, large, 4 * MIB).evicted, 0);
	EXPECT_STATUS(reserve(A, large, "2nd", 0, 0).status, OK);
	EXPECT_STATUS(reserve(A, large, "3rd", 0, 0).status, NO_SPACE);
}

/* Held ones stay, and their neighbours are not taken in vain. */
CASE(room_held, .bytes = 16 * MIB)
{
	u32 large = layout(A, 4 * MIB, 0), i;
	struct maru_l1_evict e;
	char key[16];

	fill(f);
	for (i = 1; i < 8; i += 2) {
		snprintf(key, sizeof(key), "%u", i);
		hold(B, key, 1);
	}
	e = make_room(A, large, 4 * MIB);
	EXPECT_EQ(e.evicted, 0);
	EXPECT_EQ(e.skipped, 8);
	EXPECT_STATUS(release(B, "5", 0, 1).status, OK);
	e = make_room(A, large, 4 * MIB);
	EXPECT_EQ(e.evicted, 2);
	EXPECT(!exists(A, 5));
	EXPECT_STATUS(reserve(A, large, "large", 0, 0).status, OK);
}

/* Pages of the layout itself go one by one, the oldest first. */
CASE(room_own, .bytes = 16 * MIB)
{
	u32 block = fill(f);

	EXPECT_EQ(make_room(A, block, 2 * MIB).evicted, 1);
	EXPECT(!exists(A, 0));
	EXPECT(exists(A, 1));
	EXPECT_EQ(make_room(A, block, 6 * MIB).evicted, 2);
	EXPECT(exists(A, 3));
}

/* Calls that ask for what cannot be. */
CASE(room_malformed, .bytes = 16 * MIB)
{
	static const struct maru_l1_evict calls[] = {
		{ .flags = MARU_L1_EVICT_LAYOUT, .layout = 99, .bytes = 1 },
		{ .flags = MARU_L1_EVICT_LAYOUT, .count = 1 },
		{ .flags = MARU_L1_EVICT_LAYOUT | MARU_L1_EVICT_TARGET },
		{ .flags = MARU_L1_EVICT_LAYOUT | MARU_L1_EVICT_DRY_RUN, .bytes = 1 },
		{ .layout = 1, .bytes = 1 },
		{ .bytes = 1, .reserved = 1 },
		{ .bytes = 1, .count = 1 },
		{ .target_permille = 1, .bytes = 1 },
		{ .flags = MARU_L1_EVICT_TARGET, .target_permille = 1001 },
		{ .bytes = 1, .keys_len = 1 },
		{ .bytes = 1, .nr_items = 1, .keys_len = MARU_L1_KEY_MAX - 1 },
		{ },
	};
	size_t i;

	fill(f);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		union maru_call_arg arg = { .evict = calls[i] };

		EXPECT_EQ(call_single(A, MARU_L1_EVICT, &arg, NULL, NULL), -EINVAL);
	}
	EXPECT_EQ(usage(A).objects, 8);
}

/*
 * Mixed pages, some held, some staged: whenever the goal is met the pages can be
 * had, and when it is not, no object that could have gone for it is left.
 */
CASE(room_random, .bytes = 64 * MIB)
{
	static const u64 sizes[] = { 4096, MIB, 2 * MIB, 3 * MIB, 7 * MIB };
	u32 l[ARRAY_SIZE(sizes)], i, n = 0, met = 0;
	u64 seed = 77;
	char key[16];

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		l[i] = layout(A, sizes[i], 0);
	for (i = 0; i < 400; i++) {
		u32 want = random_next(&seed) % ARRAY_SIZE(sizes);

		snprintf(key, sizeof(key), "%u", n++);
		f->now += MS;
		if (reserve(A, l[want], key, 0, 0).status == MARU_L1_NO_SPACE) {
			make_room(A, l[want], sizes[want]);
			EXPECT_STATUS(reserve(A, l[want], key, 0, 0).status, OK);
			met++;
		}
		EXPECT_STATUS(commit(A, key, 0, random_next(&seed) % 16 == 0).status, OK);
		if (i % 20 == 0) {
			union maru_call_arg clear = { .clear = {
				.flags = MARU_L1_CLEAR_FORCE } };

			CHECK(f);
			EXPECT_EQ(call_single(A, MARU_L1_CLEAR, &clear, NULL, NULL), 0);
		}
	}
	EXPECT(met > 50);
}

/* Runs lose a rest each: it does not count as room. */
CASE(room_rest, .bytes = 64 * MIB)
{
	enum { WANT = 35 };
	u32 large = layout(A, MIB, 0), odd = layout(A, 700000, 0);
	char key[16];
	u32 i;

	for (i = 0; usage(A).available >= MIB; i++)
		publish_in(A, large, i);
	make_room(A, odd, WANT * 700032ULL);
	for (i = 0; i < WANT; i++) {
		snprintf(key, sizeof(key), "odd%u", i);
		EXPECT_STATUS(reserve(A, odd, key, 0, 0).status, OK);
	}
	CHECK(f);
}

CASES(room_cases,
	{ "E1-room", "the oldest goes with the neighbours that a page needs", room_neighbours },
	{ "E1-room-free", "space that is free already counts", room_there },
	{ "E1-room-held", "held objects stay and nothing goes in vain", room_held },
	{ "E1-room-own", "pages of the layout itself go one by one", room_own },
	{ "E1-malformed", "malformed evicts change nothing", room_malformed },
	{ "E1-room-rest", "what runs lose to rounding is no room", room_rest },
	{ "E1-room-random", "room that was made can be used", room_random });
