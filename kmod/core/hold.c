// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Holds: what one client holds of one object.  However many holds it counts,
 * it is one pin of the object.
 */

#include "internal.h"

struct maru_hold *maru_hold_find(struct maru_client *client, u64 id)
{
	u32 hash = hash_64(id, 32);
	struct hlist_node *pos;

	lockdep_assert_held(&client->pool->lock);
	hlist_for_each(pos, maru_table_chain(&client->holds, hash)) {
		struct maru_hold *hold;

		hold = maru_node_entry(pos, struct maru_hold, by_id);
		if (hold->id == id)
			return hold;
	}
	return NULL;
}

int maru_hold_stock(struct maru_client *client, u32 n, u64 now,
		    struct list_head *stock)
{
	struct maru_hold *hold, *next;

	maru_pool_enter(client->pool, now);
	for (; n && client->nr_spare; n--, client->nr_spare--)
		list_move(client->spare.next, stock);
	if (!n)
		return 0;
	maru_pool_leave(client->pool);
	for (; n; n--) {
		hold = kmalloc(sizeof(*hold), GFP_KERNEL_ACCOUNT);
		if (!hold)
			goto free_stock;
		list_add(&hold->link, stock);
	}
	maru_pool_enter(client->pool, now);
	return 0;

free_stock:
	list_for_each_entry_safe(hold, next, stock, link)
		kfree(hold);
	return -ENOMEM;
}

/* Keeps some, so that a client that reads all the time does not allocate. */
static void hold_spare(struct maru_client *client, struct maru_hold *hold)
{
	if (client->nr_spare == MARU_SPARE_HOLDS) {
		kfree(hold);
		return;
	}
	list_add(&hold->link, &client->spare);
	client->nr_spare++;
}

void maru_hold_unstock(struct maru_client *client, struct list_head *stock)
{
	struct maru_hold *hold, *next;

	list_for_each_entry_safe(hold, next, stock, link) {
		list_del(&hold->link);
		hold_spare(client, hold);
	}
}

/* To the end of the list that fits, with a fresh deadline. */
static void hold_queue(struct maru_client *client, struct maru_hold *hold, u64 now)
{
	if (!client->read_lease) {
		hold->deadline = MARU_NO_DEADLINE;
		list_add_tail(&hold->link, &client->held);
		return;
	}
	hold->deadline = now + client->read_lease;
	maru_due_sooner(client, hold->deadline);
	list_add_tail(&hold->link, &client->leased);
}

void maru_hold_renew(struct maru_client *client, struct maru_hold *hold, u64 now)
{
	if (hold->deadline == MARU_NO_DEADLINE)
		return;
	list_del(&hold->link);
	hold_queue(client, hold, now);
}

static void lost_add(struct maru_client *client, struct maru_hold *hold)
{
	list_add_tail(&hold->link, &client->lost);
	client->nr_lost++;
}

/* Out of whichever list it is in. */
static void hold_unlist(struct maru_client *client, struct maru_hold *hold)
{
	list_del(&hold->link);
	client->nr_lost -= !hold->count;
}

static struct maru_hold *hold_new(struct maru_client *client,
				  const struct maru_object *object,
				  struct list_head *stock)
{
	struct maru_hold *hold;

	hold = list_first_entry(stock, struct maru_hold, link);
	list_del(&hold->link);
	*hold = (struct maru_hold){ .id = object->id,
				    .key_hash = object->by_key.hash };
	maru_table_insert(&client->holds, &hold->by_id, hash_64(hold->id, 32));
	lost_add(client, hold);
	return hold;
}

bool maru_hold_add(struct maru_client *client, struct maru_object *object,
		   u32 n, u64 now, struct list_head *stock)
{
	struct maru_hold *hold = maru_hold_find(client, object->id);

	if (hold)
		maru_hold_check(client, hold, now);
	else
		hold = hold_new(client, object, stock);
	if (n > MARU_HOLD_COUNT_MAX - hold->count)
		return false;
	hold_unlist(client, hold);
	if (!hold->count) {
		hold->object = object;
		maru_pin(client->pool, object);
		client->nr_held++;
		client->pool->counts.bytes_served += object->length;
	}
	hold->count += n;
	client->nr_holds += n;
	client->pool->counts.holds += n;
	hold_queue(client, hold, now);
	return true;
}

/* The last live one is gone: lets go of the object. */
static void hold_unpin(struct maru_client *client, struct maru_hold *hold)
{
	struct maru_object *object = hold->object;

	hold->object = NULL;
	client->nr_held--;
	if (client->closed)
		client->pool->orphan_pins--;
	maru_unpin(client->pool, object);
}

void maru_hold_forget(struct maru_client *client, struct maru_hold *hold)
{
	maru_table_remove(&client->holds, &hold->by_id);
	hold_unlist(client, hold);
	if (client->closed)
		kfree(hold);
	else
		hold_spare(client, hold);
}

void maru_hold_drop(struct maru_client *client, struct maru_hold *hold, u32 n)
{
	hold->count -= n;
	client->nr_holds -= n;
	client->pool->counts.holds -= n;
	if (hold->count)
		return;
	hold_unpin(client, hold);
	list_del(&hold->link);
	lost_add(client, hold);
	if (!hold->lost || client->closed)
		maru_hold_forget(client, hold);
	else if (client->nr_lost > MARU_LOST_MAX)
		/* Releasing it answers NOT_HELD all the same. */
		maru_hold_forget(client, list_first_entry(&client->lost,
							  struct maru_hold, link));
}

void maru_hold_lose(struct maru_client *client, struct maru_hold *hold,
		    u32 status)
{
	u32 n = hold->count;

	/* Before the pin goes: with it the bytes may change. */
	maru_client_epoch(client);
	hold->lost = n > U32_MAX - hold->lost ? U32_MAX : hold->lost + n;
	hold->lost_status = status;
	maru_hold_drop(client, hold, n);
}

bool maru_hold_check(struct maru_client *client, struct maru_hold *hold, u64 now)
{
	if (hold->count && hold->deadline <= now) {
		maru_event_send(client, MARU_L1_EV_HOLD_EXPIRED, hold->object, 0, 0);
		client->pool->counts.expired_holds++;
		maru_hold_lose(client, hold, MARU_L1_NOT_HELD);
	}
	return hold->count;
}
