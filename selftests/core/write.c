// SPDX-License-Identifier: GPL-2.0-only
/* Writes: named by key and tag, by id, by nothing; their lease and their end. */

#include "fixture.h"

#define LEASE	100		/* ms */
#define FORCE	MARU_L1_B_FORCE

/* W2, W3, W5: one live write of a (key, tag) a client, as many as there are tags. */
CASE(write_tags)
{
	EXPECT_STATUS(reserve(A, f->page, "k", 1, 0).status, OK);
	EXPECT_STATUS(reserve(A, f->page, "k", 1, 0).status, NOT_WRITABLE);
	EXPECT_STATUS(reserve(A, f->page, "k", 2, 0).status, OK);
	EXPECT_STATUS(reserve(B, f->page, "k", 1, 0).status, OK);
	EXPECT_EQ(usage(A).my_staged, 2);
	EXPECT_STATUS(commit(A, "k", 2, 0).status, OK);
	EXPECT_STATUS(reserve(B, f->page, "k", 3, 0).status, NOT_WRITABLE);
	EXPECT_STATUS(commit(A, "k", 2, 0).status, NOT_FOUND);
	/* C2: the others lose, once each, and are told where the winner is. */
	EXPECT_EQ(commit(A, "k", 1, 0).result, MARU_L1_R_LOST_RACE);
	EXPECT_EQ(commit(B, "k", 1, 1).result, MARU_L1_R_LOST_RACE);
	EXPECT_EQ(f->pool->counts.lost_races, 2);
	EXPECT_EQ(usage(A).used, PAGE);
	EXPECT_EQ(query(B, "k").my_holds, 1);
}

/* The same (key, tag) twice in one call: the second is refused. */
CASE(write_twice_in_call)
{
	struct maru_l1_reserve items[3] = {
		{ .key_len = 1, .length = 1 }, { .key_len = 1, .length = 1 },
		{ .key_len = 1, .length = 1, .tag = 1 },
	};

	EXPECT_EQ(call_batch(A, MARU_L1_RESERVE_WRITE,
			     &(struct batch){ 0, f->page, items, 3, "k", 1 }), 0);
	EXPECT_STATUS(items[0].status, OK);
	EXPECT_STATUS(items[1].status, NOT_WRITABLE);
	EXPECT_STATUS(items[2].status, OK);
	EXPECT(items[0].offset != items[2].offset);
	EXPECT(items[0].id != items[2].id);
}

/* W6: all that need an extent get one, or none does; others keep their answer. */
CASE(write_all_or_nothing, .bytes = 6 * MIB)
{
	u32 big = layout(A, 2 * MIB, 0);
	struct maru_l1_reserve items[4];
	u32 i;

	publish(A, "1");
	for (i = 0; i < 4; i++)
		items[i] = (struct maru_l1_reserve){
			.key_off = i, .key_len = 1, .length = 1 };
	EXPECT_EQ(call_batch(A, MARU_L1_RESERVE_WRITE,
			     &(struct batch){ 0, big, items, 4, "1234", 4 }), 0);
	EXPECT_STATUS(items[0].status, NOT_WRITABLE);
	for (i = 1; i < 4; i++)
		EXPECT_STATUS(items[i].status, NO_SPACE);
	EXPECT_EQ(usage(A).staged, 0);
	EXPECT_EQ(usage(A).available, 6 * MIB - PAGE);
	EXPECT_EQ(call_batch(A, MARU_L1_RESERVE_WRITE,
			     &(struct batch){ 0, big, items, 3, "1234", 4 }), 0);
	EXPECT_STATUS(items[1].status, OK);
	EXPECT_STATUS(items[2].status, OK);
}

/* The limits of objects and of a client's bytes, to the last one. */
CASE(write_limits, .max_objects = 3, .max_client_bytes = 2 * PAGE)
{
	stage(A, "1");
	make_private(A, "2", 0);
	EXPECT_STATUS(reserve(A, f->page, "3", 0, 0).status, NO_SPACE);
	stage(B, "3");
	EXPECT_STATUS(reserve(B, f->page, "4", 0, 0).status, NO_SPACE);
	EXPECT_STATUS(abort_key(A, "1", 0), OK);
	/* Published bytes are not the client's any more. */
	publish(A, "1");
	EXPECT_STATUS(abort_key(B, "3", 0), OK);
	publish(A, "3");
	EXPECT_EQ(usage(A).extents, 3);
	EXPECT_STATUS(delete(B, "3", 0), OK);
	/* What expired is, until it is acknowledged. */
	EXPECT_STATUS(delete(A, "2", 0), OK);
	leases(A, 0, LEASE);
	stage(A, "4");
	stage(A, "5");
	pass(f, LEASE * MS);
	EXPECT_STATUS(delete(B, "1", 0), OK);
	EXPECT_STATUS(reserve(A, f->page, "6", 0, 0).status, NO_SPACE);
}

/* C5, X2b, W4: the lease ends to the nanosecond; a new write gets a new extent. */
CASE(write_expires)
{
	struct maru_l1_reserve old, new;

	leases(A, 0, LEASE);
	old = reserve(A, f->page, "k", 0, 0);
	f->now += LEASE * MS - 1;
	EXPECT_STATUS(renew(A, "", old.id), OK);
	f->now += LEASE * MS - 1;
	pass(f, 0);
	EXPECT_EQ(usage(A).my_staged, 1);
	EXPECT_STATUS(reserve_read(A, "k", 1).status, NOT_READABLE);
	f->now++;
	EXPECT_STATUS(renew(A, "", old.id), EXPIRED);
	EXPECT_STATUS(commit(A, "k", 0, 0).status, EXPIRED);
	EXPECT_STATUS(abort_key(A, "k", 0), EXPIRED);
	EXPECT_STATUS(reserve_read(A, "k", 1).status, NOT_FOUND);
	EXPECT_EQ(usage(A).my_unacked, 1);
	new = reserve(A, f->page, "k", 0, 0);
	EXPECT_STATUS(new.status, OK);
	EXPECT(new.offset != old.offset);
	EXPECT_EQ(usage(A).my_unacked, 1);
	EXPECT_STATUS(commit(A, "k", 0, 0).status, OK);
	EXPECT_EQ(usage(A).my_unacked, 1);
	EXPECT_STATUS(abort_id(A, old.id), OK);
	EXPECT_STATUS(abort_id(A, old.id), NOT_FOUND);
	EXPECT_EQ(usage(A).used, PAGE);
	EXPECT_EQ(f->pool->counts.expired_writes, 1);
}

/* Each call by itself sees that a write's lease is over: nobody reaps first. */
CASE(write_expiry_at_use)
{
	u64 due;

	leases(A, 0, LEASE);
	for (u32 i = 0; i < 5; i++) {
		stage(A, "k");
		due = A->core->due;
		f->now += LEASE * MS;
		maru_due_set(A->core, MARU_NO_DEADLINE);
		switch (i) {
		case 0:
			EXPECT_STATUS(commit(A, "k", 0, 0).status, EXPIRED);
			break;
		case 1:
			EXPECT_STATUS(abort_key(A, "k", 0), EXPIRED);
			break;
		case 2:
			EXPECT_STATUS(reserve_read(A, "k", 1).status, NOT_FOUND);
			break;
		case 3:
			EXPECT_STATUS(reserve(A, f->page, "k", 0, 0).status, OK);
			EXPECT_STATUS(abort_key(A, "k", 0), OK);
			break;
		default:
			EXPECT_STATUS(delete(A, "k", 0), OK);
		}
		maru_due_set(A->core, due);
		EXPECT_EQ(usage(A).my_unacked, i + 1);
		/* D4b: a delete takes its name, once; so does a new write. */
		EXPECT_EQ(delete(A, "k", 0),
			  i < 3 ? MARU_L1_OK : MARU_L1_NOT_FOUND);
	}
}

/* N1: one that was renewed ends later than those begun after it. */
CASE(write_renew)
{
	u64 first;

	leases(A, 0, LEASE);
	first = stage(A, "1");
	f->now += MS;
	stage(A, "2");
	f->now += MS;
	EXPECT_STATUS(renew(A, "", first), OK);
	pass(f, (LEASE - 1) * MS);
	EXPECT_EQ(usage(A).my_staged, 1);
	EXPECT_STATUS(commit(A, "2", 0, 0).status, EXPIRED);
	EXPECT_STATUS(commit(A, "1", 0, 0).status, OK);
}

/* C3, C3b, R5: private objects stand before published ones, for their owner. */
CASE(write_private)
{
	u64 id, first;

	stage_temporary(A, "k");
	EXPECT_STATUS(reserve(A, f->page, "k", 1, MARU_L1_TEMPORARY).status, OK);
	first = make_private(A, "other", 0);
	publish(B, "k");
	EXPECT_EQ(commit(A, "k", 0, 0).result, MARU_L1_R_PRIVATE);
	EXPECT_EQ(commit(A, "k", 1, 1).result,
		  MARU_L1_R_PRIVATE | MARU_L1_R_LOST_RACE);
	EXPECT_EQ(usage(A).my_private, 2);
	EXPECT_EQ(usage(A).used, 3 * PAGE);
	id = hold(A, "k", 1);
	EXPECT(id != hold(B, "k", 1));
	EXPECT_EQ(query(A, "k").state, MARU_L1_S_PRIVATE);
	EXPECT_EQ(query(B, "k").state, MARU_L1_S_PUBLISHED);
	EXPECT_STATUS(reserve_read(B, "other", 1).status, NOT_FOUND);
	EXPECT_STATUS(delete(A, "k", 0), LOCKED);
	EXPECT_STATUS(release(A, "k", 0, 2).status, OK);
	EXPECT_EQ(query(A, "k").state, MARU_L1_S_PUBLISHED);
	EXPECT_STATUS(delete(A, "other", 0), OK);
	EXPECT_STATUS(release(A, "", first, 1).status, NOT_HELD);
}

/* D2, D5: what of one's own stands against a delete, and goes with force. */
CASE(write_delete_force)
{
	u64 staged;

	publish(A, "k");
	hold(A, "k", 2);
	EXPECT_STATUS(delete(A, "k", 0), LOCKED);
	hold(B, "k", 1);
	EXPECT_STATUS(delete(A, "k", FORCE), LOCKED);
	EXPECT_EQ(query(A, "k").my_holds, 0);
	EXPECT_STATUS(release(B, "k", 0, 1).status, OK);
	hold(A, "k", 2);
	EXPECT_STATUS(delete(A, "k", FORCE), OK);
	staged = stage(A, "s");
	EXPECT_STATUS(delete(B, "s", FORCE), NOT_FOUND);
	EXPECT_STATUS(delete(A, "s", 0), LOCKED);
	EXPECT_STATUS(delete(A, "s", FORCE), OK);
	EXPECT_STATUS(commit(A, "s", 0, 0).status, NOT_FOUND);
	EXPECT_EQ(usage(A).my_unacked, 1);
	EXPECT_STATUS(abort_id(A, staged), OK);
	make_private(A, "p", 3);
	EXPECT_STATUS(delete(A, "p", FORCE), OK);
	EXPECT_EQ(usage(A).used, 0);
	EXPECT_EQ(usage(A).orphan_pins, 0);
}

/* L1: clear takes idle private objects; force all but what is published. */
CASE(write_clear)
{
	union maru_call_arg arg = { 0 };
	u64 id = publish(A, "k"), staged = stage(A, "s");

	hold(A, "k", 2);
	hold(B, "k", 1);
	make_private(A, "idle", 0);
	make_private(A, "held", 2);
	EXPECT_EQ(call_single(A, MARU_L1_CLEAR, &arg, NULL, NULL), 0);
	EXPECT_EQ(arg.clear.private_objects, 1);
	EXPECT_EQ(arg.clear.staged + arg.clear.holds, 0);
	arg.clear.flags = MARU_L1_CLEAR_FORCE;
	EXPECT_EQ(call_single(A, MARU_L1_CLEAR, &arg, NULL, NULL), 0);
	EXPECT_EQ(arg.clear.private_objects, 1);
	EXPECT_EQ(arg.clear.staged, 1);
	EXPECT_EQ(arg.clear.holds, 2);
	EXPECT_EQ(usage(A).my_held, 0);
	EXPECT_EQ(usage(A).my_unacked, 1);
	EXPECT_EQ(query(B, "k").holders, 1);
	EXPECT_STATUS(release(A, "", id, 1).status, NOT_HELD);
	EXPECT_STATUS(abort_id(A, staged), OK);
}

/* Ids: node, incarnation and a count, never the same twice. */
CASE(write_ids, .node = 200, .incarnation = 0x8001)
{
	u64 id = publish(A, "1");

	EXPECT_EQ(id >> 56, 200);
	EXPECT_EQ(id >> 40 & 0xffff, 0x8001);
	EXPECT(publish(A, "2") > id);
	/* The last of this incarnation; then there is no space, for good. */
	f->pool->next_id = MARU_IDS_MAX - 1;
	id = publish(A, "3");
	EXPECT_EQ(id >> 40, 200ULL << 16 | 0x8001);
	EXPECT_STATUS(reserve(A, f->page, "4", 0, 0).status, NO_SPACE);
}

CASES(write_cases,
	{ "W3", "one live write of a key and tag; the first commit wins", write_tags },
	{ "W3-call", "the same write twice in one call is refused", write_twice_in_call },
	{ "W6", "space for all items of a call or for none", write_all_or_nothing },
	{ "W6-limits", "limits of objects and of a client's bytes", write_limits },
	{ "C5", "an expired write is never readable and keeps its extent", write_expires },
	{ "C5-use", "each call sees by itself that a write's lease is over", write_expiry_at_use },
	{ "N1-write", "a renewed write outlives later ones", write_renew },
	{ "C3", "private objects are their owner's", write_private },
	{ "D5", "force drops one's own and nobody else's", write_delete_force },
	{ "L1", "clear drops what it says", write_clear },
	{ "write-ids", "ids are node, incarnation and a count", write_ids });
