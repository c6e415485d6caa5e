// SPDX-License-Identifier: GPL-2.0-only
/* Steps of the cases about space. */

#include "space.h"

struct maru_object *extent_new(struct fixture *f, struct maru_page_layout *l)
{
	struct maru_key key = { (const u8 *)"x", 1, 0 };
	struct maru_object *object = maru_object_new(&key, 1);

	if (maru_extent_take(f->pool, l, object)) {
		maru_object_free(object);
		return NULL;
	}
	maru_object_set_state(f->pool, object, MARU_L1_A_QUARANTINE);
	return object;
}

void extent_end(struct fixture *f, struct maru_object *object)
{
	maru_object_end(f->pool, object);
}

struct maru_page_layout *layout_make(struct fixture *f, u64 bytes, u32 alignment)
{
	return f->pool->layouts[layout(A, bytes, alignment)];
}

u32 owned_segments(const struct maru_pool *pool)
{
	u32 i, n = 0;

	for (i = 0; i < pool->nr_segments; i++)
		n += !!pool->segments[i].owner;
	return n;
}

void expect_empty(struct fixture *f)
{
	EXPECT(list_empty(&f->pool->runs));
	EXPECT_EQ(f->pool->free_blocks, f->pool->nr_blocks);
	EXPECT_EQ(f->pool->free_pages, 0);
	EXPECT(owned_segments(f->pool) <= MARU_CLAIM_AHEAD);
	EXPECT_EQ(owned_segments(f->pool), f->pool->empty_segments);
}
