// SPDX-License-Identifier: GPL-2.0-only
/* Row E1: room for the pages of one layout, with others and held ones in the way. */
#include "one.h"
#include "tables.h"

#define SMALL_PAGE	(2 * MIB)
#define LARGE_PAGE	(6 * MIB)	/* three blocks: three small pages */

/* Publishes small pages until there is no space. Return: how many. */
static size_t fill(struct fix *f, uint32_t small, const struct key *k, size_t n)
{
	struct marul1_reserve r;
	size_t i;

	for (i = 0; i < n; i++) {
		if (reserve1(f->a, small, k[i], SMALL_PAGE, 0, &r) !=
		    ANSWER(MARU_L1_OK, 0))
			break;
		IS(commit1(f->a, k[i], 0, 0, r.id, NULL), OK);
	}
	return i;
}

static uint64_t evict_room(struct fix *f, uint32_t large, uint64_t bytes,
			   struct maru_l1_evict *e)
{
	*e = (struct maru_l1_evict){ .flags = MARU_L1_EVICT_LAYOUT,
				     .bytes = bytes, .layout = large };
	EXPECT_EQ(marul1_evict(f->b, e), 0);
	return e->evicted;
}

CASE_SMALL(e1_room)
{
	uint32_t small = layout(f->a, SMALL_PAGE), large = layout(f->a, LARGE_PAGE);
	size_t most = f->info.capacity / SMALL_PAGE + 1;
	struct key *k = keys(f, most, "e1r");
	struct maru_l1_evict e;
	struct marul1_reserve r;
	size_t n = fill(f, small, k, most);

	ASSERT(n > 12 && n < most);
	IS(reserve1(f->a, large, K("large"), LARGE_PAGE, 0, &r), NO_SPACE);
	/* The neighbours of the oldest go, not the next oldest anywhere. */
	EXPECT_EQ(evict_room(f, large, LARGE_PAGE, &e), 3);
	EXPECT_EQ(e.evicted_bytes, LARGE_PAGE);
	IS(reserve1(f->a, large, K("large"), LARGE_PAGE, 0, &r), OK);
	/* What is free already counts. */
	IS(abort1(f->a, K("large"), 0), OK);
	EXPECT_EQ(evict_room(f, large, LARGE_PAGE, &e), 0);
}

CASE_SMALL(e1_room_held)
{
	uint32_t small = layout(f->a, SMALL_PAGE), large = layout(f->a, LARGE_PAGE);
	size_t most = f->info.capacity / SMALL_PAGE + 1;
	struct key *k = keys(f, most, "e1h");
	struct maru_l1_evict e;
	struct marul1_reserve r;
	size_t n = fill(f, small, k, most);
	uint64_t ids[3];

	/* Every other one of the oldest is held: alone, the rest is no room. */
	ASSERT(n > 12 && n < most);
	for (size_t i = 0; i < 3; i++) {
		uint64_t offset_of_hold = 2 * i + 1;

		ids[i] = hold(f->b, k[offset_of_hold], 1);
	}
	EXPECT(evict_room(f, large, LARGE_PAGE, &e) >= 3);
	EXPECT(e.skipped >= 1);
	IS(reserve1(f->a, large, K("large"), LARGE_PAGE, 0, &r), OK);
	IS(abort1(f->a, K("large"), 0), OK);
	for (size_t i = 0; i < 3; i++)
		IS(release_id(f->b, ids[i], 1, NULL), OK);
}

CASE_SMALL(e1_room_none)
{
	uint32_t small = layout(f->a, SMALL_PAGE), large = layout(f->a, LARGE_PAGE);
	size_t most = f->info.capacity / SMALL_PAGE + 1;
	struct key *k = keys(f, most, "e1n");
	uint64_t *ids = ALLOC(f, most, uint64_t);
	struct maru_l1_evict e;
	size_t n = fill(f, small, k, most);

	ASSERT(n && n < most);
	for (size_t i = 0; i < n; i++)
		ids[i] = hold(f->b, k[i], 1);
	EXPECT_EQ(evict_room(f, large, LARGE_PAGE, &e), 0);
	EXPECT_EQ(e.skipped, n);
	EXPECT_EQ(e.more, 0);
	for (size_t i = 0; i < n; i++)
		IS(release_id(f->b, ids[i], 1, NULL), OK);
	e = (struct maru_l1_evict){ .flags = MARU_L1_EVICT_LAYOUT, .bytes = 1,
				    .layout = UINT32_MAX };
	EXPECT_EQ(marul1_evict(f->b, &e), -EINVAL);
}

CASES(room_cases,
	{ "E1", "room for a layout takes neighbours", e1_room },
	{ "E1", "room for a layout goes around held objects", e1_room_held },
	{ "E1", "no room for a layout when all is held", e1_room_none },
);
