// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Objects: found by key, moved from state to state, pinned, ended. */

#include "internal.h"

struct maru_object *maru_object_new(const struct maru_key *key, u64 length)
{
	struct maru_object *object;

	object = kzalloc(struct_size(object, key, key->len), GFP_KERNEL_ACCOUNT);
	if (!object)
		return NULL;
	object->length = length;
	object->state = MARU_L1_A_NONE;
	object->by_key.hash = key->hash;
	object->key_len = key->len;
	memcpy(object->key, key->bytes, key->len);
	return object;
}

void maru_object_free(struct maru_object *object)
{
	kfree(object);
}

static bool object_idle(const struct maru_object *object)
{
	return object->state == MARU_L1_A_PUBLISHED && !object->holders;
}

void maru_object_set_state(struct maru_pool *pool, struct maru_object *object,
			   u8 state)
{
	u64 stride = object->run->layout->stride;

	lockdep_assert_held(&pool->lock);
	object->run->idle -= object_idle(object);
	if (object->state == MARU_L1_A_QUARANTINE)
		maru_tally_add(&pool->counts.unquarantined, stride);
	if (state == MARU_L1_A_QUARANTINE)
		maru_tally_add(&pool->counts.quarantined, stride);
	if (object->state == MARU_L1_A_NONE)
		pool->extents++;
	else
		pool->bytes[object->state] -= stride;
	if (state == MARU_L1_A_NONE)
		pool->extents--;
	else
		pool->bytes[state] += stride;
	object->state = state;
	object->run->idle += object_idle(object);
}

void maru_object_end(struct maru_pool *pool, struct maru_object *object)
{
	WARN_ON_ONCE(object->holders);
	if (object->state != MARU_L1_A_NONE)
		maru_object_set_state(pool, object, MARU_L1_A_NONE);
	maru_extent_put(pool, object);
	maru_object_free(object);
}

bool maru_object_is(const struct maru_object *object, const struct maru_key *key)
{
	return object->key_len == key->len &&
	       !memcmp(object->key, key->bytes, key->len);
}

static struct maru_object *find_by_key(struct maru_table *table,
				       const struct maru_key *key)
{
	struct hlist_node *pos;

	hlist_for_each(pos, maru_table_chain(table, key->hash)) {
		struct maru_object *object;

		object = maru_node_entry(pos, struct maru_object, by_key);
		if (object->by_key.hash == key->hash &&
		    maru_object_is(object, key))
			return object;
	}
	return NULL;
}

struct maru_object *maru_find_published(struct maru_pool *pool,
					const struct maru_key *key)
{
	lockdep_assert_held(&pool->lock);
	return find_by_key(&pool->directory, key);
}

struct maru_object *maru_find_private(struct maru_client *client,
				      const struct maru_key *key, u64 now)
{
	struct maru_object *object;

	lockdep_assert_held(&client->pool->lock);
	if (!client->nr_private.count)
		return NULL;
	object = find_by_key(&client->privates, key);
	if (!object)
		return NULL;
	/* Its lease is its hold's, or its own while it has none. */
	if (object->holders)
		return maru_hold_check(client, maru_hold_find(client, object->id),
				       now) ? object : NULL;
	if (object->deadline > now)
		return object;
	maru_private_end(client, object);
	return NULL;
}

struct maru_object *maru_find_visible(struct maru_client *client,
				      const struct maru_key *key, u64 now)
{
	struct maru_object *object = maru_find_private(client, key, now);

	return object ? object : maru_find_published(client->pool, key);
}

void maru_object_publish(struct maru_pool *pool, struct maru_object *object,
			 u64 now)
{
	maru_object_set_state(pool, object, MARU_L1_A_PUBLISHED);
	maru_table_insert(&pool->directory, &object->by_key,
			  object->by_key.hash);
	pool->generation++;
	list_add_tail(&object->link, &pool->lru);
	object->last_used = maru_use_time(pool, now);
	pool->counts.bytes_stored += object->length;
}

void maru_object_unpublish(struct maru_pool *pool, struct maru_object *object)
{
	maru_table_remove(&pool->directory, &object->by_key);
	pool->generation++;
	list_del(&object->link);
	maru_object_set_state(pool, object, MARU_L1_A_NONE);
}

void maru_object_removed(struct maru_pool *pool, const struct maru_object *object,
			 enum maru_l1_cause cause)
{
	maru_tally_add(&pool->counts.removed[cause], object->run->layout->stride);
}

void maru_object_delete(struct maru_pool *pool, struct maru_object *object,
			struct maru_client *client, enum maru_l1_cause cause)
{
	maru_object_removed(pool, object, cause);
	maru_event_deleted(pool, object, client);
	maru_object_unpublish(pool, object);
	maru_object_end(pool, object);
}

void maru_private_add(struct maru_client *client, struct maru_object *object,
		      u64 now)
{
	struct maru_pool *pool = client->pool;

	maru_object_set_state(pool, object, MARU_L1_A_PRIVATE);
	object->owner = client;
	object->deadline = client->read_lease ? now + client->read_lease :
						MARU_NO_DEADLINE;
	maru_due_sooner(client, object->deadline);
	maru_table_insert(&client->privates, &object->by_key,
			  object->by_key.hash);
	list_add_tail(&object->link, &client->private_idle);
	client->nr_private.count++;
	client->nr_private.bytes += object->run->layout->stride;
}

static void private_unlink(struct maru_client *client,
			   struct maru_object *object)
{
	maru_table_remove(&client->privates, &object->by_key);
	list_del(&object->link);
	client->nr_private.count--;
	client->nr_private.bytes -= object->run->layout->stride;
}

void maru_private_end(struct maru_client *client, struct maru_object *object)
{
	maru_object_removed(client->pool, object, object->flags & MARU_O_BAD ?
			    MARU_L1_C_RETIRED : MARU_L1_C_PRIVATE);
	private_unlink(client, object);
	maru_object_end(client->pool, object);
}

void maru_private_quarantine(struct maru_client *client,
			     struct maru_object *object)
{
	private_unlink(client, object);
	object->flags = 0;
	maru_write_adopt(client, object);
}

void maru_pin(struct maru_pool *pool, struct maru_object *object)
{
	object->run->idle -= object_idle(object);
	if (!object->holders++)
		pool->counts.held++;
	if (object->state == MARU_L1_A_PRIVATE && object->holders == 1)
		list_move_tail(&object->link, &object->owner->private_held);
}

void maru_unpin(struct maru_pool *pool, struct maru_object *object)
{
	if (--object->holders)
		return;
	pool->counts.held--;
	object->run->idle += object_idle(object);
	if (object->state == MARU_L1_A_PRIVATE)
		maru_private_end(object->owner, object);
	else if (object->state == MARU_L1_A_NONE ||
		 object->state == MARU_L1_A_ZOMBIE)
		maru_object_end(pool, object);
}
