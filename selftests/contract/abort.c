// SPDX-License-Identifier: GPL-2.0-only
/* Rows X1 … X3: abort. */
#include "one.h"
#include "tables.h"

CASE(x1_by_key_and_tag)
{
	struct marul1_reserve r[2];

	IS(reserve1(f->a, f->page, K("x1"), PAGE, 1, &r[0]), OK);
	IS(reserve1(f->a, f->page, K("x1"), PAGE, 2, &r[1]), OK);
	IS(abort1(f->a, K("x1"), 1), OK);
	/* Free at once, no quarantine; the other tag is not touched. */
	ACCOUNTS(f, .staged = 1);
	IS(commit1(f->a, K("x1"), 1, 0, 1, NULL), NOT_FOUND);
	IS(commit1(f->a, K("x1"), 2, 0, 1, NULL), OK);
	ACCOUNTS(f, .published = 1);
}

CASE(x1_by_id)
{
	struct marul1_reserve r[2];
	struct marul1_abort both = { .key = "x1i", .key_len = 3 };

	IS(reserve1(f->a, f->page, K("x1i"), PAGE, 1, &r[0]), OK);
	IS(reserve_temp1(f->a, f->page, K("x1i"), PAGE, 2, &r[1]), OK);
	IS(abort_id(f->b, r[0].id), NOT_FOUND);
	ACCOUNTS(f, .staged = 2);
	/* A key beside the id must be the id's. */
	both.id = r[0].id;
	both.key = "x1j";
	EXPECT_EQ(marul1_abort(f->a, &both, 1), 0);
	EXPECT_EQ(both.status, MARU_L1_NOT_FOUND);
	ACCOUNTS(f, .staged = 2);
	both.key = "x1i";
	EXPECT_EQ(marul1_abort(f->a, &both, 1), 0);
	EXPECT_EQ(both.status, MARU_L1_OK);
	IS(abort_id(f->a, r[1].id), OK);
	ACCOUNTS(f);
	MINE(f->a);
}

CASE(x1_space_is_free_at_once)
{
	uint64_t most = f->info.capacity / 8 * 5;
	uint32_t big = layout(f->a, most);

	/* More than half of the pool: only one can be staged at a time. */
	for (int i = 0; i < 3; i++) {
		IS(reserve1(f->a, big, K("x1s"), most, 0, NULL), OK);
		IS(reserve1(f->b, big, K("x1t"), most, 0, NULL), NO_SPACE);
		IS(abort1(f->a, K("x1s"), 0), OK);
		ACCOUNTS(f);
	}
}

CASE(x2_not_staged)
{
	uint64_t id;

	IS(abort1(f->a, K("x2"), 0), NOT_FOUND);
	IS(abort_id(f->a, 12345), NOT_FOUND);
	IS(abort_id(f->a, UINT64_MAX), NOT_FOUND);
	id = stage(f, f->a, K("x2"));
	IS(abort1(f->a, K("x2"), 1), NOT_FOUND);
	IS(abort1(f->b, K("x2"), 0), NOT_FOUND);
	IS(abort1(f->a, K("x2"), 0), OK);
	IS(abort1(f->a, K("x2"), 0), NOT_FOUND);
	IS(abort_id(f->a, id), NOT_FOUND);

	/* What is committed is no staging any more. */
	id = publish(f, f->a, K("x2.done"));
	IS(abort1(f->a, K("x2.done"), 0), NOT_FOUND);
	IS(abort_id(f->a, id), NOT_FOUND);
	ACCOUNTS(f, .published = 1);
}

CASE(x2b_expired_by_key)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("x2b"));

	IS(abort1(c, K("x2b"), 0), EXPIRED);
	IS(abort1(c, K("x2b"), 0), EXPIRED);
	/* A device may still be writing there: the extent stays. */
	ACCOUNTS(f, .quarantined = 1);
	MINE(c, .unacked = 1);
	pass(f->info.quarantine_ms);
	ACCOUNTS(f, .quarantined = 1);
	IS(abort_id(c, id), OK);
	IS(abort1(c, K("x2b"), 0), NOT_FOUND);
	ACCOUNTS(f);
}

CASE(x3_expired)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("x3"));

	/* Acknowledged before anything else has noticed that it is over. */
	IS(abort_id(c, id), OK);
	IS(abort_id(c, id), NOT_FOUND);
	ACCOUNTS(f);
	MINE(c);

	id = expired_write(f, c, K("x3"));
	EXPECT(WAIT_UNTIL(usage(c).my_unacked == 1, REAP_MS));
	ACCOUNTS(f, .quarantined = 1);
	IS(abort_id(f->a, id), NOT_FOUND);
	IS(abort_id(c, id), OK);
	ACCOUNTS(f);
}

CASE(x3_dropped_by_force)
{
	uint64_t id = stage(f, f->a, K("x3f"));

	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	ACCOUNTS(f, .quarantined = 1);
	MINE(f->a, .unacked = 1);
	IS(abort1(f->a, K("x3f"), 0), NOT_FOUND);
	pass(f->info.quarantine_ms);
	ACCOUNTS(f, .quarantined = 1);
	IS(abort_id(f->a, id), OK);
	IS(abort_id(f->a, id), NOT_FOUND);
	ACCOUNTS(f);
	MINE(f->a);
}

CASES(abort_cases,
	{ "X1", "abort by key and tag frees the extent", x1_by_key_and_tag },
	{ "X1", "abort by reservation id", x1_by_id },
	{ "X1", "the space is there at once", x1_space_is_free_at_once },
	{ "X2", "nothing is staged under it", x2_not_staged },
	{ "X2b", "an expired write named by key stays", x2b_expired_by_key },
	{ "X3", "an expired write ends by its id", x3_expired },
	{ "X3", "a write dropped by force ends by its id", x3_dropped_by_force },
);
