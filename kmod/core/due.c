// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which client has something due first: a binary heap.  A lease that is renewed
 * leaves its client's place alone, so a client may come up too early; it is then
 * looked at, and put where it belongs.
 */

#include "internal.h"

#define DUE_ROOM	16	/* of a new pool */

static void place(struct maru_pool *pool, u32 index, struct maru_client *client)
{
	pool->due[index] = client;
	client->due_index = index;
}

static void sift_up(struct maru_pool *pool, struct maru_client *client)
{
	u32 index = client->due_index;

	while (index) {
		struct maru_client *parent = pool->due[(index - 1) / 2];

		if (parent->due <= client->due)
			break;
		place(pool, index, parent);
		index = (index - 1) / 2;
	}
	place(pool, index, client);
}

static void sift_down(struct maru_pool *pool, struct maru_client *client)
{
	u32 index = client->due_index;
	u32 child;

	while ((child = 2 * index + 1) < pool->nr_due) {
		if (child + 1 < pool->nr_due &&
		    pool->due[child + 1]->due < pool->due[child]->due)
			child++;
		if (client->due <= pool->due[child]->due)
			break;
		place(pool, index, pool->due[child]);
		index = child;
	}
	place(pool, index, client);
}

int maru_due_add(struct maru_pool *pool, struct maru_client *client)
{
	u32 room = max(2 * pool->due_room, (u32)DUE_ROOM);
	struct maru_client **due;

	lockdep_assert_held(&pool->lock);
	if (pool->nr_due == pool->due_room) {
		due = kvcalloc(room, sizeof(*due), MARU_GFP_LOCKED);
		if (!due)
			return -ENOMEM;
		if (pool->nr_due)
			memcpy(due, pool->due, pool->nr_due * sizeof(*due));
		kvfree(pool->due);
		pool->due = due;
		pool->due_room = room;
	}
	client->due = MARU_NO_DEADLINE;
	place(pool, pool->nr_due++, client);
	return 0;
}

void maru_due_remove(struct maru_client *client)
{
	struct maru_pool *pool = client->pool;
	struct maru_client *last = pool->due[--pool->nr_due];

	if (last == client)
		return;
	place(pool, client->due_index, last);
	sift_up(pool, last);
	sift_down(pool, last);
}

void maru_due_sooner(struct maru_client *client, u64 deadline)
{
	lockdep_assert_held(&client->pool->lock);
	if (deadline >= client->due)
		return;
	client->due = deadline;
	sift_up(client->pool, client);
}

void maru_due_set(struct maru_client *client, u64 deadline)
{
	lockdep_assert_held(&client->pool->lock);
	client->due = deadline;
	sift_up(client->pool, client);
	sift_down(client->pool, client);
}
