// SPDX-License-Identifier: GPL-2.0-only
/* Row Z1: the last close of a client. Other processes' ends: process.c. */
#include "one.h"
#include "tables.h"

static bool all_gone(struct fix *f)
{
	struct maru_l1_usage u = usage(f->watch);

	return u.quarantined == f->before.quarantined && !u.orphan_pins;
}

/*
 * Closes a client that has one of everything. Return: whether its remains were
 * seen before their time was over, so that the look was conclusive.
 */
static bool close_with_everything(struct fix *f)
{
	struct marul1_client *c = client(f, 0);
	struct maru_l1_usage seen;
	uint64_t closing;
	answer_t deleted;
	bool in_time;

	stage(f, c, K("z1.staged"));
	make_private(f, c, K("z1.private"), 0);
	make_private(f, c, K("z1.private.held"), 2);
	publish_held(f, f->a, K("z1.shared"), 1);
	hold(c, K("z1.shared"), 9);
	publish_held(f, c, K("z1.own"), 4);
	ACCOUNTS(f, .staged = 1, .private_objects = 2, .published = 2);
	closing = now_ms();
	client_end(f, c);
	seen = usage(f->watch);
	deleted = delete1(f->b, K("z1.own"), NULL);
	in_time = in_quarantine(f, closing);
	if (in_time) {
		ACCOUNTS_OF(f, &seen, .quarantined = 3, .published = 2,
			    .orphan_pins = 2);
		IS(deleted, LOCKED);
	}
	CHECK(f);
	EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
	/* Not earlier than it has to be kept. */
	EXPECT(now_ms() + 2 >= closing + f->info.quarantine_ms);
	if (in_time)
		deleted = delete1(f->b, K("z1.own"), NULL);
	IS(deleted, OK);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->b, K("z1.shared"), NULL), LOCKED);
	IS(release1(f->a, K("z1.shared"), 0, 1, NULL), OK);
	IS(delete1(f->b, K("z1.shared"), NULL), OK);
	ACCOUNTS(f);
	return in_time;
}

CASE(z1_close)
{
	unsigned int conclusive = 0;

	for (unsigned int i = 0; i < 5; i++)
		conclusive += close_with_everything(f);
	/* A machine that stalls 100 ms each time shows nothing. */
	EXPECT(conclusive > 0);
}

CASE(z1_nothing_left)
{
	for (unsigned int i = 0; i < 100; i++) {
		struct marul1_client *c = client(f, 0);
		uint64_t id = publish_held(f, c, K("z1.clean"), 1);

		IS(release_id(c, id, 1, NULL), OK);
		client_end(f, c);
		ACCOUNTS(f, .published = 1);
		IS(delete1(f->a, K("z1.clean"), NULL), OK);
	}
}

/* The extents wait: nobody is given one of them before the time is over. */
CASE_SMALL(z1_quarantined_extents_are_not_used)
{
	size_t n = f->info.max_objects - f->before.extents;
	struct key *k = keys(f, n, "z1.q");
	struct marul1_client *c = client(f, 0);
	uint64_t closing, given;
	answer_t a;

	for (size_t i = 0; i < n; i++)
		stage(f, c, k[i]);
	closing = now_ms();
	client_end(f, c);
	/* The pool has no room but theirs. */
	do {
		a = reserve1(f->a, f->page, K("z1.wait"), PAGE, 0, NULL);
		given = now_ms();
		nap();
	} while (a == ANSWER(MARU_L1_NO_SPACE, 0) &&
		 given < closing + settle_ms(f));
	IS(a, OK);
	EXPECT(given + 2 >= closing + f->info.quarantine_ms);
	IS(abort1(f->a, K("z1.wait"), 0), OK);
}

/* More than one slice of each kind. */
CASE(z1_many)
{
	enum { N = 2500 };
	struct marul1_client *c = client(f, 0);
	struct key *s = keys(f, N, "z1.ms"), *p = keys(f, N, "z1.mp");
	struct key *h = keys(f, N, "z1.mh");

	for (size_t i = 0; i < N; i++) {
		stage(f, c, s[i]);
		make_private(f, c, p[i], i % 2);
		publish_held(f, c, h[i], 1);
	}
	client_end(f, c);
	EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
	ACCOUNTS(f, .published = N);
}

/* What expired or was dropped, and lost holds, end with the file as well. */
CASE(z1_unacknowledged)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, SHORT_MS);

	stage(f, c, K("z1.late"));
	make_private(f, c, K("z1.late.private"), 1);
	publish(f, f->a, K("z1.read"));
	hold(c, K("z1.read"), 3);
	pass(SHORT_MS);
	EXPECT(WAIT_UNTIL(usage(c).my_unacked == 1 && !usage(c).my_holds &&
			  !usage(c).my_private, REAP_MS));
	client_end(f, c);
	/* Expired holds leave no pins. */
	EXPECT_EQ(usage(f->a).orphan_pins, 0);
	EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
	ACCOUNTS(f, .published = 1);
}

CASES(close_cases,
	{ "Z1", "what a client had is quarantined, then gone, once", z1_close },
	{ "Z1", "a client that has nothing leaves nothing", z1_nothing_left },
	{ "Z1", "quarantined extents are not handed out",
	  z1_quarantined_extents_are_not_used },
	{ "Z1", "thousands of each", z1_many },
	{ "Z1", "expired writes and holds end with the file",
	  z1_unacknowledged },
);
