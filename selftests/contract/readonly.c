// SPDX-License-Identifier: GPL-2.0-only
/* Row B1: what a client that was opened read-only may do. */
#include "one.h"
#include "tables.h"

CASE(b1_may_read)
{
	struct marul1_client *r = client(f, MARUL1_RDONLY);
	struct maru_l1_evict e = {
		.flags = MARU_L1_EVICT_DRY_RUN, .count = 1,
	};
	struct maru_l1_info info;
	struct marul1_read got;
	uint64_t id = publish(f, f->a, K("b1"));
	const uint8_t *p;

	IS(read1(r, K("b1"), 2, &got), OK);
	EXPECT_EQ(got.id, id);
	IS(peek1(r, K("b1"), NULL), OK);
	IS(renew1(r, K("b1"), id), OK);
	IS(touch1(r, K("b1")), OK);
	EXPECT_EQ(state_of(r, K("b1")), MARU_L1_S_PUBLISHED);
	MINE(r, .held = 1, .holds = 2);
	IS(delete1(f->a, K("b1"), NULL), LOCKED);
	ASSERT(map_pool(r));
	p = marul1_ptr(r, got.offset, got.length);
	ASSERT(p);
	EXPECT_EQ(((volatile const uint8_t *)p)[0],
		  ((volatile const uint8_t *)p)[0]);
	IS(release_id(r, id, 2, NULL), OK);
	EXPECT_EQ(marul1_evict(r, &e), 0);
	EXPECT_EQ(e.evicted, 1);
	EXPECT_EQ(marul1_clear(r, MARU_L1_CLEAR_FORCE, NULL), 0);
	EXPECT_EQ(marul1_set_leases(r, 1000, 1000), 0);
	EXPECT_EQ(marul1_subscribe(r, MARU_L1_EV_ALL, MARU_L1_EVENTS_MIN, 900),
		  0);
	EXPECT_EQ(marul1_info(r, &info), 0);
	EXPECT(info.flags & MARU_L1_I_READ_ONLY);
	EXPECT(!(f->info.flags & MARU_L1_I_READ_ONLY));
	ACCOUNTS(f, .published = 1);
}

CASE(b1_may_not_write)
{
	struct marul1_client *r = client(f, MARUL1_RDONLY);
	struct maru_l1_evict e = { .count = 1 };
	struct maru_l1_report_bad bad;
	struct maru_l1_purge purge;
	uint32_t id;

	publish(f, f->a, K("b1w"));
	stage(f, f->a, K("b1s"));
	FAILS(reserve1(r, f->page, K("b1x"), PAGE, 0, NULL), EACCES);
	FAILS(commit1(r, K("b1s"), 0, 0, 1, NULL), EACCES);
	FAILS(abort1(r, K("b1s"), 0), EACCES);
	FAILS(delete1(r, K("b1w"), NULL), EACCES);
	FAILS(delete_force1(r, K("b1w"), NULL), EACCES);
	EXPECT_EQ(marul1_evict(r, &e), -EACCES);
	EXPECT_EQ(marul1_purge(r, &purge), -EACCES);
	EXPECT_EQ(marul1_report_bad(r, 0, &bad), -EACCES);
	EXPECT_EQ(marul1_layout(r, PAGE, 0, &id), -EACCES);
	ACCOUNTS(f, .published = 1, .staged = 1);
	IS(abort1(f->a, K("b1s"), 0), OK);
}

/* Its holds are holds like any other when it closes. */
CASE(b1_close)
{
	struct marul1_client *r = client(f, MARUL1_RDONLY);

	publish(f, f->a, K("b1c"));
	hold(r, K("b1c"), 3);
	client_end(f, r);
	EXPECT(WAIT_UNTIL(delete1(f->a, K("b1c"), NULL) ==
			  ANSWER(MARU_L1_OK, 0), settle_ms(f)));
	ACCOUNTS(f);
}

CASES(readonly_cases,
	{ "B1", "a read-only client may look up, hold, map", b1_may_read },
	{ "B1", "and change nothing", b1_may_not_write },
	{ "B1", "its holds end like all others", b1_close },
);
