// SPDX-License-Identifier: GPL-2.0-only
/* Rows D5, L1: what a client gives up by force. */
#include "one.h"
#include "tables.h"

/* A write dropped by force: only its id knows it, and once. */
static void expect_dropped(struct marul1_client *c, struct key k, uint64_t tag,
			   uint64_t id)
{
	IS(commit1(c, k, tag, 0, 1, NULL), NOT_FOUND);
	IS(abort1(c, k, tag), NOT_FOUND);
	IS(abort_id(c, id), OK);
	IS(abort_id(c, id), NOT_FOUND);
}

CASE(d5_own_staging)
{
	struct marul1_reserve r[3];

	IS(reserve1(f->a, f->page, K("d5"), PAGE, 1, &r[0]), OK);
	IS(reserve1(f->a, f->page, K("d5"), PAGE, 2, &r[1]), OK);
	IS(reserve1(f->b, f->page, K("d5"), PAGE, 1, &r[2]), OK);
	IS(delete_force1(f->a, K("d5"), NULL), OK);
	/* All its tags, and nobody else's. */
	ACCOUNTS(f, .staged = 1, .quarantined = 2);
	MINE(f->a, .unacked = 2);
	MINE(f->b, .staged = 1);
	expect_dropped(f->a, K("d5"), 1, r[0].id);
	expect_dropped(f->a, K("d5"), 2, r[1].id);
	ACCOUNTS(f, .staged = 1);
	IS(commit1(f->b, K("d5"), 1, 0, 1, NULL), OK);
}

CASE(d5_with_published)
{
	uint64_t own = stage(f, f->a, K("d5p")), shared, deleted;

	shared = publish(f, f->b, K("d5p"));
	hold(f->a, K("d5p"), 3);
	IS(delete1(f->a, K("d5p"), NULL), LOCKED);
	IS(delete_force1(f->a, K("d5p"), &deleted), OK);
	EXPECT_EQ(deleted, shared);
	/* No orphan pin: the caller said that it does not read any more. */
	ACCOUNTS(f, .quarantined = 1);
	IS(release_id(f->a, shared, 3, NULL), NOT_HELD);
	expect_dropped(f->a, K("d5p"), 0, own);
	MINE(f->a);
}

CASE(d5_held_by_others)
{
	uint64_t own = stage(f, f->a, K("d5o")), shared, locked;

	shared = publish(f, f->b, K("d5o"));
	hold(f->a, K("d5o"), 1);
	hold(f->b, K("d5o"), 1);
	IS(delete_force1(f->a, K("d5o"), &locked), LOCKED);
	EXPECT_EQ(locked, shared);
	/* What was its own is gone all the same. */
	MINE(f->a, .unacked = 1);
	MINE(f->b, .held = 1, .holds = 1);
	ACCOUNTS(f, .published = 1, .quarantined = 1);
	IS(peek1(f->a, K("d5o"), NULL), NOT_HELD);
	expect_dropped(f->a, K("d5o"), 0, own);
	IS(release_id(f->b, shared, 1, NULL), OK);
	IS(delete1(f->b, K("d5o"), NULL), OK);
}

CASE(d5_own_private)
{
	uint64_t own = make_private(f, f->a, K("d5v"), 2);

	IS(delete1(f->a, K("d5v"), NULL), LOCKED);
	IS(delete_force1(f->a, K("d5v"), NULL), OK);
	ACCOUNTS(f);
	MINE(f->a);
	IS(release_id(f->a, own, 1, NULL), NOT_HELD);
	IS(delete_force1(f->a, K("d5v"), NULL), NOT_FOUND);
}

CASE(d5_private_and_published)
{
	uint64_t own = stage_temp(f, f->a, K("d5b"));

	publish(f, f->b, K("d5b"));
	IS(commit1(f->a, K("d5b"), 0, 1, own, NULL), OK, PRIVATE);
	IS(delete_force1(f->a, K("d5b"), NULL), OK);
	ACCOUNTS(f);
	EXPECT_EQ(state_of(f->b, K("d5b")), MARU_L1_S_ABSENT);
}

/* Everything of the key and nothing of another. */
CASE(d5_only_this_key)
{
	uint64_t staged = stage(f, f->a, K("d5.other")), shared;

	shared = publish_held(f, f->a, K("d5.held"), 1);
	make_private(f, f->a, K("d5.mine"), 0);
	publish(f, f->a, K("d5.this"));
	IS(delete_force1(f->a, K("d5.this"), NULL), OK);
	MINE(f->a, .staged = 1, .private_objects = 1, .held = 1, .holds = 1);
	ACCOUNTS(f, .staged = 1, .private_objects = 1, .published = 1);
	IS(abort_id(f->a, staged), OK);
	IS(release_id(f->a, shared, 1, NULL), OK);
	IS(delete1(f->a, K("d5.mine"), NULL), OK);
}

CASE(l1_idle_private_only)
{
	struct maru_l1_clear answer;
	uint64_t staged, held, shared;

	staged = stage(f, f->a, K("l1.s"));
	make_private(f, f->a, K("l1.p"), 0);
	make_private(f, f->a, K("l1.q"), 0);
	held = make_private(f, f->a, K("l1.h"), 1);
	shared = publish_held(f, f->a, K("l1.x"), 1);
	make_private(f, f->b, K("l1.p"), 0);
	memset(&answer, 0xcc, sizeof(answer));
	EXPECT_EQ(marul1_clear(f->a, 0, &answer), 0);
	EXPECT_EQ(answer.private_objects, 2);
	EXPECT_EQ(answer.staged, 0);
	EXPECT_EQ(answer.holds, 0);
	ACCOUNTS(f, .staged = 1, .private_objects = 2, .published = 1);
	MINE(f->a, .staged = 1, .private_objects = 1, .held = 2, .holds = 2);
	MINE(f->b, .private_objects = 1);
	EXPECT_EQ(marul1_clear(f->a, 0, &answer), 0);
	EXPECT_EQ(answer.private_objects, 0);
	IS(abort_id(f->a, staged), OK);
	IS(release_id(f->a, held, 1, NULL), OK);
	IS(release_id(f->a, shared, 1, NULL), OK);
	EXPECT_EQ(marul1_clear(f->b, 0, NULL), 0);
	ACCOUNTS(f, .published = 1);
}

CASE(l1_force)
{
	struct maru_l1_clear answer;
	uint64_t staged[2], shared;

	staged[0] = stage(f, f->a, K("l1f.s"));
	staged[1] = stage_temp(f, f->a, K("l1f.t"));
	make_private(f, f->a, K("l1f.p"), 0);
	make_private(f, f->a, K("l1f.q"), 3);
	shared = publish_held(f, f->a, K("l1f.x"), 5);
	hold(f->b, K("l1f.x"), 1);
	memset(&answer, 0xcc, sizeof(answer));
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, &answer), 0);
	EXPECT_EQ(answer.staged, 2);
	EXPECT_EQ(answer.private_objects, 2);
	EXPECT_EQ(answer.holds, 2);
	/* Published objects stay; there are no orphan pins. */
	ACCOUNTS(f, .published = 1, .quarantined = 2);
	MINE(f->a, .unacked = 2);
	MINE(f->b, .held = 1, .holds = 1);
	IS(release_id(f->a, shared, 5, NULL), NOT_HELD);
	expect_dropped(f->a, K("l1f.s"), 0, staged[0]);
	expect_dropped(f->a, K("l1f.t"), 0, staged[1]);
	IS(release_id(f->b, shared, 1, NULL), OK);
	IS(delete1(f->a, K("l1f.x"), NULL), OK);
	ACCOUNTS(f);

	EXPECT_EQ(marul1_clear(f->a, 1U << 31, NULL), -EINVAL);
}

/* Dropped writes that are never acknowledged end after the close. */
CASE(l1_unacknowledged)
{
	struct marul1_client *c = client(f, 0);

	stage(f, c, K("l1u"));
	EXPECT_EQ(marul1_clear(c, MARU_L1_CLEAR_FORCE, NULL), 0);
	pass(2 * f->info.quarantine_ms);
	ACCOUNTS(f, .quarantined = 1);
	client_end(f, c);
	EXPECT(WAIT_UNTIL(usage(f->a).quarantined == f->before.quarantined,
			  settle_ms(f)));
	ACCOUNTS(f);
}

CASES(force_cases,
	{ "D5", "own staging, all its tags", d5_own_staging },
	{ "D5", "own staging and holds, then the published object",
	  d5_with_published },
	{ "D5", "others' holds still lock", d5_held_by_others },
	{ "D5", "own private object with holds", d5_own_private },
	{ "D5", "private and published of one key", d5_private_and_published },
	{ "D5", "nothing of another key", d5_only_this_key },
	{ "L1", "clear drops idle private objects only", l1_idle_private_only },
	{ "L1", "clear by force drops all but published objects", l1_force },
	{ "L1", "what is never acknowledged ends after the close",
	  l1_unacknowledged },
);
