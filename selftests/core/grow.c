// SPDX-License-Identifier: GPL-2.0-only
/* A pool that grows: space at the end, and a border that no page crosses. */

#include "space.h"

/* The last segment, shorter so far, fills up; new ones follow. */
CASE(grow_segments, .bytes = 22 * MIB, .segment_bytes = 8 * MIB)
{
	struct maru_object *o[9];
	u32 i;

	for (i = 0; i < 3; i++)
		o[i] = extent_new(f, layout_make(f, 6 * MIB, 0));
	EXPECT(!extent_new(f, layout_make(f, 6 * MIB, 0)));
	EXPECT_EQ(maru_pool_grow(f->pool, 20 * MIB), 0);
	CHECK(f);
	EXPECT_EQ(f->pool->nr_segments, 6);
	EXPECT_EQ(usage(A).total, 42 * MIB);
	EXPECT_EQ(usage(A).available, 24 * MIB);
	EXPECT_EQ(f->status.total, 42 * MIB);
	for (i = 3; i < 6; i++)
		o[i] = extent_new(f, layout_make(f, 6 * MIB, 0));
	EXPECT(o[5]);
	CHECK(f);
	for (i = 0; i < 6; i++)
		extent_end(f, o[i]);
	expect_empty(f);
}

/* Two backings need not lie side by side anywhere: no page is in both. */
CASE(grow_border, .bytes = 10 * MIB)
{
	struct maru_page_layout *l = layout_make(f, 6 * MIB, 0);
	struct maru_object *o[3];

	EXPECT_EQ(maru_pool_grow(f->pool, 10 * MIB), 0);
	o[0] = extent_new(f, l);
	o[1] = extent_new(f, l);
	EXPECT(o[0] && o[1]);
	EXPECT_EQ(o[0]->offset, 0);
	EXPECT_EQ(o[1]->offset, 10 * MIB);
	EXPECT(!extent_new(f, l));
	/* The 4 MiB before the border are no range with what is behind it. */
	extent_end(f, o[1]);
	o[1] = extent_new(f, layout_make(f, 14 * MIB, 0));
	EXPECT(!o[1]);
	o[2] = extent_new(f, layout_make(f, 10 * MIB, 0));
	EXPECT_EQ(o[2]->offset, 10 * MIB);
	extent_end(f, o[0]);
	extent_end(f, o[2]);
	expect_empty(f);
}

/* Objects, holds and layouts of before go on. */
CASE(grow_goes_on, .bytes = 4 * MIB)
{
	u64 id = publish(A, "k");
	u32 large = layout(A, 4 * MIB, 0);

	hold(B, "k", 2);
	stage(B, "s");
	EXPECT_EQ(maru_pool_grow(f->pool, 4 * MIB), 0);
	EXPECT_EQ(layout(A, 4 * MIB, 0), large);
	EXPECT_STATUS(reserve(A, large, "large", 0, 0).status, OK);
	EXPECT_STATUS(release(B, "", id, 2).status, OK);
	EXPECT_STATUS(commit(B, "s", 0, 0).status, OK);
}

/* Malformed growth, too many backings, no memory: nothing happened. */
CASE(grow_refused, .bytes = 4 * MIB)
{
	struct maru_l1_usage before = usage(A), after;
	u32 i;

	EXPECT_EQ(maru_pool_grow(f->pool, 0), -EINVAL);
	EXPECT_EQ(maru_pool_grow(f->pool, MIB), -EINVAL);
	EXPECT_EQ(maru_pool_grow(f->pool, ~(2 * MIB - 1)), -EINVAL);
	EXPECT_EQ(maru_pool_grow(f->pool, 1ULL << 53), -EINVAL);
	for (i = 1; i <= 3; i++) {
		alloc_fail(i, false);
		EXPECT_EQ(maru_pool_grow(f->pool, 2 * MIB), -ENOMEM);
		EXPECT(alloc_failed());
	}
	after = usage(A);
	EXPECT(!memcmp(&before, &after, sizeof(before)));
	CHECK(f);
	for (i = 1; i < MARU_L1_BACKINGS_MAX; i++)
		EXPECT_EQ(maru_pool_grow(f->pool, 2 * MIB), 0);
	EXPECT_EQ(maru_pool_grow(f->pool, 2 * MIB), -ENOSPC);
	EXPECT_EQ(usage(A).total, 4 * MIB + 15 * 2 * MIB);
}

CASES(grow_cases,
	{ "grow-segments", "a pool grows by segments, the last one fills up", grow_segments },
	{ "grow-border", "no page lies in two backings", grow_border },
	{ "grow-goes-on", "what was there goes on", grow_goes_on },
	{ "grow-refused", "growth that fails changes nothing", grow_refused });
