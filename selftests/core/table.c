// SPDX-License-Identifier: GPL-2.0-only
/* The table against a reference: an array of entries and who is in. */

#include "fixture.h"

struct entry {
	struct maru_node node;
	u32 hash;
	bool in;
};

static bool table_has(struct maru_table *t, const struct entry *e)
{
	struct hlist_node *pos;

	hlist_for_each(pos, maru_table_chain(t, e->hash))
		if (container_of(pos, struct maru_node, link) == &e->node)
			return true;
	return false;
}

static struct entry *entries_make(u32 n, u64 seed, u32 hash_mask)
{
	struct entry *entries = calloc(n, sizeof(*entries));
	u32 i;

	for (i = 0; i < n; i++)
		entries[i].hash = random_next(&seed) & hash_mask;
	return entries;
}

static void toggle(struct maru_table *t, struct entry *e)
{
	if (e->in)
		maru_table_remove(t, &e->node);
	else
		maru_table_insert(t, &e->node, e->hash);
	e->in = !e->in;
}

/* Each entry is on the chain of its hash when it is in, and nothing else is. */
static void expect_same(struct maru_table *t, struct entry *entries, u32 n)
{
	u32 i, in = 0, wrong = 0, walked = 0;
	struct hlist_node *pos;

	for (i = 0; i < n; i++) {
		in += entries[i].in;
		wrong += table_has(t, &entries[i]) != entries[i].in;
	}
	EXPECT_EQ(wrong, 0);
	EXPECT_EQ(t->count, in);
	for (i = 0; i < t->buckets; i++)
		hlist_for_each(pos, maru_table_at(t, i))
			walked++;
	EXPECT_EQ(walked, in);
}

static u32 longest_chain(struct maru_table *t)
{
	u32 i, longest = 0;

	for (i = 0; i < t->buckets; i++) {
		struct hlist_node *pos;
		u32 n = 0;

		hlist_for_each(pos, maru_table_at(t, i))
			n++;
		longest = max(longest, n);
	}
	return longest;
}

/* Mostly in, then mostly out, again and again: it grows and shrinks. */
static void table_random(void)
{
	enum { N = 3000, ROUNDS = 12, GROW = 6000, SHRINK = 60000 };
	struct entry *entries = entries_make(N, 7, U32_MAX);
	u64 seed = 99;
	struct maru_table t;
	u32 round, i;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (round = 0; round < ROUNDS; round++) {
		bool grow = round % 2 == 0;

		for (i = 0; i < (grow ? GROW : SHRINK); i++) {
			struct entry *e = &entries[random_next(&seed) % N];

			if (e->in != grow || random_next(&seed) % 16 == 0)
				toggle(&t, e);
		}
		expect_same(&t, entries, N);
		EXPECT(grow ? t.buckets > 2 * N / 3 : t.buckets < N / 3);
	}
	maru_table_destroy(&t);
	free(entries);
}

/* Equal hashes cannot be split: the chain is long and all is found. */
static void table_collide(void)
{
	enum { N = 500 };
	struct entry *entries = entries_make(N, 7, 3);
	struct maru_table t;
	u32 i;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	expect_same(&t, entries, N);
	for (i = 0; i < N; i += 2)
		toggle(&t, &entries[i]);
	expect_same(&t, entries, N);
	maru_table_destroy(&t);
	free(entries);
}

static void table_million(void)
{
	enum { N = 1000000 };
	struct entry *entries = entries_make(N, 3, U32_MAX);
	struct maru_table t;
	u32 i;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	EXPECT_EQ(t.count, N);
	EXPECT_EQ(t.buckets, N);
	/* Fill 1, partly split: 2^-100 of good hashes have a longer one. */
	EXPECT(longest_chain(&t) <= 32);
	expect_same(&t, entries, N);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	EXPECT_EQ(t.count, 0);
	EXPECT(t.buckets < N);
	maru_table_destroy(&t);
	free(entries);
}

/* An insertion never fails: without memory the chains get longer. */
static void table_no_memory(void)
{
	enum { N = 20000 };
	struct entry *entries = entries_make(N, 5, U32_MAX);
	struct maru_table t;
	u32 i;

	EXPECT_EQ(maru_table_init(&t), 0);
	alloc_fail(1, true);
	for (i = 0; i < N / 2; i++)
		toggle(&t, &entries[i]);
	EXPECT(alloc_failed());
	EXPECT_EQ(t.buckets, MARU_CHUNK_BUCKETS);
	expect_same(&t, entries, N);
	/* It catches up by one bucket an insertion. */
	for (; i < N; i++)
		toggle(&t, &entries[i]);
	EXPECT_EQ(t.buckets, MARU_CHUNK_BUCKETS + N / 2);
	expect_same(&t, entries, N);
	maru_table_destroy(&t);
	free(entries);
}

/* One allocation after the other fails, the room for chunks among them. */
static void table_some_memory(void)
{
	enum { N = 4000 };
	struct entry *entries = entries_make(N, 5, U32_MAX);
	struct maru_table t;
	u32 i;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (i = 0; i < N; i++) {
		alloc_fail(i % 3 ? 1 : 0, false);
		toggle(&t, &entries[i]);
	}
	alloc_fail(0, false);
	expect_same(&t, entries, N);
	maru_table_destroy(&t);
	free(entries);
}

static void table_init_no_memory(void)
{
	struct maru_table t;

	for (long n = 1; n <= 2; n++) {
		alloc_fail(n, false);
		EXPECT_EQ(maru_table_init(&t), -ENOMEM);
		EXPECT(alloc_failed());
		maru_table_destroy(&t);
	}
	EXPECT_EQ(maru_table_init(&t), 0);
	maru_table_destroy(&t);
}

/* While somebody walks by bucket index no bucket goes, and new ones come. */
static void table_pinned(void)
{
	enum { N = 2000 };
	struct entry *entries = entries_make(N, 11, U32_MAX);
	struct maru_table t;
	u32 i, buckets;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	buckets = t.buckets;
	t.pinned++;
	for (i = 0; i < N - 1; i++)
		toggle(&t, &entries[i]);
	EXPECT_EQ(t.buckets, buckets);
	t.pinned--;
	toggle(&t, &entries[N - 1]);
	EXPECT(t.buckets < buckets);
	expect_same(&t, entries, N);
	maru_table_destroy(&t);
	free(entries);
}

/* Chunks of buckets no longer in use are freed, but for one. */
static void table_chunks_freed(void)
{
	enum { N = 40 * MARU_CHUNK_BUCKETS };
	struct entry *entries = entries_make(N, 13, U32_MAX);
	u32 i, chunks = 0;
	struct maru_table t;

	EXPECT_EQ(maru_table_init(&t), 0);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	for (i = 0; i < N; i++)
		toggle(&t, &entries[i]);
	/* Emptied faster than it shrinks: the rest goes as it is used. */
	for (i = 0; i < 2 * N; i++)
		toggle(&t, &entries[0]);
	EXPECT_EQ(t.buckets, MARU_CHUNK_BUCKETS);
	for (i = 0; i < t.room; i++)
		chunks += !!t.chunks[i];
	EXPECT_EQ(chunks, 2);
	maru_table_destroy(&t);
	free(entries);
}

CASES(table_cases,
	{ "table-random", "random insertions and removals agree with a reference", table_random },
	{ "table-collide", "entries of equal hashes are all found", table_collide },
	{ "table-million", "a million entries: as many buckets, short chains, all found", table_million },
	{ "table-enomem", "an insertion never fails for want of memory", table_no_memory },
	{ "table-some-memory", "allocations that fail now and then lose nothing", table_some_memory },
	{ "table-init-enomem", "a new table without memory is -ENOMEM and leaks nothing",
	  table_init_no_memory },
	{ "table-pinned", "no bucket is merged under a walker", table_pinned },
	{ "table-chunks", "a table that shrank gives its buckets' memory back", table_chunks_freed });
