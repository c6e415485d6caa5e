// SPDX-License-Identifier: GPL-2.0-only
/* Row N1: renew, and setting of leases. */
#include "one.h"
#include "tables.h"

/*
 * Of two things with the same lease one is renewed until the other is over: the
 * renewed one must live, whatever the clock did meanwhile.
 */
CASE(n1_held)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t kept = publish(f, f->a, K("n1.kept"));

	publish(f, f->a, K("n1.left"));
	publish(f, f->a, K("n1.id"));
	hold(c, K("n1.kept"), 2);
	hold(c, K("n1.left"), 2);
	for (uint64_t end = now_ms() + 2 * LEASE_MS; now_ms() < end; nap())
		IS(renew1(c, K("n1.kept"), 0), OK);
	/* It has been let go of by the timer: a renewed one hides no other. */
	EXPECT_EQ(usage(c).my_held, 1);
	IS(renew1(c, K("n1.left"), 0), NOT_HELD);
	IS(peek1(c, K("n1.left"), NULL), NOT_HELD);
	IS(renew_id(c, kept), OK);
	IS(renew1(c, K("n1.kept"), kept), OK);
	MINE(c, .held = 1, .holds = 2);
	IS(release_id(c, kept, 2, NULL), OK);
	IS(renew_id(c, kept), NOT_FOUND);
	IS(renew1(c, K("n1.kept"), 0), NOT_HELD);
}

CASE(n1_staged)
{
	struct marul1_client *c = client_leased(f, 0, LEASE_MS);
	uint64_t kept = stage(f, c, K("n1.s")), left = stage(f, c, K("n1.t"));

	for (uint64_t end = now_ms() + 2 * LEASE_MS; now_ms() < end; nap())
		IS(renew_id(c, kept), OK);
	EXPECT_EQ(usage(c).my_unacked, 1);
	IS(renew_id(c, left), EXPIRED);
	/* Too late is too late: it does not come back to life. */
	IS(renew_id(c, left), EXPIRED);
	IS(commit1(c, K("n1.t"), 0, 0, 1, NULL), EXPIRED);
	IS(renew_id(c, kept), OK);
	IS(commit1(c, K("n1.s"), 0, 0, 1, NULL), OK);
	IS(abort_id(c, left), OK);
	ACCOUNTS(f, .published = 1);
}

CASE(n1_others_untouched)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	struct marul1_client *d = client_leased(f, LEASE_MS, 10000);
	uint64_t id = publish(f, f->a, K("n1.o"));

	hold(c, K("n1.o"), 1);
	hold(d, K("n1.o"), 1);
	for (uint64_t end = now_ms() + 2 * LEASE_MS; now_ms() < end; nap())
		IS(renew_id(c, id), OK);
	IS(peek1(c, K("n1.o"), NULL), OK);
	IS(peek1(d, K("n1.o"), NULL), NOT_HELD);
	/* What expired is remembered by its id, and is not renewed by it. */
	IS(renew_id(d, id), NOT_HELD);
	IS(release_id(c, id, 1, NULL), OK);
	IS(release_id(d, id, 1, NULL), NOT_HELD);
}

CASE(n1_nothing_to_renew)
{
	uint64_t staged = stage(f, f->a, K("n1.mine")), shared;

	IS(renew1(f->a, K("n1.absent"), 0), NOT_FOUND);
	shared = publish(f, f->a, K("n1.shared"));
	IS(renew1(f->a, K("n1.shared"), 0), NOT_HELD);
	IS(renew_id(f->a, shared), NOT_FOUND);
	IS(renew_id(f->b, staged), NOT_FOUND);
	IS(renew_id(f->a, 13579), NOT_FOUND);
	/* An id of another key. */
	IS(renew1(f->a, K("n1.shared"), staged), NOT_FOUND);
	IS(renew1(f->a, K("n1.mine"), staged), OK);
	IS(abort_id(f->a, staged), OK);
}

CASE(n1_private)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, 10000);
	uint64_t id = make_private(f, c, K("n1.p"), 1);

	for (uint64_t end = now_ms() + 2 * LEASE_MS; now_ms() < end; nap())
		IS(renew_id(c, id), OK);
	IS(renew1(c, K("n1.p"), 0), OK);
	IS(release_id(c, id, 1, NULL), OK);
	ACCOUNTS(f);
}

/* With the default there is no read lease: the open file is the lease. */
CASE(n1_no_read_lease)
{
	uint64_t id = publish(f, f->a, K("n1.for.ever"));

	hold(f->b, K("n1.for.ever"), 1);
	pass(LEASE_MS + 2 * f->info.quarantine_ms);
	IS(peek1(f->b, K("n1.for.ever"), NULL), OK);
	IS(delete1(f->a, K("n1.for.ever"), NULL), LOCKED);
	IS(release_id(f->b, id, 1, NULL), OK);
}

CASE(n1_set_leases)
{
	uint64_t id;

	EXPECT_EQ(marul1_set_leases(f->a, MARU_L1_LEASE_MS_MAX,
				    MARU_L1_LEASE_MS_MAX), 0);
	EXPECT_EQ(marul1_set_leases(f->a, MARU_L1_LEASE_MS_MAX + 1, 1000),
		  -EINVAL);
	EXPECT_EQ(marul1_set_leases(f->a, 0, MARU_L1_LEASE_MS_MAX + 1),
		  -EINVAL);
	EXPECT_EQ(marul1_set_leases(f->a, 0, 0), -EINVAL);

	/* Only while the client has nothing. */
	id = stage(f, f->a, K("n1.set"));
	EXPECT_EQ(marul1_set_leases(f->a, 0, 1000), -EBUSY);
	IS(commit1(f->a, K("n1.set"), 0, 1, 1, NULL), OK);
	EXPECT_EQ(marul1_set_leases(f->a, 0, 1000), -EBUSY);
	IS(release_id(f->a, id, 1, NULL), OK);
	EXPECT_EQ(marul1_set_leases(f->a, 0, 1000), 0);
	make_private(f, f->a, K("n1.set.p"), 0);
	EXPECT_EQ(marul1_set_leases(f->a, 0, 1000), -EBUSY);
	IS(delete1(f->a, K("n1.set.p"), NULL), OK);
	EXPECT_EQ(marul1_set_leases(f->a, 0, 1000), 0);
}

/* More leases end at one moment than are ended in one go. */
enum { MANY = 3000 };

static void expect_all_over(struct marul1_client *c, const struct key *staged,
			    const struct key *private, const struct key *held)
{
	for (size_t i = MANY; i--; ) {
		IS(commit1(c, staged[i], 0, 0, 1, NULL), EXPIRED);
		IS(read1(c, private[i], 1, NULL), NOT_FOUND);
		IS(peek1(c, held[i], NULL), NOT_HELD);
		EXPECT_EQ(state_of(c, private[i]), MARU_L1_S_ABSENT);
		EXPECT_EQ(state_of(c, staged[i]), MARU_L1_S_ABSENT);
	}
}

CASE(n1_many_at_once)
{
	struct marul1_client *c = client_leased(f, LEASE_MS, LEASE_MS);
	struct key *staged = keys(f, MANY, "n1.s"), *held = keys(f, MANY, "n1.h");
	struct key *private = keys(f, MANY, "n1.p");
	struct marul1_reserve *w = ALLOC(f, MANY, struct marul1_reserve);

	for (size_t i = 0; i < MANY; i++)
		publish(f, f->a, held[i]);
	for (size_t i = 0; i < MANY; i++) {
		w[i] = (struct marul1_reserve){ .key = staged[i].bytes,
			.key_len = staged[i].len, .length = PAGE };
		make_private(f, c, private[i], 0);
		hold(c, held[i], 1);
	}
	EXPECT_EQ(marul1_reserve_write(c, f->page, w, MANY), 0);
	pass(LEASE_MS);
	expect_all_over(c, staged, private, held);
	EXPECT(WAIT_UNTIL(usage(c).my_unacked == MANY, REAP_MS));
	MINE(c, .unacked = MANY);
	ACCOUNTS(f, .published = MANY, .quarantined = MANY);
	for (size_t i = 0; i < MANY; i++)
		IS(abort_id(c, w[i].id), OK);
}

CASES(lease_cases,
	{ "N1", "a renewed hold outlives one that is not", n1_held },
	{ "N1", "a renewed write outlives one that is not", n1_staged },
	{ "N1", "another client's lease is not touched", n1_others_untouched },
	{ "N1", "nothing that could be renewed", n1_nothing_to_renew },
	{ "N1", "a private object", n1_private },
	{ "N1", "without a read lease holds do not expire", n1_no_read_lease },
	{ "N1", "leases out of range, and set too late", n1_set_leases },
	{ "N1", "thousands end at one moment", n1_many_at_once },
);
