// SPDX-License-Identifier: GPL-2.0-only
/* Rows C3, C3b, R5, F2, D3: private objects. */
#include "one.h"
#include "tables.h"

CASE(c3_nobody_else_sees_it)
{
	struct marul1_reserve w;
	struct marul1_commit c;
	struct marul1_read r;

	IS(reserve_temp1(f->a, f->page, K("c3"), 500, 1, &w), OK);
	IS(commit1(f->a, K("c3"), 1, 0, 9, &c), OK, PRIVATE);
	EXPECT_EQ(c.id, w.id);
	EXPECT_EQ(c.offset, w.offset);
	EXPECT_EQ(c.length, 500);
	ACCOUNTS(f, .private_objects = 1);
	MINE(f->a, .private_objects = 1);

	IS(read1(f->b, K("c3"), 1, NULL), NOT_FOUND);
	IS(delete1(f->b, K("c3"), NULL), NOT_FOUND);
	IS(release_id(f->b, w.id, 1, NULL), NOT_HELD);
	EXPECT_EQ(state_of(f->b, K("c3")), MARU_L1_S_ABSENT);
	EXPECT_EQ(state_of(f->a, K("c3")), MARU_L1_S_PRIVATE);
	/* Eviction and purge work on the directory, and it is not there. */
	EXPECT_EQ(marul1_purge(f->a, &(struct maru_l1_purge){ 0 }), 0);
	ACCOUNTS(f, .private_objects = 1);

	IS(read1(f->a, K("c3"), 1, &r), OK, PRIVATE);
	EXPECT_EQ(r.id, w.id);
	EXPECT_EQ(r.offset, w.offset);
	EXPECT_EQ(r.length, 500);
	EXPECT(cookie_is(9, r.cookie));
	IS(release_id(f->a, w.id, 1, NULL), OK);
	ACCOUNTS(f);
}

CASE(c3_stays_until_first_read_cycle)
{
	uint64_t id = make_private(f, f->a, K("c3c"), 0);

	/* Looks are no read cycle. */
	IS(peek1(f->a, K("c3c"), NULL), NOT_HELD);
	IS(touch1(f->a, K("c3c")), OK);
	EXPECT_EQ(state_of(f->a, K("c3c")), MARU_L1_S_PRIVATE);
	EXPECT_EQ(hold(f->a, K("c3c"), 2), id);
	EXPECT_EQ(hold(f->a, K("c3c"), 1), id);
	MINE(f->a, .private_objects = 1, .held = 1, .holds = 3);
	IS(release_id(f->a, id, 2, NULL), OK);
	ACCOUNTS(f, .private_objects = 1);
	IS(release_id(f->a, id, 1, NULL), OK);
	IS(read1(f->a, K("c3c"), 1, NULL), NOT_FOUND);
	ACCOUNTS(f);
	MINE(f->a);
}

CASE(c3_ends_by_clear)
{
	struct maru_l1_clear answer;

	make_private(f, f->a, K("c3.clear"), 0);
	EXPECT_EQ(marul1_clear(f->a, 0, &answer), 0);
	EXPECT_EQ(answer.private_objects, 1);
	ACCOUNTS(f);
	IS(read1(f->a, K("c3.clear"), 1, NULL), NOT_FOUND);
}

/* An idle private object obeys the read lease, although nobody holds it. */
CASE(c3_ends_by_expiry)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);

	make_private(f, c, K("c3.idle"), 0);
	EXPECT_EQ(state_of(c, K("c3.idle")), MARU_L1_S_PRIVATE);
	pass(LEASE_MS);
	IS(read1(c, K("c3.idle"), 1, NULL), NOT_FOUND);
	EXPECT(WAIT_UNTIL(usage(c).my_private == 0, REAP_MS));
	EXPECT_EQ(state_of(c, K("c3.idle")), MARU_L1_S_ABSENT);
	MINE(c);
}

/* Nobody has to ask for it. */
CASE(c3_reaped)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);

	make_private(f, c, K("c3.reaped.0"), 0);
	make_private(f, c, K("c3.reaped.1"), 0);
	EXPECT(WAIT_UNTIL(usage(f->watch).private_bytes ==
			  f->before.private_bytes, SHORT_MS + REAP_MS));
	MINE(c);
	ACCOUNTS(f);
}

CASE(c3_while_published)
{
	uint64_t shared, own = stage_temp(f, f->a, K("c3.both"));

	shared = publish(f, f->b, K("c3.both"));
	IS(commit1(f->a, K("c3.both"), 0, 0, own, NULL), OK, PRIVATE);
	ACCOUNTS(f, .private_objects = 1, .published = 1);
	EXPECT(own != shared);
	EXPECT_EQ(hold(f->b, K("c3.both"), 1), shared);
	IS(release_id(f->b, shared, 1, NULL), OK);
	IS(delete1(f->a, K("c3.both"), NULL), OK);
	ACCOUNTS(f, .published = 1);
}

CASE(c3b_already_private)
{
	struct marul1_reserve w[2];
	struct marul1_commit c;

	IS(reserve_temp1(f->a, f->page, K("c3b"), 100, 1, &w[0]), OK);
	IS(reserve_temp1(f->a, f->page, K("c3b"), 200, 2, &w[1]), OK);
	IS(commit1(f->a, K("c3b"), 1, 0, 11, NULL), OK, PRIVATE);
	ACCOUNTS(f, .private_objects = 1, .staged = 1);
	IS(commit1(f->a, K("c3b"), 2, 2, 22, &c), OK, LOST_RACE | PRIVATE);
	EXPECT_EQ(c.id, w[0].id);
	EXPECT_EQ(c.offset, w[0].offset);
	EXPECT_EQ(c.length, 100);
	EXPECT(cookie_is(11, c.cookie));
	ACCOUNTS(f, .private_objects = 1);
	MINE(f->a, .private_objects = 1, .held = 1, .holds = 2);
	IS(abort_id(f->a, w[1].id), NOT_FOUND);
	IS(release_id(f->a, w[0].id, 2, NULL), OK);
	ACCOUNTS(f);
}

CASE(r5_private_before_published)
{
	struct marul1_read r;
	struct marul1_query q;
	uint64_t own = stage_temp(f, f->a, K("r5")), shared;

	shared = publish(f, f->b, K("r5"));
	IS(commit1(f->a, K("r5"), 0, 0, own, NULL), OK, PRIVATE);
	IS(read1(f->a, K("r5"), 1, &r), OK, PRIVATE);
	EXPECT_EQ(r.id, own);
	/* The published one is not touched: nobody holds it. */
	IS(query1(f->b, K("r5"), &q), OK);
	EXPECT_EQ(q.id, shared);
	EXPECT_EQ(q.holders, 0);
	EXPECT_EQ(q.flags, MARU_L1_Q_EVICTABLE);
	IS(delete1(f->b, K("r5"), NULL), OK);
	ACCOUNTS(f, .private_objects = 1);
	IS(release_id(f->a, own, 1, NULL), OK);
	ACCOUNTS(f);
}

/* Nor by recency: the published one stays the least recently used. */
CASE(r5_published_not_used)
{
	struct maru_l1_evict e = { .count = 1 };
	uint64_t own = stage_temp(f, f->a, K("r5.lru"));

	publish(f, f->b, K("r5.lru"));
	publish(f, f->b, K("r5.newer"));
	IS(commit1(f->a, K("r5.lru"), 0, 1, own, NULL), OK, PRIVATE);
	EXPECT_EQ(hold(f->a, K("r5.lru"), 1), own);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 1);
	EXPECT_EQ(state_of(f->b, K("r5.lru")), MARU_L1_S_ABSENT);
	EXPECT_EQ(state_of(f->b, K("r5.newer")), MARU_L1_S_PUBLISHED);
	IS(release_id(f->a, own, 2, NULL), OK);
}

CASE(f2_last_hold)
{
	struct marul1_reserve w;
	uint64_t id = make_private(f, f->a, K("f2"), 2);
	uint32_t released;

	MINE(f->a, .private_objects = 1, .held = 1, .holds = 2);
	IS(release1(f->a, K("f2"), 0, 1, &released), OK);
	EXPECT_EQ(released, 1);
	MINE(f->a, .private_objects = 1, .held = 1, .holds = 1);
	IS(release1(f->a, K("f2"), 0, 5, &released), OK, CLAMPED);
	EXPECT_EQ(released, 1);
	ACCOUNTS(f);
	MINE(f->a);
	IS(release_id(f->a, id, 1, NULL), NOT_HELD);
	IS(release1(f->a, K("f2"), 0, 1, NULL), NOT_FOUND);
	/* The key is free for a new write. */
	IS(reserve1(f->a, f->page, K("f2"), PAGE, 0, &w), OK);
	EXPECT(w.id != id);
	IS(abort1(f->a, K("f2"), 0), OK);
}

CASE(d3_private_without_holds)
{
	uint64_t own = stage_temp(f, f->a, K("d3")), shared, id;

	shared = publish(f, f->b, K("d3"));
	IS(commit1(f->a, K("d3"), 0, 1, own, NULL), OK, PRIVATE);
	IS(delete1(f->a, K("d3"), &id), LOCKED);
	EXPECT_EQ(id, own);
	ACCOUNTS(f, .private_objects = 1, .published = 1);
	IS(release_id(f->a, own, 1, NULL), OK);

	own = make_private(f, f->a, K("d3.alone"), 0);
	IS(delete1(f->a, K("d3.alone"), &id), OK);
	EXPECT_EQ(id, own);
	IS(delete1(f->a, K("d3.alone"), &id), NOT_FOUND);
	EXPECT_EQ(id, 0);
	/* The published one of the key was not touched. */
	EXPECT_EQ(hold(f->a, K("d3"), 1), shared);
	IS(release_id(f->a, shared, 1, NULL), OK);
	ACCOUNTS(f, .published = 1);
}

CASE(d3_published_of_the_same_key)
{
	uint64_t own = stage_temp(f, f->a, K("d3s")), shared, id;

	shared = publish(f, f->b, K("d3s"));
	IS(commit1(f->a, K("d3s"), 0, 0, own, NULL), OK, PRIVATE);
	IS(delete1(f->a, K("d3s"), &id), OK);
	EXPECT_EQ(id, own);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->a, K("d3s"), &id), OK);
	EXPECT_EQ(id, shared);
	ACCOUNTS(f);
}

CASES(private_cases,
	{ "C3", "a temporary is its client's alone", c3_nobody_else_sees_it },
	{ "C3", "it stays until the end of its first read cycle",
	  c3_stays_until_first_read_cycle },
	{ "C3", "clear ends it", c3_ends_by_clear },
	{ "C3", "the read lease ends it", c3_ends_by_expiry },
	{ "C3", "within a second, without being asked for", c3_reaped },
	{ "C3", "beside a published object of the key", c3_while_published },
	{ "C3b", "a second temporary loses to the first", c3b_already_private },
	{ "R5", "the private object answers before the published one",
	  r5_private_before_published },
	{ "R5", "and the published one has not been used by it",
	  r5_published_not_used },
	{ "F2", "a private object goes with its last hold", f2_last_hold },
	{ "D3", "a private object without holds is deleted",
	  d3_private_without_holds },
	{ "D3", "a published object of the same key stays",
	  d3_published_of_the_same_key },
);
