// SPDX-License-Identifier: GPL-2.0-only
/* Row E1: evict. The order of use is in recency.c. */
#include "one.h"
#include "tables.h"

enum { N = 10 };

static struct maru_l1_victim victims[MARU_L1_BATCH_MAX];
static char victim_keys[MARU_L1_BATCH_MAX * 32];

/* Asks for a list of at most @room. */
static void list_in(struct maru_l1_evict *e, uint32_t room)
{
	memset(victims, 0xcc, sizeof(victims));
	e->nr_items = room;
	e->items = (uintptr_t)victims;
	e->keys = (uintptr_t)victim_keys;
	e->keys_len = sizeof(victim_keys);
}

static bool victim_is(size_t i, struct key k, uint64_t id)
{
	const struct maru_l1_victim *v = &victims[i];

	return v->id == id && v->length == PAGE && v->key_len == k.len &&
	       v->key_off + v->key_len <= sizeof(victim_keys) &&
	       !memcmp(victim_keys + v->key_off, k.bytes, k.len);
}

static void publish_all(struct fix *f, const struct key *k, uint64_t *ids)
{
	for (size_t i = 0; i < N; i++)
		ids[i] = publish(f, f->a, k[i]);
}

/* That @k[@from] … are there and those before are not. */
static void expect_from(struct fix *f, const struct key *k, size_t from)
{
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(state_of(f->b, k[i]), i < from ? MARU_L1_S_ABSENT :
			  MARU_L1_S_PUBLISHED);
	ACCOUNTS(f, .published = N - from);
}

CASE(e1_count)
{
	struct maru_l1_evict e = { .count = 3 };
	struct key *k = keys(f, N, "e1c");
	uint64_t ids[N];

	publish_all(f, k, ids);
	list_in(&e, N);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 3);
	EXPECT_EQ(e.evicted_bytes, 3 * PAGE);
	EXPECT_EQ(e.skipped, 0);
	EXPECT_EQ(e.more, 0);
	EXPECT_EQ(e.nr_items, 3);
	for (size_t i = 0; i < 3; i++)
		EXPECT(victim_is(i, k[i], ids[i]));
	expect_from(f, k, 3);

	/* More than there are is no error. */
	e = (struct maru_l1_evict){ .count = 100 };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, N - 3);
	EXPECT_EQ(e.nr_items, 0);
	expect_from(f, k, N);
	e = (struct maru_l1_evict){ .count = 1 };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 0);
	EXPECT_EQ(e.evicted_bytes, 0);
}

CASE(e1_bytes)
{
	struct maru_l1_evict e = { .bytes = 2 * PAGE + 1 };
	struct key *k = keys(f, N, "e1b");
	uint64_t ids[N];

	publish_all(f, k, ids);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 3);
	EXPECT_EQ(e.evicted_bytes, 3 * PAGE);
	expect_from(f, k, 3);
	e = (struct maru_l1_evict){ .bytes = PAGE };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 1);
	expect_from(f, k, 4);
	e = (struct maru_l1_evict){ .bytes = UINT64_MAX };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, N - 4);
	EXPECT_EQ(e.evicted_bytes, (N - 4) * PAGE);
	expect_from(f, k, N);
}

/* What becomes free is the page, however short the object in it. */
CASE(e1_short_objects)
{
	struct maru_l1_evict e = { .bytes = 2 * PAGE };
	struct key *k = keys(f, N, "e1o");

	for (size_t i = 0; i < N; i++) {
		IS(reserve1(f->a, f->page, k[i], 1 + i, 0, NULL), OK);
		IS(commit1(f->a, k[i], 0, 0, 1, NULL), OK);
	}
	list_in(&e, N);
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.evicted_bytes, 2 * PAGE);
	EXPECT_EQ(victims[0].length, 1);
	EXPECT_EQ(victims[1].length, 2);
	expect_from(f, k, 2);
}

CASE_SMALL(e1_target)
{
	struct maru_l1_evict e = {
		.flags = MARU_L1_EVICT_TARGET, .target_permille = 500,
	};
	uint32_t mib = layout(f->a, MIB);
	size_t n = f->info.capacity / MIB * 3 / 4;
	struct key *k = keys(f, n, "e1t");
	uint64_t total = f->info.capacity, used;

	for (size_t i = 0; i < n; i++) {
		IS(reserve1(f->a, mib, k[i], MIB, 0, NULL), OK);
		IS(commit1(f->a, k[i], 0, 0, 1, NULL), OK);
	}
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	used = usage(f->a).used;
	EXPECT(e.evicted > 0);
	EXPECT_EQ(used, f->before.used + (n - e.evicted) * MIB);
	/* Down to it, and not one object further. */
	EXPECT(used * 1000 <= total * 500);
	EXPECT((used + MIB) * 1000 > total * 500);
	/* There already. */
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	EXPECT_EQ(e.evicted, 0);
	e.target_permille = 0;
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	EXPECT_EQ(usage(f->a).published, f->before.published);
	EXPECT_EQ(usage(f->a).used, f->before.used);
}

CASE(e1_dry_run)
{
	struct maru_l1_evict e = {
		.flags = MARU_L1_EVICT_DRY_RUN, .count = 4,
	};
	struct key *k = keys(f, N, "e1d");
	uint64_t ids[N];

	publish_all(f, k, ids);
	hold(f->a, k[1], 1);
	list_in(&e, N);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 4);
	EXPECT_EQ(e.evicted_bytes, 4 * PAGE);
	EXPECT_EQ(e.nr_items, 4);
	expect_from(f, k, 0);
	EXPECT_EQ(usage(f->a).used, f->before.used + N * PAGE);
	/* What it would take is what it takes. */
	EXPECT(victim_is(0, k[0], ids[0]));
	for (size_t i = 1; i < 4; i++)
		EXPECT(victim_is(i, k[i + 1], ids[i + 1]));
	e = (struct maru_l1_evict){ .count = 4 };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 4);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(state_of(f->a, k[i]), i == 1 || i > 4 ?
			  MARU_L1_S_PUBLISHED : MARU_L1_S_ABSENT);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
}

/* Held ones are passed over, and it goes on behind them. */
CASE(e1_skips_locked)
{
	struct maru_l1_evict e = { .count = 3 };
	struct key *k = keys(f, N, "e1s");
	uint64_t ids[N];

	publish_all(f, k, ids);
	for (size_t i = 0; i < 5; i++)
		hold(i % 2 ? f->a : f->b, k[i], 1);
	/* A hold is a use as well: make the locked ones the oldest again. */
	for (size_t i = 5; i < N; i++)
		IS(touch1(f->a, k[i]), OK);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 3);
	EXPECT_EQ(e.skipped, 5);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(state_of(f->a, k[i]), i < 5 || i > 7 ?
			  MARU_L1_S_PUBLISHED : MARU_L1_S_ABSENT);
	e = (struct maru_l1_evict){ .count = 10 };
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 2);
	ACCOUNTS(f, .published = 5);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASE(e1_list_is_full)
{
	struct maru_l1_evict e = { .count = 5 };
	struct key *k = keys(f, N, "e1l");
	uint64_t ids[N];

	publish_all(f, k, ids);
	list_in(&e, 2);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.nr_items, 2);
	EXPECT_EQ(e.evicted, 2);
	EXPECT_EQ(e.more, 1);
	/* Nothing goes without having been told. */
	expect_from(f, k, 2);
	e.count = 3;
	list_in(&e, 3);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EXPECT_EQ(e.evicted, 3);
	EXPECT_EQ(e.more, 0);
	for (size_t i = 0; i < 3; i++)
		EXPECT(victim_is(i, k[2 + i], ids[2 + i]));
	expect_from(f, k, 5);
}

CASE(e1_malformed)
{
	struct maru_l1_evict bad[] = {
		{ .count = 0 },
		{ .count = 1, .bytes = 1 },
		{ .count = 1, .flags = MARU_L1_EVICT_TARGET },
		{ .flags = MARU_L1_EVICT_TARGET, .target_permille = 1001 },
		{ .target_permille = 500 },
		{ .count = 1, .flags = 1U << 31 },
		{ .count = 1, .nr_items = 1, .items = (uintptr_t)victims,
		  .keys = (uintptr_t)victim_keys,
		  .keys_len = MARU_L1_KEY_MAX - 1 },
	};

	publish(f, f->a, K("e1m"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		EXPECT_EQ(marul1_evict(f->a, &bad[i]), -EINVAL);
	ACCOUNTS(f, .published = 1);
}

/* Staging, private objects and quarantine are no victims. */
CASE(e1_only_published)
{
	struct maru_l1_evict e = {
		.flags = MARU_L1_EVICT_TARGET, .target_permille = 0,
	};

	publish(f, f->a, K("e1o.gone"));
	stage(f, f->a, K("e1o.staged"));
	make_private(f, f->a, K("e1o.private"), 0);
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	EXPECT_EQ(e.evicted, 1);
	ACCOUNTS(f, .staged = 1, .private_objects = 1);
	IS(abort1(f->a, K("e1o.staged"), 0), OK);
	IS(delete1(f->a, K("e1o.private"), NULL), OK);
}

CASES(evict_cases,
	{ "E1", "a number of objects, listed", e1_count },
	{ "E1", "a number of bytes", e1_bytes },
	{ "E1", "pages become free, not lengths", e1_short_objects },
	{ "E1", "down to a fill", e1_target },
	{ "E1", "a dry run tells and takes nothing", e1_dry_run },
	{ "E1", "locked ones are skipped without giving up", e1_skips_locked },
	{ "E1", "a list that is full ends it", e1_list_is_full },
	{ "E1", "malformed goals", e1_malformed },
	{ "E1", "only published objects", e1_only_published },
);
