// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Time.  Each client's lists are in order of deadline, so that what is over is
 * at their heads; pool->next_due says when to look at all.
 */

#include "internal.h"

struct reap {
	struct maru_pool *pool;
	u64 now;
	u32 budget;
	u64 next;
};

/* Whether something with @deadline ends now; else it is remembered. */
static bool reap_due(struct reap *r, u64 deadline)
{
	if (deadline <= r->now && r->budget) {
		r->budget--;
		return true;
	}
	r->next = min(r->next, deadline);
	return false;
}

static void reap_client(struct reap *r, struct maru_client *client)
{
	struct maru_object *object;
	struct maru_hold *hold;

	while ((object = list_first_entry_or_null(&client->staged,
						  struct maru_object, link)) &&
	       reap_due(r, object->deadline))
		maru_write_expire(object);
	while ((hold = list_first_entry_or_null(&client->leased,
						struct maru_hold, link)) &&
	       reap_due(r, hold->deadline))
		maru_hold_check(client, hold, r->now);
	while ((object = list_first_entry_or_null(&client->private_idle,
						  struct maru_object, link)) &&
	       reap_due(r, object->deadline))
		maru_private_end(client, object);
}

static void reap_closed(struct reap *r, struct maru_client *client)
{
	if (!reap_due(r, client->quarantine_end))
		return;
	r->budget = maru_client_sweep(client, r->budget);
	if (maru_client_empty(client))
		maru_client_free(client);
	else
		r->next = min(r->next, client->quarantine_end);
}

bool maru_reap(struct maru_pool *pool, u64 now)
{
	struct reap r = { pool, now, MARU_SLICE, MARU_NO_DEADLINE };
	struct maru_client *client, *next;

	lockdep_assert_held(&pool->lock);
	list_for_each_entry(client, &pool->clients, link)
		reap_client(&r, client);
	list_for_each_entry_safe(client, next, &pool->closed, link)
		reap_closed(&r, client);
	pool->next_due = r.next;
	return r.next <= now;
}

bool maru_pool_reap(struct maru_pool *pool, u64 now)
{
	bool more;

	mutex_lock(&pool->lock);
	more = now >= pool->next_due && maru_reap(pool, now);
	maru_pool_leave(pool);
	return more;
}
