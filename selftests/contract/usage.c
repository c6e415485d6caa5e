// SPDX-License-Identifier: GPL-2.0-only
/* Rows U1, Y1: usage and layouts. */
#include "one.h"
#include "tables.h"

static void expect_space(struct fix *f, struct marul1_client *c)
{
	uint64_t total = 1, used = 1, available = 1;
	struct maru_l1_usage u = usage(c);

	marul1_space(c, &total, &used, &available);
	EXPECT_EQ(total, u.total);
	EXPECT_EQ(used, u.used);
	EXPECT_EQ(available, u.available);
	EXPECT_EQ(total, f->info.capacity);
}

/* One of everything at a time, moved from state to state. */
CASE(u1_states)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	struct marul1_client *d = client(f, 0);
	struct maru_l1_usage seen;
	uint64_t lost, closing;

	expect_space(f, f->a);
	stage(f, f->a, K("u1.staged"));
	make_private(f, f->a, K("u1.private"), 0);
	publish_held(f, f->a, K("u1.published"), 2);
	lost = expired_write(f, c, K("u1.expired"));
	EXPECT(WAIT_UNTIL(usage(c).my_unacked == 1, REAP_MS));
	ACCOUNTS(f, .staged = 1, .private_objects = 1, .published = 1,
		 .quarantined = 1);
	MINE(f->a, .staged = 1, .private_objects = 1, .held = 1, .holds = 2);
	MINE(c, .unacked = 1);
	MINE(d);
	expect_space(f, f->a);
	EXPECT_EQ(usage(f->a).max_objects, f->info.max_objects);

	IS(abort_id(c, lost), OK);
	stage(f, d, K("u1.dying"));
	hold(d, K("u1.published"), 7);
	closing = now_ms();
	client_end(f, d);
	seen = usage(f->watch);
	if (in_quarantine(f, closing))
		ACCOUNTS_OF(f, &seen, .staged = 1, .private_objects = 1,
			    .published = 1, .quarantined = 1, .orphan_pins = 1);
	EXPECT(WAIT_UNTIL(usage(f->a).quarantined == f->before.quarantined,
			  settle_ms(f)));
	EXPECT(WAIT_UNTIL(usage(f->a).orphan_pins == 0, settle_ms(f)));
	ACCOUNTS(f, .staged = 1, .private_objects = 1, .published = 1);
	expect_space(f, f->a);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
}

/* What usage calls available can be had. */
CASE_SMALL(u1_available_is_true)
{
	uint64_t block = 2 * MIB, before = usage(f->a).available;
	uint32_t id = layout(f->a, block);
	size_t n = before / block;
	struct key *k = keys(f, n + 1, "u1a");

	for (size_t i = 0; i < n; i++) {
		IS(reserve1(f->a, id, k[i], block, 0, NULL), OK);
		IS(commit1(f->a, k[i], 0, 0, 1, NULL), OK);
		EXPECT_EQ(usage(f->a).available, before - (i + 1) * block);
		expect_space(f, f->b);
	}
	EXPECT(usage(f->a).available < block);
	IS(reserve1(f->a, id, k[n], block, 0, NULL), NO_SPACE);
}

CASE(u1_stats)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, SHORT_MS);
	struct maru_l1_evict e = { .count = 1 };
	struct maru_l1_stats before = { 0 }, after = { 0 };

	EXPECT_EQ(marul1_stats(f->a, &before), 0);
	EXPECT_EQ(before.clients, 4);	/* A, B, C and the one that watches */
	stage(f, f->b, K("u1.s"));
	publish(f, f->a, K("u1.s"));
	IS(commit1(f->b, K("u1.s"), 0, 0, 1, NULL), OK, LOST_RACE);
	stage(f, c, K("u1.t"));
	hold(c, K("u1.s"), 2);
	EXPECT(WAIT_UNTIL(usage(c).my_unacked && !usage(c).my_holds,
			  SHORT_MS + REAP_MS));
	EXPECT_EQ(marul1_evict(f->a, &e), 0);
	EXPECT_EQ(marul1_stats(f->a, &after), 0);
	EXPECT_EQ(after.bytes_stored - before.bytes_stored, PAGE);
	EXPECT_EQ(after.bytes_served - before.bytes_served, PAGE);
	EXPECT_EQ(after.lost_races - before.lost_races, 1);
	EXPECT_EQ(after.expired_writes - before.expired_writes, 1);
	EXPECT_EQ(after.expired_holds - before.expired_holds, 1);
	EXPECT_EQ(after.quarantined - before.quarantined, 1);
	EXPECT_EQ(after.evicted - before.evicted, 1);
	EXPECT_EQ(after.purged - before.purged, 0);
	IS(abort1(c, K("u1.t"), 0), EXPIRED);
}

/* How often an answer of a call was given, as the counters say. */
static uint64_t counted(struct marul1_client *c, uint32_t op, uint32_t status)
{
	static struct maru_l1_counter list[MARU_L1_BATCH_MAX];
	struct maru_l1_stats s = {
		.nr_items = ARRAY_SIZE(list), .items = (uintptr_t)list,
	};

	EXPECT_EQ(marul1_stats(c, &s), 0);
	for (uint32_t i = 0; i < s.nr_items; i++) {
		EXPECT(list[i].count > 0);
		if (list[i].op == op && list[i].status == status)
			return list[i].count;
	}
	return 0;
}

CASE(u1_counters)
{
	uint32_t del = _IOC_NR(MARU_L1_DELETE);
	uint32_t read = _IOC_NR(MARU_L1_RESERVE_READ);
	uint64_t locked = counted(f->a, del, MARU_L1_LOCKED),
		 deleted = counted(f->a, del, MARU_L1_OK),
		 missed = counted(f->a, read, MARU_L1_NOT_FOUND);

	publish_held(f, f->a, K("u1.c"), 1);
	IS(delete1(f->b, K("u1.c"), NULL), LOCKED);
	IS(delete1(f->b, K("u1.c"), NULL), LOCKED);
	IS(release1(f->a, K("u1.c"), 0, 1, NULL), OK);
	IS(delete1(f->b, K("u1.c"), NULL), OK);
	IS(read1(f->b, K("u1.c"), 1, NULL), NOT_FOUND);
	EXPECT_EQ(counted(f->a, del, MARU_L1_LOCKED) - locked, 2);
	EXPECT_EQ(counted(f->a, del, MARU_L1_OK) - deleted, 1);
	EXPECT_EQ(counted(f->a, read, MARU_L1_NOT_FOUND) - missed, 1);
}

CASE(y1_same_pair)
{
	uint32_t one, two, other;

	EXPECT_EQ(marul1_layout(f->a, 12345, 128, &one), 0);
	EXPECT_EQ(marul1_layout(f->b, 12345, 128, &two), 0);
	EXPECT_EQ(one, two);
	EXPECT_EQ(marul1_layout(f->a, 12345, 256, &other), 0);
	EXPECT(other != one);
	EXPECT_EQ(marul1_layout(f->a, 12346, 128, &other), 0);
	EXPECT(other != one);
	EXPECT(MARU_L1_LAYOUTS_MAX >= 256);
}

/* Each of several pages, not only the first of a run. */
CASE(y1_alignment)
{
	enum { N = 5 };
	struct marul1_reserve r[N];
	struct key *k = keys(f, N, "y1");
	uint32_t id;

	for (uint32_t shift = 0; shift <= 21; shift++) {
		EXPECT_EQ(marul1_layout(f->a, 3 * PAGE, 1U << shift, &id), 0);
		for (size_t i = 0; i < N; i++) {
			IS(reserve1(f->a, id, k[i], 3 * PAGE, 0, &r[i]), OK);
			EXPECT_EQ(r[i].offset & ((1ULL << shift) - 1), 0);
			EXPECT_EQ(r[i].page_size, 3 * PAGE);
		}
		for (size_t i = 0; i < N; i++)
			IS(abort_id(f->a, r[i].id), OK);
	}
}

CASE(y1_malformed)
{
	uint32_t id;

	EXPECT_EQ(marul1_layout(f->a, 0, 0, &id), -EINVAL);
	EXPECT_EQ(marul1_layout(f->a, f->info.capacity + 1, 0, &id), -EINVAL);
	EXPECT_EQ(marul1_layout(f->a, UINT64_MAX, 0, &id), -EINVAL);
	EXPECT_EQ(marul1_layout(f->a, PAGE, 3, &id), -EINVAL);
	EXPECT_EQ(marul1_layout(f->a, PAGE, MARU_L1_ALIGN_MAX * 2, &id),
		  -EINVAL);
	EXPECT_EQ(marul1_layout(f->a, PAGE, UINT32_MAX, &id), -EINVAL);
}

/* The last case of the small pool that needs a new layout there. */
CASE_SMALL(y1_limit)
{
	struct maru_l1_info info;
	uint32_t id;
	int err = 0;

	for (uint64_t i = 1; !err && i <= MARU_L1_LAYOUTS_MAX + 1; i++)
		err = marul1_layout(f->a, i * 64 + 1, 1, &id);
	EXPECT_EQ(err, -ENOSPC);
	EXPECT_EQ(marul1_info(f->a, &info), 0);
	EXPECT_EQ(info.nr_layouts, MARU_L1_LAYOUTS_MAX);
	/* The known ones still answer. */
	EXPECT_EQ(layout(f->b, PAGE), f->page);
}

CASES(usage_cases,
	{ "U1", "each state in its account, and the status page agrees",
	  u1_states },
	{ "U1", "what is available can be had", u1_available_is_true },
	{ "U1", "what happened is counted", u1_stats },
	{ "U1", "each answer is counted", u1_counters },
	{ "Y1", "the same pair has the same id", y1_same_pair },
	{ "Y1", "extents are aligned as asked", y1_alignment },
	{ "Y1", "malformed sizes and alignments", y1_malformed },
);

CASES(layout_cases,
	{ "Y1", "the limit of layouts", y1_limit },
);
