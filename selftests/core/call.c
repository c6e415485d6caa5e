// SPDX-License-Identifier: GPL-2.0-only
/* What the core refuses before anything happens, and what it counts. */

#include "fixture.h"

/* The field of @bytes at @at of an item or argument is the only one not zero. */
static int batch_with(struct user *u, unsigned int nr, size_t at, u32 value)
{
	u64 item[16] = { 0 };

	memcpy((u8 *)item + at, &value, sizeof(value));
	return call_batch(u, nr, &(struct batch){ 0, 0, item, 1, "k", 1 });
}

static int single_with(struct user *u, unsigned int nr, union maru_call_arg arg,
		       size_t at, u32 value)
{
	memcpy((u8 *)&arg + at, &value, sizeof(value));
	return call_single(u, nr, &arg, NULL, NULL);
}

#define IN(type, member)	offsetof(struct type, member)
#define ARG(member, ...)	(union maru_call_arg){ .member = { __VA_ARGS__ } }

/* Unknown flags and reserved fields, one at a time: EINVAL. */
CASE(call_reserved)
{
	EXPECT_EQ(batch_with(A, MARU_L1_RESERVE_WRITE, IN(maru_l1_reserve, flags), 2), -EINVAL);
	EXPECT_EQ(batch_with(A, MARU_L1_RESERVE_WRITE, IN(maru_l1_reserve, reserved), 1), -EINVAL);
	EXPECT_EQ(batch_with(A, MARU_L1_COMMIT, IN(maru_l1_commit, reserved), 1), -EINVAL);
	EXPECT_EQ(batch_with(A, MARU_L1_RESERVE_READ, IN(maru_l1_read, reserved), 1), -EINVAL);
	EXPECT_EQ(batch_with(A, MARU_L1_PEEK, IN(maru_l1_read, reserved), 1), -EINVAL);
	EXPECT_EQ(batch_with(A, MARU_L1_PEEK, IN(maru_l1_read, holds), 1), -EINVAL);

	EXPECT_EQ(single_with(A, MARU_L1_SETUP, ARG(setup, .write_lease_ms = 1),
			      IN(maru_l1_setup, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_LAYOUT, ARG(layout, .bytes = 1),
			      IN(maru_l1_layout, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_CLEAR, ARG(clear, 0), IN(maru_l1_clear, flags), 2), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_CLEAR, ARG(clear, 0), IN(maru_l1_clear, reserved), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_PURGE, ARG(purge, 0), IN(maru_l1_purge, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_EVICT, ARG(evict, .count = 1),
			      IN(maru_l1_evict, flags), 8), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_USAGE, ARG(usage, 0), IN(maru_l1_usage, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_SUBSCRIBE, ARG(subscribe, 0),
			      IN(maru_l1_subscribe, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_SUBSCRIBE, ARG(subscribe, 0),
			      IN(maru_l1_subscribe, reserved), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_REPORT_BAD, ARG(report_bad, 0),
			      IN(maru_l1_report_bad, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_STATS, ARG(stats, 0), IN(maru_l1_stats, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_STATS, ARG(stats, 0), IN(maru_l1_stats, reserved), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_CHECK, ARG(check, 0), IN(maru_l1_check, flags), 1), -EINVAL);
	EXPECT_EQ(single_with(A, MARU_L1_CHECK, ARG(check, 0), IN(maru_l1_check, reserved), 1), -EINVAL);
}

/* Flags of a batch: each call knows its own. */
CASE(call_batch_flags)
{
	static const unsigned int batches[] = {
		MARU_L1_RESERVE_WRITE, MARU_L1_COMMIT, MARU_L1_ABORT,
		MARU_L1_RESERVE_READ, MARU_L1_PEEK, MARU_L1_RELEASE,
		MARU_L1_RENEW, MARU_L1_DELETE, MARU_L1_TOUCH, MARU_L1_QUERY,
	};
	size_t i;
	u32 flag;

	for (i = 0; i < ARRAY_SIZE(batches); i++) {
		unsigned int nr = batches[i];

		for (flag = 1; flag; flag <<= 1) {
			bool known = (nr == MARU_L1_RESERVE_READ && flag == MARU_L1_B_STRICT) ||
				     (nr == MARU_L1_DELETE && flag == MARU_L1_B_FORCE);

			EXPECT_EQ(call_batch(A, nr, &(struct batch){ .flags = flag }),
				  known ? 0 : -EINVAL);
		}
		EXPECT_EQ(call_batch(A, nr, &(struct batch){ .layout = 99 }), -EINVAL);
		EXPECT_EQ(call_batch(A, nr, &(struct batch){ .n = 4097 }), -E2BIG);
		EXPECT_EQ(call_batch(A, nr, &(struct batch){ .keys_len = MARU_L1_KEYS_MAX + 1 }),
			  -E2BIG);
	}
}

/* A key outside of the key buffer fails the call; an impossible one the item. */
CASE(call_keys)
{
	static const struct {
		u32 off, len;
		int err;
		u32 status;
	} keys[] = {
		{ 0, 5, -EINVAL, 0 }, { 1, 4, -EINVAL, 0 }, { 4, 1, -EINVAL, 0 },
		{ U32_MAX, 2, -EINVAL, 0 }, { 3, U32_MAX, 0, MARU_L1_INVALID },
		{ 0, 1025, 0, MARU_L1_INVALID }, { 77, 0, 0, MARU_L1_INVALID },
		{ 0, 4, 0, MARU_L1_OK }, { 3, 1, 0, MARU_L1_OK },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		struct maru_l1_query item = { .key_off = keys[i].off,
					      .key_len = keys[i].len };

		EXPECT_EQ(call_batch(A, MARU_L1_QUERY,
				     &(struct batch){ 0, 0, &item, 1, "four", 4 }),
			  keys[i].err);
		EXPECT_EQ(item.status, keys[i].status);
	}
}

/* Equal hashes do not make equal keys: a look-up compares all of it. */
CASE(call_same_hash)
{
	static const char *const others[] = { "key", "key12", "kex1", "Key1" };
	struct maru_key key = { (const u8 *)"key1", 4, 0 };
	size_t i;

	publish(A, "key1");
	key.hash = siphash("key1", 4, &f->pool->hash_key);
	EXPECT(maru_find_published(f->pool, &key));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		key.bytes = (const u8 *)others[i];
		key.len = strlen(others[i]);
		EXPECT(!maru_find_published(f->pool, &key));
	}
}

/* W7: lengths out of range are the item's fault, and take nothing. */
CASE(call_lengths)
{
	struct maru_l1_reserve items[] = {
		{ .key_len = 1, .length = 0 },
		{ .key_len = 1, .length = PAGE + 1 },
		{ .key_len = 0, .length = 1 },
		{ .key_len = 1025, .length = 1 },
		{ .key_len = 1, .length = PAGE },
	};
	size_t i;

	EXPECT_EQ(call_batch(A, MARU_L1_RESERVE_WRITE,
			     &(struct batch){ 0, f->page, items, 5, "k", 1 }), 0);
	for (i = 0; i < 4; i++)
		EXPECT_STATUS(items[i].status, INVALID);
	EXPECT_STATUS(items[4].status, OK);
	EXPECT_EQ(usage(A).staged, PAGE);
}

/* A read-only client reads and lets go, and changes nothing. */
CASE(call_read_only)
{
	static const unsigned int writes[] = {
		MARU_L1_RESERVE_WRITE, MARU_L1_COMMIT, MARU_L1_ABORT, MARU_L1_DELETE,
	};
	union maru_call_arg arg = { 0 };
	size_t i;

	user_open(f, C, false);
	publish(A, "k");
	hold(C, "k", 1);
	EXPECT_STATUS(touch(C, "k"), OK);
	EXPECT_STATUS(release(C, "k", 0, 1).status, OK);
	for (i = 0; i < ARRAY_SIZE(writes); i++)
		EXPECT_EQ(call_batch(C, writes[i], &(struct batch){ 0 }), -EACCES);
	EXPECT_EQ(call_single(C, MARU_L1_PURGE, &arg, NULL, NULL), -EACCES);
	EXPECT_EQ(call_single(C, MARU_L1_REPORT_BAD, &arg, NULL, NULL), -EACCES);
	EXPECT_EQ(call_single(C, MARU_L1_LAYOUT, &ARG(layout, .bytes = 9), NULL, NULL), -EACCES);
	EXPECT_EQ(call_single(C, MARU_L1_EVICT, &ARG(evict, .count = 1), NULL, NULL), -EACCES);
	EXPECT_EQ(call_single(C, MARU_L1_EVICT, &ARG(evict, .count = 1,
			      .flags = MARU_L1_EVICT_DRY_RUN), NULL, NULL), 0);
	EXPECT_EQ(query(C, "k").state, MARU_L1_S_PUBLISHED);
}

static u64 counter(struct user *u, unsigned int nr, u32 status)
{
	struct maru_l1_counter list[MARU_NR_CALLS * MARU_NR_STATUS];
	union maru_call_arg arg = ARG(stats, .nr_items = ARRAY_SIZE(list));
	u32 i;

	EXPECT_EQ(call_single(u, MARU_L1_STATS, &arg, list, NULL), 0);
	for (i = 0; i < arg.stats.nr_items; i++)
		if (list[i].op == (nr & 0xff) && list[i].status == status)
			return list[i].count;
	return 0;
}

/* Each answer is counted once, under its call. */
CASE(call_stats)
{
	publish(A, "k");
	hold(B, "k", 1);
	hold(B, "k", 1);
	reserve_read(B, "nothing", 1);
	delete(B, "k", 0);
	touch(B, "");
	EXPECT_EQ(counter(A, MARU_L1_RESERVE_WRITE, MARU_L1_OK), 1);
	EXPECT_EQ(counter(A, MARU_L1_COMMIT, MARU_L1_OK), 1);
	EXPECT_EQ(counter(A, MARU_L1_RESERVE_READ, MARU_L1_OK), 2);
	EXPECT_EQ(counter(A, MARU_L1_RESERVE_READ, MARU_L1_NOT_FOUND), 1);
	EXPECT_EQ(counter(A, MARU_L1_DELETE, MARU_L1_LOCKED), 1);
	EXPECT_EQ(counter(A, MARU_L1_TOUCH, MARU_L1_INVALID), 1);
	EXPECT_EQ(counter(A, MARU_L1_TOUCH, MARU_L1_OK), 0);
	EXPECT_EQ(f->pool->counts.bytes_stored, 1);
	EXPECT_EQ(f->pool->counts.bytes_served, 1);
}

CASES(call_cases,
	{ "call-reserved", "unknown flags and reserved fields are refused", call_reserved },
	{ "call-flags", "each batch knows its own flags and its limits", call_batch_flags },
	{ "call-keys", "keys outside of the buffer, and impossible ones", call_keys },
	{ "key-compare", "equal hashes do not make equal keys", call_same_hash },
	{ "W7", "lengths out of range are INVALID and take nothing", call_lengths },
	{ "call-read-only", "a read-only client changes nothing", call_read_only },
	{ "call-stats", "each answer is counted once", call_stats });
