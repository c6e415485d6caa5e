// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events: a ring of records for each client that wants some.  Queuing allocates
 * nothing; room for one LOST record is always kept.
 */

#include "internal.h"

#define LOST_SIZE	sizeof(struct maru_l1_event)

static u32 record_size(u32 key_len)
{
	return round_up(sizeof(struct maru_l1_event) + key_len, 8);
}

static void ring_write(struct maru_events *events, const void *from, u32 bytes)
{
	u32 at = events->tail % events->size;
	u32 part = min(bytes, events->size - at);

	memcpy(events->ring + at, from, part);
	memcpy(events->ring, (const u8 *)from + part, bytes - part);
	/* maru_events_ready() looks without the lock. */
	WRITE_ONCE(events->tail, events->tail + bytes);
}

static void ring_read(const struct maru_events *events, u64 from, void *to,
		      u32 bytes)
{
	u32 at = from % events->size;
	u32 part = min(bytes, events->size - at);

	memcpy(to, events->ring + at, part);
	memcpy((u8 *)to + part, events->ring, bytes - part);
}

static void ring_add(struct maru_client *client,
		     const struct maru_l1_event *record, const u8 *key)
{
	static const u8 padding[8];
	struct maru_events *events = &client->events;
	bool was_empty = events->head == events->tail;

	ring_write(events, record, sizeof(*record));
	if (key)
		ring_write(events, key, record->key_len);
	ring_write(events, padding,
		   record->size - sizeof(*record) - record->key_len);
	WRITE_ONCE(client->status->events, client->status->events + 1);
	if (was_empty && client->wake)
		client->wake(client->owner);
}

void maru_event_send(struct maru_client *client, u32 kind,
		     const struct maru_object *object, u64 value, u32 flags)
{
	struct maru_events *events = &client->events;
	struct maru_l1_event record = {
		.kind = kind, .value = value, .flags = flags,
		.id = object ? object->id : 0,
		.key_len = object ? object->key_len : 0,
	};
	u32 used = events->tail - events->head;

	lockdep_assert_held(&client->pool->lock);
	if (!events->ring || !(events->mask & MARU_L1_EV_MASK(kind)))
		return;
	record.size = record_size(record.key_len);
	if (record.size + LOST_SIZE <= events->size - used) {
		events->lost = false;
		ring_add(client, &record, object ? object->key : NULL);
		return;
	}
	client->pool->counts.events_lost++;
	if (!events->lost) {
		record = (struct maru_l1_event){ .size = LOST_SIZE,
						 .kind = MARU_L1_EV_LOST };
		events->lost = true;
		ring_add(client, &record, NULL);
	}
}

void maru_event_deleted(struct maru_pool *pool, const struct maru_object *object,
			const struct maru_client *cause)
{
	struct maru_client *client;

	list_for_each_entry(client, &pool->subscribers, subscriber)
		maru_event_send(client, MARU_L1_EV_DELETED, object, 0,
				client == cause ? MARU_L1_EV_SELF : 0);
}

static u32 fill_permille(const struct maru_pool *pool)
{
	u64 used = maru_pool_used(pool);

	return used > U64_MAX / 1000 ? 1000 : used * 1000 / pool->params.bytes;
}

void maru_events_watermark(struct maru_pool *pool)
{
	u32 fill = fill_permille(pool);
	struct maru_client *client;

	if (!pool->nr_watermarks)
		return;
	list_for_each_entry(client, &pool->subscribers, subscriber) {
		struct maru_events *events = &client->events;
		bool above = events->watermark && fill >= events->watermark;

		if (above && !events->above)
			maru_event_send(client, MARU_L1_EV_WATERMARK, NULL, fill, 0);
		events->above = above;
	}
}

void maru_events_end(struct maru_client *client)
{
	client->pool->nr_watermarks -= !!client->events.watermark;
	list_del_init(&client->subscriber);
	kvfree(client->events.ring);
	client->events = (struct maru_events){};
}

static int subscribe_check(const struct maru_l1_subscribe *arg)
{
	bool watermark = arg->mask & MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK);

	if (arg->flags || arg->reserved || arg->mask & ~MARU_L1_EV_ALL ||
	    arg->watermark_permille > 1000 ||
	    watermark != !!arg->watermark_permille)
		return -EINVAL;
	if (!arg->mask)
		return arg->ring_size ? -EINVAL : 0;
	if (arg->ring_size < MARU_L1_EVENTS_MIN ||
	    arg->ring_size > MARU_L1_EVENTS_MAX || arg->ring_size % 4096)
		return -EINVAL;
	return 0;
}

int maru_call_subscribe(struct maru_client *client, struct maru_call *call)
{
	const struct maru_l1_subscribe *arg = &call->arg->subscribe;
	struct maru_pool *pool = client->pool;
	u8 *ring = NULL;
	u64 tail, peeked;
	int err;

	err = subscribe_check(arg);
	if (err)
		return err;
	if (arg->mask) {
		ring = kvmalloc(arg->ring_size, GFP_KERNEL_ACCOUNT);
		if (!ring)
			return -ENOMEM;
	}
	maru_pool_enter(pool, call->now);
	/* The reader may be between a peek and its consume. */
	tail = client->events.tail;
	peeked = client->events.peeked;
	maru_events_end(client);
	client->events = (struct maru_events){
		.ring = ring, .size = arg->ring_size, .mask = arg->mask,
		.watermark = arg->watermark_permille,
		.head = tail, .tail = tail, .peeked = peeked,
	};
	if (ring)
		list_add_tail(&client->subscriber, &pool->subscribers);
	pool->nr_watermarks += !!arg->watermark_permille;
	/* One that subscribes above its watermark is told at once. */
	maru_events_watermark(pool);
	maru_pool_leave(pool);
	return 0;
}

ssize_t maru_events_peek(struct maru_client *client, void *buf, size_t len)
{
	struct maru_events *events = &client->events;
	ssize_t bytes = 0;

	mutex_lock(&client->pool->lock);
	events->peeked = events->head;
	while (events->head + bytes < events->tail) {
		u32 size;

		ring_read(events, events->head + bytes, &size, sizeof(size));
		if (size > len - bytes) {
			if (!bytes)
				bytes = -EMSGSIZE;
			break;
		}
		ring_read(events, events->head + bytes, (u8 *)buf + bytes, size);
		bytes += size;
	}
	mutex_unlock(&client->pool->lock);
	return bytes;
}

void maru_events_consume(struct maru_client *client, size_t bytes)
{
	struct maru_events *events = &client->events;

	mutex_lock(&client->pool->lock);
	/* A new subscription since then has begun behind what was peeked at. */
	WRITE_ONCE(events->head, max(events->head, events->peeked + bytes));
	mutex_unlock(&client->pool->lock);
}

bool maru_events_ready(struct maru_client *client)
{
	return READ_ONCE(client->events.head) != READ_ONCE(client->events.tail);
}
