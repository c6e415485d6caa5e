// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Room for the pages of one layout.  The least recently used object may lie
 * alone between others: space counts only when it becomes a range that a page
 * fits in, so the neighbours go with it, or it stays.
 */

#include "evict.h"

struct maru_range {
	u32 first;
	u32 end;
};

/* Pages that a free range will have once it is cut into runs as run_make() does. */
static u64 range_pages(const struct maru_page_layout *layout, u32 blocks)
{
	u64 run = (u64)layout->run_blocks << MARU_BLOCK_SHIFT;
	u64 rest = (u64)(blocks % layout->run_blocks) << MARU_BLOCK_SHIFT;

	return blocks / layout->run_blocks * (run / layout->stride) +
	       rest / layout->stride;
}

/* Bytes that can be allocated in pages of @layout as things are. */
static u64 allocatable(struct maru_pool *pool, struct maru_page_layout *layout)
{
	u64 pages = layout->free;
	u32 at = pool->low;

	for (;;) {
		u32 start = find_next_zero_bit(pool->blocks, pool->nr_blocks, at);

		if (start >= pool->nr_blocks)
			break;
		at = find_next_bit(pool->blocks, maru_backing_end(pool, start),
				   start);
		pages += range_pages(layout, at - start);
	}
	return pages * layout->stride;
}

static void goal_update(struct maru_evict *e)
{
	u64 has = allocatable(e->client->pool, e->layout);

	e->goal = e->arg->bytes > has ? e->arg->bytes - has : 0;
}

int maru_evict_layout(struct maru_evict *e)
{
	struct maru_pool *pool = e->client->pool;

	if (e->arg->layout >= pool->nr_layouts)
		return -EINVAL;
	e->layout = pool->layouts[e->arg->layout];
	goal_update(e);
	return 0;
}

/* Whether all that is in @run may go. */
static bool run_evictable(const struct maru_run *run)
{
	return run->layout && run->idle == run->pages - run->free;
}

/* How far the range can grow over @block: blocks, 0: not at all. */
static u32 step_over(const struct maru_pool *pool, u32 block)
{
	const struct maru_run *run = pool->run_of[block];

	if (!run)
		return 1;
	return run_evictable(run) ? run->blocks : 0;
}

/* Grows @range to @blocks over what is free or may go. */
static bool range_grow(const struct maru_pool *pool, struct maru_range *range,
		       u32 blocks)
{
	u32 border = maru_backing_end(pool, range->first);
	bool left = true, right = true;

	while (range->end - range->first < blocks && (left || right)) {
		u32 step;

		/* Free space first: it costs nobody anything. */
		if (right && range->end < border &&
		    (!left || !pool->run_of[range->end])) {
			step = step_over(pool, range->end);
			range->end += step;
			right = step;
		} else if (left && range->first &&
			   maru_backing_end(pool, range->first - 1) == border) {
			step = step_over(pool, range->first - 1);
			range->first -= step;
			left = step;
		} else {
			left = false;
			right = right && range->end < border;
		}
	}
	return range->end - range->first >= blocks;
}

/* All objects of @run; with the last one the run is gone. */
static void run_evict(struct maru_evict *e, struct maru_run *run)
{
	u32 i, used = run->pages - run->free;

	for (i = 0; used && !maru_evict_full(e); i++) {
		struct maru_object *object = maru_slot_object(run->slots[i]);

		if (!object)
			continue;
		used--;
		maru_evict_one(e, object);
	}
}

void maru_evict_range(struct maru_evict *e, struct maru_object *object)
{
	struct maru_pool *pool = e->client->pool;
	struct maru_run *run = object->run;
	struct maru_range range = { run->block, run->block + run->blocks };
	u32 block;

	if (run->layout == e->layout) {
		maru_evict_one(e, object);
		return;
	}
	if (!run_evictable(run) ||
	    !range_grow(pool, &range, DIV_ROUND_UP(e->layout->stride,
						   MARU_BLOCK_SIZE))) {
		e->arg->skipped++;
		return;
	}
	for (block = range.first; block < range.end && !maru_evict_full(e);) {
		run = pool->run_of[block];
		if (!run) {
			block++;
			continue;
		}
		block += run->blocks;
		run_evict(e, run);
	}
	goal_update(e);
}
