// SPDX-License-Identifier: GPL-2.0-only
/* Row Q1: query. */
#include "one.h"
#include "tables.h"

static void expect_query_at(int line, struct marul1_client *c, struct key k,
			    const struct marul1_query *want)
{
	struct marul1_query q;

	IS(query1(c, k, &q), OK);
	if (q.state != want->state || q.flags != want->flags ||
	    q.my_holds != want->my_holds || q.holders != want->holders ||
	    q.length != want->length || q.id != want->id)
		TAP_FAIL("line %d: state %u flags %#x my_holds %u holders %u length %llu id %#llx",
			 line, q.state, q.flags, q.my_holds, q.holders,
			 (unsigned long long)q.length,
			 (unsigned long long)q.id);
}

#define QUERY(c, k, ...)						\
	expect_query_at(__LINE__, c, k,					\
			&(struct marul1_query){ __VA_ARGS__ })

CASE(q1_absent)
{
	QUERY(f->a, K("q1"), .state = MARU_L1_S_ABSENT);
	publish(f, f->a, K("q1"));
	IS(delete1(f->a, K("q1"), NULL), OK);
	QUERY(f->a, K("q1"), .state = MARU_L1_S_ABSENT);
	IS(query1(f->a, (struct key){ "", 0 }, NULL), INVALID);
}

CASE(q1_staged)
{
	struct marul1_reserve r;

	IS(reserve1(f->a, f->page, K("q1s"), 700, 3, &r), OK);
	QUERY(f->a, K("q1s"), .state = MARU_L1_S_STAGED,
	      .flags = MARU_L1_Q_STAGED_HERE, .length = 700, .id = r.id);
	QUERY(f->b, K("q1s"), .state = MARU_L1_S_ABSENT);
	IS(abort_id(f->a, r.id), OK);
	QUERY(f->a, K("q1s"), .state = MARU_L1_S_ABSENT);
}

CASE(q1_published)
{
	uint64_t id, own;

	own = stage(f, f->b, K("q1p"));
	id = publish(f, f->a, K("q1p"));
	QUERY(f->a, K("q1p"), .state = MARU_L1_S_PUBLISHED,
	      .flags = MARU_L1_Q_EVICTABLE, .length = PAGE, .id = id);
	QUERY(f->b, K("q1p"), .state = MARU_L1_S_PUBLISHED,
	      .flags = MARU_L1_Q_EVICTABLE | MARU_L1_Q_STAGED_HERE,
	      .length = PAGE, .id = id);
	hold(f->a, K("q1p"), 3);
	QUERY(f->a, K("q1p"), .state = MARU_L1_S_PUBLISHED, .my_holds = 3,
	      .holders = 1, .length = PAGE, .id = id);
	hold(f->b, K("q1p"), 1);
	QUERY(f->b, K("q1p"), .state = MARU_L1_S_PUBLISHED, .my_holds = 1,
	      .flags = MARU_L1_Q_STAGED_HERE, .holders = 2, .length = PAGE,
	      .id = id);
	/* It took no hold itself. */
	MINE(f->a, .held = 1, .holds = 3);
	IS(release_id(f->a, id, 3, NULL), OK);
	IS(release_id(f->b, id, 1, NULL), OK);
	IS(abort_id(f->b, own), OK);
}

CASE(q1_private)
{
	uint64_t id = make_private(f, f->a, K("q1v"), 0);

	QUERY(f->a, K("q1v"), .state = MARU_L1_S_PRIVATE, .length = PAGE,
	      .id = id);
	QUERY(f->b, K("q1v"), .state = MARU_L1_S_ABSENT);
	hold(f->a, K("q1v"), 2);
	QUERY(f->a, K("q1v"), .state = MARU_L1_S_PRIVATE, .my_holds = 2,
	      .holders = 1, .length = PAGE, .id = id);
	IS(release_id(f->a, id, 2, NULL), OK);
	QUERY(f->a, K("q1v"), .state = MARU_L1_S_ABSENT);
}

/* Orphan pins are holders too, and no one's own. */
CASE(q1_orphans)
{
	struct marul1_client *c = client(f, 0);
	uint64_t id = publish(f, f->a, K("q1o")), closing;
	struct marul1_query q;

	hold(c, K("q1o"), 1);
	closing = now_ms();
	client_end(f, c);
	IS(query1(f->a, K("q1o"), &q), OK);
	if (in_quarantine(f, closing)) {
		EXPECT_EQ(q.holders, 1);
		EXPECT_EQ(q.my_holds, 0);
		EXPECT_EQ(q.flags, 0);
		EXPECT_EQ(q.id, id);
	}
	EXPECT(WAIT_UNTIL(query1(f->a, K("q1o"), &q) ==
			  ANSWER(MARU_L1_OK, 0) && q.holders == 0,
			  settle_ms(f)));
	EXPECT_EQ(q.flags, MARU_L1_Q_EVICTABLE);
}

CASES(query_cases,
	{ "Q1", "absent and malformed", q1_absent },
	{ "Q1", "staged here", q1_staged },
	{ "Q1", "published, evictable or held, staged beside", q1_published },
	{ "Q1", "private", q1_private },
	{ "Q1", "held by an orphan pin", q1_orphans },
);
