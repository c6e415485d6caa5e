// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Time.  Each client's lists are in order of deadline, so that what is over is
 * at their heads, and due.c knows which client to look at: ending what is due
 * costs as much as there is to end.
 */

#include "internal.h"

struct reap {
	u64 now;
	u32 budget;
	u64 next;	/* when the client under way has something due again */
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

static void reap_open(struct reap *r, struct maru_client *client)
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

/* Ends what is due of @client, perhaps @client itself. */
static void reap_client(struct reap *r, struct maru_client *client)
{
	r->next = MARU_NO_DEADLINE;
	if (!client->closed) {
		reap_open(r, client);
	} else if (reap_due(r, client->quarantine_end)) {
		r->budget = maru_client_sweep(client, r->budget);
		if (maru_client_empty(client)) {
			maru_client_free(client);
			return;
		}
		r->next = client->quarantine_end;
	}
	maru_due_set(client, r->next);
}

bool maru_reap(struct maru_pool *pool, u64 now)
{
	struct reap r = { .now = now, .budget = MARU_SLICE };
	u32 looks;

	lockdep_assert_held(&pool->lock);
	/* A look that ends nothing counts, too. */
	for (looks = MARU_SLICE; looks && r.budget && maru_due_by(pool, now); looks--)
		reap_client(&r, pool->due[0]);
	return maru_due_by(pool, now);
}

bool maru_pool_reap(struct maru_pool *pool, u64 now)
{
	bool more;

	mutex_lock(&pool->lock);
	more = maru_due_by(pool, now) && maru_reap(pool, now);
	maru_pool_leave(pool);
	return more;
}
