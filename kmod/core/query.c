// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* QUERY, USAGE and STATS: looking without touching. */

#include "internal.h"
#include "walk.h"

static void query_object(struct maru_client *client, struct maru_l1_query *item,
			 const struct maru_object *object, u64 now)
{
	struct maru_hold *hold = maru_hold_find(client, object->id);

	if (hold)
		maru_hold_check(client, hold, now);
	item->state = object->state == MARU_L1_A_PRIVATE ? MARU_L1_S_PRIVATE :
							   MARU_L1_S_PUBLISHED;
	if (item->state == MARU_L1_S_PUBLISHED && !object->holders)
		item->flags |= MARU_L1_Q_EVICTABLE;
	item->my_holds = hold ? hold->count : 0;
	item->holders = object->holders;
	item->length = object->length;
	item->id = object->id;
}

static void query_one(struct maru_client *client, struct maru_call *call,
		      struct maru_l1_query *item)
{
	const struct maru_object *object;
	struct maru_object *write;
	struct maru_key key;

	*item = (struct maru_l1_query){
		.key_off = item->key_off, .key_len = item->key_len,
		.status = MARU_L1_INVALID, .state = MARU_L1_S_ABSENT,
		.result = client->pool->fenced ? MARU_L1_R_FENCED : 0,
	};
	if (maru_item_key(client, call, item, &key))
		return;
	item->status = MARU_L1_OK;
	write = maru_write_live(client, &key, call->now);
	if (write)
		item->flags |= MARU_L1_Q_STAGED_HERE;
	object = maru_find_visible(client, &key, call->now);
	if (object) {
		query_object(client, item, object, call->now);
	} else if (write) {
		item->state = MARU_L1_S_STAGED;
		item->length = write->length;
		item->id = write->id;
	}
}

int maru_call_query(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_query *items = call->items;
	u32 i;

	maru_pool_enter(client->pool, call->now);
	for (i = 0; i < call->nr_items; i++)
		query_one(client, call, &items[i]);
	maru_call_leave(client->pool, call);
	return 0;
}

static void usage_pool(const struct maru_pool *pool, struct maru_l1_usage *arg)
{
	arg->total = pool->params.bytes;
	arg->available = maru_pool_available(pool);
	arg->used = maru_pool_used(pool);
	arg->staged = pool->bytes[MARU_L1_A_STAGED];
	arg->private_bytes = pool->bytes[MARU_L1_A_PRIVATE];
	arg->published = pool->bytes[MARU_L1_A_PUBLISHED];
	arg->zombie = pool->bytes[MARU_L1_A_ZOMBIE];
	arg->quarantined = pool->bytes[MARU_L1_A_QUARANTINE];
	arg->limbo = pool->bytes[MARU_L1_A_LIMBO];
	arg->retired = pool->bytes[MARU_L1_A_RETIRED];
	arg->rounding = arg->total - arg->used - arg->available;
	arg->objects = pool->directory.count;
	arg->max_objects = pool->max_objects;
	arg->extents = pool->extents;
	arg->orphan_pins = pool->orphan_pins;
}

static void usage_client(const struct maru_client *client,
			 struct maru_l1_usage *arg)
{
	arg->my_staged = client->nr_staged.count;
	arg->my_staged_bytes = client->nr_staged.bytes;
	arg->my_private = client->nr_private.count;
	arg->my_private_bytes = client->nr_private.bytes;
	arg->my_held = client->nr_held;
	arg->my_holds = client->nr_holds;
	arg->my_unacked = client->nr_unacked.count;
	arg->my_unacked_bytes = client->nr_unacked.bytes;
}

int maru_call_usage(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_usage *arg = &call->arg->usage;
	struct maru_pool *pool = client->pool;

	if (arg->flags)
		return -EINVAL;
	maru_pool_enter(pool, call->now);
	usage_pool(pool, arg);
	usage_client(client, arg);
	maru_pool_leave(pool);
	return 0;
}

void maru_pool_usage(struct maru_pool *pool, u64 now,
		     struct maru_l1_usage *usage)
{
	maru_pool_enter(pool, now);
	usage_pool(pool, usage);
	maru_pool_leave(pool);
}

void maru_client_usage(struct maru_client *client, struct maru_l1_usage *usage)
{
	mutex_lock(&client->pool->lock);
	usage_client(client, usage);
	mutex_unlock(&client->pool->lock);
}

static u32 list_counters(const struct maru_pool *pool,
			 struct maru_l1_counter *counters, u32 room)
{
	u32 op, status, n = 0;

	for (op = 0; op < MARU_NR_CALLS; op++) {
		for (status = 0; status < MARU_NR_STATUS && n < room; status++) {
			if (!pool->answers[op][status])
				continue;
			counters[n++] = (struct maru_l1_counter){
				.op = MARU_NR_FIRST + op, .status = status,
				.count = pool->answers[op][status],
			};
		}
	}
	return n;
}

static u64 evicted(const struct maru_counts *counts)
{
	return counts->removed[MARU_L1_C_EVICT_BYTES].count +
	       counts->removed[MARU_L1_C_EVICT_LAYOUT].count +
	       counts->removed[MARU_L1_C_EVICT_TARGET].count +
	       counts->removed[MARU_L1_C_EVICT_COUNT].count;
}

u32 maru_pool_stats(struct maru_pool *pool, struct maru_l1_stats *arg,
		    struct maru_l1_counter *counters, u32 room,
		    struct maru_counts *counts)
{
	mutex_lock(&pool->lock);
	arg->bytes_stored = pool->counts.bytes_stored;
	arg->bytes_served = pool->counts.bytes_served;
	arg->lost_races = pool->counts.lost_races;
	arg->evicted = evicted(&pool->counts);
	arg->purged = pool->counts.removed[MARU_L1_C_PURGED].count;
	arg->expired_holds = pool->counts.expired_holds;
	arg->expired_writes = pool->counts.expired_writes;
	arg->quarantined = pool->counts.quarantined.count;
	arg->clients = pool->nr_clients;
	arg->nr_items = list_counters(pool, counters, room);
	if (counts)
		*counts = pool->counts;
	mutex_unlock(&pool->lock);
	return arg->nr_items;
}

int maru_call_stats(struct maru_client *client, struct maru_call *call)
{
	call->nr_items = maru_pool_stats(client->pool, &call->arg->stats,
					 call->items, call->nr_items, NULL);
	return 0;
}
