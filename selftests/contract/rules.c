// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows A1 … A3, A7, A8: the rules for all operations. A4 … A6 need threads:
 * together.c.
 */
#include "one.h"
#include "tables.h"

/* Two batches, so that even a part beyond the first is not a full one. */
enum { MANY = MARU_L1_BATCH_MAX + 1 };

CASE(a1_no_items)
{
	publish(f, f->a, K("a1"));
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, NULL, 0), 0);
	EXPECT_EQ(marul1_reserve_write_many(f->a, f->page, NULL, 0), 0);
	EXPECT_EQ(marul1_commit(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_abort(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_reserve_read(f->a, 0, NULL, 0), 0);
	EXPECT_EQ(marul1_peek(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_release(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_renew(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_delete(f->a, 0, NULL, 0), 0);
	EXPECT_EQ(marul1_touch(f->a, NULL, 0), 0);
	EXPECT_EQ(marul1_query(f->a, NULL, 0), 0);
	ACCOUNTS(f, .published = 1);
}

CASE(a1_unknown_flags)
{
	struct marul1_read r = { .key = "a1f", .key_len = 3, .holds = 1 };
	struct marul1_delete d = { .key = "a1f", .key_len = 3 };

	publish(f, f->a, K("a1f"));
	EXPECT_EQ(marul1_reserve_read(f->a, MARU_L1_B_FORCE, &r, 1), -EINVAL);
	EXPECT_EQ(marul1_reserve_read(f->a, 1U << 31, &r, 1), -EINVAL);
	EXPECT_EQ(marul1_delete(f->a, MARU_L1_B_STRICT, &d, 1), -EINVAL);
	EXPECT_EQ(marul1_delete(f->a, 1U << 31, &d, 1), -EINVAL);
	ACCOUNTS(f, .published = 1);
	MINE(f->a);
}

/* The largest batch there is, of the longest keys there are. */
CASE(a2_largest_batch)
{
	enum { N = MARU_L1_BATCH_MAX };
	struct marul1_reserve *w = ALLOC(f, N, struct marul1_reserve);
	struct marul1_commit *c = ALLOC(f, N, struct marul1_commit);
	char *bytes = block(f, N, MARU_L1_KEY_MAX);

	for (size_t i = 0; i < N; i++) {
		char *k = bytes + i * MARU_L1_KEY_MAX;

		memset(k, 'p', MARU_L1_KEY_MAX);
		memcpy(k + MARU_L1_KEY_MAX - sizeof(i), &i, sizeof(i));
		w[i] = (struct marul1_reserve){ .key = k,
			.key_len = MARU_L1_KEY_MAX, .length = PAGE };
		c[i] = (struct marul1_commit){ .key = k,
			.key_len = MARU_L1_KEY_MAX };
	}
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, w, N), 0);
	ACCOUNTS(f, .staged = N);
	EXPECT_EQ(marul1_commit(f->a, c, N), 0);
	for (size_t i = 0; i < N; i++) {
		EXPECT_EQ(c[i].status, MARU_L1_OK);
		EXPECT_EQ(c[i].result, 0);
		EXPECT_EQ(c[i].id, w[i].id);
	}
	ACCOUNTS(f, .published = N);
}

CASE(a2_too_many_to_write)
{
	struct marul1_reserve *w = ALLOC(f, MANY, struct marul1_reserve);
	struct marul1_commit *c = ALLOC(f, MANY, struct marul1_commit);
	struct marul1_abort *x = ALLOC(f, MANY, struct marul1_abort);
	struct key *k = keys(f, MANY, "a2w");

	for (size_t i = 0; i < MANY; i++) {
		w[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = PAGE };
		c[i] = (struct marul1_commit){ .key = k[i].bytes,
			.key_len = k[i].len };
		x[i] = (struct marul1_abort){ .key = k[i].bytes,
			.key_len = k[i].len };
	}
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, w, MANY), -E2BIG);
	ACCOUNTS(f);
	EXPECT_EQ(marul1_reserve_write(f->a, f->page, w, MANY - 1), 0);
	EXPECT_EQ(marul1_commit(f->a, c, MANY), -E2BIG);
	EXPECT_EQ(marul1_abort(f->a, x, MANY), -E2BIG);
	ACCOUNTS(f, .staged = MANY - 1);
	EXPECT_EQ(marul1_abort(f->a, x, MANY - 1), 0);
	ACCOUNTS(f);
}

/* The other calls take any number. */
CASE(a2_split)
{
	struct marul1_reserve *w = ALLOC(f, MANY, struct marul1_reserve);
	struct marul1_read *r = ALLOC(f, MANY, struct marul1_read);
	struct marul1_release *u = ALLOC(f, MANY, struct marul1_release);
	struct marul1_renew *n = ALLOC(f, MANY, struct marul1_renew);
	struct marul1_delete *d = ALLOC(f, MANY, struct marul1_delete);
	struct marul1_touch *t = ALLOC(f, MANY, struct marul1_touch);
	struct key *k = keys(f, MANY, "a2s");

	for (size_t i = 0; i < MANY; i++) {
		publish(f, f->a, k[i]);
		w[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = PAGE, .tag = 9 };
		r[i] = (struct marul1_read){ .key = k[i].bytes,
			.key_len = k[i].len, .holds = 1 };
		u[i] = (struct marul1_release){ .key = k[i].bytes,
			.key_len = k[i].len, .holds = 1 };
		n[i] = (struct marul1_renew){ .key = k[i].bytes,
			.key_len = k[i].len };
		d[i] = (struct marul1_delete){ .key = k[i].bytes,
			.key_len = k[i].len };
		t[i] = (struct marul1_touch){ .key = k[i].bytes,
			.key_len = k[i].len, .status = MARU_L1_INVALID };
	}
	EXPECT_EQ(marul1_touch(f->a, t, MANY), 0);
	EXPECT_EQ(marul1_reserve_read(f->a, 0, r, MANY), 0);
	MINE(f->a, .held = MANY, .holds = MANY);
	EXPECT_EQ(marul1_peek(f->a, r, MANY), 0);
	EXPECT_EQ(marul1_renew(f->a, n, MANY), 0);
	for (size_t i = 0; i < MANY; i++) {
		EXPECT_EQ(r[i].status, MARU_L1_OK);
		EXPECT_EQ(n[i].status, MARU_L1_OK);
		EXPECT_EQ(t[i].status, MARU_L1_OK);
	}
	EXPECT_EQ(marul1_release(f->a, u, MANY), 0);
	MINE(f->a);
	EXPECT_EQ(marul1_delete(f->a, 0, d, MANY), 0);
	for (size_t i = 0; i < MANY; i++) {
		EXPECT_EQ(u[i].status, MARU_L1_OK);
		EXPECT_EQ(u[i].released, 1);
		EXPECT_EQ(d[i].status, MARU_L1_OK);
	}
	ACCOUNTS(f);
	EXPECT_EQ(marul1_reserve_write_many(f->a, f->page, w, MANY), 0);
	ACCOUNTS(f, .staged = MANY);
	for (size_t i = 0; i < MANY; i++)
		IS(abort_id(f->a, w[i].id), OK);
}

CASE_SMALL(a3_write_many_is_all_or_nothing)
{
	struct marul1_reserve *w = ALLOC(f, MANY, struct marul1_reserve);
	struct key *k = keys(f, MANY, "a2m");
	uint32_t tiny = layout(f->a, 64);
	size_t fit = f->info.max_objects - f->before.extents;

	/* Whatever part it is in that does not fit. */
	for (size_t n = fit + 1; n <= MANY; n += MANY - fit - 1) {
		for (size_t i = 0; i < n; i++)
			w[i] = (struct marul1_reserve){ .key = k[i].bytes,
				.key_len = k[i].len, .length = 64 };
		EXPECT_EQ(marul1_reserve_write_many(f->a, tiny, w, n), 0);
		for (size_t i = 0; i < n; i++)
			EXPECT_EQ(w[i].status, MARU_L1_NO_SPACE);
		ACCOUNTS(f);
		MINE(f->a);
	}
}

/* A part that was taken is given back when a later part finds no room. */
CASE(a3_earlier_parts_are_aborted)
{
	enum { N = 2 * MARU_L1_BATCH_MAX };
	/* Of these a full part fits, and a second does not. */
	uint64_t length = f->before.available / N * 5 / 4 / 64 * 64;
	uint64_t most = f->info.capacity / 8 * 5;
	struct marul1_reserve *w = ALLOC(f, N, struct marul1_reserve);
	struct key *k = keys(f, N, "a3");
	uint32_t id = layout(f->a, length), big = layout(f->a, most);

	for (size_t i = 0; i < N; i++)
		w[i] = (struct marul1_reserve){ .key = k[i].bytes,
			.key_len = k[i].len, .length = length };
	EXPECT_EQ(marul1_reserve_write(f->a, id, w, N / 2), 0);
	EXPECT_EQ(usage(f->a).my_staged, N / 2);
	for (size_t i = 0; i < N / 2; i++)
		IS(abort_id(f->a, w[i].id), OK);
	EXPECT_EQ(marul1_reserve_write_many(f->a, id, w, N), 0);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(w[i].status, MARU_L1_NO_SPACE);
	MINE(f->a);
	ACCOUNTS(f);
	IS(reserve1(f->a, big, K("a3"), most, 0, NULL), OK);
	IS(abort1(f->a, K("a3"), 0), OK);
}

/* Reads and releases count each occurrence of a key. */
CASE(a7_same_key_twice)
{
	struct marul1_read r[3];
	struct marul1_release u[3];
	struct marul1_reserve w[3];
	uint64_t id = publish(f, f->a, K("a7"));

	for (size_t i = 0; i < 3; i++) {
		r[i] = (struct marul1_read){ .key = "a7", .key_len = 2,
			.holds = 1 + i };
		u[i] = (struct marul1_release){ .key = "a7", .key_len = 2,
			.holds = 2, .id = i == 1 ? id : 0 };
		w[i] = (struct marul1_reserve){ .key = "a7.w", .key_len = 4,
			.length = PAGE, .tag = i / 2 };
	}
	EXPECT_EQ(marul1_reserve_read(f->a, 0, r, 3), 0);
	MINE(f->a, .held = 1, .holds = 6);
	EXPECT_EQ(marul1_release(f->a, u, 3), 0);
	for (size_t i = 0; i < 3; i++) {
		EXPECT_EQ(r[i].status, MARU_L1_OK);
		EXPECT_EQ(r[i].id, id);
		EXPECT_EQ(u[i].status, MARU_L1_OK);
		EXPECT_EQ(u[i].released, 2);
	}
	MINE(f->a);

	EXPECT_EQ(marul1_reserve_write(f->a, f->page, w, 3), 0);
	EXPECT_EQ(w[0].status, MARU_L1_OK);
	EXPECT_EQ(w[1].status, MARU_L1_NOT_WRITABLE);
	EXPECT_EQ(w[2].status, MARU_L1_OK);
	ACCOUNTS(f, .published = 1, .staged = 2);
	IS(abort1(f->a, K("a7.w"), 0), OK);
	IS(abort1(f->a, K("a7.w"), 1), OK);
}

CASE(a7_same_key_in_other_calls)
{
	struct marul1_commit c[2];
	struct marul1_abort x[2];
	struct marul1_delete d[2];

	stage(f, f->a, K("a7c"));
	stage(f, f->a, K("a7x"));
	for (size_t i = 0; i < 2; i++) {
		c[i] = (struct marul1_commit){ .key = "a7c", .key_len = 3 };
		x[i] = (struct marul1_abort){ .key = "a7x", .key_len = 3 };
		d[i] = (struct marul1_delete){ .key = "a7c", .key_len = 3 };
	}
	EXPECT_EQ(marul1_commit(f->a, c, 2), 0);
	EXPECT_EQ(marul1_abort(f->a, x, 2), 0);
	EXPECT_EQ(marul1_delete(f->a, 0, d, 2), 0);
	EXPECT_EQ(c[0].status, MARU_L1_OK);
	EXPECT_EQ(c[1].status, MARU_L1_NOT_FOUND);
	EXPECT_EQ(x[0].status, MARU_L1_OK);
	EXPECT_EQ(x[1].status, MARU_L1_NOT_FOUND);
	EXPECT_EQ(d[0].status, MARU_L1_OK);
	EXPECT_EQ(d[1].status, MARU_L1_NOT_FOUND);
	ACCOUNTS(f);
}

static char too_long[MARU_L1_KEY_MAX + 1];

/* Whatever the call: a key out of range is an INVALID item and no more. */
CASE(a8_bad_keys)
{
	struct key bad[2] = { { "", 0 }, { too_long, sizeof(too_long) } };

	publish_held(f, f->a, K("a8"), 1);
	for (size_t i = 0; i < 2; i++) {
		IS(reserve1(f->a, f->page, bad[i], PAGE, 0, NULL), INVALID);
		IS(commit1(f->a, bad[i], 0, 0, 1, NULL), INVALID);
		IS(abort1(f->a, bad[i], 0), INVALID);
		IS(read1(f->a, bad[i], 1, NULL), INVALID);
		IS(read_strict1(f->a, bad[i], 1, NULL), INVALID);
		IS(peek1(f->a, bad[i], NULL), INVALID);
		IS(release1(f->a, bad[i], 0, 1, NULL), INVALID);
		IS(renew1(f->a, bad[i], 0), INVALID);
		IS(delete1(f->a, bad[i], NULL), INVALID);
		IS(delete_force1(f->a, bad[i], NULL), INVALID);
		IS(touch1(f->a, bad[i]), INVALID);
		IS(query1(f->a, bad[i], NULL), INVALID);
	}
	ACCOUNTS(f, .published = 1);
	MINE(f->a, .held = 1, .holds = 1);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASES(rule_cases,
	{ "A1", "a call of no items is fine", a1_no_items },
	{ "A1", "unknown flags fail the call", a1_unknown_flags },
	{ "A2", "4,096 items with keys of 1,024 bytes", a2_largest_batch },
	{ "A2", "4,097 items to write: -E2BIG, nothing happens",
	  a2_too_many_to_write },
	{ "A2", "4,097 items of other calls are split", a2_split },
	{ "A3", "reserve_write_many is all or nothing: object limit",
	  a3_write_many_is_all_or_nothing },
	{ "A3", "reserve_write_many is all or nothing: space",
	  a3_earlier_parts_are_aborted },
	{ "A7", "reads, releases and reserves of the same key",
	  a7_same_key_twice },
	{ "A7", "commits, aborts and deletes of the same key",
	  a7_same_key_in_other_calls },
	{ "A8", "a key out of range is an INVALID item", a8_bad_keys },
);
