// SPDX-License-Identifier: GPL-2.0-only
/* Row W6: not enough space, and the two limits. In the small pool. */
#include "one.h"
#include "tables.h"

/* Reserves all of @k in one call; Return: how many answered @status. */
static size_t reserve_all(struct marul1_client *c, uint32_t id, uint64_t length,
			  const struct key *k, struct marul1_reserve *r,
			  size_t n, uint32_t status)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		r[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = length };
	EXPECT_EQ(marul1_reserve_write(c, id, r, n), 0);
	for (size_t i = 0; i < n; i++)
		same += r[i].status == status;
	return same;
}

/* Publishes one by one until the answer is something else. Return: how many. */
static size_t fill(struct marul1_client *c, uint32_t id, uint64_t length,
		   const struct key *k, size_t n)
{
	struct marul1_reserve r;

	for (size_t i = 0; i < n; i++) {
		if (reserve1(c, id, k[i], length, 0, &r) !=
		    ANSWER(MARU_L1_OK, 0))
			return i;
		IS(commit1(c, k[i], 0, 0, r.id, NULL), OK);
	}
	return n;
}

CASE_SMALL(w6_no_space)
{
	uint32_t big = layout(f->a, MIB);
	size_t most = f->info.capacity / MIB + 1, got;
	struct key *k = keys(f, most, "w6");
	struct maru_l1_usage u;

	ASSERT(most <= f->info.max_objects);
	got = fill(f->a, big, MIB, k, most);
	EXPECT(got < most);
	/* At most 6 % and what is too short for a page may be lost. */
	EXPECT(got * MIB + MIB >= f->info.capacity / 100 * 94);
	IS(reserve1(f->b, big, k[got], MIB, 0, NULL), NO_SPACE);
	u = usage(f->a);
	sums_at(__FILE__, __LINE__, &u);
	EXPECT_EQ(u.published, got * MIB);

	/* What one delete frees is there for the next. */
	IS(delete1(f->b, k[0], NULL), OK);
	IS(reserve1(f->b, big, k[got], MIB, 0, NULL), OK);
	IS(reserve1(f->b, big, k[0], MIB, 0, NULL), NO_SPACE);
	IS(abort1(f->b, k[got], 0), OK);
}

CASE_SMALL(w6_all_or_nothing)
{
	uint32_t big = layout(f->a, MIB);
	size_t most = f->info.capacity / MIB + 1, got;
	struct key *k = keys(f, most, "w6.all");
	struct marul1_reserve *r = ALLOC(f, most + 3, struct marul1_reserve);
	struct maru_l1_usage before;

	got = fill(f->a, big, MIB, k, most);
	ASSERT(got > 8 && got < most);
	for (size_t i = 0; i < 4; i++)
		IS(delete1(f->a, k[i], NULL), OK);
	before = usage(f->b);

	/* Five new ones into room for four; one published, one malformed. */
	for (size_t i = 0; i < 5; i++)
		r[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = MIB };
	r[4].key = "w6.fifth";
	r[4].key_len = 8;
	r[5] = (struct marul1_reserve){ .key = k[4].bytes,
		.key_len = k[4].len, .length = MIB };
	r[6] = (struct marul1_reserve){ .key = "w6.bad", .key_len = 6 };
	EXPECT_EQ(marul1_reserve_write(f->b, big, r, 7), 0);
	for (size_t i = 0; i < 5; i++)
		EXPECT_EQ(r[i].status, MARU_L1_NO_SPACE);
	EXPECT_EQ(r[5].status, MARU_L1_NOT_WRITABLE);
	EXPECT_EQ(r[6].status, MARU_L1_INVALID);
	EXPECT_EQ(usage(f->b).used, before.used);
	EXPECT_EQ(usage(f->b).available, before.available);
	EXPECT_EQ(usage(f->b).extents, before.extents);
	MINE(f->b);

	/* Four fit: the same call without the fifth. */
	EXPECT_EQ(reserve_all(f->b, big, MIB, k, r, 4, MARU_L1_OK), 4);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASE_SMALL(w6_object_limit)
{
	size_t limit = f->info.max_objects - f->before.extents, n = limit + 8;
	struct key *k = keys(f, n, "w6.limit");
	struct marul1_reserve *r = ALLOC(f, n, struct marul1_reserve);

	ASSERT(limit * PAGE < f->before.available);
	EXPECT_EQ(reserve_all(f->a, f->page, PAGE, k, r, limit + 1,
			      MARU_L1_NO_SPACE), limit + 1);
	ACCOUNTS(f);
	EXPECT_EQ(reserve_all(f->a, f->page, PAGE, k, r, limit, MARU_L1_OK),
		  limit);
	IS(reserve1(f->b, f->page, k[limit], PAGE, 0, NULL), NO_SPACE);
	ACCOUNTS(f, .staged = limit);
	EXPECT(usage(f->a).available >= PAGE);
	/* A published object fills a slot as a staging does; a deleted none. */
	IS(commit1(f->a, k[0], 0, 0, 1, NULL), OK);
	IS(reserve1(f->b, f->page, k[limit], PAGE, 0, NULL), NO_SPACE);
	IS(delete1(f->b, k[0], NULL), OK);
	IS(reserve1(f->b, f->page, k[limit], PAGE, 0, NULL), OK);
	ACCOUNTS(f, .staged = limit);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
	/* Dropped writes stay in quarantine, and so in their slots. */
	ACCOUNTS(f, .quarantined = limit);
}

CASE_SMALL(w6_client_limit)
{
	uint32_t big = layout(f->a, MIB);
	size_t limit = f->info.max_client_bytes / MIB, n = limit + 4;
	struct key *k = keys(f, n, "w6.mine");
	struct marul1_reserve *r = ALLOC(f, n, struct marul1_reserve);

	ASSERT(limit > 4 && f->before.available >= (limit + 4) * MIB);
	EXPECT_EQ(reserve_all(f->a, big, MIB, k, r, limit + 1,
			      MARU_L1_NO_SPACE), limit + 1);
	EXPECT_EQ(usage(f->a).my_staged, 0);
	EXPECT_EQ(reserve_all(f->a, big, MIB, k, r, limit, MARU_L1_OK), limit);
	EXPECT_EQ(usage(f->a).my_staged_bytes, limit * MIB);
	IS(reserve1(f->a, big, k[limit], MIB, 0, NULL), NO_SPACE);
	/* Nobody else is kept from writing by it. */
	IS(reserve1(f->b, big, k[limit], MIB, 0, NULL), OK);

	/* A private object counts on; a published one no more. */
	IS(abort1(f->a, k[0], 0), OK);
	IS(reserve_temp1(f->a, big, k[0], MIB, 0, NULL), OK);
	IS(commit1(f->a, k[0], 0, 0, 1, NULL), OK, PRIVATE);
	EXPECT_EQ(usage(f->a).my_private_bytes, MIB);
	IS(reserve1(f->a, big, k[limit + 1], MIB, 0, NULL), NO_SPACE);
	IS(commit1(f->a, k[1], 0, 0, 1, NULL), OK);
	IS(reserve1(f->a, big, k[limit + 1], MIB, 0, NULL), OK);
	for (size_t i = 2; i < limit; i++)
		IS(abort1(f->a, k[i], 0), OK);
	IS(abort1(f->a, k[limit + 1], 0), OK);
	IS(abort1(f->b, k[limit], 0), OK);
	IS(delete1(f->a, k[0], NULL), OK);
	IS(delete1(f->b, k[1], NULL), OK);
	ACCOUNTS(f);
}

CASES(full_cases,
	{ "W6", "a full pool answers NO_SPACE until something is freed",
	  w6_no_space },
	{ "W6", "space is all or nothing; other items keep their answers",
	  w6_all_or_nothing },
	{ "W6", "the pool's object limit", w6_object_limit },
	{ "W6", "the client's byte limit", w6_client_limit },
);
