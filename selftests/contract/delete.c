// SPDX-License-Identifier: GPL-2.0-only
/* Rows D1, D2, D4, D4b, L2: delete and purge. D3 is in private.c. */
#include "one.h"
#include "tables.h"

CASE(d1_gone_everywhere)
{
	uint64_t id = publish(f, f->a, K("d1")), deleted;

	/* Anybody may, not only the writer. */
	IS(delete1(f->b, K("d1"), &deleted), OK);
	EXPECT_EQ(deleted, id);
	IS(read1(f->a, K("d1"), 1, NULL), NOT_FOUND);
	IS(read1(f->b, K("d1"), 1, NULL), NOT_FOUND);
	EXPECT_EQ(state_of(f->a, K("d1")), MARU_L1_S_ABSENT);
	ACCOUNTS(f);

	/* A new object of the key is another object. */
	EXPECT(publish(f, f->b, K("d1")) != id);
	IS(delete1(f->a, K("d1"), NULL), OK);
}

CASE(d1_space_for_any_layout)
{
	uint64_t most = f->info.capacity / 8 * 5;
	uint32_t big = layout(f->a, most), small = layout(f->a, MIB);

	IS(reserve1(f->a, big, K("d1.big"), most, 0, NULL), OK);
	IS(commit1(f->a, K("d1.big"), 0, 0, 1, NULL), OK);
	IS(reserve1(f->b, big, K("d1.too"), most, 0, NULL), NO_SPACE);
	IS(delete1(f->b, K("d1.big"), NULL), OK);
	IS(reserve1(f->b, small, K("d1.small"), MIB, 0, NULL), OK);
	IS(abort1(f->b, K("d1.small"), 0), OK);
	/* What a layout has cut up and given back serves a larger one again. */
	IS(reserve1(f->b, big, K("d1.too"), most, 0, NULL), OK);
	IS(abort1(f->b, K("d1.too"), 0), OK);
	ACCOUNTS(f);
}

CASE(d1_batch)
{
	enum { N = 100 };
	struct key *k = keys(f, N, "d1.batch");
	struct marul1_delete *d = ALLOC(f, N, struct marul1_delete);
	uint64_t ids[N];

	for (size_t i = 0; i < N; i++) {
		ids[i] = i % 3 == 1 ? 0 : publish(f, f->a, k[i]);
		if (i % 3 == 2)
			hold(f->b, k[i], 1);
		d[i] = (struct marul1_delete){ .key = k[i].bytes,
			.key_len = k[i].len };
	}
	EXPECT_EQ(marul1_delete(f->a, 0, d, N), 0);
	for (size_t i = 0; i < N; i++) {
		EXPECT_EQ(d[i].status, i % 3 == 0 ? MARU_L1_OK :
			  i % 3 == 1 ? MARU_L1_NOT_FOUND : MARU_L1_LOCKED);
		EXPECT_EQ(d[i].result, 0);
		EXPECT_EQ(d[i].id, ids[i]);
	}
	ACCOUNTS(f, .published = N / 3);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASE(d2_held)
{
	uint64_t id = publish(f, f->a, K("d2")), locked;

	hold(f->b, K("d2"), 1);
	IS(delete1(f->a, K("d2"), &locked), LOCKED);
	EXPECT_EQ(locked, id);
	IS(delete1(f->b, K("d2"), &locked), LOCKED);
	EXPECT_EQ(locked, id);
	/* Refused means untouched. */
	IS(read1(f->a, K("d2"), 1, NULL), OK);
	ACCOUNTS(f, .published = 1);
	IS(release_id(f->b, id, 1, NULL), OK);
	IS(delete1(f->b, K("d2"), NULL), LOCKED);
	IS(release_id(f->a, id, 1, NULL), OK);
	IS(delete1(f->b, K("d2"), NULL), OK);
	ACCOUNTS(f);
}

CASE(d2_orphan_pin)
{
	unsigned int conclusive = 0;

	for (unsigned int i = 0; i < 5; i++) {
		struct marul1_client *c = client(f, 0);
		uint64_t closing;
		answer_t first;

		publish(f, f->a, K("d2o"));
		hold(c, K("d2o"), 4);
		closing = now_ms();
		client_end(f, c);
		first = delete1(f->a, K("d2o"), NULL);
		if (in_quarantine(f, closing)) {
			IS(first, LOCKED);
			conclusive++;
		}
		if (first != ANSWER(MARU_L1_OK, 0))
			EXPECT(WAIT_UNTIL(delete1(f->a, K("d2o"), NULL) ==
					  ANSWER(MARU_L1_OK, 0), settle_ms(f)));
		EXPECT(now_ms() + 2 >= closing + f->info.quarantine_ms);
		ACCOUNTS(f);
	}
	EXPECT(conclusive > 0);
}

CASE(d2_own_staging)
{
	uint64_t shared;

	stage(f, f->a, K("d2s"));
	IS(delete1(f->a, K("d2s"), NULL), LOCKED);
	shared = publish(f, f->b, K("d2s"));
	IS(delete1(f->a, K("d2s"), NULL), LOCKED);
	ACCOUNTS(f, .staged = 1, .published = 1);
	EXPECT_EQ(hold(f->a, K("d2s"), 1), shared);
	IS(release_id(f->a, shared, 1, NULL), OK);
	/* Somebody else's staging is ignored: it may publish later. */
	IS(delete1(f->b, K("d2s"), NULL), OK);
	IS(delete1(f->b, K("d2s"), NULL), NOT_FOUND);
	ACCOUNTS(f, .staged = 1);
	IS(commit1(f->a, K("d2s"), 0, 0, 1, NULL), OK);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->b, K("d2s"), NULL), OK);
}

CASE(d4_absent)
{
	uint64_t id = 1;

	IS(delete1(f->a, K("d4"), &id), NOT_FOUND);
	EXPECT_EQ(id, 0);
	publish(f, f->a, K("d4"));
	IS(delete1(f->a, K("d4"), NULL), OK);
	IS(delete1(f->a, K("d4"), NULL), NOT_FOUND);
	IS(delete_force1(f->a, K("d4"), NULL), NOT_FOUND);
}

CASE(d4b_expired_write)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("d4b"));

	IS(delete1(f->a, K("d4b"), NULL), NOT_FOUND);
	IS(delete1(c, K("d4b"), NULL), OK);
	/* The write is gone, its extent is not. */
	IS(commit1(c, K("d4b"), 0, 0, 1, NULL), NOT_FOUND);
	IS(abort1(c, K("d4b"), 0), NOT_FOUND);
	IS(delete1(c, K("d4b"), NULL), NOT_FOUND);
	ACCOUNTS(f, .quarantined = 1);
	MINE(c, .unacked = 1);
	IS(abort_id(c, id), OK);
	ACCOUNTS(f);
	MINE(c);
}

/* An expired write locks nothing that is published. */
CASE(d4b_beside_published)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("d4bp")), shared, deleted;

	shared = publish(f, f->a, K("d4bp"));
	IS(delete1(c, K("d4bp"), &deleted), OK);
	EXPECT_EQ(deleted, shared);
	ACCOUNTS(f, .quarantined = 1);
	IS(abort_id(c, id), OK);
}

CASE(l2_purge)
{
	enum { N = 40 };
	struct key *k = keys(f, N, "l2");
	struct maru_l1_purge p;

	for (size_t i = 0; i < N; i++) {
		publish(f, f->a, k[i]);
		if (i % 4 == 0)
			hold(f->b, k[i], 2);
	}
	stage(f, f->a, K("l2.staged"));
	make_private(f, f->a, K("l2.private"), 0);
	memset(&p, 0xcc, sizeof(p));
	EXPECT_EQ(marul1_purge(f->a, &p), 0);
	EXPECT_EQ(p.deleted, N - N / 4);
	EXPECT_EQ(p.locked, N / 4);
	ACCOUNTS(f, .published = N / 4, .staged = 1, .private_objects = 1);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(state_of(f->a, k[i]), i % 4 ? MARU_L1_S_ABSENT :
			  MARU_L1_S_PUBLISHED);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
	EXPECT_EQ(marul1_purge(f->a, &p), 0);
	EXPECT_EQ(p.deleted, N / 4);
	EXPECT_EQ(p.locked, 0);
	IS(commit1(f->a, K("l2.staged"), 0, 0, 1, NULL), OK);
	IS(delete1(f->a, K("l2.private"), NULL), OK);
}

/* More than one slice of the pool's lock. */
CASE(l2_purge_many)
{
	enum { N = 5000 };
	struct key *k = keys(f, N, "l2.many");
	struct marul1_query *q = ALLOC(f, N, struct marul1_query);
	struct maru_l1_purge p;

	for (size_t i = 0; i < N; i++) {
		publish(f, f->a, k[i]);
		q[i] = (struct marul1_query){ .key = k[i].bytes,
			.key_len = k[i].len };
	}
	hold(f->b, k[N / 2], 1);
	EXPECT_EQ(marul1_purge(f->a, &p), 0);
	EXPECT_EQ(p.deleted, N - 1);
	EXPECT_EQ(p.locked, 1);
	EXPECT_EQ(marul1_query(f->a, q, N), 0);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(q[i].state, i == N / 2 ? MARU_L1_S_PUBLISHED :
			  MARU_L1_S_ABSENT);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASES(delete_cases,
	{ "D1", "without a hold it is gone everywhere", d1_gone_everywhere },
	{ "D1", "its space serves any layout", d1_space_for_any_layout },
	{ "D1", "a batch answers each item by itself", d1_batch },
	{ "D2", "held by any client", d2_held },
	{ "D2", "held by an orphan pin", d2_orphan_pin },
	{ "D2", "own staging locks, another's does not", d2_own_staging },
	{ "D4", "absent", d4_absent },
	{ "D4b", "absent, but an own expired write", d4b_expired_write },
	{ "D4b", "an expired write beside a published object",
	  d4b_beside_published },
	{ "L2", "purge deletes what nobody holds and counts", l2_purge },
	{ "L2", "purge of many objects", l2_purge_many },
);
