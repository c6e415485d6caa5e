// SPDX-License-Identifier: GPL-2.0-only
/* Rows E2, T1: what counts as use. */
#include "one.h"
#include "tables.h"

enum { N = 5 };

static void evict_one(struct fix *f, struct key gone)
{
	struct maru_l1_evict e = { .count = 1 };

	EXPECT_EQ(state_of(f->b, gone), MARU_L1_S_PUBLISHED);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 1);
	if (state_of(f->b, gone) != MARU_L1_S_ABSENT)
		TAP_FAIL("%.*s was not the least recently used",
			 (int)gone.len, (const char *)gone.bytes);
}

static void evict_in_order(struct fix *f, const struct key *k,
			   const unsigned int *order)
{
	for (size_t i = 0; i < N; i++)
		evict_one(f, k[order[i]]);
	ACCOUNTS(f);
}

static struct key *publish_five(struct fix *f, const char *stem)
{
	struct key *k = keys(f, N, stem);

	for (size_t i = 0; i < N; i++)
		publish(f, i % 2 ? f->a : f->b, k[i]);
	return k;
}

CASE(e2_query_and_peek)
{
	struct key *k = publish_five(f, "e2q");

	/* Peek at what is held is no use either. */
	hold(f->a, k[0], 1);
	IS(release1(f->a, k[0], 0, 1, NULL), OK);
	hold(f->a, k[1], 1);
	for (size_t i = 0; i < N; i++)
		hold(f->b, k[i], 1);
	for (int n = 0; n < 3; n++) {
		EXPECT_EQ(state_of(f->a, k[0]), MARU_L1_S_PUBLISHED);
		IS(peek1(f->a, k[1], NULL), OK);
		IS(peek1(f->a, k[2], NULL), NOT_HELD);
		IS(peek1(f->b, k[0], NULL), OK);
	}
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
	evict_in_order(f, k, (unsigned int []){ 0, 1, 2, 3, 4 });
}

CASE(e2_reserve_read)
{
	struct key *k = publish_five(f, "e2r");

	hold(f->a, k[1], 1);
	IS(release1(f->a, k[1], 0, 1, NULL), OK);
	hold(f->b, k[0], 1);
	IS(release1(f->b, k[0], 0, 1, NULL), OK);
	evict_in_order(f, k, (unsigned int []){ 2, 3, 4, 1, 0 });
}

/* Commit counts, the reservation before it does not. */
CASE(e2_commit)
{
	struct key *k = keys(f, N, "e2c");
	const unsigned int order[N] = { 3, 1, 4, 0, 2 };

	for (size_t i = 0; i < N; i++)
		stage(f, f->a, k[i]);
	for (size_t i = 0; i < N; i++)
		IS(commit1(f->a, k[order[i]], 0, 0, 1, NULL), OK);
	evict_in_order(f, k, order);
}

/* A commit that loses uses the winner. */
CASE(e2_lost_commit)
{
	struct key *k = keys(f, N, "e2l");

	stage(f, f->b, k[0]);
	for (size_t i = 0; i < N; i++)
		publish(f, f->a, k[i]);
	IS(commit1(f->b, k[0], 0, 0, 1, NULL), OK, LOST_RACE);
	evict_in_order(f, k, (unsigned int []){ 1, 2, 3, 4, 0 });
}

CASE(t1_touch)
{
	struct key *k = publish_five(f, "t1");

	IS(touch1(f->a, k[0]), OK);
	IS(touch1(f->b, k[2]), OK);
	/* Recency only: no hold. */
	MINE(f->a);
	MINE(f->b);
	ACCOUNTS(f, .published = N);
	evict_in_order(f, k, (unsigned int []){ 1, 3, 4, 0, 2 });
}

CASE(t1_absent)
{
	struct marul1_touch t[3] = {
		{ .key = "t1.none", .key_len = 7 },
		{ .key = "t1.here", .key_len = 7 },
		{ .key = "t1.bad", .key_len = 0 },
	};

	publish(f, f->a, K("t1.here"));
	publish(f, f->a, K("t1.next"));
	EXPECT_EQ(marul1_touch(f->a, t, 3), 0);
	EXPECT_EQ(t[0].status, MARU_L1_OK);
	EXPECT_EQ(t[0].result, 0);
	EXPECT_EQ(t[1].status, MARU_L1_OK);
	EXPECT_EQ(t[2].status, MARU_L1_INVALID);
	evict_one(f, K("t1.next"));
	evict_one(f, K("t1.here"));
}

CASES(recency_cases,
	{ "E2", "query and peek are no use", e2_query_and_peek },
	{ "E2", "reserve_read is", e2_reserve_read },
	{ "E2", "commit is", e2_commit },
	{ "E2", "a commit that lost uses the winner", e2_lost_commit },
	{ "T1", "touch is recency only", t1_touch },
	{ "T1", "absent keys are no error", t1_absent },
);
