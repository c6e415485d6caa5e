// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Layouts: sizes of pages, and how many blocks of a run suit each. */

#include "internal.h"

#define LARGE_PAGE	(16ULL << 20)
#define LOSS_LARGE	34	/* of a run at most 1/34 < 3 % is lost */
#define LOSS_SMALL	17	/* below LARGE_PAGE at most 1/17 < 6 % */

static u64 stride_of(u64 bytes, u32 alignment)
{
	u64 least = bytes > MARU_STRIDE_MIN ? MARU_LINE : MARU_STRIDE_MIN;

	return round_up(bytes, max_t(u64, least, alignment));
}

/*
 * The shortest run that loses little.  Past stride * LOSS the loss is small
 * enough whatever the size, so the search ends.
 */
static u32 run_blocks_of(u64 stride)
{
	u64 part = stride >= LARGE_PAGE ? LOSS_LARGE : LOSS_SMALL;
	u32 blocks = DIV_ROUND_UP(stride, MARU_BLOCK_SIZE);

	for (;; blocks++) {
		u64 bytes = (u64)blocks << MARU_BLOCK_SHIFT;

		if (bytes % stride <= bytes / part)
			return blocks;
	}
}

static struct maru_page_layout *layout_find(struct maru_pool *pool, u64 bytes,
					    u32 alignment)
{
	u32 i;

	for (i = 0; i < pool->nr_layouts; i++)
		if (pool->layouts[i]->bytes == bytes &&
		    pool->layouts[i]->alignment == alignment)
			return pool->layouts[i];
	return NULL;
}

static int layout_add(struct maru_pool *pool, u64 bytes, u32 alignment,
		      struct maru_page_layout **answer)
{
	struct maru_page_layout *layout;

	if (stride_of(bytes, alignment) > pool->params.bytes)
		return -EINVAL;
	if (pool->nr_layouts == MARU_L1_LAYOUTS_MAX)
		return -ENOSPC;
	layout = kzalloc(sizeof(*layout), GFP_KERNEL_ACCOUNT);
	if (!layout)
		return -ENOMEM;
	layout->id = pool->nr_layouts;
	layout->bytes = bytes;
	layout->alignment = alignment;
	layout->stride = stride_of(bytes, alignment);
	layout->run_blocks = run_blocks_of(layout->stride);
	INIT_LIST_HEAD(&layout->partial);
	pool->layouts[pool->nr_layouts++] = layout;
	*answer = layout;
	return 0;
}

int maru_call_layout(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_layout *arg = &call->arg->layout;
	struct maru_pool *pool = client->pool;
	struct maru_page_layout *layout;
	int err = 0;

	if (arg->flags || !arg->bytes || arg->bytes > S64_MAX ||
	    arg->alignment > MARU_L1_ALIGN_MAX ||
	    (arg->alignment && !is_power_of_2(arg->alignment)))
		return -EINVAL;

	maru_pool_enter(pool, call->now);
	layout = layout_find(pool, arg->bytes, arg->alignment);
	if (!layout)
		err = layout_add(pool, arg->bytes, arg->alignment, &layout);
	if (!err) {
		arg->layout = layout->id;
		arg->stride = layout->stride;
	}
	maru_pool_leave(pool);
	return err;
}
