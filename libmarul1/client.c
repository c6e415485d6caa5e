// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A client: owner of staging, private objects and holds; and its status pages. */
#include "internal.h"

#include <stdlib.h>

int marul1_client_open(struct marul1_pool *pool, unsigned int flags,
		       struct marul1_client **client)
{
	struct marul1_client *c;
	int err;

	if (flags & ~MARUL1_RDONLY)
		return -EINVAL;
	if (!marul1_pool_here(pool))
		return -EOWNERDEAD;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	c->pool = marul1_pool_ref(pool);
	c->flags = flags;
	c->fd = -1;
	pthread_mutex_init(&c->map_lock, NULL);
	err = pool->engine->client_open(c);
	if (err) {
		pthread_mutex_destroy(&c->map_lock);
		marul1_pool_unref(pool);
		free(c);
		return err;
	}
	*client = c;
	return 0;
}

void marul1_client_close(struct marul1_client *client)
{
	struct marul1_pool *pool;
	bool here;

	if (!client)
		return;
	pool = client->pool;
	here = marul1_pool_here(pool);
	/* A child has no copy of the mapping; the addresses may be others' now. */
	if (here)
		marul1_unmap(client);
	pool->engine->client_close(client, here);
	pthread_mutex_destroy(&client->map_lock);
	free(client);
	marul1_pool_unref(pool);
}

int marul1_client_fd(struct marul1_client *client)
{
	return marul1_here(client) ? client->fd : -1;
}

void marul1_space(struct marul1_client *client, uint64_t *total,
		  uint64_t *used, uint64_t *available)
{
	static const struct maru_l1_pool_status none;
	const struct maru_l1_pool_status *s;

	s = marul1_here(client) ? client->pool_status : &none;
	if (total)
		*total = __atomic_load_n(&s->total, __ATOMIC_RELAXED);
	if (used)
		*used = __atomic_load_n(&s->used, __ATOMIC_RELAXED);
	if (available)
		*available = __atomic_load_n(&s->available, __ATOMIC_RELAXED);
}

uint64_t marul1_epoch(struct marul1_client *client)
{
	if (!marul1_here(client))
		return 0;
	/* The bytes are read after it. */
	return __atomic_load_n(&client->status->epoch, __ATOMIC_ACQUIRE);
}

bool marul1_valid(struct marul1_client *client, uint64_t epoch)
{
	if (!marul1_here(client))
		return false;
	/*
	 * The bytes have been read before it.  Pairs with the barrier between
	 * the core's raising of the epoch and the next use of the extent.
	 */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&client->status->epoch, __ATOMIC_RELAXED) == epoch;
}

uint64_t marul1_events_queued(struct marul1_client *client)
{
	if (!marul1_here(client))
		return 0;
	return __atomic_load_n(&client->status->events, __ATOMIC_RELAXED);
}
