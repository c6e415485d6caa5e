// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The local allocator: runs of neighbouring blocks, each cut into pages of one
 * layout.  A run without pages in use gives its blocks back at once, so that
 * space freed by one layout serves another.
 */

#include "internal.h"

static void pages_freed(struct maru_pool *pool, struct maru_page_layout *layout,
			u32 n)
{
	layout->free += n;
	pool->free_pages += n * layout->stride;
}

static void pages_used(struct maru_pool *pool, struct maru_page_layout *layout,
		       u32 n)
{
	layout->free -= n;
	pool->free_pages -= n * layout->stride;
}

static struct maru_run *run_new(struct maru_page_layout *layout, u32 blocks,
				u32 pages)
{
	struct maru_run *run;

	run = kvzalloc(struct_size(run, slots, pages), MARU_GFP_LOCKED);
	if (!run)
		return NULL;
	run->layout = layout;
	run->blocks = blocks;
	run->pages = pages;
	run->free = pages;
	return run;
}

/*
 * How long a run to make: the length that loses little, or, where no such range
 * is free, the most pages that the longest free range can have.
 */
static u32 run_length(struct maru_pool *pool, struct maru_page_layout *layout)
{
	u32 longest = maru_blocks_longest(pool, layout->run_blocks);
	u64 pages = ((u64)longest << MARU_BLOCK_SHIFT) / layout->stride;

	if (longest == layout->run_blocks)
		return longest;
	return DIV_ROUND_UP(pages * layout->stride, MARU_BLOCK_SIZE);
}

/* Enters @run, or nothing, for the blocks of @run. */
static void run_place(struct maru_pool *pool, const struct maru_run *run,
		      struct maru_run *entry)
{
	u32 i;

	for (i = 0; i < run->blocks; i++)
		pool->run_of[run->block + i] = entry;
}

static int run_make(struct maru_pool *pool, struct maru_page_layout *layout)
{
	u32 blocks = run_length(pool, layout);
	struct maru_run *run;
	int err;

	if (!blocks)
		return -ENOSPC;
	run = run_new(layout, blocks,
		      ((u64)blocks << MARU_BLOCK_SHIFT) / layout->stride);
	if (!run)
		return -ENOMEM;
	err = maru_blocks_take(pool, blocks, &run->block);
	if (err) {
		kvfree(run);
		return err;
	}
	list_add(&run->link, &pool->runs);
	list_add(&run->partial, &layout->partial);
	run_place(pool, run, run);
	layout->pages += run->pages;
	pages_freed(pool, layout, run->pages);
	return 0;
}

static void run_end(struct maru_pool *pool, struct maru_run *run)
{
	run->layout->pages -= run->pages;
	pages_used(pool, run->layout, run->free);
	list_del(&run->partial);
	list_del(&run->link);
	run_place(pool, run, NULL);
	maru_blocks_put(pool, run->block, run->blocks);
	kvfree(run);
}

static u32 run_pop(struct maru_run *run)
{
	u32 page;

	if (run->free_head) {
		page = run->free_head - 1;
		run->free_head = MARU_SLOT_NEXT(run->slots[page]);
	} else {
		page = run->fresh++;
	}
	run->free--;
	return page;
}

int maru_extent_take(struct maru_pool *pool, struct maru_page_layout *layout,
		     struct maru_object *object)
{
	struct maru_run *run;
	u32 page;
	int err;

	lockdep_assert_held(&pool->lock);
	if (list_empty(&layout->partial)) {
		err = run_make(pool, layout);
		if (err)
			return err;
	}
	run = list_first_entry(&layout->partial, struct maru_run, partial);
	page = run_pop(run);
	run->slots[page] = (unsigned long)object;
	if (!run->free)
		list_del_init(&run->partial);
	pages_used(pool, layout, 1);
	object->run = run;
	object->offset = maru_run_offset(run, page);
	return 0;
}

static void run_push(struct maru_pool *pool, struct maru_run *run, u32 page)
{
	run->slots[page] = MARU_SLOT_FREE(run->free_head);
	run->free_head = page + 1;
	/* At the end: fuller runs are used first, emptier ones go back. */
	if (!run->free++)
		list_add_tail(&run->partial, &run->layout->partial);
	pages_freed(pool, run->layout, 1);
	if (run->free == run->pages)
		run_end(pool, run);
}

void maru_extent_put(struct maru_pool *pool, struct maru_object *object)
{
	struct maru_run *run = object->run;
	u32 page = maru_run_page(run, object->offset);

	lockdep_assert_held(&pool->lock);
	object->run = NULL;
	if (object->flags & MARU_O_BAD) {
		run->slots[page] = MARU_SLOT_RETIRED;
		pool->bytes[MARU_L1_A_RETIRED] += run->layout->stride;
	} else {
		run_push(pool, run, page);
	}
}

/* Takes a free page out of the chain, wherever it is. */
static void run_unchain(struct maru_run *run, u32 page)
{
	u32 *link = &run->free_head;
	u32 at, next;

	/* Pages never used come before it: they enter the chain. */
	while (run->fresh <= page) {
		run->slots[run->fresh] = MARU_SLOT_FREE(run->free_head);
		run->free_head = ++run->fresh;
	}
	if (*link == page + 1) {
		*link = MARU_SLOT_NEXT(run->slots[page]);
		return;
	}
	for (at = *link; at; at = next) {
		next = MARU_SLOT_NEXT(run->slots[at - 1]);
		if (next == page + 1) {
			run->slots[at - 1] =
				MARU_SLOT_FREE(MARU_SLOT_NEXT(run->slots[page]));
			return;
		}
	}
}

u64 maru_extent_retire(struct maru_pool *pool, struct maru_run *run, u32 page)
{
	u64 stride = run->layout->stride;

	run_unchain(run, page);
	run->slots[page] = MARU_SLOT_RETIRED;
	if (!--run->free)
		list_del_init(&run->partial);
	pages_used(pool, run->layout, 1);
	pool->bytes[MARU_L1_A_RETIRED] += stride;
	return stride;
}

int maru_block_retire(struct maru_pool *pool, u32 block)
{
	struct maru_run *run = run_new(NULL, 1, 1);

	if (!run)
		return -ENOMEM;
	run->block = block;
	run->free = 0;
	run->slots[0] = MARU_SLOT_RETIRED;
	INIT_LIST_HEAD(&run->partial);
	list_add(&run->link, &pool->runs);
	run_place(pool, run, run);
	maru_blocks_take_at(pool, block, 1);
	pool->bytes[MARU_L1_A_RETIRED] += MARU_BLOCK_SIZE;
	return 0;
}

/* run->pages or more: @offset is in what was lost to rounding. */
u32 maru_run_page(const struct maru_run *run, u64 offset)
{
	return (offset - ((u64)run->block << MARU_BLOCK_SHIFT)) /
	       run->layout->stride;
}

void maru_runs_destroy(struct maru_pool *pool)
{
	struct maru_run *run, *next;

	list_for_each_entry_safe(run, next, &pool->runs, link)
		kvfree(run);
}
