// SPDX-License-Identifier: GPL-2.0-only
/* A pool for a case, its clients, its clock, and what must hold at its end. */

#include "fixture.h"

u64 random_next(u64 *state)
{
	/* xorshift64* */
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL >> 16;
}

struct maru_pool *pool_make(const struct maru_pool_params *params,
			    struct maru_l1_pool_status *status)
{
	struct maru_pool_params p = *params;
	struct maru_pool *pool = NULL;

	p.bytes = p.bytes ?: 64 * MIB;
	p.quarantine_ns = p.quarantine_ns ?: QUARANTINE;
	p.node = p.node ?: 1;
	p.incarnation = p.incarnation ?: 1;
	p.status = status;
	memcpy(p.hash_key, "sixteen letters.", sizeof(p.hash_key));
	EXPECT_EQ(maru_pool_create(&p, &pool), 0);
	return pool;
}

static void wake(void *owner)
{
	struct user *u = owner;

	u->woken++;
}

void user_open(struct fixture *f, struct user *u, bool writable)
{
	struct maru_client_params params = {
		.writable = writable, .status = &u->status,
		.wake = wake, .owner = u,
	};

	*u = (struct user){ .f = f };
	EXPECT_EQ(maru_client_open(f->pool, &params, &u->core), 0);
}

bool user_close(struct user *u, bool exiting)
{
	struct maru_client *core = u->core;

	u->core = NULL;
	return maru_client_close(core, u->f->now, exiting);
}

void pass(struct fixture *f, u64 ns)
{
	f->now += ns;
	while (maru_pool_reap(f->pool, f->now))
		;
}

void check_at(const char *file, int line, struct fixture *f)
{
	struct maru_l1_difference list[8] = {};
	union maru_call_arg arg = { .check = { .nr_items = ARRAY_SIZE(list) } };
	struct user looker;
	u32 i;

	user_open(f, &looker, true);
	EXPECT_EQ(call_single(&looker, MARU_L1_CHECK, &arg, list, NULL), 0);
	user_close(&looker, false);
	for (i = 0; i < arg.check.nr_items; i++)
		TAP_FAIL("%s:%d: account %u id %llx: recorded %lld, found %lld",
			 file, line, list[i].account, list[i].id,
			 list[i].recorded, list[i].found);
}

/* All that clients had is gone, once: what is left is published and unheld. */
static void expect_settled(struct fixture *f)
{
	struct maru_pool *pool = f->pool;
	unsigned int state;

	EXPECT(maru_pool_settled(pool));
	EXPECT_EQ(pool->orphan_pins, 0);
	EXPECT_EQ(pool->extents, pool->directory.count);
	for (state = 0; state < MARU_NR_STATES; state++)
		if (state != MARU_L1_A_PUBLISHED && state != MARU_L1_A_RETIRED)
			EXPECT_EQ(pool->bytes[state], 0);
}

void in_pool(const struct maru_pool_params *params,
	     void (*body)(struct fixture *f))
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	f->now = 1000 * MS;
	f->pool = pool_make(params, &f->status);
	user_open(f, A, true);
	user_open(f, B, true);
	f->page = layout(A, PAGE, 0);
	body(f);
	alloc_fail(0, false);
	CHECK(f);
	for (i = 0; i < USERS; i++)
		if (f->users[i].core)
			user_close(&f->users[i], false);
	CHECK(f);
	pass(f, f->pool->params.quarantine_ns);
	expect_settled(f);
	CHECK(f);
	maru_pool_destroy(f->pool);
	free(f);
}
