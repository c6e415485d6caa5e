// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Clients: opened, set up, cleared, closed, and swept when their time is over. */

#include "internal.h"

static void tables_destroy(struct maru_client *client)
{
	maru_table_destroy(&client->writes_by_key);
	maru_table_destroy(&client->writes_by_id);
	maru_table_destroy(&client->privates);
	maru_table_destroy(&client->holds);
}

static int tables_init(struct maru_client *client)
{
	/* One that was not made yet is all zero, and nothing to destroy. */
	if (!maru_table_init(&client->writes_by_key) &&
	    !maru_table_init(&client->writes_by_id) &&
	    !maru_table_init(&client->privates) &&
	    !maru_table_init(&client->holds))
		return 0;
	tables_destroy(client);
	return -ENOMEM;
}

static void lists_init(struct maru_client *client)
{
	INIT_LIST_HEAD(&client->staged);
	INIT_LIST_HEAD(&client->unacked);
	INIT_LIST_HEAD(&client->private_idle);
	INIT_LIST_HEAD(&client->private_held);
	INIT_LIST_HEAD(&client->leased);
	INIT_LIST_HEAD(&client->held);
	INIT_LIST_HEAD(&client->lost);
	INIT_LIST_HEAD(&client->spare);
	INIT_LIST_HEAD(&client->subscriber);
}

int maru_client_open(struct maru_pool *pool,
		     const struct maru_client_params *params,
		     struct maru_client **answer)
{
	struct maru_client *client;
	int err;

	client = kzalloc(sizeof(*client), GFP_KERNEL_ACCOUNT);
	if (!client)
		return -ENOMEM;
	if (tables_init(client)) {
		kfree(client);
		return -ENOMEM;
	}
	lists_init(client);
	client->pool = pool;
	client->writable = params->writable;
	client->read_lease = MARU_READ_LEASE_NS;
	client->write_lease = MARU_WRITE_LEASE_NS;
	client->status = params->status;
	client->wake = params->wake;
	client->owner = params->owner;
	mutex_lock(&pool->lock);
	err = maru_due_add(pool, client);
	if (!err) {
		list_add_tail(&client->link, &pool->clients);
		pool->nr_clients++;
	}
	mutex_unlock(&pool->lock);
	if (err) {
		tables_destroy(client);
		kfree(client);
		return err;
	}
	*answer = client;
	return 0;
}

void maru_client_epoch(struct maru_client *client)
{
	if (client->closed)
		return;
	WRITE_ONCE(client->status->epoch, client->status->epoch + 1);
	/* Pairs with the reader's barrier between the bytes and the epoch. */
	smp_wmb();
}

bool maru_client_empty(const struct maru_client *client)
{
	return list_empty(&client->unacked) && list_empty(&client->leased) &&
	       list_empty(&client->held);
}

void maru_client_free(struct maru_client *client)
{
	struct maru_hold *hold, *next;

	list_del(&client->link);
	list_for_each_entry_safe(hold, next, &client->spare, link)
		kfree(hold);
	maru_events_end(client);
	maru_due_remove(client);
	tables_destroy(client);
	kfree(client);
}

int maru_call_setup(struct maru_client *client, struct maru_call *call)
{
	const struct maru_l1_setup *arg = &call->arg->setup;
	struct maru_pool *pool = client->pool;
	int err = -EBUSY;

	if (arg->flags || arg->read_lease_ms > MARU_L1_LEASE_MS_MAX ||
	    !arg->write_lease_ms || arg->write_lease_ms > MARU_L1_LEASE_MS_MAX)
		return -EINVAL;
	maru_pool_enter(pool, call->now);
	/* The lists by deadline stay in order because all leases are as long. */
	if (!client->nr_staged.count && !client->nr_private.count &&
	    !client->nr_held) {
		client->read_lease = (u64)arg->read_lease_ms * NSEC_PER_MSEC;
		client->write_lease = (u64)arg->write_lease_ms * NSEC_PER_MSEC;
		err = 0;
	}
	maru_pool_leave(pool);
	return err;
}

static struct maru_hold *first_live_hold(struct maru_client *client)
{
	struct maru_hold *hold;

	hold = list_first_entry_or_null(&client->leased, struct maru_hold, link);
	if (!hold)
		hold = list_first_entry_or_null(&client->held, struct maru_hold,
						link);
	return hold;
}

/* Drops one thing of @client and counts it; false: nothing is left. */
static bool clear_next(struct maru_client *client, struct maru_l1_clear *arg)
{
	bool force = arg->flags & MARU_L1_CLEAR_FORCE;
	struct maru_object *object;
	struct maru_hold *hold;

	object = list_first_entry_or_null(&client->private_idle,
					  struct maru_object, link);
	if (object) {
		maru_private_end(client, object);
		arg->private_objects++;
		return true;
	}
	if (!force)
		return false;
	object = list_first_entry_or_null(&client->staged, struct maru_object,
					  link);
	if (object) {
		maru_write_drop(object);
		arg->staged++;
		return true;
	}
	hold = first_live_hold(client);
	if (!hold)
		return false;
	if (hold->object->state == MARU_L1_A_PRIVATE)
		arg->private_objects++;
	arg->holds++;
	maru_client_epoch(client);
	maru_hold_drop(client, hold, hold->count);
	return true;
}

int maru_call_clear(struct maru_client *client, struct maru_call *call)
{
	struct maru_l1_clear *arg = &call->arg->clear;
	struct maru_pool *pool = client->pool;
	u64 most, i;

	if (arg->flags & ~MARU_L1_CLEAR_FORCE || arg->reserved)
		return -EINVAL;
	arg->staged = 0;
	arg->private_objects = 0;
	arg->holds = 0;
	maru_pool_enter(pool, call->now);
	/* What other threads add meanwhile may stay: else it has no end. */
	most = client->nr_staged.count + client->nr_private.count +
	       client->nr_held;
	for (i = 1; i <= most && clear_next(client, arg); i++)
		if (i % MARU_SLICE == 0)
			maru_pool_breathe(pool);
	maru_pool_leave(pool);
	return 0;
}

/* Holds on private objects go with these; the others become orphan pins. */
static void close_private_held(struct maru_client *client,
			       struct maru_object *object)
{
	struct maru_hold *hold = maru_hold_find(client, object->id);

	/* Into quarantine first: a private object ends with its last hold. */
	maru_private_quarantine(client, object);
	maru_hold_drop(client, hold, hold->count);
}

/* Turns one thing of a closed client into what waits; false: all is done. */
static bool close_next(struct maru_client *client)
{
	struct maru_object *object;
	struct maru_hold *hold;

	object = list_first_entry_or_null(&client->private_held,
					  struct maru_object, link);
	if (object) {
		close_private_held(client, object);
		return true;
	}
	object = list_first_entry_or_null(&client->private_idle,
					  struct maru_object, link);
	if (object) {
		maru_private_quarantine(client, object);
		return true;
	}
	object = list_first_entry_or_null(&client->staged, struct maru_object,
					  link);
	if (object) {
		maru_write_drop(object);
		return true;
	}
	hold = list_first_entry_or_null(&client->lost, struct maru_hold, link);
	if (hold)
		maru_hold_forget(client, hold);
	return hold;
}

static void close_wait(struct maru_client *client, u64 now)
{
	struct maru_pool *pool = client->pool;

	client->quarantine_end = now + pool->params.quarantine_ns;
	list_move_tail(&client->link, &pool->closed);
	maru_due_sooner(client, client->quarantine_end);
}

bool maru_client_close(struct maru_client *client, u64 now, bool exiting)
{
	struct maru_pool *pool = client->pool;
	bool settle = false;
	u32 i;

	maru_pool_enter(pool, now);
	client->closed = true;
	list_move_tail(&client->link, &pool->closing);
	maru_due_set(client, MARU_NO_DEADLINE);
	pool->nr_clients--;
	pool->orphan_pins += client->nr_held;
	maru_events_end(client);
	for (i = 1; close_next(client); i++)
		if (i % MARU_SLICE == 0)
			maru_pool_breathe(pool);
	if (maru_client_empty(client))
		maru_client_free(client);
	else if (exiting)
		settle = true;
	else
		close_wait(client, now);
	maru_pool_leave(pool);
	return settle;
}

void maru_client_settle(struct maru_client *client, u64 now)
{
	maru_pool_enter(client->pool, now);
	close_wait(client, now);
	maru_pool_leave(client->pool);
}

u32 maru_client_sweep(struct maru_client *client, u32 budget)
{
	struct maru_object *object;
	struct maru_hold *hold;

	for (; budget; budget--) {
		object = list_first_entry_or_null(&client->unacked,
						  struct maru_object, link);
		if (object) {
			maru_write_unlink(object);
			maru_object_end(client->pool, object);
			continue;
		}
		hold = first_live_hold(client);
		if (!hold)
			break;
		maru_hold_drop(client, hold, hold->count);
	}
	return budget;
}
