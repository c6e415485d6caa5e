// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * CHECK: recomputes every account by walking runs, directory and clients, and
 * lists what differs from what the pool has written down.
 */

#include "internal.h"

struct check {
	struct maru_pool *pool;
	struct maru_l1_difference *list;
	u32 room;
	u32 listed;
	u64 differences;
	u64 walked;
	unsigned long *blocks;		/* as the runs have them */
	u32 nr_blocks;
	u64 bytes[MARU_NR_STATES];
	u64 free_pages;
	u64 pages;			/* free or not */
	u64 extents;
	u64 published;
	u64 orphans;
};

static void differ(struct check *c, u32 account, u64 id, u64 recorded, u64 found)
{
	c->differences++;
	if (c->listed == c->room)
		return;
	c->list[c->listed++] = (struct maru_l1_difference){
		.account = account, .id = id,
		.recorded = recorded, .found = found,
	};
}

static void compare(struct check *c, u32 account, u64 id, u64 recorded, u64 found)
{
	if (recorded != found)
		differ(c, account, id, recorded, found);
}

/* Return: whether the page's object may be evicted. */
static bool check_slot(struct check *c, const struct maru_run *run, u32 page)
{
	const struct maru_object *object = maru_slot_object(run->slots[page]);
	u64 stride = run->layout->stride;

	if (run->slots[page] == MARU_SLOT_RETIRED) {
		c->bytes[MARU_L1_A_RETIRED] += stride;
		return false;
	}
	if (!object) {
		c->free_pages += stride;
		return false;
	}
	c->walked++;
	c->extents++;
	if (object->run != run || object->offset != maru_run_offset(run, page))
		differ(c, MARU_L1_A_OVERLAP, object->id, object->offset,
		       maru_run_offset(run, page));
	if (object->state >= MARU_NR_STATES)
		differ(c, MARU_L1_A_STATE, object->id, object->state, 0);
	else
		c->bytes[object->state] += stride;
	c->published += object->state == MARU_L1_A_PUBLISHED;
	return object->state == MARU_L1_A_PUBLISHED && !object->holders;
}

static void check_run(struct check *c, const struct maru_run *run)
{
	u64 before = c->free_pages;
	u32 i, idle = 0;

	for (i = 0; i < run->blocks; i++) {
		if (test_bit(run->block + i, c->blocks))
			differ(c, MARU_L1_A_OVERLAP, 0, run->block, i);
		bitmap_set(c->blocks, run->block + i, 1);
		if (c->pool->run_of[run->block + i] != run)
			differ(c, MARU_L1_A_BLOCKS, run->block + i, 0, run->block);
	}
	if (!run->layout) {
		c->bytes[MARU_L1_A_RETIRED] += MARU_BLOCK_SIZE;
		return;
	}
	c->pages += run->pages * run->layout->stride;
	for (i = 0; i < run->fresh; i++)
		idle += check_slot(c, run, i);
	compare(c, MARU_L1_A_STATE, 0, run->idle, idle);
	c->free_pages += (run->pages - run->fresh) * run->layout->stride;
	compare(c, MARU_L1_A_FREE, 0, run->free * run->layout->stride,
		c->free_pages - before);
}

static void check_layouts(struct check *c)
{
	u64 pages = 0, free = 0;
	u32 i;

	for (i = 0; i < c->pool->nr_layouts; i++) {
		const struct maru_page_layout *layout = c->pool->layouts[i];

		pages += layout->pages * layout->stride;
		free += layout->free * layout->stride;
	}
	compare(c, MARU_L1_A_FREE, 0, pages, c->pages);
	compare(c, MARU_L1_A_FREE, 0, free, c->free_pages);
}

static void check_runs(struct check *c)
{
	struct maru_pool *pool = c->pool;
	struct maru_run *run;
	u32 i;

	list_for_each_entry(run, &pool->runs, link) {
		check_run(c, run);
		cond_resched();
	}
	for (i = 0; i < MARU_NR_STATES; i++)
		compare(c, i, 0, pool->bytes[i], c->bytes[i]);
	compare(c, MARU_L1_A_FREE, 0, pool->free_pages, c->free_pages);
	compare(c, MARU_L1_A_EXTENTS, 0, pool->extents, c->extents);
	check_layouts(c);
}

static void check_segments(struct check *c)
{
	struct maru_pool *pool = c->pool;
	u32 block, index, free = 0, empty = 0;

	for (index = 0; index < pool->nr_segments; index++) {
		const struct maru_segment *segment = &pool->segments[index];
		u32 end = min((index + 1) * pool->segment_blocks,
			      pool->nr_blocks);
		u32 used = 0;

		for (block = index * pool->segment_blocks; block < end; block++) {
			bool in_run = test_bit(block, c->blocks);

			compare(c, MARU_L1_A_BLOCKS, block,
				test_bit(block, pool->blocks), in_run);
			used += in_run;
			free += !in_run;
		}
		compare(c, MARU_L1_A_SEGMENTS, index, segment->used, used);
		if (used && !segment->owner)
			differ(c, MARU_L1_A_SEGMENTS, index, 0, used);
		empty += segment->owner && !used;
	}
	compare(c, MARU_L1_A_BLOCKS, 0, pool->free_blocks, free);
	compare(c, MARU_L1_A_SEGMENTS, 0, pool->empty_segments, empty);
}

static void check_directory(struct check *c)
{
	struct maru_pool *pool = c->pool;
	struct list_head *pos;
	u64 entries = 0, lru = 0;
	u32 bucket;

	for (bucket = 0; bucket < pool->directory.buckets; bucket++) {
		struct hlist_node *node;

		hlist_for_each(node, maru_table_at(&pool->directory, bucket))
			entries++;
		if (bucket % MARU_SLICE == 0)
			cond_resched();
	}
	for (pos = pool->lru.next; pos != &pool->lru; pos = pos->next) {
		const struct maru_object *object;

		if (pos == &pool->evict_cursor)
			continue;
		if (++lru % MARU_SLICE == 0)
			cond_resched();
		object = list_entry(pos, struct maru_object, link);
		if (object->state != MARU_L1_A_PUBLISHED)
			differ(c, MARU_L1_A_STATE, object->id, object->state,
			       MARU_L1_A_PUBLISHED);
	}
	compare(c, MARU_L1_A_OBJECTS, 0, pool->directory.count, entries);
	compare(c, MARU_L1_A_OBJECTS, 0, pool->directory.count, c->published);
	compare(c, MARU_L1_A_LRU, 0, pool->directory.count, lru);
}

static struct maru_tally tally_objects(struct check *c, struct list_head *list,
				       u8 state)
{
	struct maru_tally tally = {};
	struct maru_object *object;

	list_for_each_entry(object, list, link) {
		tally.count++;
		tally.bytes += object->run->layout->stride;
		if (object->state != state)
			differ(c, MARU_L1_A_STATE, object->id, object->state,
			       state);
	}
	return tally;
}

static void compare_tally(struct check *c, struct maru_tally recorded,
			  struct maru_tally found)
{
	compare(c, MARU_L1_A_CLIENT, 0, recorded.count, found.count);
	compare(c, MARU_L1_A_CLIENT, 0, recorded.bytes, found.bytes);
}

/* Takes each pin that a hold stands for off its object, or gives it back. */
static u64 pins_shift(struct list_head *holds, int by, u64 *held)
{
	struct maru_hold *hold;
	u64 count = 0;

	list_for_each_entry(hold, holds, link) {
		hold->object->holders += by;
		count += hold->count;
		(*held)++;
	}
	return count;
}

static void check_client(struct check *c, struct maru_client *client)
{
	struct maru_tally idle, held_private;
	u64 held = 0, holds;

	compare_tally(c, client->nr_staged,
		      tally_objects(c, &client->staged, MARU_L1_A_STAGED));
	compare_tally(c, client->nr_unacked,
		      tally_objects(c, &client->unacked, MARU_L1_A_QUARANTINE));
	idle = tally_objects(c, &client->private_idle, MARU_L1_A_PRIVATE);
	held_private = tally_objects(c, &client->private_held, MARU_L1_A_PRIVATE);
	idle.count += held_private.count;
	idle.bytes += held_private.bytes;
	compare_tally(c, client->nr_private, idle);
	compare(c, MARU_L1_A_CLIENT, 0, client->writes_by_id.count,
		client->nr_staged.count + client->nr_unacked.count);
	compare(c, MARU_L1_A_CLIENT, 0, client->privates.count,
		client->nr_private.count);

	holds = pins_shift(&client->leased, -1, &held);
	holds += pins_shift(&client->held, -1, &held);
	compare(c, MARU_L1_A_CLIENT, 0, client->nr_holds, holds);
	compare(c, MARU_L1_A_CLIENT, 0, client->nr_held, held);
	if (client->closed)
		c->orphans += held;
}

static void pins_restore(struct maru_client *client)
{
	u64 held = 0;

	pins_shift(&client->leased, 1, &held);
	pins_shift(&client->held, 1, &held);
}

/* Pins that no hold stands for are what is left after check_client(). */
static void check_pins(struct check *c)
{
	struct maru_run *run;
	u32 i;

	list_for_each_entry(run, &c->pool->runs, link) {
		for (i = 0; run->layout && i < run->fresh; i++) {
			const struct maru_object *object;

			object = maru_slot_object(run->slots[i]);
			if (object && object->holders)
				differ(c, MARU_L1_A_PINS, object->id,
				       object->holders, 0);
		}
	}
}

static void check_clients(struct check *c)
{
	struct maru_pool *pool = c->pool;
	struct list_head *lists[] = { &pool->clients, &pool->closing,
				      &pool->closed };
	struct maru_client *client;
	u64 open = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry(client, lists[i], link)
			check_client(c, client);
	check_pins(c);
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		list_for_each_entry(client, lists[i], link)
			pins_restore(client);
	list_for_each_entry(client, &pool->clients, link)
		open++;
	compare(c, MARU_L1_A_CLIENT, 0, pool->nr_clients, open);
	compare(c, MARU_L1_A_ORPHANS, 0, pool->orphan_pins, c->orphans);
}

/* Takes the lock, with as many blocks as the pool has then. */
static bool check_enter(struct check *c, u64 now)
{
	struct maru_pool *pool = c->pool;

	maru_pool_enter(pool, now);
	/* A pool grows a few times in its life. */
	while (c->nr_blocks < pool->nr_blocks) {
		c->nr_blocks = pool->nr_blocks;
		maru_pool_leave(pool);
		kvfree(c->blocks);
		c->blocks = kvcalloc(BITS_TO_LONGS(c->nr_blocks), sizeof(long),
				     GFP_KERNEL_ACCOUNT);
		if (!c->blocks)
			return false;
		maru_pool_enter(pool, now);
	}
	return true;
}

int maru_call_check_accounts(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_check *arg = &call->arg->check;
	struct maru_pool *pool = client->pool;
	struct check c = { .pool = pool, .list = call->items,
			   .room = call->nr_items };

	if (!check_enter(&c, call->now))
		return -ENOMEM;
	check_runs(&c);
	check_segments(&c);
	check_directory(&c);
	check_clients(&c);
	maru_pool_leave(pool);
	kvfree(c.blocks);
	arg->differences = c.differences;
	arg->walked = c.walked;
	arg->nr_items = c.listed;
	call->nr_items = c.listed;
	return 0;
}

#ifdef MARU_DEBUG
int maru_pool_corrupt(struct maru_pool *pool, unsigned int n)
{
	bool undo = n & MARU_CORRUPT_UNDO;
	struct maru_object *object = NULL;
	int err = 0;
	u32 block;

	mutex_lock(&pool->lock);
	if (!list_empty(&pool->lru) && pool->lru.next != &pool->evict_cursor)
		object = list_first_entry(&pool->lru, struct maru_object, link);
	block = find_next_zero_bit(pool->blocks, pool->nr_blocks, 0);
	switch (n & ~MARU_CORRUPT_UNDO) {
	case 0:
		if (object)
			object->holders += undo ? -1 : 1;
		else
			err = -EINVAL;
		break;
	case 1:
		pool->free_pages += undo ? -4096 : 4096;
		break;
	case 2:
		if (undo)
			bitmap_clear(pool->blocks, --block, 1);
		else if (block < pool->nr_blocks)
			bitmap_set(pool->blocks, block, 1);
		else
			err = -EINVAL;
		break;
	default:
		err = -EINVAL;
	}
	mutex_unlock(&pool->lock);
	return err;
}
#endif
