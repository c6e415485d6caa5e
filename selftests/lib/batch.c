// SPDX-License-Identifier: GPL-2.0-only
/* Batches: keys into one buffer, splitting, and what is left when a part fails. */
#include "fake.h"

#include <sys/mman.h>

#define MANY	9000		/* 4096 + 4096 + 808 */

static const char key_a[] = "alpha", key_b[] = "";

/* Raw heads and keys of the last call, before its buffers are gone. */
static struct {
	struct maru_l1_read items[4];
	char keys[64];
} seen;

static void keep_reads(unsigned long cmd, const struct maru_l1_batch *arg)
{
	struct maru_l1_read *items = (void *)(uintptr_t)arg->items;
	size_t n = arg->nr_items < 4 ? arg->nr_items : 4;

	memcpy(seen.items, items, n * sizeof(*items));
	if (arg->keys_len <= sizeof(seen.keys))
		memcpy(seen.keys, (void *)(uintptr_t)arg->keys, arg->keys_len);
	for (uint32_t i = 0; i < arg->nr_items; i++) {
		items[i].status = MARU_L1_NOT_READABLE;
		items[i].result = MARU_L1_R_CLAMPED;
		items[i].offset = 1000 + i;
		items[i].length = 2000 + i;
		items[i].id = 3000 + i;
		memset(items[i].cookie, 40 + i, sizeof(items[i].cookie));
	}
}

static void keys_are_placed(void)
{
	struct marul1_read items[] = {
		{ .key = key_a, .key_len = 5, .holds = 3 },
		{ .key = key_b, .key_len = 0, .holds = 4 },
		{ .key = "beta", .key_len = 4, .holds = 5 },
	};

	ASSERT(fake_start());
	fake.answer = keep_reads;
	EXPECT_EQ(marul1_reserve_read(&fake_client, MARU_L1_B_STRICT, items, 3), 0);
	EXPECT_EQ(fake.nr_calls, 1);
	EXPECT_EQ(fake.calls[0].cmd, MARU_L1_RESERVE_READ);
	EXPECT_EQ(fake.calls[0].arg.size, sizeof(struct maru_l1_batch));
	EXPECT_EQ(fake.calls[0].arg.flags, MARU_L1_B_STRICT);
	EXPECT_EQ(fake.calls[0].arg.nr_items, 3);
	EXPECT_EQ(fake.calls[0].arg.layout, 0);
	EXPECT_EQ(fake.calls[0].arg.reserved, 0);
	EXPECT_EQ(fake.calls[0].arg.keys_len, 9);
	EXPECT(!memcmp(seen.keys, "alphabeta", 9));
	EXPECT_EQ(seen.items[0].key_off, 0);
	EXPECT_EQ(seen.items[0].key_len, 5);
	EXPECT_EQ(seen.items[0].holds, 3);
	EXPECT_EQ(seen.items[1].key_len, 0);
	EXPECT_EQ(seen.items[2].key_off, 5);
	EXPECT_EQ(seen.items[2].key_len, 4);
	EXPECT_EQ(seen.items[2].reserved, 0);
	EXPECT_EQ(items[2].status, MARU_L1_NOT_READABLE);
	EXPECT_EQ(items[2].result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(items[2].offset, 1002);
	EXPECT_EQ(items[2].length, 2002);
	EXPECT_EQ(items[2].id, 3002);
	EXPECT_EQ(items[2].cookie[15], 42);
	EXPECT(items[2].key_len == 4 && items[2].holds == 5);
}

/* The items of one reserve_read can be used for a peek. */
static void peek_sends_no_holds(void)
{
	struct marul1_read item = { .key = key_a, .key_len = 5, .holds = 7 };

	ASSERT(fake_start());
	fake.answer = keep_reads;
	EXPECT_EQ(marul1_peek(&fake_client, &item, 1), 0);
	EXPECT_EQ(fake.calls[0].cmd, MARU_L1_PEEK);
	EXPECT_EQ(seen.items[0].holds, 0);
}

/* W7 and the like are the core's answer: the length goes down, no byte is read. */
static void long_keys_are_not_read(void)
{
	void *forbidden = mmap(NULL, 4096, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct marul1_read items[] = {
		{ .key = forbidden, .key_len = MARU_L1_KEY_MAX + 1 },
		{ .key = forbidden, .key_len = (1ULL << 32) + 5 },
		{ .key = NULL, .key_len = 0 },
		{ .key = key_a, .key_len = 5 },
	};

	ASSERT(fake_start());
	ASSERT(forbidden != MAP_FAILED);
	fake.answer = keep_reads;
	EXPECT_EQ(marul1_reserve_read(&fake_client, 0, items, 4), 0);
	EXPECT_EQ(fake.calls[0].arg.keys_len, 5);
	EXPECT_EQ(seen.items[0].key_off, 0);
	EXPECT_EQ(seen.items[0].key_len, MARU_L1_KEY_MAX + 1);
	EXPECT_EQ(seen.items[1].key_len, UINT32_MAX);
	EXPECT_EQ(seen.items[2].key_len, 0);
	EXPECT_EQ(seen.items[3].key_off, 0);
	munmap(forbidden, 4096);
}

static void null_key_is_a_fault(void)
{
	struct marul1_read items[] = {
		{ .key = key_a, .key_len = 5, .status = 99 },
		{ .key = NULL, .key_len = 1, .status = 99 },
	};

	ASSERT(fake_start());
	EXPECT_EQ(marul1_reserve_read(&fake_client, 0, items, 2), -EFAULT);
	EXPECT_EQ(fake.nr_calls, 0);
	EXPECT(items[0].status == 99 && items[1].status == 99);
}

static void largest_call_fits(void)
{
	struct marul1_query *items = calloc(MARU_L1_BATCH_MAX, sizeof(*items));
	char *key = calloc(1, MARU_L1_KEY_MAX);

	ASSERT(fake_start());
	ASSERT(items && key);
	for (size_t i = 0; i < MARU_L1_BATCH_MAX; i++) {
		items[i].key = key;
		items[i].key_len = MARU_L1_KEY_MAX;
	}
	EXPECT_EQ(marul1_query(&fake_client, items, MARU_L1_BATCH_MAX), 0);
	EXPECT_EQ(fake.nr_calls, 1);
	EXPECT_EQ(fake.calls[0].arg.keys_len, MARU_L1_KEYS_MAX);
	free(items);
	free(key);
}

static void nothing_is_one_call(void)
{
	ASSERT(fake_start());
	EXPECT_EQ(marul1_commit(&fake_client, NULL, 0), 0);
	EXPECT_EQ(marul1_touch(&fake_client, NULL, 0), 0);
	EXPECT_EQ(marul1_reserve_write_many(&fake_client, 1, NULL, 0), 0);
	EXPECT_EQ(fake.nr_calls, 3);
	EXPECT_EQ(fake.calls[1].arg.nr_items, 0);
}

static void one_step_is_not_split(void)
{
	size_t n = MARU_L1_BATCH_MAX + 1;
	void *items = calloc(n, sizeof(struct marul1_commit));

	ASSERT(fake_start());
	ASSERT(items);
	EXPECT_EQ(marul1_reserve_write(&fake_client, 0, items, n), -E2BIG);
	EXPECT_EQ(marul1_commit(&fake_client, items, n), -E2BIG);
	EXPECT_EQ(marul1_abort(&fake_client, items, n), -E2BIG);
	EXPECT_EQ(marul1_commit(&fake_client, items, SIZE_MAX), -E2BIG);
	EXPECT_EQ(fake.nr_calls, 0);
	EXPECT_EQ(marul1_abort(&fake_client, items, n - 1), 0);
	EXPECT_EQ(fake.nr_calls, 1);
	free(items);
}

static int run_read(void *items, size_t n)
{
	return marul1_reserve_read(&fake_client, 0, items, n);
}

static int run_peek(void *items, size_t n)
{
	return marul1_peek(&fake_client, items, n);
}

static int run_release(void *items, size_t n)
{
	return marul1_release(&fake_client, items, n);
}

static int run_renew(void *items, size_t n)
{
	return marul1_renew(&fake_client, items, n);
}

static int run_delete(void *items, size_t n)
{
	return marul1_delete(&fake_client, MARU_L1_B_FORCE, items, n);
}

static int run_touch(void *items, size_t n)
{
	return marul1_touch(&fake_client, items, n);
}

static int run_query(void *items, size_t n)
{
	return marul1_query(&fake_client, items, n);
}

static const struct {
	unsigned long cmd;
	unsigned int flags;
	int (*run)(void *items, size_t n);
} splitting[] = {
	{ MARU_L1_RESERVE_READ, 0, run_read },
	{ MARU_L1_PEEK, 0, run_peek },
	{ MARU_L1_RELEASE, 0, run_release },
	{ MARU_L1_RENEW, 0, run_renew },
	{ MARU_L1_DELETE, MARU_L1_B_FORCE, run_delete },
	{ MARU_L1_TOUCH, 0, run_touch },
	{ MARU_L1_QUERY, 0, run_query },
};

static void others_are_split(void)
{
	/* Zeros are an item without a key in each of the structs. */
	void *items = calloc(MANY, sizeof(struct marul1_read));

	ASSERT(items);
	for (size_t i = 0; i < ARRAY_SIZE(splitting); i++) {
		ASSERT(fake_start());
		EXPECT_EQ(splitting[i].run(items, MANY), 0);
		EXPECT_EQ(fake.nr_calls, 3);
		for (int k = 0; k < 3; k++) {
			EXPECT_EQ(fake.calls[k].cmd, splitting[i].cmd);
			EXPECT_EQ(fake.calls[k].arg.flags, splitting[i].flags);
		}
		EXPECT_EQ(fake.calls[0].arg.nr_items, 4096);
		EXPECT_EQ(fake.calls[1].arg.nr_items, 4096);
		EXPECT_EQ(fake.calls[2].arg.nr_items, 808);
	}
	free(items);
}

static void later_part_fails(void)
{
	struct marul1_read *items = calloc(MANY, sizeof(*items));

	ASSERT(fake_start());
	ASSERT(items);
	fake.answer = keep_reads;
	fake.fail_at = 2;
	fake.fail_errno = -ENOMEM;
	EXPECT_EQ(marul1_reserve_read(&fake_client, 0, items, MANY), -ENOMEM);
	EXPECT_EQ(fake.nr_calls, 2);
	for (size_t i = 0; i < MANY; i++)
		EXPECT_EQ(items[i].status, i < MARU_L1_BATCH_MAX ?
			  MARU_L1_NOT_READABLE : MARU_L1_INVALID);
	free(items);
}

static void whole_call_fails(void)
{
	struct marul1_delete item = {
		.key = key_a, .key_len = 5, .status = 98, .result = 97, .id = 96,
	};

	ASSERT(fake_start());
	fake.fail_at = 1;
	fake.fail_errno = -EACCES;
	EXPECT_EQ(marul1_delete(&fake_client, 0, &item, 1), -EACCES);
	EXPECT(item.status == 98 && item.result == 97 && item.id == 96);
}

/* The core, too, answers a long key by its length alone. */
static void long_keys_on_a_pool(void)
{
	struct marul1_query items[] = {
		{ .key = key_a, .key_len = 5, .status = 99 },
		{ .key = (void *)1, .key_len = MARU_L1_KEY_MAX + 1, .status = 99 },
		{ .key = (void *)1, .key_len = SIZE_MAX, .status = 99 },
		{ .key = NULL, .key_len = 0, .status = 99 },
	};
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:2M", 0));
	EXPECT_EQ(marul1_query(l.client, items, 4), 0);
	EXPECT_EQ(items[0].status, MARU_L1_OK);
	for (int i = 1; i < 4; i++)
		EXPECT_EQ(items[i].status, MARU_L1_INVALID);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "batch-keys", "keys go into one buffer, answers come back", keys_are_placed },
	{ "batch-peek", "peek takes the items of reserve_read", peek_sends_no_holds },
	{ "batch-long", "a key over 1024 bytes is not read", long_keys_are_not_read },
	{ "batch-null", "a NULL key with a length is EFAULT", null_key_is_a_fault },
	{ "batch-largest", "4096 keys of 1024 bytes are one call", largest_call_fits },
	{ "batch-empty", "no items are a call all the same", nothing_is_one_call },
	{ "batch-e2big", "reserve_write, commit and abort are never split", one_step_is_not_split },
	{ "batch-split", "the others go in parts of 4096", others_are_split },
	{ "batch-part", "a later part fails: the rest is INVALID", later_part_fails },
	{ "batch-whole", "a call that fails leaves its items alone", whole_call_fails },
	{ "W7", "the core answers a key over 1024 bytes INVALID", long_keys_on_a_pool },
};

int main(int argc, char **argv)
{
	int rc = tap_run("lib-batch", cases, ARRAY_SIZE(cases), argc, argv);

	fake_end();
	return rc;
}
