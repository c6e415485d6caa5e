// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Segments and their blocks.  Blocks are taken wherever neighbouring ones are
 * free; the segments they lie in are claimed on the way, and given back when
 * nothing in them is in use.
 *
 * Runs of several blocks are taken from the low end and single blocks from the
 * high end, so that small pages do not cut up the space that large ones need.
 */

#include "internal.h"

int maru_segments_init(struct maru_pool *pool)
{
	u32 segment_blocks = pool->params.segment_bytes >> MARU_BLOCK_SHIFT;

	pool->nr_blocks = pool->params.bytes >> MARU_BLOCK_SHIFT;
	pool->free_blocks = pool->nr_blocks;
	pool->high = pool->nr_blocks;
	pool->segment_blocks = segment_blocks;
	pool->nr_segments = DIV_ROUND_UP(pool->nr_blocks, segment_blocks);
	pool->segments = kvcalloc(pool->nr_segments, sizeof(*pool->segments),
				  GFP_KERNEL_ACCOUNT);
	if (!pool->segments)
		return -ENOMEM;
	pool->blocks = kvcalloc(BITS_TO_LONGS(pool->nr_blocks), sizeof(long),
				GFP_KERNEL_ACCOUNT);
	if (!pool->blocks)
		goto free_segments;
	pool->run_of = kvcalloc(pool->nr_blocks, sizeof(*pool->run_of),
				GFP_KERNEL_ACCOUNT);
	if (!pool->run_of)
		goto free_blocks;
	return 0;

free_blocks:
	kvfree(pool->blocks);
free_segments:
	kvfree(pool->segments);
	return -ENOMEM;
}

void maru_segments_destroy(struct maru_pool *pool)
{
	kvfree(pool->run_of);
	kvfree(pool->blocks);
	kvfree(pool->segments);
}

static void segment_use(struct maru_pool *pool, struct maru_segment *segment,
			u32 blocks)
{
	if (!segment->owner)
		segment->owner = pool->params.node;
	else if (!segment->used)
		pool->empty_segments--;
	segment->used += blocks;
}

static void segment_unuse(struct maru_pool *pool, struct maru_segment *segment,
			  u32 blocks)
{
	segment->used -= blocks;
	if (segment->used)
		return;
	if (pool->empty_segments < MARU_CLAIM_AHEAD)
		pool->empty_segments++;
	else
		segment->owner = 0;
}

/* Calls @fn for each segment's part of @count blocks from @first. */
static void segments_each(struct maru_pool *pool, u32 first, u32 count,
			  void (*fn)(struct maru_pool *pool,
				     struct maru_segment *segment, u32 blocks))
{
	while (count) {
		u32 index = first / pool->segment_blocks;
		u32 end = (index + 1) * pool->segment_blocks;
		u32 part = min(count, end - first);

		fn(pool, &pool->segments[index], part);
		first += part;
		count -= part;
	}
}

/* Where the backing of block @at ends: no run lies in two of them. */
u32 maru_backing_end(const struct maru_pool *pool, u32 at)
{
	u32 i;

	for (i = 0; i < pool->nr_borders; i++)
		if (pool->borders[i] > at)
			return pool->borders[i];
	return pool->nr_blocks;
}

/* The first free range of @count blocks; nr_blocks: none. */
static u32 range_find(struct maru_pool *pool, u32 count)
{
	u32 at = find_next_zero_bit(pool->blocks, pool->nr_blocks, pool->low);

	pool->low = at;
	while (at < pool->nr_blocks && count <= pool->nr_blocks - at) {
		u32 limit = min(at + count, maru_backing_end(pool, at));
		u32 end = find_next_bit(pool->blocks, limit, at);

		if (end == at + count)
			return at;
		at = find_next_zero_bit(pool->blocks, pool->nr_blocks, end);
	}
	return pool->nr_blocks;
}

static u32 highest_find(struct maru_pool *pool)
{
	u32 at = pool->high;

	while (at && test_bit(at - 1, pool->blocks))
		at--;
	pool->high = at;
	return at ? at - 1 : pool->nr_blocks;
}

void maru_blocks_take_at(struct maru_pool *pool, u32 first, u32 count)
{
	lockdep_assert_held(&pool->lock);
	bitmap_set(pool->blocks, first, count);
	pool->free_blocks -= count;
	segments_each(pool, first, count, segment_use);
}

int maru_blocks_take(struct maru_pool *pool, u32 count, u32 *first)
{
	u32 at;

	lockdep_assert_held(&pool->lock);
	if (count > pool->free_blocks)
		return -ENOSPC;
	at = count == 1 ? highest_find(pool) : range_find(pool, count);
	if (at == pool->nr_blocks)
		return -ENOSPC;
	maru_blocks_take_at(pool, at, count);
	*first = at;
	return 0;
}

void maru_blocks_put(struct maru_pool *pool, u32 first, u32 count)
{
	lockdep_assert_held(&pool->lock);
	bitmap_clear(pool->blocks, first, count);
	pool->free_blocks += count;
	pool->low = min(pool->low, first);
	pool->high = max(pool->high, first + count);
	segments_each(pool, first, count, segment_unuse);
}

u32 maru_blocks_longest(struct maru_pool *pool, u32 limit)
{
	u32 longest = 0;
	u32 at = pool->low;

	lockdep_assert_held(&pool->lock);
	while (longest < limit) {
		u32 start = find_next_zero_bit(pool->blocks, pool->nr_blocks, at);

		if (start >= pool->nr_blocks)
			break;
		at = find_next_bit(pool->blocks, maru_backing_end(pool, start),
				   start);
		longest = max(longest, at - start);
	}
	return min(longest, limit);
}
