// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Dumps: see walk.h. */

#include "internal.h"
#include "walk.h"

static void view_object(const struct maru_object *object, u64 now,
			struct maru_object_view *view)
{
	*view = (struct maru_object_view){
		.id = object->id,
		.offset = object->offset,
		.length = object->length,
		.stride = object->run->layout->stride,
		.layout = object->run->layout->id,
		.key = object->key,
		.key_len = object->key_len,
		.cookie = object->cookie,
		.holders = object->holders,
	};
	if (object->state == MARU_L1_A_PUBLISHED && now > object->last_used)
		view->idle = now - object->last_used;
}

void maru_walk_begin(struct maru_pool *pool)
{
	mutex_lock(&pool->lock);
	pool->directory.pinned++;
	mutex_unlock(&pool->lock);
}

void maru_walk_end(struct maru_pool *pool)
{
	mutex_lock(&pool->lock);
	pool->directory.pinned--;
	mutex_unlock(&pool->lock);
}

int maru_walk_objects(struct maru_pool *pool, u32 index, u64 now,
		      maru_object_fn fn, void *arg)
{
	struct maru_object_view view;
	struct hlist_node *pos;
	int err = -ENOENT;

	mutex_lock(&pool->lock);
	if (index >= pool->directory.buckets)
		goto unlock;
	err = 0;
	hlist_for_each(pos, maru_table_at(&pool->directory, index)) {
		view_object(maru_node_entry(pos, struct maru_object, by_key), now,
			    &view);
		err = fn(&view, arg);
		if (err)
			break;
	}
unlock:
	mutex_unlock(&pool->lock);
	return err;
}

void maru_walk_holds_begin(struct maru_client *client)
{
	mutex_lock(&client->pool->lock);
	client->holds.pinned++;
	mutex_unlock(&client->pool->lock);
}

void maru_walk_holds_end(struct maru_client *client)
{
	mutex_lock(&client->pool->lock);
	client->holds.pinned--;
	mutex_unlock(&client->pool->lock);
}

static void view_hold(const struct maru_hold *hold, u64 now,
		      struct maru_hold_view *view)
{
	*view = (struct maru_hold_view){ .count = hold->count, .lost = hold->lost,
					 .left = U64_MAX };
	if (hold->object)
		view_object(hold->object, now, &view->object);
	view->object.id = hold->id;
	if (hold->count && hold->deadline != MARU_NO_DEADLINE)
		view->left = hold->deadline > now ? hold->deadline - now : 0;
}

int maru_walk_holds(struct maru_client *client, u32 index, u64 now,
		    maru_hold_fn fn, void *arg)
{
	struct maru_hold_view view;
	struct hlist_node *pos;
	int err = -ENOENT;

	mutex_lock(&client->pool->lock);
	if (index >= client->holds.buckets)
		goto unlock;
	err = 0;
	hlist_for_each(pos, maru_table_at(&client->holds, index)) {
		view_hold(maru_node_entry(pos, struct maru_hold, by_id), now,
			  &view);
		err = fn(&view, arg);
		if (err)
			break;
	}
unlock:
	mutex_unlock(&client->pool->lock);
	return err;
}

static int walk_layout(struct maru_pool *pool, u32 index,
		       struct maru_layout_view *view)
{
	const struct maru_page_layout *layout;

	if (index >= pool->nr_layouts)
		return -ENOENT;
	layout = pool->layouts[index];
	*view = (struct maru_layout_view){
		.bytes = layout->bytes, .stride = layout->stride,
		.alignment = layout->alignment,
		.pages = layout->pages, .free = layout->free,
	};
	return 0;
}

int maru_walk_layout(struct maru_pool *pool, u32 index,
		     struct maru_layout_view *view)
{
	int err;

	mutex_lock(&pool->lock);
	err = walk_layout(pool, index, view);
	mutex_unlock(&pool->lock);
	return err;
}

static int walk_segment(struct maru_pool *pool, u32 index,
			struct maru_segment_view *view)
{
	u32 first = index * pool->segment_blocks;
	u32 blocks;

	if (index >= pool->nr_segments)
		return -ENOENT;
	blocks = min(pool->segment_blocks, pool->nr_blocks - first);
	*view = (struct maru_segment_view){
		.offset = (u64)first << MARU_BLOCK_SHIFT,
		.bytes = (u64)blocks << MARU_BLOCK_SHIFT,
		.used = (u64)pool->segments[index].used << MARU_BLOCK_SHIFT,
		.owner = pool->segments[index].owner,
	};
	return 0;
}

int maru_walk_segment(struct maru_pool *pool, u32 index,
		      struct maru_segment_view *view)
{
	int err;

	mutex_lock(&pool->lock);
	err = walk_segment(pool, index, view);
	mutex_unlock(&pool->lock);
	return err;
}

u64 maru_pool_generation(struct maru_pool *pool)
{
	u64 generation;

	mutex_lock(&pool->lock);
	generation = pool->generation;
	mutex_unlock(&pool->lock);
	return generation;
}
