// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* RESERVE_READ, PEEK, RELEASE and RENEW. */

#include "internal.h"

static void read_answer(struct maru_client *client, struct maru_l1_read *item,
			u32 status, u32 result,
			const struct maru_object *object)
{
	item->status = status;
	item->result = result;
	if (client->pool->fenced)
		item->result |= MARU_L1_R_FENCED;
	if (!object) {
		item->offset = 0;
		item->length = 0;
		item->id = 0;
		memset(item->cookie, 0, sizeof(item->cookie));
		return;
	}
	if (object->state == MARU_L1_A_PRIVATE)
		item->result |= MARU_L1_R_PRIVATE;
	item->offset = object->offset;
	item->length = object->length;
	item->id = object->id;
	memcpy(item->cookie, object->cookie, sizeof(item->cookie));
}

/* What a read finds, or NULL with @status saying why not. */
static struct maru_object *read_find(struct maru_client *client,
				     const struct maru_key *key, bool strict,
				     u64 now, u32 *status)
{
	struct maru_object *object = NULL;

	if (!client->pool->fenced)
		object = maru_find_visible(client, key, now);
	*status = MARU_L1_NOT_FOUND;
	if ((object && !strict) || client->pool->fenced ||
	    !client->nr_staged.count)
		return object;
	if (!maru_write_live(client, key, now))
		return object;
	*status = MARU_L1_NOT_READABLE;
	return NULL;
}

static void reserve_read_one(struct maru_client *client, struct maru_call *call,
			     struct maru_l1_read *item, struct list_head *stock)
{
	bool strict = call->arg->batch.flags & MARU_L1_B_STRICT;
	u32 holds = clamp_t(u32, item->holds, 1, MARU_L1_HOLDS_MAX);
	u32 result = holds == item->holds ? 0 : MARU_L1_R_CLAMPED;
	struct maru_object *object;
	struct maru_key key;
	u32 status;

	if (maru_item_key(client, call, item, &key)) {
		read_answer(client, item, MARU_L1_INVALID, 0, NULL);
		return;
	}
	object = read_find(client, &key, strict, call->now, &status);
	if (!object) {
		read_answer(client, item, status, 0, NULL);
		return;
	}
	if (!maru_hold_add(client, object, holds, call->now, stock)) {
		read_answer(client, item, MARU_L1_NO_SPACE, result, NULL);
		return;
	}
	maru_object_use(client->pool, object, call->now);
	read_answer(client, item, MARU_L1_OK, result, object);
}

int maru_call_reserve_read(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_read *items = call->items;
	LIST_HEAD(stock);
	int err;
	u32 i;

	err = maru_hold_stock(client, call->nr_items, call->now, &stock);
	if (err)
		return err;
	for (i = 0; i < call->nr_items; i++)
		reserve_read_one(client, call, &items[i], &stock);
	maru_hold_unstock(client, &stock);
	maru_call_leave(client->pool, call);
	return 0;
}

static void peek_one(struct maru_client *client, struct maru_call *call,
		     struct maru_l1_read *item)
{
	struct maru_object *object;
	struct maru_hold *hold;
	struct maru_key key;
	u32 status;

	if (maru_item_key(client, call, item, &key)) {
		read_answer(client, item, MARU_L1_INVALID, 0, NULL);
		return;
	}
	object = read_find(client, &key, false, call->now, &status);
	if (!object) {
		read_answer(client, item, status, 0, NULL);
		return;
	}
	hold = maru_hold_find(client, object->id);
	if (hold && maru_hold_check(client, hold, call->now))
		read_answer(client, item, MARU_L1_OK, 0, object);
	else
		read_answer(client, item, MARU_L1_NOT_HELD, 0, NULL);
}

int maru_call_peek(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_read *items = call->items;
	u32 i;

	maru_pool_enter(client->pool, call->now);
	for (i = 0; i < call->nr_items; i++)
		peek_one(client, call, &items[i]);
	maru_call_leave(client->pool, call);
	return 0;
}

/* Of a hold that was lost no more than its key's hash is left. */
static bool hold_is_of(const struct maru_hold *hold, const struct maru_key *key)
{
	return hold->key_hash == key->hash &&
	       (!hold->object || maru_object_is(hold->object, key));
}

/*
 * The hold that an item of RELEASE or RENEW names, by id or by key; NULL with
 * @status saying why not.  @other: the answer to an id of another key.
 */
static struct maru_hold *hold_named(struct maru_client *client,
				    struct maru_call *call, const void *item,
				    u64 id, u32 other, u32 *status)
{
	struct maru_object *object;
	struct maru_hold *hold;
	struct maru_key key;
	int err;

	err = maru_item_key(client, call, item, &key);
	*status = MARU_L1_INVALID;
	if (err < 0 || (err && !id))
		return NULL;
	if (id) {
		*status = other;
		hold = maru_hold_find(client, id);
		if (hold && !err && !hold_is_of(hold, &key))
			return NULL;
		return hold;
	}
	*status = MARU_L1_NOT_FOUND;
	object = maru_find_visible(client, &key, call->now);
	if (!object)
		return NULL;
	*status = MARU_L1_NOT_HELD;
	return maru_hold_find(client, object->id);
}

/*
 * Holds that were lost answer first: a late release after an expiry must not
 * take away what another thread of this client has taken since.
 */
static u32 hold_take_lost(struct maru_client *client, struct maru_hold *hold,
			  u32 n)
{
	u32 lost = min(n, hold->lost);

	hold->lost -= lost;
	if (!hold->count && !hold->lost)
		maru_hold_forget(client, hold);
	return lost;
}

static void release_one(struct maru_client *client, struct maru_call *call,
			struct maru_l1_release *item)
{
	u32 n = max(item->holds, 1U);
	u32 lost, live, lost_status;
	struct maru_hold *hold;

	item->result = client->pool->fenced ? MARU_L1_R_FENCED : 0;
	item->released = 0;
	hold = hold_named(client, call, item, item->id, MARU_L1_NOT_HELD,
			  &item->status);
	if (!hold)
		return;
	maru_hold_check(client, hold, call->now);
	live = hold->count;
	lost_status = hold->lost_status;
	lost = hold_take_lost(client, hold, n);
	if (!live || n == lost) {
		item->status = lost_status;
		return;
	}
	item->released = min(n - lost, live);
	if (item->released < n || n != item->holds)
		item->result |= MARU_L1_R_CLAMPED;
	maru_hold_drop(client, hold, item->released);
	/* Fenced: what was read may not be trusted, and the hold is gone. */
	item->status = client->pool->fenced ? MARU_L1_STALE : MARU_L1_OK;
}

int maru_call_release(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_release *items = call->items;
	u32 i;

	maru_pool_enter(client->pool, call->now);
	for (i = 0; i < call->nr_items; i++)
		release_one(client, call, &items[i]);
	maru_call_leave(client->pool, call);
	return 0;
}

/* A reservation of that id: true, with @item's answer. */
static bool renew_write(struct maru_client *client, struct maru_call *call,
			struct maru_l1_renew *item)
{
	struct maru_object *write;
	struct maru_key key;

	write = maru_write_by_id(client, item->id);
	if (!write || maru_item_key(client, call, item, &key) < 0)
		return false;
	if (item->key_len && !maru_object_is(write, &key))
		item->status = MARU_L1_NOT_FOUND;
	else if (write->state == MARU_L1_A_STAGED &&
		 maru_write_check(write, call->now))
		maru_write_renew(write, call->now);
	else if (write->flags & MARU_O_EXPIRED)
		item->status = MARU_L1_EXPIRED;
	else
		item->status = MARU_L1_NOT_FOUND;
	return true;
}

static void renew_one(struct maru_client *client, struct maru_call *call,
		      struct maru_l1_renew *item)
{
	struct maru_hold *hold;
	u32 status;

	item->status = MARU_L1_OK;
	item->result = client->pool->fenced ? MARU_L1_R_FENCED : 0;
	if (item->id && renew_write(client, call, item))
		return;
	hold = hold_named(client, call, item, item->id, MARU_L1_NOT_FOUND, &status);
	if (!hold)
		item->status = status;
	else if (!maru_hold_check(client, hold, call->now))
		item->status = hold->lost_status;
	else if (client->pool->fenced)
		item->status = MARU_L1_STALE;
	else
		maru_hold_renew(client, hold, call->now);
}

int maru_call_renew(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_renew *items = call->items;
	u32 i;

	maru_pool_enter(client->pool, call->now);
	for (i = 0; i < call->nr_items; i++)
		renew_one(client, call, &items[i]);
	maru_call_leave(client->pool, call);
	return 0;
}
