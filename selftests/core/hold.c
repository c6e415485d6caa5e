// SPDX-License-Identifier: GPL-2.0-only
/* Holds and leases, by a clock that stands still between two looks. */

#include "fixture.h"

#define LEASE	300		/* ms */
#define MANY	(2 * MARU_SLICE + 100)	/* a call reaps up to two slices */

/* F1: a release moves this client's holds on that one object, and no more. */
CASE(hold_counts)
{
	struct maru_l1_release r;
	u64 id = publish(A, "k"), other = publish(A, "other");

	hold(A, "k", 3);
	hold(A, "k", 2);
	hold(B, "k", 1);
	hold(B, "other", 1);
	EXPECT_EQ(query(A, "k").my_holds, 5);
	EXPECT_EQ(query(A, "k").holders, 2);
	EXPECT_EQ(usage(A).my_held, 1);
	EXPECT_EQ(usage(A).my_holds, 5);
	CHECK(f);
	r = release(A, "", id, 2);
	EXPECT_STATUS(r.status, OK);
	EXPECT_EQ(r.released, 2);
	EXPECT_EQ(r.result, 0);
	EXPECT_EQ(query(A, "k").my_holds, 3);
	EXPECT_EQ(query(B, "k").my_holds, 1);
	r = release(A, "k", 0, 9);
	EXPECT_STATUS(r.status, OK);
	EXPECT_EQ(r.released, 3);
	EXPECT_EQ(r.result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(query(A, "k").holders, 1);
	EXPECT_STATUS(release(A, "k", 0, 1).status, NOT_HELD);
	EXPECT_STATUS(release(A, "", other, 1).status, NOT_HELD);
	EXPECT_STATUS(release(B, "k", other, 1).status, NOT_HELD);
	EXPECT_EQ(query(B, "other").my_holds, 1);
	EXPECT_STATUS(delete(A, "k", 0), LOCKED);
	EXPECT_STATUS(release(B, "k", id, 1).status, OK);
	EXPECT_STATUS(delete(A, "k", 0), OK);
	EXPECT_STATUS(release(B, "", other, 1).status, OK);
}

/* R4: counts out of range are clamped and say so. */
CASE(hold_clamp)
{
	struct maru_l1_read r;

	publish(A, "k");
	r = reserve_read(A, "k", 0);
	EXPECT_EQ(r.result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(query(A, "k").my_holds, 1);
	r = reserve_read(A, "k", 129);
	EXPECT_EQ(r.result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(query(A, "k").my_holds, 129);
	EXPECT_EQ(reserve_read(A, "k", 128).result, 0);
	EXPECT_EQ(reserve_read(A, "k", 1).result, 0);
	EXPECT_EQ(query(A, "k").my_holds, 258);
}

/* A count at its end takes no more, and what is held stays held. */
CASE(hold_overflow)
{
	struct maru_hold *h;
	u64 id = publish(A, "k");

	hold(A, "k", 1);
	h = maru_hold_find(A->core, id);
	A->core->nr_holds += MARU_HOLD_COUNT_MAX - 1;
	h->count = MARU_HOLD_COUNT_MAX;
	EXPECT_STATUS(reserve_read(A, "k", 1).status, NO_SPACE);
	EXPECT_EQ(h->count, MARU_HOLD_COUNT_MAX);
	CHECK(f);
	A->core->nr_holds -= MARU_HOLD_COUNT_MAX - 1;
	h->count = 1;
}

/* They end in the order of their deadlines, to the nanosecond. */
CASE(lease_order)
{
	static const char *const keys[] = { "a", "b", "c", "d" };
	u64 start = f->now, epoch;
	u32 i;

	for (i = 0; i < 4; i++)
		publish(A, keys[i]);
	leases(A, LEASE, 1000);
	for (i = 0; i < 4; i++) {
		f->now = start + i * 10 * MS;
		hold(A, keys[i], 1);
	}
	/* The first is used once more: it comes last now. */
	f->now = start + 40 * MS;
	hold(A, "a", 1);
	for (i = 1; i < 5; i++) {
		const char *key = keys[i % 4];

		epoch = A->status.epoch;
		f->now = start + i * 10 * MS + LEASE * MS - 1;
		pass(f, 0);
		EXPECT_STATUS(peek(A, key).status, OK);
		EXPECT_EQ(A->status.epoch, epoch);
		pass(f, 1);
		EXPECT_EQ(A->status.epoch, epoch + 1);
		EXPECT_EQ(usage(A).my_held, 4 - i);
		EXPECT_STATUS(peek(A, key).status, NOT_HELD);
	}
	EXPECT_EQ(f->pool->counts.expired_holds, 4);
}

/* Nobody reaps: the end of a lease is seen at the next use. */
CASE(lease_without_reaping)
{
	u64 id = publish(A, "k");

	leases(A, LEASE, 1000);
	hold(A, "k", 2);
	f->now += LEASE * MS;
	EXPECT_STATUS(release(A, "", id, 1).status, NOT_HELD);
	EXPECT_STATUS(delete(B, "k", 0), OK);
}

/* A late release does not take what was taken since (F3). */
CASE(lease_late_release)
{
	struct maru_l1_release r;
	u64 id = publish(A, "k");

	leases(A, LEASE, 1000);
	hold(A, "k", 2);
	pass(f, LEASE * MS);
	hold(A, "k", 1);
	/* The two that expired are remembered and answered first. */
	r = release(A, "", id, 1);
	EXPECT_STATUS(r.status, NOT_HELD);
	EXPECT_EQ(r.released, 0);
	EXPECT_STATUS(release(A, "k", 0, 1).status, NOT_HELD);
	EXPECT_EQ(query(A, "k").my_holds, 1);
	r = release(A, "", id, 1);
	EXPECT_STATUS(r.status, OK);
	EXPECT_EQ(r.released, 1);
	EXPECT_STATUS(release(A, "", id, 1).status, NOT_HELD);
	EXPECT(list_empty(&A->core->lost));
}

/* One release over both: what is live goes, what was lost is not counted. */
CASE(lease_release_both)
{
	struct maru_l1_release r;
	u64 id = publish(A, "k");

	leases(A, LEASE, 1000);
	hold(A, "k", 2);
	pass(f, LEASE * MS);
	hold(A, "k", 3);
	r = release(A, "", id, 4);
	EXPECT_STATUS(r.status, OK);
	EXPECT_EQ(r.released, 2);
	EXPECT_EQ(r.result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(query(A, "k").my_holds, 1);
}

/* The object is deleted and made anew: an old release finds neither (F3). */
CASE(lease_object_gone)
{
	u64 id = publish(A, "k");

	leases(A, LEASE, 1000);
	hold(A, "k", 1);
	pass(f, LEASE * MS);
	EXPECT_STATUS(delete(B, "k", 0), OK);
	publish(B, "k");
	hold(A, "k", 1);
	EXPECT_STATUS(release(A, "", id, 1).status, NOT_HELD);
	EXPECT_EQ(query(A, "k").my_holds, 1);
	EXPECT_STATUS(release(A, "k", 0, 1).status, OK);
}

/* N1: a renewal moves this client's deadline, nobody else's. */
CASE(lease_renew)
{
	u64 id = publish(A, "k");

	leases(A, LEASE, 1000);
	leases(B, LEASE, 1000);
	hold(A, "k", 1);
	hold(B, "k", 1);
	f->now += (LEASE - 1) * MS;
	EXPECT_STATUS(renew(A, "k", 0), OK);
	EXPECT_STATUS(renew(A, "", id), OK);
	pass(f, MS);
	EXPECT_EQ(query(A, "k").my_holds, 1);
	EXPECT_EQ(query(B, "k").my_holds, 0);
	EXPECT_STATUS(renew(B, "k", 0), NOT_HELD);
	pass(f, (LEASE - 1) * MS - 1);
	EXPECT_EQ(query(A, "k").my_holds, 1);
	pass(f, 1);
	EXPECT_EQ(query(A, "k").my_holds, 0);
	EXPECT_STATUS(renew(A, "", id), NOT_HELD);
	EXPECT_STATUS(renew(A, "nothing", 0), NOT_FOUND);
}

/* F2, C3: a private object ends with its last hold, or with its lease. */
CASE(lease_private)
{
	leases(A, LEASE, 1000);
	make_private(A, "held", 2);
	make_private(A, "idle", 0);
	EXPECT_EQ(usage(A).my_private, 2);
	EXPECT_STATUS(release(A, "held", 0, 1).status, OK);
	EXPECT_EQ(usage(A).my_private, 2);
	EXPECT_STATUS(release(A, "held", 0, 1).status, OK);
	EXPECT_EQ(usage(A).my_private, 1);
	make_private(A, "held", 1);
	pass(f, LEASE * MS - 1);
	EXPECT_EQ(usage(A).my_private, 2);
	pass(f, 1);
	EXPECT_EQ(usage(A).my_private, 0);
	EXPECT_EQ(usage(A).extents, 0);
}

/* MANY private objects whose leases are over: no one call reaps all of them. */
static void make_many(struct user *u, u32 holds)
{
	char key[16];
	u32 i;

	for (i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "%u", i);
		make_private(u, key, holds);
	}
	u->f->now += LEASE * MS;
}

static const char last[] = "2147";
static_assert(MANY == 2148, "the last of many");

/* A private object that ends at the very use that wants it. */
CASE(lease_private_many)
{
	leases(A, LEASE, 1000);
	make_many(A, 1);
	EXPECT_STATUS(reserve_read(A, last, 1).status, NOT_FOUND);
	EXPECT_EQ(query(A, last).state, MARU_L1_S_ABSENT);
}

CASE(lease_private_many_commit)
{
	struct maru_l1_reserve r;
	struct maru_l1_commit c;

	leases(A, LEASE, 1000);
	r = reserve(A, f->page, last, 1, MARU_L1_TEMPORARY);
	EXPECT_STATUS(r.status, OK);
	make_many(A, 1);
	c = commit(A, last, 1, 1);
	EXPECT_STATUS(c.status, OK);
	EXPECT_EQ(c.result, MARU_L1_R_PRIVATE);
	EXPECT_EQ(c.id, r.id);
	EXPECT_EQ(query(A, last).my_holds, 1);
}

CASE(lease_idle_many)
{
	leases(A, LEASE, 1000);
	make_many(A, 0);
	EXPECT_STATUS(reserve_read(A, last, 1).status, NOT_FOUND);
	EXPECT_EQ(query(A, last).state, MARU_L1_S_ABSENT);
}

/* C5: by the id of a write of another key, whose lease is over and not reaped. */
CASE(lease_write_many)
{
	struct maru_l1_commit item = { .key_len = 1 };
	struct batch b = { .items = &item, .n = 1, .keys = "x", .keys_len = 1 };
	struct maru_l1_reserve r = {};
	char key[16];
	u32 i;

	leases(A, 1000, LEASE);
	for (i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "%u", i);
		r = reserve(A, f->page, key, 0, 0);
		EXPECT_STATUS(r.status, OK);
	}
	f->now += LEASE * MS;
	item.reservation = r.id;
	EXPECT_EQ(call_batch(A, MARU_L1_COMMIT, &b), 0);
	EXPECT_STATUS(item.status, EXPIRED);
}

/* D5: what is dropped by force but is over already ends as over. */
CASE(lease_force_many)
{
	char key[16];
	u64 id = 0;
	u32 i;

	leases(A, LEASE, LEASE);
	for (i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "%u", i);
		EXPECT_STATUS(reserve(A, f->page, key, 7, 0).status, OK);
	}
	for (i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "%u", i);
		id = publish(B, key);
		hold(A, key, 1);
		hold(B, key, 1);
	}
	f->now += LEASE * MS;
	EXPECT_STATUS(delete(A, last, MARU_L1_B_FORCE), LOCKED);
	EXPECT_STATUS(commit(A, last, 7, 0).status, EXPIRED);
	hold(A, last, 1);
	EXPECT_STATUS(release(A, "", id, 1).status, NOT_HELD);
	EXPECT_EQ(query(A, last).my_holds, 1);
}

/* F3: a lost hold answers its own key only. */
CASE(lost_other_key)
{
	u64 id = publish(A, "k");

	leases(B, LEASE, 1000);
	hold(B, "k", 2);
	f->now += LEASE * MS;
	EXPECT_STATUS(release(B, "other", id, 2).status, NOT_HELD);
	hold(B, "k", 1);
	/* The two late ones are still to be released, and take nothing. */
	EXPECT_STATUS(release(B, "k", id, 2).status, NOT_HELD);
	EXPECT_EQ(query(B, "k").my_holds, 1);
	EXPECT_STATUS(renew(B, "other", id), NOT_FOUND);
	EXPECT_STATUS(release(B, "k", id, 1).status, OK);
}

CASES(hold_cases,
	{ "lease-many-write", "a write that is over is EXPIRED by its id, whatever the key",
	  lease_write_many },
	{ "lease-many-force", "force drops no lease that is over as if it were live",
	  lease_force_many },
	{ "F1", "counts are this client's, on that one object", hold_counts },
	{ "R4", "counts out of range are clamped", hold_clamp },
	{ "hold-overflow", "a count at its end takes no more", hold_overflow },
	{ "lease-order", "leases end at their deadline, in its order, after the epoch rose", lease_order },
	{ "lease-use", "a lease that is over is seen without a reaper", lease_without_reaping },
	{ "F3-late", "a late release never takes a newer hold", lease_late_release },
	{ "F3-both", "one release over lost and live holds", lease_release_both },
	{ "F3-gone", "a late release finds no other object of the key", lease_object_gone },
	{ "N1-own", "a renewal moves this client's own deadline only", lease_renew },
	{ "F2", "a private object ends with its last hold or its lease", lease_private },
	{ "lease-many-read", "a private object whose lease ends at a read is gone", lease_private_many },
	{ "lease-many-commit", "a private object whose lease ends at a write is gone",
	  lease_private_many_commit },
	{ "lease-many-idle", "an idle private object whose lease is over is gone", lease_idle_many },
	{ "F3-key", "a lost hold answers its own key only", lost_other_key });
