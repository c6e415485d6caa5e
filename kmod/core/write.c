// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A client's writes: staged, and after their lease or by force *unacked*, in
 * quarantine until the client says that nothing writes there any more.
 */

#include "internal.h"

static void tally_add(struct maru_tally *tally, const struct maru_object *write)
{
	maru_tally_add(tally, write->run->layout->stride);
}

static void tally_sub(struct maru_tally *tally, const struct maru_object *write)
{
	maru_tally_sub(tally, write->run->layout->stride);
}

static struct maru_object *write_match(struct maru_client *client,
				       const struct maru_key *key,
				       const u64 *tag, bool expired)
{
	struct hlist_node *pos;

	hlist_for_each(pos, maru_table_chain(&client->writes_by_key, key->hash)) {
		struct maru_object *write;

		write = maru_node_entry(pos, struct maru_object, by_key);
		if (write->by_key.hash == key->hash &&
		    !!(write->flags & MARU_O_EXPIRED) == expired &&
		    (!tag || write->tag == *tag) && maru_object_is(write, key))
			return write;
	}
	return NULL;
}

bool maru_write_full(struct maru_client *client, const struct maru_key *key)
{
	struct hlist_node *pos;
	u32 n = 0;

	/* They share a chain, whose length bounds what every look-up costs. */
	hlist_for_each(pos, maru_table_chain(&client->writes_by_key, key->hash)) {
		const struct maru_object *write;

		write = maru_node_entry(pos, struct maru_object, by_key);
		n += write->by_key.hash == key->hash;
	}
	return n >= MARU_L1_TAGS_MAX;
}

struct maru_object *maru_write_find(struct maru_client *client,
				    const struct maru_key *key, u64 tag,
				    bool expired)
{
	return write_match(client, key, &tag, expired);
}

struct maru_object *maru_write_any(struct maru_client *client,
				   const struct maru_key *key, bool expired)
{
	return write_match(client, key, NULL, expired);
}

struct maru_object *maru_write_by_id(struct maru_client *client, u64 id)
{
	u32 hash = hash_64(id, 32);
	struct hlist_node *pos;

	hlist_for_each(pos, maru_table_chain(&client->writes_by_id, hash)) {
		struct maru_object *write;

		write = maru_node_entry(pos, struct maru_object, by_id);
		if (write->id == id)
			return write;
	}
	return NULL;
}

void maru_write_name(struct maru_client *client, struct maru_object *write)
{
	maru_table_insert(&client->writes_by_key, &write->by_key,
			  write->by_key.hash);
	write->flags |= MARU_O_KEYED;
}

void maru_write_unname(struct maru_object *write)
{
	if (!(write->flags & MARU_O_KEYED))
		return;
	maru_table_remove(&write->owner->writes_by_key, &write->by_key);
	write->flags &= ~MARU_O_KEYED;
}

void maru_write_stage(struct maru_client *client, struct maru_object *write,
		      u64 now)
{
	struct maru_pool *pool = client->pool;

	maru_object_set_state(pool, write, MARU_L1_A_STAGED);
	write->id = maru_pool_new_id(pool);
	write->deadline = now + client->write_lease;
	maru_due_sooner(client, write->deadline);
	maru_table_insert(&client->writes_by_id, &write->by_id,
			  hash_64(write->id, 32));
	list_add_tail(&write->link, &client->staged);
	tally_add(&client->nr_staged, write);
}

void maru_write_renew(struct maru_object *write, u64 now)
{
	struct maru_client *client = write->owner;

	write->deadline = now + client->write_lease;
	list_move_tail(&write->link, &client->staged);
	maru_due_sooner(client, write->deadline);
}

void maru_write_unlink(struct maru_object *write)
{
	struct maru_client *client = write->owner;

	maru_write_unname(write);
	maru_table_remove(&client->writes_by_id, &write->by_id);
	list_del(&write->link);
	if (write->state == MARU_L1_A_STAGED)
		tally_sub(&client->nr_staged, write);
	else
		tally_sub(&client->nr_unacked, write);
}

static void write_quarantine(struct maru_client *client,
			     struct maru_object *write)
{
	maru_object_set_state(client->pool, write, MARU_L1_A_QUARANTINE);
	list_add_tail(&write->link, &client->unacked);
	tally_add(&client->nr_unacked, write);
}

void maru_write_expire(struct maru_object *write)
{
	struct maru_client *client = write->owner;

	list_del(&write->link);
	tally_sub(&client->nr_staged, write);
	write->flags |= MARU_O_EXPIRED;
	write_quarantine(client, write);
	client->pool->counts.expired_writes++;
}

void maru_write_drop(struct maru_object *write)
{
	struct maru_client *client = write->owner;

	maru_write_unname(write);
	if (write->state != MARU_L1_A_STAGED)
		return;
	list_del(&write->link);
	tally_sub(&client->nr_staged, write);
	write_quarantine(client, write);
}

void maru_write_adopt(struct maru_client *client, struct maru_object *object)
{
	object->owner = client;
	maru_table_insert(&client->writes_by_id, &object->by_id,
			  hash_64(object->id, 32));
	write_quarantine(client, object);
}

bool maru_write_check(struct maru_object *write, u64 now)
{
	if (write->deadline > now)
		return true;
	maru_write_expire(write);
	return false;
}

struct maru_object *maru_write_live(struct maru_client *client,
				    const struct maru_key *key, u64 now)
{
	struct maru_object *write;

	while ((write = maru_write_any(client, key, false)))
		if (maru_write_check(write, now))
			break;
	return write;
}
