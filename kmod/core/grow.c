// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Growing: one more backing at the end of the offset space. */

#include "internal.h"

struct arrays {
	struct maru_segment *segments;
	unsigned long *blocks;
	struct maru_run **run_of;
};

/* What a growth needs, and how large the pool is afterwards. */
struct maru_growth {
	struct arrays arrays;
	u64 total;
	u32 nr_blocks;
	u32 nr_segments;
};

static void arrays_free(struct arrays *a)
{
	kvfree(a->segments);
	kvfree(a->blocks);
	kvfree(a->run_of);
}

static int arrays_make(struct arrays *a, u32 nr_segments, u32 nr_blocks)
{
	*a = (struct arrays){
		.segments = kvcalloc(nr_segments, sizeof(*a->segments),
				     GFP_KERNEL_ACCOUNT),
		.blocks = kvcalloc(BITS_TO_LONGS(nr_blocks), sizeof(long),
				   GFP_KERNEL_ACCOUNT),
		.run_of = kvcalloc(nr_blocks, sizeof(*a->run_of),
				   GFP_KERNEL_ACCOUNT),
	};
	if (a->segments && a->blocks && a->run_of)
		return 0;
	arrays_free(a);
	return -ENOMEM;
}

/* @a gets the pool's old arrays. */
static void arrays_swap(struct maru_pool *pool, struct arrays *a)
{
	struct arrays old = { pool->segments, pool->blocks, pool->run_of };

	memcpy(a->segments, old.segments, pool->nr_segments * sizeof(*old.segments));
	memcpy(a->blocks, old.blocks, BITS_TO_LONGS(pool->nr_blocks) * sizeof(long));
	memcpy(a->run_of, old.run_of, pool->nr_blocks * sizeof(*old.run_of));
	pool->segments = a->segments;
	pool->blocks = a->blocks;
	pool->run_of = a->run_of;
	*a = old;
}

int maru_growth_new(struct maru_pool *pool, u64 bytes, struct maru_growth **growth)
{
	u64 total = pool->params.bytes;
	struct maru_growth *made;
	int err;

	if (!bytes || bytes % MARU_BLOCK_SIZE ||
	    check_add_overflow(total, bytes, &total) ||
	    total >> MARU_BLOCK_SHIFT > S32_MAX)
		return -EINVAL;
	if (pool->nr_borders + 1 >= MARU_L1_BACKINGS_MAX)
		return -ENOSPC;
	made = kvzalloc(sizeof(*made), GFP_KERNEL_ACCOUNT);
	if (!made)
		return -ENOMEM;
	made->total = total;
	made->nr_blocks = total >> MARU_BLOCK_SHIFT;
	/* A last segment that was shorter than the others fills up. */
	made->nr_segments = DIV_ROUND_UP(made->nr_blocks, pool->segment_blocks);
	err = arrays_make(&made->arrays, made->nr_segments, made->nr_blocks);
	if (err) {
		kvfree(made);
		return err;
	}
	*growth = made;
	return 0;
}

void maru_growth_apply(struct maru_pool *pool, struct maru_growth *growth)
{
	mutex_lock(&pool->lock);
	arrays_swap(pool, &growth->arrays);
	pool->borders[pool->nr_borders++] = pool->nr_blocks;
	pool->free_blocks += growth->nr_blocks - pool->nr_blocks;
	pool->nr_blocks = growth->nr_blocks;
	pool->nr_segments = growth->nr_segments;
	pool->high = growth->nr_blocks;
	pool->params.bytes = growth->total;
	maru_pool_default_limits(pool);
	maru_pool_leave(pool);
}

void maru_growth_free(struct maru_growth *growth)
{
	arrays_free(&growth->arrays);
	kvfree(growth);
}

int maru_pool_grow(struct maru_pool *pool, u64 bytes)
{
	struct maru_growth *growth;
	int err;

	err = maru_growth_new(pool, bytes, &growth);
	if (err)
		return err;
	maru_growth_apply(pool, growth);
	maru_growth_free(growth);
	return 0;
}
