// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * REPORT_BAD: memory that cannot be read any more.  What lies there goes, and
 * its extent is never used again; the pool goes on.
 */

#include "internal.h"

static void retire_holds(struct list_head *clients,
			 const struct maru_object *object, u64 id, u64 offset)
{
	struct maru_client *client;
	struct maru_hold *hold;

	list_for_each_entry(client, clients, link) {
		hold = maru_hold_find(client, id);
		if (!hold || !hold->count)
			continue;
		/* @object is there as long as somebody holds it. */
		maru_event_send(client, MARU_L1_EV_MEDIA_ERROR, object, offset, 0);
		if (client->closed)
			maru_hold_drop(client, hold, hold->count);
		else
			maru_hold_lose(client, hold, MARU_L1_STALE);
	}
}

static void retire_published(struct maru_pool *pool, struct maru_object *object,
			     struct maru_client *cause)
{
	u64 id = object->id, offset = object->offset;

	maru_object_removed(pool, object, MARU_L1_C_RETIRED);
	maru_event_deleted(pool, object, cause);
	maru_object_unpublish(pool, object);
	if (!object->holders) {
		maru_object_end(pool, object);
		return;
	}
	retire_holds(&pool->clients, object, id, offset);
	retire_holds(&pool->closing, object, id, offset);
	retire_holds(&pool->closed, object, id, offset);
}

static void retire_private(struct maru_object *object)
{
	struct maru_client *owner = object->owner;
	struct maru_hold *hold = maru_hold_find(owner, object->id);

	if (hold && hold->count) {
		maru_event_send(owner, MARU_L1_EV_MEDIA_ERROR, object,
				object->offset, 0);
		maru_hold_lose(owner, hold, MARU_L1_STALE);
	} else {
		maru_private_end(owner, object);
	}
}

static void retire_object(struct maru_pool *pool, struct maru_object *object,
			  struct maru_client *cause)
{
	/* Putting the extent, now or later, retires it. */
	object->flags |= MARU_O_BAD;
	switch (object->state) {
	case MARU_L1_A_PUBLISHED:
		retire_published(pool, object, cause);
		break;
	case MARU_L1_A_PRIVATE:
		retire_private(object);
		break;
	case MARU_L1_A_STAGED:
		maru_write_drop(object);
		break;
	default:	/* waits for its quarantine already */
		break;
	}
}

static int retire_at(struct maru_client *client, struct maru_l1_report_bad *arg)
{
	struct maru_pool *pool = client->pool;
	u32 block = arg->offset >> MARU_BLOCK_SHIFT;
	struct maru_object *object;
	struct maru_run *run;
	u32 page;

	if (arg->offset >= pool->params.bytes)
		return -EINVAL;
	run = pool->run_of[block];
	if (!run) {
		arg->retired = MARU_BLOCK_SIZE;
		return maru_block_retire(pool, block);
	}
	if (!run->layout)
		return 0;
	page = maru_run_page(run, arg->offset);
	if (page >= run->pages || run->slots[page] == MARU_SLOT_RETIRED)
		return 0;
	object = maru_slot_object(run->slots[page]);
	if (!object) {
		arg->retired = maru_extent_retire(pool, run, page);
		return 0;
	}
	arg->id = object->id;
	arg->retired = run->layout->stride;
	retire_object(pool, object, client);
	return 0;
}

int maru_call_report_bad(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_report_bad *arg = &call->arg->report_bad;
	struct maru_pool *pool = client->pool;
	int err;

	if (arg->flags)
		return -EINVAL;
	arg->id = 0;
	arg->retired = 0;
	maru_pool_enter(pool, call->now);
	err = retire_at(client, arg);
	maru_pool_leave(pool);
	return err;
}
