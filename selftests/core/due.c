// SPDX-License-Identifier: GPL-2.0-only
/* The heap of clients by what is due first. */

#include "fixture.h"

enum { N = 500 };

static u32 random_step(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void expect_heap(struct maru_pool *pool)
{
	u32 i;

	for (i = 0; i < pool->nr_due; i++) {
		EXPECT_EQ(pool->due[i]->due_index, i);
		EXPECT(!i || pool->due[(i - 1) / 2]->due <= pool->due[i]->due);
	}
}

/* Whatever is set, raised and removed, the first is the least. */
CASE(due_heap)
{
	static struct maru_client clients[N];
	struct maru_pool *pool = f->pool;
	u32 i, seed = 7, before = pool->nr_due;

	memset(clients, 0, sizeof(clients));
	for (i = 0; i < N; i++) {
		clients[i].pool = pool;
		EXPECT_EQ(maru_due_add(pool, &clients[i]), 0);
		maru_due_sooner(&clients[i], f->now + random_step(&seed) % 1000 + 1);
	}
	expect_heap(pool);
	for (i = 0; i < 10 * N; i++) {
		struct maru_client *client = &clients[random_step(&seed) % N];

		if (i % 2)
			maru_due_set(client, f->now + random_step(&seed) % 1000 + 1);
		else
			maru_due_sooner(client, f->now + random_step(&seed) % 1000 + 1);
	}
	expect_heap(pool);
	for (i = 0; i < N; i++) {
		maru_due_remove(&clients[(i * 7) % N]);
		if (i % 50 == 0)
			expect_heap(pool);
	}
	EXPECT_EQ(pool->nr_due, before);
}

/* A lease that was renewed moves its client only when it is looked at. */
CASE(due_renewed)
{
	leases(A, 0, 100);
	stage(A, "k");
	f->now += 60 * MS;
	EXPECT_STATUS(renew(A, "", 0), INVALID);
	stage(A, "other");
	f->now += 50 * MS;
	/* "k" is over, "other" is not. */
	EXPECT_EQ(maru_pool_reap(f->pool, f->now), false);
	EXPECT_EQ(usage(A).my_unacked, 1);
	EXPECT_EQ(usage(A).my_staged, 1);
	EXPECT_EQ(A->core->due, f->now + 50 * MS);
	f->now += 50 * MS;
	EXPECT_EQ(maru_pool_reap(f->pool, f->now), false);
	EXPECT_EQ(usage(A).my_staged, 0);
	EXPECT_EQ(A->core->due, MARU_NO_DEADLINE);
}

CASES(due_cases,
	{ "due-heap", "the client that is due first is at the top", due_heap },
	{ "due-renewed", "a client comes up again when its next lease ends", due_renewed });
