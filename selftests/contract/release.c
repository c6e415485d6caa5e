// SPDX-License-Identifier: GPL-2.0-only
/* Rows F1, F3, F4: release. F2 is in private.c, F5 in media.c. */
#include "one.h"
#include "tables.h"

CASE(f1_counts)
{
	uint64_t id = publish(f, f->a, K("f1"));
	uint32_t released;

	hold(f->a, K("f1"), 5);
	hold(f->b, K("f1"), 2);
	IS(release1(f->a, K("f1"), id, 2, &released), OK);
	EXPECT_EQ(released, 2);
	MINE(f->a, .held = 1, .holds = 3);
	/* Less than was asked for, and never another client's. */
	IS(release1(f->a, K("f1"), id, 100, &released), OK, CLAMPED);
	EXPECT_EQ(released, 3);
	MINE(f->a);
	MINE(f->b, .held = 1, .holds = 2);
	IS(release1(f->a, K("f1"), id, 1, &released), NOT_HELD);
	EXPECT_EQ(released, 0);
	MINE(f->b, .held = 1, .holds = 2);
	IS(delete1(f->a, K("f1"), NULL), LOCKED);
	IS(release_id(f->b, id, 2, &released), OK);
	EXPECT_EQ(released, 2);
	IS(delete1(f->a, K("f1"), NULL), OK);
	ACCOUNTS(f);
}

CASE(f1_count_of_zero)
{
	uint64_t id = publish_held(f, f->a, K("f1z"), 2);
	uint32_t released;

	/* Clamped to one, and said so. */
	IS(release_id(f->a, id, 0, &released), OK, CLAMPED);
	EXPECT_EQ(released, 1);
	MINE(f->a, .held = 1, .holds = 1);
	IS(release_id(f->a, id, 1, NULL), OK);
}

CASE(f1_without_id)
{
	uint64_t id = publish(f, f->a, K("f1k"));
	uint32_t released;

	EXPECT_EQ(hold(f->a, K("f1k"), 3), id);
	IS(release1(f->a, K("f1k"), 0, 2, &released), OK);
	EXPECT_EQ(released, 2);
	IS(release1(f->a, K("f1k"), 0, 2, &released), OK, CLAMPED);
	EXPECT_EQ(released, 1);
	MINE(f->a);
}

/* Never on to another object of the same key. */
CASE(f1_not_on_to_another_object)
{
	uint64_t shared, own = stage_temp(f, f->a, K("f1o"));

	shared = publish(f, f->b, K("f1o"));
	EXPECT_EQ(hold(f->a, K("f1o"), 2), shared);
	IS(commit1(f->a, K("f1o"), 0, 1, own, NULL), OK, PRIVATE);
	MINE(f->a, .private_objects = 1, .held = 2, .holds = 3);

	/* id 0 names the private one now; it takes no more than that has. */
	IS(release1(f->a, K("f1o"), 0, 5, NULL), OK, CLAMPED);
	MINE(f->a, .held = 1, .holds = 2);
	IS(release1(f->a, K("f1o"), own, 1, NULL), NOT_HELD);
	MINE(f->a, .held = 1, .holds = 2);
	IS(release1(f->a, K("f1o"), shared, 2, NULL), OK);
	MINE(f->a);
	ACCOUNTS(f, .published = 1);
}

CASE(f1_id_of_another_key)
{
	uint64_t id = publish_held(f, f->a, K("f1.x"), 1);

	publish_held(f, f->a, K("f1.y"), 1);
	IS(release1(f->a, K("f1.y"), id, 1, NULL), NOT_HELD);
	MINE(f->a, .held = 2, .holds = 2);
	IS(release1(f->a, K("f1.x"), id, 1, NULL), OK);
	IS(release1(f->a, K("f1.y"), 0, 1, NULL), OK);
}

CASE(f3_never_and_no_more)
{
	uint64_t id = publish(f, f->a, K("f3"));

	IS(release_id(f->a, id, 1, NULL), NOT_HELD);
	IS(release1(f->a, K("f3"), 0, 1, NULL), NOT_HELD);
	IS(release_id(f->a, 987654321, 1, NULL), NOT_HELD);
	hold(f->a, K("f3"), 1);
	IS(release_id(f->a, id, 1, NULL), OK);
	IS(release_id(f->a, id, 1, NULL), NOT_HELD);
	IS(release1(f->a, K("f3"), 0, 1, NULL), NOT_HELD);
	IS(delete1(f->a, K("f3"), NULL), OK);
	IS(release_id(f->a, id, 1, NULL), NOT_HELD);
	MINE(f->a);
}

CASE(f3_expired)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);
	uint64_t id = publish(f, f->a, K("f3x"));
	uint32_t released;

	hold(c, K("f3x"), 3);
	pass(SHORT_MS);
	IS(peek1(c, K("f3x"), NULL), NOT_HELD);
	EXPECT(WAIT_UNTIL(usage(c).my_holds == 0, REAP_MS));
	MINE(c);
	/* Nothing is locked by it any more; what it remembers is no hold. */
	IS(delete1(f->a, K("f3x"), NULL), OK);
	ACCOUNTS(f);
	IS(release_id(c, id, 1, &released), NOT_HELD);
	EXPECT_EQ(released, 0);
	IS(release_id(c, id, 2, NULL), NOT_HELD);
	IS(release_id(c, id, 1, NULL), NOT_HELD);
}

/* Expired at its very use, before any timer has looked at it. */
CASE(f3_expired_is_no_lock)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);

	publish(f, f->a, K("f3l"));
	hold(c, K("f3l"), 1);
	pass(SHORT_MS);
	IS(delete1(f->a, K("f3l"), NULL), OK);
	ACCOUNTS(f);
	MINE(c);
}

/* The late release is for the old holds; the new ones stay. */
CASE(f3_late_release)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t id = publish(f, f->a, K("f3r"));
	uint32_t released;

	hold(c, K("f3r"), 2);
	pass(LEASE_MS);
	hold(c, K("f3r"), 1);
	IS(release_id(c, id, 2, &released), NOT_HELD);
	EXPECT_EQ(released, 0);
	IS(peek1(c, K("f3r"), NULL), OK);
	MINE(c, .held = 1, .holds = 1);
	IS(delete1(f->a, K("f3r"), NULL), LOCKED);
	IS(release_id(c, id, 1, &released), OK);
	EXPECT_EQ(released, 1);
	IS(release_id(c, id, 1, NULL), NOT_HELD);
	MINE(c);
}

CASE(f3_late_release_of_both)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t id = publish(f, f->a, K("f3b"));
	uint32_t released;

	hold(c, K("f3b"), 2);
	pass(LEASE_MS);
	hold(c, K("f3b"), 2);
	/* Two lost ones first, then one that lives. */
	IS(release_id(c, id, 3, &released), OK, CLAMPED);
	EXPECT_EQ(released, 1);
	MINE(c, .held = 1, .holds = 1);
	IS(release_id(c, id, 1, &released), OK);
	EXPECT_EQ(released, 1);
	MINE(c);
}

/* Each expiry adds to what is lost. */
CASE(f3_lost_twice)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t id = publish(f, f->a, K("f3t"));
	uint32_t released;

	hold(c, K("f3t"), 2);
	pass(LEASE_MS);
	hold(c, K("f3t"), 3);
	pass(LEASE_MS);
	hold(c, K("f3t"), 4);
	IS(release_id(c, id, 5, &released), NOT_HELD);
	MINE(c, .held = 1, .holds = 4);
	IS(release_id(c, id, 4, &released), OK);
	EXPECT_EQ(released, 4);
	IS(release_id(c, id, 1, NULL), NOT_HELD);
}

/* Nor does it reach what another client holds on a new object of the key. */
CASE(f3_late_release_of_a_gone_object)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);
	uint64_t old = publish(f, f->a, K("f3g")), new;

	hold(c, K("f3g"), 1);
	pass(SHORT_MS);
	IS(delete1(f->a, K("f3g"), NULL), OK);
	new = publish_held(f, f->b, K("f3g"), 1);
	EXPECT(new != old);
	IS(release1(c, K("f3g"), old, 1, NULL), NOT_HELD);
	IS(release1(c, K("f3g"), 0, 1, NULL), NOT_HELD);
	MINE(f->b, .held = 1, .holds = 1);
	IS(delete1(f->a, K("f3g"), NULL), LOCKED);
	IS(release_id(f->b, new, 1, NULL), OK);
}

CASE(f4_nothing_visible)
{
	IS(release1(f->a, K("f4"), 0, 1, NULL), NOT_FOUND);
	stage(f, f->a, K("f4"));
	IS(release1(f->a, K("f4"), 0, 1, NULL), NOT_FOUND);
	IS(abort1(f->a, K("f4"), 0), OK);
	make_private(f, f->a, K("f4.private"), 1);
	IS(release1(f->b, K("f4.private"), 0, 1, NULL), NOT_FOUND);
	IS(release1(f->a, K("f4.private"), 0, 1, NULL), OK);
}

CASES(release_cases,
	{ "F1", "as many as are held, and only this client's", f1_counts },
	{ "F1", "a count of 0 is 1", f1_count_of_zero },
	{ "F1", "id 0 is what a read would answer now", f1_without_id },
	{ "F1", "never on to another object of the key",
	  f1_not_on_to_another_object },
	{ "F1", "an id of another key changes nothing", f1_id_of_another_key },
	{ "F3", "never held, and held no more", f3_never_and_no_more },
	{ "F3", "expired, and the object gone too", f3_expired },
	{ "F3", "an expired hold locks nothing", f3_expired_is_no_lock },
	{ "F3", "a late release takes no newer hold", f3_late_release },
	{ "F3", "lost holds are released before live ones",
	  f3_late_release_of_both },
	{ "F3", "holds lost at different times add up", f3_lost_twice },
	{ "F3", "a late release reaches no new object of the key",
	  f3_late_release_of_a_gone_object },
	{ "F4", "id 0 and nothing visible", f4_nothing_visible },
);
