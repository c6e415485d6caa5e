// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* DELETE and PURGE. */

#include "internal.h"

/* Ends the holds of @client on @object; false: it has none. */
static bool drop_holds(struct maru_client *client,
		       const struct maru_object *object)
{
	struct maru_hold *hold = maru_hold_find(client, object->id);

	if (!hold || !hold->count)
		return false;
	maru_client_epoch(client);
	maru_hold_drop(client, hold, hold->count);
	return true;
}

/* A published object's pin whose lease is over may not have been reaped yet. */
static void own_hold_check(struct maru_client *client,
			   const struct maru_object *object, u64 now)
{
	struct maru_hold *hold = maru_hold_find(client, object->id);

	if (hold && object->state == MARU_L1_A_PUBLISHED)
		maru_hold_check(client, hold, now);
}

/* Drops what @client itself has of the key; whether there was anything. */
static bool drop_own(struct maru_client *client, const struct maru_key *key,
		     u64 now)
{
	struct maru_object *object;
	bool dropped = false;

	while ((object = maru_write_live(client, key, now))) {
		maru_write_drop(object);
		dropped = true;
	}
	object = maru_find_private(client, key, now);
	if (object) {
		if (!drop_holds(client, object))
			maru_private_end(client, object);
		dropped = true;
	}
	object = maru_find_published(client->pool, key);
	if (object) {
		own_hold_check(client, object, now);
		drop_holds(client, object);
	}
	return dropped;
}

/* Expired writes of the key lose their name; whether there were any. */
static bool forget_expired(struct maru_client *client, const struct maru_key *key)
{
	struct maru_object *write;
	bool found = false;

	while ((write = maru_write_any(client, key, true))) {
		maru_write_unname(write);
		found = true;
	}
	return found;
}

static void delete_one(struct maru_client *client, struct maru_call *call,
		       struct maru_l1_delete *item)
{
	struct maru_pool *pool = client->pool;
	struct maru_object *object;
	bool dropped = false;
	struct maru_key key;

	item->id = 0;
	item->result = pool->fenced ? MARU_L1_R_FENCED : 0;
	item->status = MARU_L1_INVALID;
	if (maru_item_key(client, call, item, &key))
		return;
	item->status = MARU_L1_LOCKED;
	if (pool->fenced)
		return;
	if (call->arg->batch.flags & MARU_L1_B_FORCE)
		dropped = drop_own(client, &key, call->now);
	else if (maru_write_live(client, &key, call->now))
		return;

	object = maru_find_visible(client, &key, call->now);
	if (!object) {
		dropped |= forget_expired(client, &key);
		item->status = dropped ? MARU_L1_OK : MARU_L1_NOT_FOUND;
		return;
	}
	item->id = object->id;
	own_hold_check(client, object, call->now);
	if (object->holders)
		return;
	if (object->state == MARU_L1_A_PRIVATE)
		maru_private_end(client, object);
	else
		maru_object_delete(pool, object, client, MARU_L1_C_DELETED);
	item->status = MARU_L1_OK;
}

int maru_call_delete(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_delete *items = call->items;
	u32 i;

	maru_pool_enter(client->pool, call->now);
	for (i = 0; i < call->nr_items; i++)
		delete_one(client, call, &items[i]);
	maru_call_leave(client->pool, call);
	return 0;
}

static void purge_bucket(struct maru_client *client, u32 bucket,
			 struct maru_l1_purge *arg)
{
	struct maru_pool *pool = client->pool;
	struct hlist_node *pos, *next;

	hlist_for_each_safe(pos, next, maru_table_at(&pool->directory, bucket)) {
		struct maru_object *object;

		object = maru_node_entry(pos, struct maru_object, by_key);
		if (object->holders) {
			arg->locked++;
			continue;
		}
		maru_object_delete(pool, object, client, MARU_L1_C_PURGED);
		arg->deleted++;
	}
}

int maru_call_purge(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_purge *arg = &call->arg->purge;
	struct maru_pool *pool = client->pool;
	u32 bucket;

	if (arg->flags)
		return -EINVAL;
	arg->deleted = 0;
	arg->locked = 0;
	maru_pool_enter(pool, call->now);
	/* Splits only move entries to later buckets: none is missed. */
	pool->directory.pinned++;
	for (bucket = 0; !pool->fenced && bucket < pool->directory.buckets;
	     bucket++) {
		purge_bucket(client, bucket, arg);
		if (bucket % MARU_SLICE == MARU_SLICE - 1)
			maru_pool_breathe(pool);
	}
	pool->directory.pinned--;
	while (maru_table_shrink(&pool->directory, MARU_SLICE))
		maru_pool_breathe(pool);
	maru_pool_leave(pool);
	return 0;
}
