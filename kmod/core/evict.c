// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * EVICT and TOUCH: recency.  Every use moves an object to the end of the LRU;
 * an evict walks from its beginning with a cursor in the list, so that it can
 * let go of the lock now and then.  There is one cursor: evict_lock, outside of
 * the pool's lock, lets one evict at a time use it.
 */

#include "evict.h"

/* Callers took their time before they waited for the lock: the list goes by it. */
u64 maru_use_time(struct maru_pool *pool, u64 now)
{
	pool->last_use = max(pool->last_use, now);
	return pool->last_use;
}

void maru_object_use(struct maru_pool *pool, struct maru_object *object, u64 now)
{
	if (object->state != MARU_L1_A_PUBLISHED)
		return;
	object->last_used = maru_use_time(pool, now);
	list_move_tail(&object->link, &pool->lru);
}

static int evict_check(const struct maru_l1_evict *arg)
{
	const u32 known = MARU_L1_EVICT_DRY_RUN | MARU_L1_EVICT_TARGET |
			  MARU_L1_EVICT_LAYOUT;
	bool layout = arg->flags & MARU_L1_EVICT_LAYOUT;
	bool target = arg->flags & MARU_L1_EVICT_TARGET;

	if (arg->flags & ~known || arg->reserved ||
	    !!arg->bytes + !!arg->count + target != 1 ||
	    arg->target_permille > (target ? 1000 : 0))
		return -EINVAL;
	if (layout ? !arg->bytes || arg->flags & MARU_L1_EVICT_DRY_RUN :
		     arg->layout)
		return -EINVAL;
	return 0;
}

static u64 evict_goal(struct maru_pool *pool, const struct maru_l1_evict *arg)
{
	u64 used = maru_pool_used(pool);
	u64 target;

	if (arg->bytes)
		return arg->bytes;
	if (arg->count)
		return arg->count;
	target = pool->params.bytes / 1000 * arg->target_permille +
		 pool->params.bytes % 1000 * arg->target_permille / 1000;
	return used > target ? used - target : 0;
}

bool maru_evict_full(const struct maru_evict *e)
{
	return e->call->nr_items &&
	       (e->listed == e->call->nr_items ||
		e->call->keys_len - e->keys_used < MARU_L1_KEY_MAX);
}

static void list_victim(struct maru_evict *e, const struct maru_object *object)
{
	struct maru_l1_victim *victims = e->call->items;
	struct maru_l1_victim *victim;

	if (!e->call->nr_items)
		return;
	victim = &victims[e->listed++];
	victim->id = object->id;
	victim->length = object->length;
	victim->key_off = e->keys_used;
	victim->key_len = object->key_len;
	memcpy(e->call->keys + e->keys_used, object->key, object->key_len);
	e->keys_used += object->key_len;
}

static enum maru_l1_cause evict_cause(const struct maru_evict *e)
{
	if (e->layout)
		return MARU_L1_C_EVICT_LAYOUT;
	if (e->by_count)
		return MARU_L1_C_EVICT_COUNT;
	return e->arg->bytes ? MARU_L1_C_EVICT_BYTES : MARU_L1_C_EVICT_TARGET;
}

void maru_evict_one(struct maru_evict *e, struct maru_object *object)
{
	struct maru_pool *pool = e->client->pool;
	u64 bytes = object->run->layout->stride;
	u64 worth = e->by_count ? 1 : bytes;

	list_victim(e, object);
	e->arg->evicted++;
	e->arg->evicted_bytes += bytes;
	if (!e->layout || object->run->layout == e->layout)
		e->goal -= min(e->goal, worth);
	if (e->arg->flags & MARU_L1_EVICT_DRY_RUN)
		return;
	maru_object_delete(pool, object, e->client, evict_cause(e));
}

/* Looks at up to MARU_SLICE objects from the cursor on; false: at the end. */
static bool evict_slice(struct maru_evict *e)
{
	struct maru_pool *pool = e->client->pool;
	u32 i;

	for (i = 0; i < MARU_SLICE && e->goal && !maru_evict_full(e); i++) {
		struct maru_object *object;

		if (pool->evict_cursor.next == &pool->lru)
			return false;
		object = list_entry(pool->evict_cursor.next, struct maru_object,
				    link);
		/* Used since the walk began, as all after it: it has an end. */
		if (object->last_used > e->latest)
			return false;
		list_del(&pool->evict_cursor);
		list_add(&pool->evict_cursor, &object->link);
		if (object->holders)
			e->arg->skipped++;
		else if (e->layout)
			maru_evict_range(e, object);
		else
			maru_evict_one(e, object);
	}
	return e->goal && !maru_evict_full(e);
}

static void evict_run(struct maru_evict *e)
{
	struct maru_pool *pool = e->client->pool;

	e->latest = pool->last_use;
	list_add(&pool->evict_cursor, &pool->lru);
	while (!pool->fenced && evict_slice(e))
		maru_pool_breathe(pool);
	list_del(&pool->evict_cursor);
	e->arg->more = e->goal && maru_evict_full(e);
}

int maru_call_evict(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_evict *arg = &call->arg->evict;
	struct maru_evict e = { .client = client, .call = call, .arg = arg,
			   .by_count = arg->count };
	struct maru_pool *pool = client->pool;
	int err;

	err = evict_check(arg);
	if (err)
		return err;
	arg->evicted = 0;
	arg->evicted_bytes = 0;
	arg->skipped = 0;
	arg->more = 0;
	err = mutex_lock_killable(&pool->evict_lock);
	if (err)
		return err;
	maru_pool_enter(pool, call->now);
	if (arg->flags & MARU_L1_EVICT_LAYOUT)
		err = maru_evict_layout(&e);
	else
		e.goal = evict_goal(pool, arg);
	if (!err)
		evict_run(&e);
	maru_pool_leave(pool);
	mutex_unlock(&pool->evict_lock);
	if (err)
		return err;
	arg->nr_items = e.listed;
	call->nr_items = e.listed;
	call->keys_len = e.keys_used;
	return 0;
}

int maru_call_touch(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_touch *items = call->items;
	struct maru_pool *pool = client->pool;
	u32 i;

	maru_pool_enter(pool, call->now);
	for (i = 0; i < call->nr_items; i++) {
		struct maru_object *object;
		struct maru_key key;

		items[i].result = pool->fenced ? MARU_L1_R_FENCED : 0;
		items[i].status = MARU_L1_INVALID;
		if (maru_item_key(client, call, &items[i], &key))
			continue;
		items[i].status = MARU_L1_OK;
		object = maru_find_published(pool, &key);
		if (object)
			maru_object_use(pool, object, call->now);
	}
	maru_call_leave(pool, call);
	return 0;
}
