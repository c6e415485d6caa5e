// SPDX-License-Identifier: GPL-2.0-only
/* Rows R1 … R4, P1, P2: reserve_read and peek. R5 is in private.c. */
#include "one.h"
#include "tables.h"

CASE(r1_published)
{
	struct marul1_reserve w;
	struct marul1_read r;

	IS(reserve1(f->a, f->page, K("r1"), 321, 0, &w), OK);
	IS(commit1(f->a, K("r1"), 0, 0, 5, NULL), OK);
	IS(read1(f->b, K("r1"), 3, &r), OK);
	EXPECT_EQ(r.offset, w.offset);
	EXPECT_EQ(r.length, 321);
	EXPECT_EQ(r.id, w.id);
	EXPECT(cookie_is(5, r.cookie));
	MINE(f->b, .held = 1, .holds = 3);
	MINE(f->a);
	IS(read1(f->b, K("r1"), 2, &r), OK);
	EXPECT_EQ(r.id, w.id);
	MINE(f->b, .held = 1, .holds = 5);
	ACCOUNTS(f, .published = 1);
	IS(release_id(f->b, w.id, 5, NULL), OK);
	MINE(f->b);
}

/* What one client writes is what the other reads at the same place. */
CASE(r1_bytes)
{
	struct marul1_reserve w;
	struct marul1_read r;
	uint8_t *p;
	const uint8_t *q;

	ASSERT(map_pool(f->a) && map_pool(f->b));
	IS(reserve1(f->a, f->page, K("r1b"), PAGE, 0, &w), OK);
	p = marul1_ptr(f->a, w.offset, PAGE);
	ASSERT(p);
	for (size_t i = 0; i < PAGE; i++)
		p[i] = i * 7 + 3;
	IS(commit1(f->a, K("r1b"), 0, 0, 1, NULL), OK);
	IS(read1(f->b, K("r1b"), 1, &r), OK);
	q = marul1_ptr(f->b, r.offset, r.length);
	ASSERT(q);
	for (size_t i = 0; i < PAGE; i++)
		EXPECT_EQ(q[i], (uint8_t)(i * 7 + 3));
	IS(release_id(f->b, r.id, 1, NULL), OK);
}

/* Reading again refreshes this client's lease on the object, whole. */
CASE(r1_refreshes_lease)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t id, other;

	id = publish(f, f->a, K("r1.kept"));
	other = publish(f, f->a, K("r1.left"));
	hold(c, K("r1.left"), 1);
	for (uint64_t end = now_ms() + 2 * LEASE_MS; now_ms() < end; nap())
		EXPECT_EQ(hold(c, K("r1.kept"), 1), id);
	IS(peek1(c, K("r1.kept"), NULL), OK);
	IS(peek1(c, K("r1.left"), NULL), NOT_HELD);
	IS(release_id(c, id, 1, NULL), OK);
	IS(release_id(c, other, 1, NULL), NOT_HELD);
	EXPECT_EQ(marul1_clear(c, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASE(r2_absent)
{
	IS(read1(f->a, K("r2"), 1, NULL), NOT_FOUND);
	IS(read_strict1(f->a, K("r2"), 1, NULL), NOT_FOUND);
	publish(f, f->a, K("r2"));
	IS(read1(f->a, K("r2."), 1, NULL), NOT_FOUND);
	IS(read1(f->a, K("r"), 1, NULL), NOT_FOUND);
	IS(delete1(f->a, K("r2"), NULL), OK);
	IS(read1(f->a, K("r2"), 1, NULL), NOT_FOUND);
	IS(read1(f->b, K("r2"), 1, NULL), NOT_FOUND);
	MINE(f->a);
	ACCOUNTS(f);
}

CASE(r3_staging_it)
{
	struct marul1_reserve w;
	struct marul1_read r;
	uint64_t shared;

	IS(reserve1(f->a, f->page, K("r3"), 100, 0, &w), OK);
	IS(read1(f->a, K("r3"), 1, NULL), NOT_READABLE);
	IS(read_strict1(f->a, K("r3"), 1, NULL), NOT_READABLE);
	IS(read1(f->b, K("r3"), 1, NULL), NOT_FOUND);
	IS(read_strict1(f->b, K("r3"), 1, NULL), NOT_FOUND);

	/* An object becomes visible: its bytes are not the staged ones. */
	shared = publish(f, f->b, K("r3"));
	IS(read1(f->a, K("r3"), 1, &r), OK);
	EXPECT_EQ(r.id, shared);
	EXPECT(r.offset != w.offset);
	IS(read_strict1(f->a, K("r3"), 1, NULL), NOT_READABLE);
	IS(read_strict1(f->b, K("r3"), 1, &r), OK);
	MINE(f->a, .staged = 1, .held = 1, .holds = 1);
	IS(release_id(f->a, shared, 1, NULL), OK);
	IS(release_id(f->b, shared, 1, NULL), OK);
	IS(abort1(f->a, K("r3"), 0), OK);
	IS(read_strict1(f->a, K("r3"), 1, NULL), OK);
	IS(release_id(f->a, shared, 1, NULL), OK);
}

CASE(r3_expired_is_not_staging)
{
	struct marul1_client *c = client_leased(f, 0, SHORT_MS);
	uint64_t id = expired_write(f, c, K("r3x"));

	IS(read1(c, K("r3x"), 1, NULL), NOT_FOUND);
	IS(read_strict1(c, K("r3x"), 1, NULL), NOT_FOUND);
	IS(abort_id(c, id), OK);
}

CASE(r4_clamped)
{
	uint64_t id = publish(f, f->a, K("r4"));

	IS(read1(f->a, K("r4"), 0, NULL), OK, CLAMPED);
	MINE(f->a, .held = 1, .holds = 1);
	IS(read1(f->a, K("r4"), MARU_L1_HOLDS_MAX + 1, NULL), OK, CLAMPED);
	MINE(f->a, .held = 1, .holds = 1 + MARU_L1_HOLDS_MAX);
	IS(read1(f->a, K("r4"), UINT32_MAX, NULL), OK, CLAMPED);
	MINE(f->a, .held = 1, .holds = 1 + 2 * MARU_L1_HOLDS_MAX);
	IS(read1(f->a, K("r4"), MARU_L1_HOLDS_MAX, NULL), OK);
	MINE(f->a, .held = 1, .holds = 1 + 3 * MARU_L1_HOLDS_MAX);
	/* Several items may give back what several took. */
	IS(release_id(f->a, id, MARU_L1_HOLDS_MAX, NULL), OK);
	MINE(f->a, .held = 1, .holds = 1 + 2 * MARU_L1_HOLDS_MAX);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	MINE(f->a);
}

CASE(p1_held)
{
	struct marul1_read r, p;

	publish(f, f->a, K("p1"));
	IS(read1(f->b, K("p1"), 2, &r), OK);
	IS(peek1(f->b, K("p1"), &p), OK);
	EXPECT_EQ(p.id, r.id);
	EXPECT_EQ(p.offset, r.offset);
	EXPECT_EQ(p.length, r.length);
	EXPECT(!memcmp(p.cookie, r.cookie, sizeof(p.cookie)));
	MINE(f->b, .held = 1, .holds = 2);
	IS(release_id(f->b, r.id, 2, NULL), OK);

	/* Likewise the own private object. */
	make_private(f, f->a, K("p1p"), 1);
	IS(peek1(f->a, K("p1p"), &p), OK, PRIVATE);
	IS(release_id(f->a, p.id, 1, NULL), OK);
}

/* Looked at all the time, the hold expires all the same. */
CASE(p1_lease_untouched)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t begin;

	publish(f, f->a, K("p1l"));
	hold(c, K("p1l"), 1);
	begin = now_ms();
	EXPECT(WAIT_UNTIL(peek1(c, K("p1l"), NULL) ==
			  ANSWER(MARU_L1_NOT_HELD, 0), LEASE_MS + REAP_MS));
	EXPECT(now_ms() >= begin + LEASE_MS - 2);
}

CASE(p2_not_held)
{
	publish(f, f->a, K("p2"));
	IS(peek1(f->a, K("p2"), NULL), NOT_HELD);
	hold(f->b, K("p2"), 1);
	IS(peek1(f->a, K("p2"), NULL), NOT_HELD);
	IS(peek1(f->a, K("p2.absent"), NULL), NOT_FOUND);
	stage(f, f->a, K("p2.staged"));
	IS(peek1(f->a, K("p2.staged"), NULL), NOT_READABLE);
	IS(peek1(f->b, K("p2.staged"), NULL), NOT_FOUND);
	make_private(f, f->a, K("p2.private"), 0);
	IS(peek1(f->a, K("p2.private"), NULL), NOT_HELD);
	IS(peek1(f->b, K("p2.private"), NULL), NOT_FOUND);
	MINE(f->a, .staged = 1, .private_objects = 1);
	IS(abort1(f->a, K("p2.staged"), 0), OK);
	IS(delete1(f->a, K("p2.private"), NULL), OK);
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASES(read_cases,
	{ "R1", "a hold and the object's place, length, id, cookie",
	  r1_published },
	{ "R1", "the bytes are the writer's", r1_bytes },
	{ "R1", "reading again refreshes the lease", r1_refreshes_lease },
	{ "R2", "absent keys and keys that merely look alike", r2_absent },
	{ "R3", "a key that the client is writing, and STRICT", r3_staging_it },
	{ "R3", "an expired write is not being written",
	  r3_expired_is_not_staging },
	{ "R4", "counts out of range are clamped", r4_clamped },
	{ "P1", "peek tells the same as the hold did", p1_held },
	{ "P1", "peek leaves the lease alone", p1_lease_untouched },
	{ "P2", "not held, absent, only staged", p2_not_held },
);
