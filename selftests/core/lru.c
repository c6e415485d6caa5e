// SPDX-License-Identifier: GPL-2.0-only
/* What counts as use, and what an eviction takes. */

#include "fixture.h"

static const char *const keys[] = { "a", "b", "c", "d", "e" };

static void publish_all(struct fixture *f)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		f->now += MS;
		publish(A, keys[i]);
	}
	f->now += MS;
}

static struct maru_l1_evict evict(struct user *u, struct maru_l1_evict how,
				  struct maru_l1_victim *victims, void *room)
{
	union maru_call_arg arg = { .evict = how };

	EXPECT_EQ(call_single(u, MARU_L1_EVICT, &arg, victims, room), 0);
	return arg.evict;
}

/* The keys still there, in the order of the LRU. */
static void expect_order(struct fixture *f, const char *want)
{
	struct maru_object *object;
	char got[16];
	size_t n = 0;

	list_for_each_entry(object, &f->pool->lru, link)
		got[n++] = object->key[0];
	got[n] = '\0';
	if (strcmp(got, want))
		TAP_FAIL("the LRU is %s, expected %s", got, want);
}

/* E2: reserve_read, commit and touch are use; query, peek and release are not. */
CASE(lru_use)
{
	publish_all(f);
	expect_order(f, "abcde");
	hold(B, "b", 1);
	hold(B, "c", 1);
	expect_order(f, "adebc");
	f->now += MS;
	query(B, "a");
	EXPECT_STATUS(peek(B, "b").status, OK);
	EXPECT_STATUS(peek(B, "a").status, NOT_HELD);
	EXPECT_STATUS(renew(B, "b", 0), OK);
	EXPECT_STATUS(release(B, "b", 0, 1).status, OK);
	EXPECT_STATUS(reserve(B, f->page, "a", 0, 0).status, NOT_WRITABLE);
	expect_order(f, "adebc");
	EXPECT_STATUS(touch(B, "a"), OK);
	EXPECT_STATUS(touch(B, "nothing"), OK);
	expect_order(f, "debca");
}

/* A commit that lost is use of the winner (C2). */
CASE(lru_lost_race)
{
	EXPECT_STATUS(reserve(B, f->page, "a", 0, 0).status, OK);
	publish_all(f);
	EXPECT_EQ(commit(B, "a", 0, 0).result, MARU_L1_R_LOST_RACE);
	expect_order(f, "bcdea");
}

/* The least recently used go first; held ones are skipped and counted. */
CASE(evict_count)
{
	struct maru_l1_evict e;

	publish_all(f);
	hold(B, "a", 1);
	touch(A, "b");
	expect_order(f, "cdeab");
	hold(B, "c", 1);
	expect_order(f, "deabc");
	release(B, "a", 0, 1);
	e = evict(A, (struct maru_l1_evict){ .count = 2 }, NULL, NULL);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.evicted_bytes, 2 * PAGE);
	expect_order(f, "abc");
	e = evict(A, (struct maru_l1_evict){ .count = 9 }, NULL, NULL);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.skipped, 1);
	EXPECT_EQ(e.more, 0);
	expect_order(f, "c");
	EXPECT_EQ(f->pool->counts.removed[MARU_L1_C_EVICT_COUNT].count, 4);
}

/* Bytes are met by whole objects: the first that reaches it is the last. */
CASE(evict_bytes)
{
	struct maru_l1_evict e;

	publish_all(f);
	e = evict(A, (struct maru_l1_evict){ .bytes = PAGE }, NULL, NULL);
	EXPECT_EQ(e.evicted, 1);
	e = evict(A, (struct maru_l1_evict){ .bytes = PAGE + 1 }, NULL, NULL);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.evicted_bytes, 2 * PAGE);
	expect_order(f, "de");
}

/* Down to a fill, and not below. */
CASE(evict_target, .bytes = 20 * MIB)
{
	struct maru_l1_evict e = { .flags = MARU_L1_EVICT_TARGET,
				   .target_permille = 200 };
	u32 mib2 = layout(A, 2 * MIB, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		reserve(A, mib2, keys[i], 0, 0);
		commit(A, keys[i], 0, 0);
	}
	EXPECT_EQ(evict(A, e, NULL, NULL).evicted, 3);
	EXPECT_EQ(usage(A).used, 4 * MIB);
	EXPECT_EQ(evict(A, e, NULL, NULL).evicted, 0);
	e.target_permille = 0;
	EXPECT_EQ(evict(A, e, NULL, NULL).evicted, 2);
}

/* A dry run lists the same victims and leaves them. */
CASE(evict_dry)
{
	struct maru_l1_victim v[8] = {};
	struct maru_l1_evict e;
	char room[8 * MARU_L1_KEY_MAX];
	u64 id;

	publish_all(f);
	id = query(A, "a").id;
	e = evict(A, (struct maru_l1_evict){
			.flags = MARU_L1_EVICT_DRY_RUN, .count = 2,
			.nr_items = 8, .keys_len = sizeof(room) }, v, room);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.nr_items, 2);
	EXPECT_EQ(v[0].id, id);
	EXPECT_EQ(v[1].key_len, 1);
	EXPECT_EQ(room[v[1].key_off], 'b');
	expect_order(f, "abcde");
	EXPECT_EQ(f->pool->counts.removed[MARU_L1_C_EVICT_COUNT].count, 0);
}

/* A list that is full stops the eviction, so that none goes unlisted. */
CASE(evict_list_full)
{
	struct maru_l1_victim v[2] = {};
	struct maru_l1_evict e = { .count = 5, .nr_items = 2,
				   .keys_len = 2 * MARU_L1_KEY_MAX };
	char room[2 * MARU_L1_KEY_MAX];

	publish_all(f);
	e = evict(A, e, v, room);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.more, 1);
	expect_order(f, "cde");
	/* Room for one more key at most. */
	e = evict(A, (struct maru_l1_evict){ .count = 5, .nr_items = 2,
					     .keys_len = MARU_L1_KEY_MAX },
		  v, room);
	EXPECT_EQ(e.evicted, 1);
	EXPECT_EQ(e.more, 1);
	expect_order(f, "de");
	e = evict(A, (struct maru_l1_evict){ .count = 2, .nr_items = 2,
					     .keys_len = 2 * MARU_L1_KEY_MAX },
		  v, room);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.more, 0);
}

/* Thousands of held ones are passed over in slices without giving up (E1). */
CASE(evict_slices)
{
	enum { N = 3 * MARU_SLICE };
	char key[16];
	u32 i;

	for (i = 0; i < N; i++) {
		snprintf(key, sizeof(key), "%u", i);
		publish(A, key);
		hold(B, key, 1);
	}
	publish(A, "idle");
	EXPECT_EQ(evict(A, (struct maru_l1_evict){ .count = 1 }, NULL, NULL).evicted, 1);
	EXPECT_STATUS(query(A, "idle").status, OK);
	EXPECT_EQ(query(A, "idle").state, MARU_L1_S_ABSENT);
	EXPECT_EQ(usage(A).objects, N);
}

/* Purge takes all that nobody holds, across the buckets of a big table. */
CASE(purge_all)
{
	enum { N = 2 * MARU_SLICE };
	union maru_call_arg arg = { 0 };
	char key[16];
	u32 i;

	for (i = 0; i < N; i++) {
		snprintf(key, sizeof(key), "%u", i);
		publish(A, key);
		if (i % 2)
			hold(B, key, 1);
	}
	EXPECT_EQ(call_single(A, MARU_L1_PURGE, &arg, NULL, NULL), 0);
	EXPECT_EQ(arg.purge.deleted, N / 2);
	EXPECT_EQ(arg.purge.locked, N / 2);
	EXPECT_EQ(usage(A).objects, N / 2);
	EXPECT_EQ(f->pool->directory.pinned, 0);
	EXPECT_EQ(f->pool->counts.removed[MARU_L1_C_PURGED].count, N / 2);
}

/* A caller that waited long for the lock has an old time; the list has an end. */
CASE(evict_late_clock)
{
	struct maru_l1_evict e;
	u64 now = f->now;

	publish_all(f);
	f->now = now;
	EXPECT_STATUS(touch(B, "c"), OK);
	e = evict(A, (struct maru_l1_evict){ .count = 5 }, NULL, NULL);
	EXPECT_EQ(e.evicted, 5);
	EXPECT_EQ(usage(A).objects, 0);
}

CASES(lru_cases,
	{ "E2", "reads, commits and touches are use; looks are not", lru_use },
	{ "E2-lost-race", "a commit that lost is use of the winner", lru_lost_race },
	{ "E1-count", "the least recently used go first, held ones are skipped", evict_count },
	{ "E1-bytes", "bytes are met by whole objects, no more than needed", evict_bytes },
	{ "E1-target", "down to a fill and not below", evict_target },
	{ "E1-dry", "a dry run lists its victims and leaves them", evict_dry },
	{ "E1-list", "a full list stops the eviction", evict_list_full },
	{ "E1-slices", "thousands of held objects are passed over", evict_slices },
	{ "E1-clock", "times that were taken before a wait spoil nothing", evict_late_clock },
	{ "L2", "purge takes all that nobody holds", purge_all });
