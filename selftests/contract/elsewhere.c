// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows H1 … H14: what went wrong for users elsewhere. The finer points of each
 * are in the rows that it rests on; here it is told from end to end.
 */
#include "one.h"
#include "tables.h"

static bool all_gone(struct fix *f)
{
	struct maru_l1_usage u = usage(f->watch);

	return u.quarantined == f->before.quarantined && !u.orphan_pins;
}

CASE(h1_pins_of_the_dead)
{
	struct marul1_client *c = client(f, 0);

	publish(f, f->a, K("h1"));
	hold(c, K("h1"), MARU_L1_HOLDS_MAX);
	client_end(f, c);
	EXPECT(WAIT_UNTIL(delete1(f->a, K("h1"), NULL) ==
			  ANSWER(MARU_L1_OK, 0), settle_ms(f)));
}

CASE_SMALL(h2_pages_of_the_dead)
{
	uint32_t mib = layout(f->a, MIB);
	size_t n = f->info.max_client_bytes / MIB;
	struct key *k = keys(f, n, "h2");

	/* Again and again most of the pool is reserved and left behind. */
	for (unsigned int round = 0; round < 4; round++) {
		struct marul1_client *c = client(f, 0);

		for (size_t i = 0; i < n; i++)
			IS(reserve1(c, mib, k[i], MIB, 0, NULL), OK);
		client_end(f, c);
		EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
		EXPECT_EQ(usage(f->a).used, f->before.used);
	}
}

CASE(h3_writes_of_the_dead)
{
	struct marul1_client *c = client(f, 0);

	stage(f, c, K("h3"));
	client_end(f, c);
	/* Nobody has to wait for it, not even for the quarantine. */
	IS(read1(f->a, K("h3"), 1, NULL), NOT_FOUND);
	publish(f, f->a, K("h3"));
	IS(delete1(f->b, K("h3"), NULL), OK);
}

/* The lease is over, the device still writes: the page is nobody else's. */
CASE_SMALL(h4_slow_dma)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	size_t n = f->info.max_objects - f->before.extents;
	struct key *k = keys(f, n, "h4");
	struct marul1_reserve slow, r;
	uint8_t *p;

	ASSERT(map_pool(c) && map_pool(f->a));
	IS(reserve1(c, f->page, K("h4"), PAGE, 0, &slow), OK);
	pass(SHORT_MS + f->info.quarantine_ms);
	/* All the room there is goes to somebody else. */
	for (size_t i = 0; i < n - 1; i++) {
		IS(reserve1(f->a, f->page, k[i], PAGE, 0, &r), OK);
		EXPECT(r.offset != slow.offset);
	}
	IS(reserve1(f->a, f->page, k[n - 1], PAGE, 0, &r), NO_SPACE);
	p = marul1_ptr(c, slow.offset, PAGE);
	ASSERT(p);
	memset(p, 0xee, PAGE);
	IS(commit1(c, K("h4"), 0, 0, 1, NULL), EXPIRED);
	IS(abort_id(c, slow.id), OK);
	IS(reserve1(f->a, f->page, k[n - 1], PAGE, 0, &r), OK);
	for (size_t i = 0; i < n; i++)
		IS(abort1(f->a, k[i], 0), OK);
}

CASE(h5_late_release)
{
	struct marul1_client *late = client_leased(f, SHORT_MS, 10000);
	uint64_t id = publish(f, f->a, K("h5"));

	hold(late, K("h5"), 2);
	pass(SHORT_MS);
	hold(f->b, K("h5"), 2);
	IS(release_id(late, id, 2, NULL), NOT_HELD);
	MINE(f->b, .held = 1, .holds = 2);
	IS(delete1(f->a, K("h5"), NULL), LOCKED);
	/* Nor does one holder's refresh reset the counts of another. */
	hold(f->a, K("h5"), 1);
	IS(renew_id(f->a, id), OK);
	MINE(f->b, .held = 1, .holds = 2);
	IS(release_id(f->a, id, 1, NULL), OK);
	IS(release_id(f->b, id, 2, NULL), OK);
	IS(delete1(f->a, K("h5"), NULL), OK);
}

CASE(h6_refused_or_absent)
{
	publish_held(f, f->a, K("h6"), 1);
	IS(delete1(f->b, K("h6"), NULL), LOCKED);
	IS(delete1(f->b, K("h6.no"), NULL), NOT_FOUND);
	IS(release1(f->a, K("h6"), 0, 1, NULL), OK);
	IS(delete1(f->b, K("h6"), NULL), OK);
	IS(delete1(f->b, K("h6"), NULL), NOT_FOUND);
}

CASE(h7_evicted_by_a_peer)
{
	static uint64_t buffer[512];
	const struct maru_l1_event *e = (const void *)buffer;
	struct maru_l1_evict evict = { .count = 1 };
	uint64_t id = publish(f, f->a, K("h7"));

	EXPECT_EQ(marul1_subscribe(f->a, MARU_L1_EV_MASK(MARU_L1_EV_DELETED),
				   MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_evict(f->b, &evict), 0);
	ASSERT(marul1_read_events(f->a, buffer, sizeof(buffer), 1000) > 0);
	EXPECT_EQ(e->kind, MARU_L1_EV_DELETED);
	EXPECT_EQ(e->id, id);
	EXPECT(e->key_len == 2 && !memcmp(e->key, "h7", 2));
}

CASE(h8_deleted_by_another)
{
	uint64_t most = f->info.capacity / 8 * 5;
	uint32_t big = layout(f->a, most);

	/* The page returns, whoever deletes and whether its writer lives. */
	for (unsigned int i = 0; i < 4; i++) {
		struct marul1_client *writer = client(f, 0);

		IS(reserve1(writer, big, K("h8"), most, 0, NULL), OK);
		IS(commit1(writer, K("h8"), 0, 0, 1, NULL), OK);
		if (i % 2)
			client_end(f, writer);
		IS(delete1(f->b, K("h8"), NULL), OK);
		ACCOUNTS(f);
	}
}

CASE(h9_hits_behind_a_miss)
{
	enum { N = 128 };
	struct key *k = keys(f, N, "h9");
	struct marul1_read *r = ALLOC(f, N, struct marul1_read);

	for (size_t i = 0; i < N; i++) {
		if (i % 3)
			publish(f, f->a, k[i]);
		r[i] = (struct marul1_read){ .key = k[i].bytes,
			.key_len = k[i].len, .holds = 1 };
	}
	EXPECT_EQ(marul1_reserve_read(f->b, 0, r, N), 0);
	for (size_t i = 0; i < N; i++)
		EXPECT_EQ(r[i].status, i % 3 ? MARU_L1_OK : MARU_L1_NOT_FOUND);
	EXPECT_EQ(usage(f->b).my_held, N - (N + 2) / 3);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

/* A load that failed: nobody sees it for a moment. */
CASE(h11_failed_load)
{
	EXPECT_EQ(marul1_subscribe(f->b, MARU_L1_EV_MASK(MARU_L1_EV_DELETED),
				   MARU_L1_EVENTS_MIN, 0), 0);
	stage(f, f->a, K("h11"));
	IS(abort1(f->a, K("h11"), 0), OK);
	IS(read1(f->b, K("h11"), 1, NULL), NOT_FOUND);
	EXPECT_EQ(marul1_events_queued(f->b), 0);
	EXPECT_EQ(state_of(f->a, K("h11")), MARU_L1_S_ABSENT);
}

/* Writers that die one after the other leave no locked object behind. */
CASE_SMALL(h12_leaked_write_locks)
{
	enum { PER_CLIENT = 60 };
	struct key *k = keys(f, PER_CLIENT, "h12");

	for (unsigned int i = 0; i < 20; i++) {
		struct marul1_client *c = client(f, 0);

		for (size_t j = 0; j < PER_CLIENT; j++)
			IS(reserve1(c, f->page, k[j], PAGE, 0, NULL), OK);
		client_end(f, c);
		EXPECT(WAIT_UNTIL(usage(f->a).quarantined -
				  f->before.quarantined <= 4 * PER_CLIENT * PAGE,
				  settle_ms(f)));
		/* And the keys can be stored by others all the while. */
		publish(f, f->a, k[i]);
		IS(delete1(f->b, k[i], NULL), OK);
	}
}

CASE(h13_odd_page_size)
{
	struct marul1_reserve r[3];
	uint32_t id = layout(f->a, 17989632), other = layout(f->a, 10485760);

	IS(reserve1(f->a, id, K("h13.0"), 17989632, 0, &r[0]), OK);
	IS(reserve1(f->a, other, K("h13.1"), 10485760, 0, &r[1]), OK);
	IS(reserve1(f->a, id, K("h13.2"), 17989632, 0, &r[2]), OK);
	EXPECT_EQ(r[0].page_size, 17989632);
	EXPECT_EQ(r[1].page_size, 10485760);
	EXPECT(r[2].offset >= r[0].offset + 17989632 ||
	       r[0].offset >= r[2].offset + 17989632);
	IS(abort_id(f->a, r[0].id), OK);
	IS(abort_id(f->a, r[1].id), OK);
	IS(abort_id(f->a, r[2].id), OK);
}

/* Drivers fail to register 512 GiB at once: the mapping comes in pieces. */
CASE(h14_ranges)
{
	const uint64_t maxima[] = { 0, 64ULL << 30, f->info.capacity / 3,
				    16 * MIB };
	void *base, *addr;
	uint64_t length, piece;

	EXPECT_EQ(marul1_map(f->a, 0, &base, &length), 0);
	EXPECT(length >= f->info.capacity);
	for (size_t i = 0; i < ARRAY_SIZE(maxima); i++) {
		uint64_t max = maxima[i] ? maxima[i] : 64ULL << 30, sum = 0;
		size_t n = 0;

		while (!marul1_range(f->a, maxima[i], n, &addr, &piece)) {
			EXPECT(piece > 0 && piece <= max);
			EXPECT(addr == (char *)base + sum);
			EXPECT_EQ((uintptr_t)addr % f->info.map_align, 0);
			sum += piece;
			n++;
		}
		EXPECT_EQ(marul1_range(f->a, maxima[i], n, &addr, &piece),
			  -ENOENT);
		EXPECT_EQ(sum, f->info.capacity);
	}
}

CASES(elsewhere_cases,
	{ "H1", "a dead client's pins do not block for ever",
	  h1_pins_of_the_dead },
	{ "H2", "a dead client's pages come back", h2_pages_of_the_dead },
	{ "H3", "a dead client's write is in nobody's way",
	  h3_writes_of_the_dead },
	{ "H4", "a slow DMA never writes into another's page", h4_slow_dma },
	{ "H5", "late releases and refreshes touch no one else",
	  h5_late_release },
	{ "H6", "refused and absent are told apart", h6_refused_or_absent },
	{ "H7", "an object evicted by a peer is told", h7_evicted_by_a_peer },
	{ "H8", "a page deleted by another returns", h8_deleted_by_another },
	{ "H9", "hits behind a miss are found", h9_hits_behind_a_miss },
	{ "H11", "a failed load is never seen", h11_failed_load },
	{ "H12", "dying writers lock nothing", h12_leaked_write_locks },
	{ "H13", "page sizes that are no multiple of 2 MiB",
	  h13_odd_page_size },
	{ "H14", "the mapping in pieces for drivers", h14_ranges },
);
