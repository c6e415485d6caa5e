// SPDX-License-Identifier: GPL-2.0-only
/* Rows C1, C2, C4, C5: commit of shared objects. C3 is in private.c. */
#include "one.h"
#include "tables.h"

CASE(c1_publishes)
{
	struct marul1_reserve w;
	struct marul1_commit c;
	struct marul1_read r;

	IS(reserve1(f->a, f->page, K("c1"), 1234, 5, &w), OK);
	IS(commit1(f->a, K("c1"), 5, 0, 77, &c), OK);
	EXPECT_EQ(c.id, w.id);
	EXPECT_EQ(c.offset, w.offset);
	EXPECT_EQ(c.length, 1234);
	EXPECT(cookie_is(77, c.cookie));
	ACCOUNTS(f, .published = 1);
	MINE(f->a);

	/* Visible to everyone, with all that was given. */
	IS(read1(f->b, K("c1"), 1, &r), OK);
	EXPECT_EQ(r.id, w.id);
	EXPECT_EQ(r.offset, w.offset);
	EXPECT_EQ(r.length, 1234);
	EXPECT(cookie_is(77, r.cookie));
	IS(release_id(f->b, w.id, 1, NULL), OK);
	/* The extent belongs to the directory now: the writer's end is nothing to it. */
	client_end(f, f->a);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->b, K("c1"), NULL), OK);
	ACCOUNTS(f);
}

CASE(c1_takes_holds)
{
	uint64_t id = publish_held(f, f->a, K("c1h"), 3);
	uint32_t released;

	ACCOUNTS(f, .published = 1);
	MINE(f->a, .held = 1, .holds = 3);
	IS(delete1(f->b, K("c1h"), NULL), LOCKED);
	IS(release_id(f->a, id, 2, &released), OK);
	EXPECT_EQ(released, 2);
	IS(delete1(f->b, K("c1h"), NULL), LOCKED);
	IS(release_id(f->a, id, 1, &released), OK);
	EXPECT_EQ(released, 1);
	IS(delete1(f->b, K("c1h"), NULL), OK);
	MINE(f->a);
}

CASE(c1_most_holds)
{
	uint64_t id = publish_held(f, f->a, K("c1m"), MARU_L1_HOLDS_MAX);

	MINE(f->a, .held = 1, .holds = MARU_L1_HOLDS_MAX);
	IS(release_id(f->a, id, MARU_L1_HOLDS_MAX, NULL), OK);
	MINE(f->a);

	/* More are clamped, as in a read; the commit itself is done. */
	id = stage(f, f->a, K("c1.more"));
	IS(commit1(f->a, K("c1.more"), 0, MARU_L1_HOLDS_MAX + 1, 1, NULL), OK,
	   CLAMPED);
	MINE(f->a, .held = 1, .holds = MARU_L1_HOLDS_MAX);
	IS(release_id(f->a, id, MARU_L1_HOLDS_MAX, NULL), OK);
}

/* The tag chooses which of a client's writes of a key becomes the object. */
CASE(c1_by_tag)
{
	struct marul1_reserve w[2];
	struct marul1_commit c;

	IS(reserve1(f->a, f->page, K("c1t"), 100, 1, &w[0]), OK);
	IS(reserve1(f->a, f->page, K("c1t"), 200, 2, &w[1]), OK);
	IS(commit1(f->a, K("c1t"), 3, 0, 1, NULL), NOT_FOUND);
	IS(commit1(f->a, K("c1t"), 2, 0, 1, &c), OK);
	EXPECT_EQ(c.id, w[1].id);
	EXPECT_EQ(c.length, 200);
	ACCOUNTS(f, .staged = 1, .published = 1);
	IS(abort1(f->a, K("c1t"), 1), OK);
}

CASE(c2_lost_race)
{
	struct marul1_reserve won, lost;
	struct marul1_commit c;
	struct marul1_read r;

	IS(reserve1(f->b, f->page, K("c2"), 100, 0, &lost), OK);
	IS(reserve1(f->a, f->page, K("c2"), 200, 0, &won), OK);
	IS(commit1(f->a, K("c2"), 0, 0, 1, NULL), OK);
	IS(commit1(f->b, K("c2"), 0, 2, 2, &c), OK, LOST_RACE);
	EXPECT_EQ(c.id, won.id);
	EXPECT_EQ(c.offset, won.offset);
	EXPECT_EQ(c.length, 200);
	EXPECT(cookie_is(1, c.cookie));
	ACCOUNTS(f, .published = 1);
	MINE(f->b, .held = 1, .holds = 2);
	IS(delete1(f->a, K("c2"), NULL), LOCKED);

	/* The loser's reservation is over: freed once, and not by its id again. */
	IS(commit1(f->b, K("c2"), 0, 0, 2, NULL), NOT_FOUND);
	IS(abort_id(f->b, lost.id), NOT_FOUND);
	ACCOUNTS(f, .published = 1);
	IS(read1(f->b, K("c2"), 1, &r), OK);
	EXPECT_EQ(r.length, 200);
	IS(release_id(f->b, won.id, 3, NULL), OK);
	IS(delete1(f->a, K("c2"), NULL), OK);
	ACCOUNTS(f);
}

CASE(c2_lost_to_itself)
{
	struct marul1_reserve w[2];
	struct marul1_commit c[2] = {
		{ .key = "c2s", .key_len = 3, .tag = 1, .holds = 1 },
		{ .key = "c2s", .key_len = 3, .tag = 2, .holds = 1 },
	};

	IS(reserve1(f->a, f->page, K("c2s"), PAGE, 1, &w[0]), OK);
	IS(reserve1(f->a, f->page, K("c2s"), PAGE, 2, &w[1]), OK);
	EXPECT_EQ(marul1_commit(f->a, c, 2), 0);
	EXPECT_EQ(c[0].status, MARU_L1_OK);
	EXPECT_EQ(c[0].result, 0);
	EXPECT_EQ(c[1].status, MARU_L1_OK);
	EXPECT_EQ(c[1].result, LOST_RACE);
	EXPECT_EQ(c[0].id, w[0].id);
	EXPECT_EQ(c[1].id, w[0].id);
	ACCOUNTS(f, .published = 1);
	MINE(f->a, .held = 1, .holds = 2);
	IS(release_id(f->a, w[0].id, 2, NULL), OK);
}

/* The freed extent of a lost race must not be handed out twice. */
CASE(c2_freed_once)
{
	struct marul1_reserve lost, r[3];
	struct key k[3] = { K("c2.x"), K("c2.y"), K("c2.z") };

	IS(reserve1(f->b, f->page, K("c2f"), PAGE, 0, &lost), OK);
	publish(f, f->a, K("c2f"));
	IS(commit1(f->b, K("c2f"), 0, 0, 1, NULL), OK, LOST_RACE);
	for (size_t i = 0; i < 3; i++)
		IS(reserve1(f->a, f->page, k[i], PAGE, 0, &r[i]), OK);
	for (size_t i = 0; i < 3; i++)
		EXPECT(r[i].offset != r[(i + 1) % 3].offset);
	ACCOUNTS(f, .published = 1, .staged = 3);
	for (size_t i = 0; i < 3; i++)
		IS(abort1(f->a, k[i], 0), OK);
}

CASE(c4_nothing_staged)
{
	IS(commit1(f->a, K("c4"), 0, 1, 1, NULL), NOT_FOUND);
	publish(f, f->a, K("c4"));
	IS(commit1(f->a, K("c4"), 0, 1, 1, NULL), NOT_FOUND);
	IS(commit1(f->b, K("c4"), 0, 1, 1, NULL), NOT_FOUND);
	MINE(f->a);
	MINE(f->b);

	/* Not another client's, nor what was aborted. */
	stage(f, f->a, K("c4.b"));
	IS(commit1(f->b, K("c4.b"), 0, 0, 1, NULL), NOT_FOUND);
	IS(abort1(f->a, K("c4.b"), 0), OK);
	IS(commit1(f->a, K("c4.b"), 0, 0, 1, NULL), NOT_FOUND);
	EXPECT_EQ(state_of(f->a, K("c4.b")), MARU_L1_S_ABSENT);
	ACCOUNTS(f, .published = 1);
}

CASE(c5_expired)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("c5"));

	IS(commit1(c, K("c5"), 0, 1, 1, NULL), EXPIRED);
	IS(commit1(c, K("c5"), 0, 0, 1, NULL), EXPIRED);
	IS(read1(c, K("c5"), 1, NULL), NOT_FOUND);
	IS(read1(f->b, K("c5"), 1, NULL), NOT_FOUND);
	EXPECT_EQ(state_of(c, K("c5")), MARU_L1_S_ABSENT);
	ACCOUNTS(f, .quarantined = 1);
	MINE(c, .unacked = 1);
	/* Not even after somebody else has published and deleted the key. */
	publish(f, f->a, K("c5"));
	IS(commit1(c, K("c5"), 0, 0, 1, NULL), EXPIRED);
	IS(delete1(f->a, K("c5"), NULL), OK);
	IS(abort_id(c, id), OK);
	IS(commit1(c, K("c5"), 0, 0, 1, NULL), NOT_FOUND);
	ACCOUNTS(f);
}

CASE(c5_temporary)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = stage_temp(f, c, K("c5t"));

	pass(SHORT_MS);
	IS(commit1(c, K("c5t"), 0, 1, 1, NULL), EXPIRED);
	IS(read1(c, K("c5t"), 1, NULL), NOT_FOUND);
	MINE(c, .unacked = 1);
	IS(abort_id(c, id), OK);
	ACCOUNTS(f);
}

/* Thread 1's lease ends, thread 2 stages the same name: 1 publishes nothing. */
CASE(c5_reservation)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t old = expired_write(f, c, K("c5r"));
	struct marul1_reserve later;
	struct marul1_commit item = { .key = "c5r", .key_len = 3,
				      .reservation = old };

	IS(reserve1(c, f->page, K("c5r"), PAGE, 0, &later), OK);
	EXPECT_EQ(marul1_commit(c, &item, 1), 0);
	IS(ANSWER(item.status, item.result), EXPIRED);
	EXPECT_EQ(state_of(f->b, K("c5r")), MARU_L1_S_ABSENT);
	item.reservation = later.id + 1000;
	EXPECT_EQ(marul1_commit(c, &item, 1), 0);
	IS(ANSWER(item.status, item.result), NOT_FOUND);
	IS(abort_id(c, old), OK);
	item.reservation = later.id;
	EXPECT_EQ(marul1_commit(c, &item, 1), 0);
	/* Its own lease may be over by now on a slow machine. */
	EXPECT(item.status == MARU_L1_OK || item.status == MARU_L1_EXPIRED);
	if (item.status == MARU_L1_EXPIRED)
		IS(abort_id(c, later.id), OK);
}

CASES(commit_cases,
	{ "C1", "a commit makes the object visible to everyone", c1_publishes },
	{ "C1", "holds are taken in the same step", c1_takes_holds },
	{ "C1", "as many holds as an item can take", c1_most_holds },
	{ "C1", "the tag says which write", c1_by_tag },
	{ "C2", "a lost race answers with the winner", c2_lost_race },
	{ "C2", "two tags of one client in one batch", c2_lost_to_itself },
	{ "C2", "the loser's extent is freed once", c2_freed_once },
	{ "C4", "nothing staged under this key and tag", c4_nothing_staged },
	{ "C5", "an expired write never becomes readable", c5_expired },
	{ "C5", "nor an expired temporary one", c5_temporary },
	{ "C5", "nor a later write of its name instead of it", c5_reservation },
);
