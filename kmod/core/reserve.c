// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * RESERVE_WRITE.  Three steps: objects are made without the lock; then the ones
 * that are wanted enter the client's table and get extents, or none does; then
 * nothing can fail any more and they are staged.
 */

#include "internal.h"

struct reserve {
	struct maru_client *client;
	struct maru_call *call;
	struct maru_l1_reserve *items;
	struct maru_page_layout *layout;
	struct maru_object **writes;	/* one an item, NULL: none is wanted */
	u32 wanted;
	enum maru_l1_refusal refusal;	/* why extents_take() failed */
};

static void answer(struct maru_l1_reserve *item, u32 status)
{
	item->status = status;
	item->result = 0;
	item->offset = 0;
	item->page_size = 0;
	item->id = 0;
}

static void refuse(struct reserve *r, struct maru_l1_reserve *item,
		   enum maru_l1_refusal why)
{
	answer(item, MARU_L1_NO_SPACE);
	r->client->pool->counts.refused[why]++;
}

/* Without the lock.  The layout of an id never changes. */
static struct maru_page_layout *layout_by_id(struct maru_pool *pool, u32 id)
{
	struct maru_page_layout *layout = NULL;

	mutex_lock(&pool->lock);
	if (id < pool->nr_layouts)
		layout = pool->layouts[id];
	mutex_unlock(&pool->lock);
	return layout;
}

static void objects_free(struct reserve *r)
{
	u32 i;

	for (i = 0; i < r->call->nr_items; i++)
		maru_object_free(r->writes[i]);
	kvfree(r->writes);
}

static int objects_make(struct reserve *r)
{
	u32 i;

	r->writes = kvcalloc(max(r->call->nr_items, 1U), sizeof(*r->writes),
			     GFP_KERNEL_ACCOUNT);
	if (!r->writes)
		return -ENOMEM;
	for (i = 0; i < r->call->nr_items; i++) {
		struct maru_l1_reserve *item = &r->items[i];
		struct maru_key key;

		if (maru_item_key(r->client, r->call, item, &key) ||
		    !item->length || item->length > r->layout->bytes)
			continue;
		r->writes[i] = maru_object_new(&key, item->length);
		if (!r->writes[i]) {
			objects_free(r);
			return -ENOMEM;
		}
	}
	return 0;
}

/* Whether the item gets an extent; else it has its answer. */
static bool item_wanted(struct reserve *r, u32 i)
{
	struct maru_l1_reserve *item = &r->items[i];
	struct maru_object *write = r->writes[i], *staged;
	struct maru_key key;

	if (!write) {
		answer(item, MARU_L1_INVALID);
		return false;
	}
	key = (struct maru_key){ write->key, write->key_len, write->by_key.hash };
	if (maru_find_visible(r->client, &key, r->call->now)) {
		answer(item, MARU_L1_NOT_WRITABLE);
		return false;
	}
	staged = maru_write_find(r->client, &key, item->tag, false);
	/* One without an extent is of this very call. */
	if (staged && (!staged->run || maru_write_check(staged, r->call->now))) {
		answer(item, MARU_L1_NOT_WRITABLE);
		return false;
	}
	if (maru_write_full(r->client, &key)) {
		refuse(r, item, MARU_L1_N_TAGS);
		return false;
	}
	return true;
}

/* Names the wanted ones, so that a second one of the same call finds the first. */
static void items_sort(struct reserve *r)
{
	u32 i;

	for (i = 0; i < r->call->nr_items; i++) {
		struct maru_object *write = r->writes[i];

		if (!item_wanted(r, i)) {
			maru_object_free(write);
			r->writes[i] = NULL;
			continue;
		}
		write->owner = r->client;
		write->tag = r->items[i].tag;
		if (r->items[i].flags & MARU_L1_TEMPORARY)
			write->flags |= MARU_O_TEMPORARY;
		maru_write_name(r->client, write);
		r->wanted++;
	}
}

static bool within_limits(struct reserve *r)
{
	const struct maru_pool *pool = r->client->pool;
	const struct maru_client *client = r->client;
	u64 most = pool->params.max_client_bytes;
	u64 has = client->nr_staged.bytes + client->nr_private.bytes +
		  client->nr_unacked.bytes;

	r->refusal = MARU_L1_N_OBJECTS;
	if (r->wanted > pool->max_objects - pool->extents ||
	    r->wanted > MARU_IDS_MAX - pool->next_id)
		return false;
	r->refusal = MARU_L1_N_CLIENT_BYTES;
	return !most || (has <= most &&
			 r->wanted <= (most - has) / r->layout->stride);
}

/* All or nothing. */
static int extents_take(struct reserve *r)
{
	struct maru_pool *pool = r->client->pool;
	int err = 0;
	u32 i;

	if (!within_limits(r))
		return -ENOSPC;
	r->refusal = MARU_L1_N_SPACE;
	for (i = 0; i < r->call->nr_items && !err; i++)
		if (r->writes[i])
			err = maru_extent_take(pool, r->layout, r->writes[i]);
	if (!err)
		return 0;
	for (i = 0; i < r->call->nr_items; i++)
		if (r->writes[i] && r->writes[i]->run)
			maru_extent_put(pool, r->writes[i]);
	return err;
}

static void items_refuse(struct reserve *r)
{
	u32 i;

	for (i = 0; i < r->call->nr_items; i++) {
		if (!r->writes[i])
			continue;
		maru_write_unname(r->writes[i]);
		refuse(r, &r->items[i], r->refusal);
	}
}

static void items_fenced(struct reserve *r)
{
	u32 i;

	for (i = 0; i < r->call->nr_items; i++) {
		if (r->writes[i])
			refuse(r, &r->items[i], MARU_L1_N_FENCED);
		else
			answer(&r->items[i], MARU_L1_INVALID);
		r->items[i].result = MARU_L1_R_FENCED;
	}
}

static void items_stage(struct reserve *r)
{
	u32 i;

	for (i = 0; i < r->call->nr_items; i++) {
		struct maru_l1_reserve *item = &r->items[i];
		struct maru_object *write = r->writes[i], *old;
		struct maru_key key;

		if (!write)
			continue;
		/* An expired write of the same name waits on, without the name. */
		key = (struct maru_key){ write->key, write->key_len,
					 write->by_key.hash };
		old = maru_write_find(r->client, &key, write->tag, true);
		if (old)
			maru_write_unname(old);
		maru_write_stage(r->client, write, r->call->now);
		answer(item, MARU_L1_OK);
		item->offset = write->offset;
		item->page_size = r->layout->bytes;
		item->id = write->id;
		r->writes[i] = NULL;
	}
}

static int items_reserve(struct reserve *r)
{
	int err;

	if (r->client->pool->fenced) {
		items_fenced(r);
		return 0;
	}
	items_sort(r);
	if (!r->wanted)
		return 0;
	err = extents_take(r);
	if (!err) {
		items_stage(r);
		return 0;
	}
	items_refuse(r);
	return err == -ENOSPC ? 0 : err;
}

int maru_call_reserve_write(struct maru_client *client, struct maru_call *call)
{
	struct maru_pool *pool = client->pool;
	struct reserve r = {
		.client = client, .call = call, .items = call->items,
		.layout = layout_by_id(pool, call->arg->batch.layout),
	};
	int err;

	if (!r.layout)
		return -EINVAL;
	err = objects_make(&r);
	if (err)
		return err;
	maru_pool_enter(pool, call->now);
	err = items_reserve(&r);
	if (err)
		maru_pool_leave(pool);
	else
		maru_call_leave(pool, call);
	objects_free(&r);
	return err;
}
