// SPDX-License-Identifier: GPL-2.0-only
/* Rows M1, F5: memory that cannot be read. Each case uses some of it up. */
#include "one.h"
#include "tables.h"

/* Retires what lies at @offset. Return: the object that was there. */
static uint64_t report(struct fix *f, struct marul1_client *c, uint64_t offset)
{
	uint64_t before = usage(f->watch).retired;
	struct maru_l1_report_bad bad;

	memset(&bad, 0xcc, sizeof(bad));
	EXPECT_EQ(marul1_report_bad(c, offset, &bad), 0);
	/* What is said is what is done, at once or when the last user lets go. */
	f->retired += bad.retired;
	EXPECT(usage(f->watch).retired - before <= bad.retired);
	return bad.id;
}

static const struct maru_l1_event *one_event(struct marul1_client *c)
{
	static uint64_t buffer[4096 / 8];

	memset(buffer, 0, sizeof(buffer));
	if (marul1_read_events(c, buffer, sizeof(buffer), 1000) <= 0)
		TAP_FAIL("no event came");
	return (const void *)buffer;
}

CASE(m1_published)
{
	struct marul1_reserve w, again;

	IS(reserve1(f->a, f->page, K("m1"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("m1"), 0, 0, 1, NULL), OK);
	EXPECT_EQ(report(f, f->b, w.offset + PAGE - 1), w.id);
	EXPECT(f->retired >= PAGE);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
	IS(read1(f->a, K("m1"), 1, NULL), NOT_FOUND);
	EXPECT_EQ(state_of(f->a, K("m1")), MARU_L1_S_ABSENT);
	EXPECT_EQ(usage(f->a).published, f->before.published);
	/* Never again, for nobody. */
	for (unsigned int i = 0; i < 50; i++) {
		IS(reserve1(f->a, f->page, K("m1"), PAGE, i, &again), OK);
		EXPECT(again.offset != w.offset);
	}
	for (unsigned int i = 0; i < 50; i++)
		IS(abort1(f->a, K("m1"), i), OK);
}

CASE(m1_holders)
{
	uint64_t mask = MARU_L1_EV_MASK(MARU_L1_EV_MEDIA_ERROR), epoch;
	const struct maru_l1_event *e;
	struct marul1_reserve w;

	EXPECT_EQ(marul1_subscribe(f->a, mask, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_subscribe(f->b, mask, MARU_L1_EVENTS_MIN, 0), 0);
	IS(reserve1(f->a, f->page, K("m1h"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("m1h"), 0, 3, 1, NULL), OK);
	epoch = marul1_epoch(f->a);
	EXPECT_EQ(report(f, f->b, w.offset), w.id);
	/* Holders are told, others are not. */
	e = one_event(f->a);
	EXPECT_EQ(e->kind, MARU_L1_EV_MEDIA_ERROR);
	EXPECT_EQ(e->id, w.id);
	EXPECT_EQ(e->value, w.offset);
	EXPECT(e->key_len == 3 && !memcmp(e->key, "m1h", 3));
	EXPECT(!marul1_valid(f->a, epoch));
	EXPECT_EQ(marul1_events_queued(f->b), 0);
	IS(read1(f->b, K("m1h"), 1, NULL), NOT_FOUND);
	IS(release_id(f->a, w.id, 3, NULL), STALE);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
	EXPECT_EQ(usage(f->a).zombie, f->before.zombie);
}

CASE(f5_stale)
{
	struct marul1_reserve w;
	uint32_t released;

	IS(reserve1(f->a, f->page, K("f5"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("f5"), 0, 2, 1, NULL), OK);
	hold(f->b, K("f5"), 1);
	report(f, f->b, w.offset);
	/* The key is free, and what comes there is none of the holder's. */
	publish(f, f->b, K("f5"));
	IS(release1(f->a, K("f5"), w.id, 2, &released), STALE);
	EXPECT_EQ(released, 0);
	IS(release1(f->a, K("f5"), w.id, 1, NULL), NOT_HELD);
	IS(release1(f->b, K("f5"), w.id, 1, NULL), STALE);
	MINE(f->a);
	MINE(f->b);
	IS(delete1(f->a, K("f5"), NULL), OK);
}

/* Lost holds of a client that closes leave nothing behind. */
CASE(f5_closed)
{
	struct marul1_client *c = client(f, 0);
	struct marul1_reserve w;

	IS(reserve1(f->a, f->page, K("f5c"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("f5c"), 0, 0, 1, NULL), OK);
	hold(c, K("f5c"), 2);
	report(f, f->a, w.offset);
	client_end(f, c);
	EXPECT(WAIT_UNTIL(usage(f->a).retired ==
			  f->before.retired + f->retired, settle_ms(f)));
}

/* A pin that nobody can release any more. */
CASE(f5_orphan)
{
	struct marul1_client *c = client(f, 0);
	struct marul1_reserve w;

	IS(reserve1(f->a, f->page, K("f5o"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("f5o"), 0, 0, 1, NULL), OK);
	hold(c, K("f5o"), 2);
	client_end(f, c);
	EXPECT_EQ(report(f, f->a, w.offset), w.id);
	IS(read1(f->a, K("f5o"), 1, NULL), NOT_FOUND);
	EXPECT(WAIT_UNTIL(usage(f->a).retired ==
			  f->before.retired + f->retired, settle_ms(f)));
	EXPECT(WAIT_UNTIL(!usage(f->a).orphan_pins, settle_ms(f)));
}

CASE(m1_private)
{
	struct marul1_reserve w;

	IS(reserve_temp1(f->a, f->page, K("m1v"), PAGE, 0, &w), OK);
	IS(commit1(f->a, K("m1v"), 0, 0, 1, NULL), OK, PRIVATE);
	EXPECT_EQ(report(f, f->b, w.offset + 1), w.id);
	IS(read1(f->a, K("m1v"), 1, NULL), NOT_FOUND);
	MINE(f->a);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
}

CASE(m1_staged)
{
	struct marul1_reserve w;

	IS(reserve1(f->a, f->page, K("m1s"), PAGE, 0, &w), OK);
	report(f, f->b, w.offset);
	IS(commit1(f->a, K("m1s"), 0, 0, 1, NULL), NOT_FOUND);
	IS(read1(f->a, K("m1s"), 1, NULL), NOT_FOUND);
	MINE(f->a, .unacked = 1);
	IS(abort_id(f->a, w.id), OK);
	MINE(f->a);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
	EXPECT(f->retired >= PAGE);
}

CASE(m1_free_memory)
{
	uint64_t offset = f->info.capacity - 1;

	EXPECT_EQ(report(f, f->a, offset), 0);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
	/* Once is enough. */
	EXPECT_EQ(report(f, f->a, offset), 0);
	EXPECT_EQ(usage(f->a).retired, f->before.retired + f->retired);
}

CASE(m1_malformed)
{
	struct maru_l1_report_bad bad;

	EXPECT_EQ(marul1_report_bad(f->a, f->info.capacity, &bad), -EINVAL);
	EXPECT_EQ(marul1_report_bad(f->a, UINT64_MAX, &bad), -EINVAL);
	ACCOUNTS(f);
}

CASES(media_cases,
	{ "M1", "a published object is gone, its extent retired", m1_published },
	{ "M1", "holders get an event and STALE", m1_holders },
	{ "F5", "STALE once, then nothing is held", f5_stale },
	{ "F5", "a holder that closes", f5_closed },
	{ "F5", "an orphan pin", f5_orphan },
	{ "M1", "a private object", m1_private },
	{ "M1", "a write that is under way", m1_staged },
	{ "M1", "free memory", m1_free_memory },
	{ "M1", "an offset outside of the pool", m1_malformed },
);
