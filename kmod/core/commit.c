// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* COMMIT and ABORT: how a write ends. */

#include "internal.h"

static void commit_answer(struct maru_l1_commit *item, u32 status, u32 result)
{
	item->status = status;
	item->result = result;
	item->offset = 0;
	item->length = 0;
	item->id = 0;
}

static void commit_located(struct maru_l1_commit *item,
			   const struct maru_object *object)
{
	item->offset = object->offset;
	item->length = object->length;
	item->id = object->id;
	memcpy(item->cookie, object->cookie, sizeof(item->cookie));
}

/* A staged write leaves its owner's lists with its extent. */
static struct maru_object *write_finish(struct maru_object *write,
					const struct maru_l1_commit *item)
{
	maru_write_unlink(write);
	memcpy(write->cookie, item->cookie, sizeof(write->cookie));
	return write;
}

/* Returns the object that answers: the write's own, or who was first. */
static struct maru_object *write_commit(struct maru_client *client,
					struct maru_object *write,
					const struct maru_key *key,
					struct maru_l1_commit *item, u64 now)
{
	bool temporary = write->flags & MARU_O_TEMPORARY;
	struct maru_pool *pool = client->pool;
	struct maru_object *winner;

	if (temporary)
		item->result |= MARU_L1_R_PRIVATE;
	winner = temporary ? maru_find_private(client, key, now) :
			     maru_find_published(pool, key);
	if (winner) {
		item->result |= MARU_L1_R_LOST_RACE;
		pool->counts.lost_races++;
		maru_write_unlink(write);
		maru_object_end(pool, write);
		maru_object_use(pool, winner, now);
		return winner;
	}
	write = write_finish(write, item);
	if (temporary)
		maru_private_add(client, write, now);
	else
		maru_object_publish(pool, write, now);
	return write;
}

/* The live write that an item names, or NULL: it has its answer. */
static struct maru_object *commit_find(struct maru_client *client,
				       struct maru_l1_commit *item,
				       const struct maru_key *key, u64 now)
{
	struct maru_object *write, *expired;

	write = maru_write_find(client, key, item->tag, false);
	if (write && item->reservation && write->id != item->reservation)
		write = NULL;
	if (write && maru_write_check(write, now))
		return write;
	if (item->reservation) {
		expired = maru_write_by_id(client, item->reservation);
		/* Of another key or tag, and perhaps not reaped yet. */
		if (expired && expired->state == MARU_L1_A_STAGED)
			maru_write_check(expired, now);
	} else {
		expired = maru_write_find(client, key, item->tag, true);
	}
	commit_answer(item, expired && expired->flags & MARU_O_EXPIRED ?
		      MARU_L1_EXPIRED : MARU_L1_NOT_FOUND, 0);
	return NULL;
}

static void commit_one(struct maru_client *client, struct maru_call *call,
		       struct maru_l1_commit *item, struct list_head *stock)
{
	u32 holds = min_t(u32, item->holds, MARU_L1_HOLDS_MAX);
	struct maru_object *write, *object;
	struct maru_key key;

	if (maru_item_key(client, call, item, &key)) {
		commit_answer(item, MARU_L1_INVALID,
			      client->pool->fenced ? MARU_L1_R_FENCED : 0);
		return;
	}
	if (client->pool->fenced) {
		commit_answer(item, MARU_L1_STALE, MARU_L1_R_FENCED);
		return;
	}
	write = commit_find(client, item, &key, call->now);
	if (!write)
		return;
	commit_answer(item, MARU_L1_OK,
		      holds < item->holds ? MARU_L1_R_CLAMPED : 0);
	object = write_commit(client, write, &key, item, call->now);
	if (holds && !maru_hold_add(client, object, holds, call->now, stock))
		item->result |= MARU_L1_R_CLAMPED;
	commit_located(item, object);
}

int maru_call_commit(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_commit *items = call->items;
	LIST_HEAD(stock);
	u32 i, n = 0;
	int err;

	for (i = 0; i < call->nr_items; i++)
		n += !!items[i].holds;
	err = maru_hold_stock(client, n, call->now, &stock);
	if (err)
		return err;
	for (i = 0; i < call->nr_items; i++)
		commit_one(client, call, &items[i], &stock);
	maru_hold_unstock(client, &stock);
	maru_call_leave(client->pool, call);
	return 0;
}

static struct maru_object *abort_find(struct maru_client *client,
				      struct maru_call *call,
				      struct maru_l1_abort *item)
{
	struct maru_object *write;
	struct maru_key key;
	int err;

	err = maru_item_key(client, call, item, &key);
	if (err < 0 || (err && !item->id)) {
		item->status = MARU_L1_INVALID;
		return NULL;
	}
	item->status = MARU_L1_NOT_FOUND;
	if (item->id) {
		write = maru_write_by_id(client, item->id);
		return write && !err && !maru_object_is(write, &key) ? NULL : write;
	}
	write = maru_write_find(client, &key, item->tag, false);
	if (write && maru_write_check(write, call->now))
		return write;
	if (maru_write_find(client, &key, item->tag, true))
		item->status = MARU_L1_EXPIRED;
	return NULL;
}

int maru_call_abort(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_abort *items = call->items;
	struct maru_pool *pool = client->pool;
	u32 i;

	maru_pool_enter(pool, call->now);
	for (i = 0; i < call->nr_items; i++) {
		struct maru_object *write;

		items[i].result = pool->fenced ? MARU_L1_R_FENCED : 0;
		write = abort_find(client, call, &items[i]);
		if (!write)
			continue;
		maru_write_unlink(write);
		maru_object_end(pool, write);
		items[i].status = MARU_L1_OK;
	}
	maru_call_leave(pool, call);
	return 0;
}
