// SPDX-License-Identifier: GPL-2.0-only
/* Row V2: the validity of reads, without a system call. */
#include "one.h"
#include "tables.h"

/* Spun on, so that no call of this client notices the expiry instead. */
static bool goes_invalid(struct marul1_client *c, uint64_t epoch,
			 unsigned int ms)
{
	return WAIT_UNTIL(!marul1_valid(c, epoch), ms);
}

CASE(v2_expiry_raises_epoch)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t epoch, other;

	publish(f, f->a, K("v2"));
	epoch = marul1_epoch(c);
	other = marul1_epoch(f->b);
	hold(c, K("v2"), 1);
	hold(f->b, K("v2"), 1);
	EXPECT(marul1_valid(c, epoch));
	/* Reaped within a second, with no call on this client. */
	EXPECT(goes_invalid(c, epoch, LEASE_MS + REAP_MS));
	EXPECT(marul1_epoch(c) > epoch);
	/* Another client's reads are as good as before. */
	EXPECT(marul1_valid(f->b, other));
	EXPECT_EQ(marul1_clear(f->b, MARU_L1_CLEAR_FORCE, NULL), 0);
}

/* The delete that makes the extent free finds the epoch raised. */
CASE(v2_before_the_extent_is_used_again)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);
	struct marul1_reserve w;
	struct marul1_read r;
	uint64_t epoch;

	for (unsigned int i = 0; i < 5; i++) {
		publish(f, f->a, K("v2.again"));
		epoch = marul1_epoch(c);
		IS(read1(c, K("v2.again"), 1, &r), OK);
		/* Whoever comes first, the timer or this: it must be known. */
		EXPECT(WAIT_UNTIL(delete1(f->a, K("v2.again"), NULL) ==
				  ANSWER(MARU_L1_OK, 0), SHORT_MS + REAP_MS));
		EXPECT(!marul1_valid(c, epoch));
		IS(reserve1(f->b, f->page, K("v2.stranger"), PAGE, 0, &w), OK);
		IS(abort_id(f->b, w.id), OK);
		IS(release_id(c, r.id, 1, NULL), NOT_HELD);
	}
}

/* Ordinary work raises nothing, or nobody could rely on it. */
CASE(v2_not_without_reason)
{
	uint64_t epoch = marul1_epoch(f->a), id;

	for (unsigned int i = 0; i < 100; i++) {
		id = publish_held(f, f->a, K("v2.calm"), 2);
		hold(f->b, K("v2.calm"), 1);
		IS(release_id(f->a, id, 2, NULL), OK);
		IS(delete1(f->a, K("v2.calm"), NULL), LOCKED);
		IS(release_id(f->b, id, 1, NULL), OK);
		IS(delete1(f->a, K("v2.calm"), NULL), OK);
		make_private(f, f->a, K("v2.own"), 0);
		IS(delete1(f->a, K("v2.own"), NULL), OK);
	}
	EXPECT(marul1_valid(f->a, epoch));
}

CASE(v2_events_counted)
{
	EXPECT_EQ(marul1_events_queued(f->b), 0);
	EXPECT_EQ(marul1_subscribe(f->b, MARU_L1_EV_MASK(MARU_L1_EV_DELETED),
				   MARU_L1_EVENTS_MIN, 0), 0);
	for (uint64_t i = 1; i <= 10; i++) {
		publish(f, f->a, K("v2.events"));
		IS(delete1(f->a, K("v2.events"), NULL), OK);
		EXPECT_EQ(marul1_events_queued(f->b), i);
	}
	EXPECT_EQ(marul1_events_queued(f->a), 0);
}

CASES(status_page_cases,
	{ "V2", "an expired hold raises its client's epoch",
	  v2_expiry_raises_epoch },
	{ "V2", "before the extent can be used again",
	  v2_before_the_extent_is_used_again },
	{ "V2", "never without reason", v2_not_without_reason },
	{ "V2", "events are counted", v2_events_counted },
);
