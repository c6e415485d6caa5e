// SPDX-License-Identifier: GPL-2.0-only
/* Rows W1 … W5, W7: reserve_write. W6 is in full.c. */
#include "one.h"
#include "tables.h"

CASE(w1_new)
{
	struct marul1_reserve r;
	struct marul1_query q;
	uint64_t offset;

	IS(reserve1(f->a, f->page, K("w1"), 1000, 7, &r), OK);
	EXPECT(r.id);
	EXPECT_EQ(r.page_size, PAGE);
	EXPECT_EQ(r.offset % 64, 0);
	EXPECT(r.offset <= f->info.capacity - PAGE);
	ACCOUNTS(f, .staged = 1);
	MINE(f->a, .staged = 1);
	MINE(f->b);

	/* Nobody sees it, and the writer only that it is being written. */
	IS(query1(f->a, K("w1"), &q), OK);
	EXPECT_EQ(q.state, MARU_L1_S_STAGED);
	EXPECT_EQ(q.flags, MARU_L1_Q_STAGED_HERE);
	EXPECT_EQ(q.id, r.id);
	EXPECT_EQ(q.my_holds, 0);
	EXPECT_EQ(q.holders, 0);
	EXPECT_EQ(state_of(f->b, K("w1")), MARU_L1_S_ABSENT);
	IS(read1(f->b, K("w1"), 1, NULL), NOT_FOUND);

	ASSERT(map_pool(f->a));
	ASSERT(marul1_ptr(f->a, r.offset, PAGE));
	EXPECT_EQ(marul1_offset(f->a, marul1_ptr(f->a, r.offset, PAGE),
				&offset), 0);
	EXPECT_EQ(offset, r.offset);
	IS(abort1(f->a, K("w1"), 7), OK);
	ACCOUNTS(f);
	MINE(f->a);
}

CASE(w1_ids_never_come_again)
{
	uint64_t ids[20];

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		ids[i] = stage(f, i % 2 ? f->a : f->b, K("ids"));
		for (size_t j = 0; j < i; j++)
			EXPECT(ids[j] != ids[i]);
		IS(abort_id(i % 2 ? f->a : f->b, ids[i]), OK);
		/* Node 8, incarnation 16, counter 40 bits. */
		EXPECT_EQ(ids[i] >> 56, f->info.node);
		EXPECT_EQ(ids[i] >> 40 & 0xffff, f->info.incarnation);
	}
	ACCOUNTS(f);
}

CASE(w1_batch_shares_nothing)
{
	enum { N = 300 };
	struct marul1_reserve *r = ALLOC(f, N, struct marul1_reserve);
	struct marul1_abort *x = ALLOC(f, N, struct marul1_abort);
	struct key *k = keys(f, N, "w1.batch");

	for (size_t i = 0; i < N; i++)
		r[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = 1 + i, .tag = i };
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, r, N), 0);
	for (size_t i = 0; i < N; i++) {
		EXPECT_EQ(r[i].status, MARU_L1_OK);
		EXPECT_EQ(r[i].result, 0);
		for (size_t j = 0; j < i; j++) {
			EXPECT(r[i].id != r[j].id);
			EXPECT(r[i].offset >= r[j].offset + PAGE ||
			       r[j].offset >= r[i].offset + PAGE);
		}
		x[i] = (struct marul1_abort){ .key = k[i].bytes,
			.key_len = k[i].len, .tag = i };
	}
	ACCOUNTS(f, .staged = N);
	MINE(f->a, .staged = N);
	EXPECT_EQ(marul1_abort(f->a, x, N), 0);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(x[i].status, MARU_L1_OK);
	ACCOUNTS(f);
}

CASE(w2_published)
{
	publish(f, f->a, K("w2"));
	IS(reserve1(f->a, f->page, K("w2"), PAGE, 1, NULL), NOT_WRITABLE);
	IS(reserve1(f->b, f->page, K("w2"), PAGE, 1, NULL), NOT_WRITABLE);
	IS(reserve_temp1(f->b, f->page, K("w2"), PAGE, 1, NULL), NOT_WRITABLE);
	ACCOUNTS(f, .published = 1);
	MINE(f->a);
	MINE(f->b);

	IS(delete1(f->b, K("w2"), NULL), OK);
	IS(reserve1(f->a, f->page, K("w2"), PAGE, 1, NULL), OK);
	IS(abort1(f->a, K("w2"), 1), OK);
}

CASE(w2_own_private)
{
	uint64_t id = make_private(f, f->a, K("w2p"), 0);

	IS(reserve1(f->a, f->page, K("w2p"), PAGE, 1, NULL), NOT_WRITABLE);
	IS(reserve_temp1(f->a, f->page, K("w2p"), PAGE, 1, NULL), NOT_WRITABLE);
	ACCOUNTS(f, .private_objects = 1);

	/* Another client does not see it, and is not kept from writing. */
	publish(f, f->b, K("w2p"));
	ACCOUNTS(f, .private_objects = 1, .published = 1);
	EXPECT_EQ(hold(f->a, K("w2p"), 1), id);
	IS(release_id(f->a, id, 1, NULL), OK);
}

CASE(w3_same_key_and_tag)
{
	uint64_t id = stage(f, f->a, K("w3"));

	IS(reserve1(f->a, f->page, K("w3"), PAGE, 0, NULL), NOT_WRITABLE);
	IS(reserve_temp1(f->a, f->page, K("w3"), PAGE, 0, NULL), NOT_WRITABLE);
	ACCOUNTS(f, .staged = 1);
	MINE(f->a, .staged = 1);
	IS(abort1(f->a, K("w3"), 0), OK);
	IS(abort_id(f->a, id), NOT_FOUND);
}

CASE(w4_expired)
{
	struct marul1_client *c = client_leased(f, 0, LEASE_MS);
	struct marul1_reserve old, new;
	struct marul1_commit done;

	IS(reserve1(c, f->page, K("w4"), PAGE, 0, &old), OK);
	IS(reserve1(c, f->page, K("w4"), PAGE, 0, NULL), NOT_WRITABLE);
	pass(LEASE_MS);
	IS(reserve1(c, f->page, K("w4"), PAGE, 0, &new), OK);
	EXPECT(new.id != old.id);
	EXPECT(new.offset != old.offset);
	ACCOUNTS(f, .staged = 1, .quarantined = 1);
	MINE(c, .staged = 1, .unacked = 1);

	/* The key and tag now name the fresh one, the old id the old one. */
	IS(commit1(c, K("w4"), 0, 0, 1, &done), OK);
	EXPECT_EQ(done.id, new.id);
	EXPECT_EQ(done.offset, new.offset);
	ACCOUNTS(f, .published = 1, .quarantined = 1);
	IS(commit1(c, K("w4"), 0, 0, 1, NULL), NOT_FOUND);
	IS(abort1(c, K("w4"), 0), NOT_FOUND);
	IS(abort_id(c, old.id), OK);
	IS(abort_id(c, old.id), NOT_FOUND);
	ACCOUNTS(f, .published = 1);
	MINE(c);
}

CASE(w5_other_tag_or_client)
{
	struct marul1_reserve r[3];

	IS(reserve1(f->a, f->page, K("w5"), PAGE, 1, &r[0]), OK);
	IS(reserve1(f->a, f->page, K("w5"), PAGE, 2, &r[1]), OK);
	IS(reserve1(f->b, f->page, K("w5"), PAGE, 1, &r[2]), OK);
	for (size_t i = 0; i < 3; i++) {
		EXPECT(r[i].id != r[(i + 1) % 3].id);
		EXPECT(r[i].offset != r[(i + 1) % 3].offset);
	}
	ACCOUNTS(f, .staged = 3);
	MINE(f->a, .staged = 2);
	MINE(f->b, .staged = 1);

	/* The first commit wins, not the first reservation. */
	IS(commit1(f->b, K("w5"), 1, 0, 1, NULL), OK);
	IS(commit1(f->a, K("w5"), 1, 0, 1, NULL), OK, LOST_RACE);
	IS(abort1(f->a, K("w5"), 2), OK);
	ACCOUNTS(f, .published = 1);
	EXPECT_EQ(hold(f->a, K("w5"), 1), r[2].id);
	IS(release_id(f->a, r[2].id, 1, NULL), OK);
}

static char long_key[MARU_L1_KEY_MAX + 1];

CASE(w7_malformed)
{
	struct key empty = { "", 0 }, most = { long_key, MARU_L1_KEY_MAX },
		   over = { long_key, MARU_L1_KEY_MAX + 1 };

	memset(long_key, 'k', sizeof(long_key));
	IS(reserve1(f->a, f->page, K("w7"), 0, 0, NULL), INVALID);
	IS(reserve1(f->a, f->page, K("w7"), PAGE + 1, 0, NULL), INVALID);
	IS(reserve1(f->a, f->page, K("w7"), UINT64_MAX, 0, NULL), INVALID);
	IS(reserve1(f->a, f->page, empty, PAGE, 0, NULL), INVALID);
	IS(reserve1(f->a, f->page, over, PAGE, 0, NULL), INVALID);
	ACCOUNTS(f);
	IS(reserve1(f->a, f->page, K("w7"), 1, 0, NULL), OK);
	IS(reserve1(f->a, f->page, most, PAGE, 0, NULL), OK);
	ACCOUNTS(f, .staged = 2);
	IS(abort1(f->a, K("w7"), 0), OK);
	IS(abort1(f->a, most, 0), OK);
}

CASE(w7_others_keep_their_answers)
{
	struct key k[4] = { K("w7.0"), K("w7.1"), K("w7.2"), K("w7.3") };
	struct marul1_reserve r[4];

	for (size_t i = 0; i < 4; i++)
		r[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = PAGE };
	r[1].length = 0;
	r[2].key_len = 0;
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, r, 4), 0);
	EXPECT_EQ(r[0].status, MARU_L1_OK);
	EXPECT_EQ(r[1].status, MARU_L1_INVALID);
	EXPECT_EQ(r[2].status, MARU_L1_INVALID);
	EXPECT_EQ(r[3].status, MARU_L1_OK);
	ACCOUNTS(f, .staged = 2);
	IS(abort1(f->a, k[0], 0), OK);
	IS(abort1(f->a, k[3], 0), OK);
}

/* A layout that does not exist, or an unknown item flag, is malformed. */
CASE(w7_no_such_layout)
{
	struct marul1_reserve r = { .key = "w7l", .key_len = 3,
				    .length = PAGE };

	EXPECT_EQ(marul1_reserve_write(f->a, 1U << 30, &r, 1), -EINVAL);
	r.flags = 1U << 31;
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, &r, 1), -EINVAL);
	ACCOUNTS(f);
}

CASES(write_cases,
	{ "W1", "a new key gets an extent, its page size and an id", w1_new },
	{ "W1", "ids are never given twice", w1_ids_never_come_again },
	{ "W1", "extents of one batch do not overlap", w1_batch_shares_nothing },
	{ "W2", "a published key cannot be reserved", w2_published },
	{ "W2", "a client's own private object keeps it from writing",
	  w2_own_private },
	{ "W3", "the same key and tag twice", w3_same_key_and_tag },
	{ "W4", "an expired write makes way for a fresh extent and id",
	  w4_expired },
	{ "W5", "another tag or client stages independently",
	  w5_other_tag_or_client },
	{ "W7", "lengths and keys out of range", w7_malformed },
	{ "W7", "a malformed item leaves the others alone",
	  w7_others_keep_their_answers },
	{ "W7", "a layout or item flag that does not exist fails the call",
	  w7_no_such_layout },
);
