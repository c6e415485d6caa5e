// SPDX-License-Identifier: GPL-2.0-only
/* marul1_reserve_write_many(): any number, in parts, all or nothing. */
#include "fake.h"

#define MANY	9000		/* 4096 + 4096 + 808 */

static int aborted;
static uint64_t abort_sum;

/* The first two parts are OK but for a few; the third has no space. */
static void no_space_at_last(unsigned long cmd, const struct maru_l1_batch *arg)
{
	if (cmd == MARU_L1_ABORT) {
		struct maru_l1_abort *items = (void *)(uintptr_t)arg->items;

		for (uint32_t i = 0; i < arg->nr_items; i++) {
			items[i].status = MARU_L1_OK;
			abort_sum += items[i].id;
			aborted++;
		}
	} else {
		struct maru_l1_reserve *items = (void *)(uintptr_t)arg->items;
		uint64_t base = 4096ULL * (fake.nr_calls - 1);

		for (uint32_t i = 0; i < arg->nr_items; i++) {
			items[i].id = base + i + 1;
			items[i].status = fake.nr_calls == 3 ? MARU_L1_NO_SPACE :
					  i % 100 ? MARU_L1_OK :
					  MARU_L1_NOT_WRITABLE;
		}
	}
}

static struct marul1_reserve *many_start(void)
{
	aborted = 0;
	abort_sum = 0;
	if (!fake_start())
		return NULL;
	fake.answer = no_space_at_last;
	return calloc(MANY, sizeof(struct marul1_reserve));
}

static void many_rolls_back(void)
{
	struct marul1_reserve *items = many_start();
	uint64_t sum = 0;
	int ok = 0;

	ASSERT(items);
	EXPECT_EQ(marul1_reserve_write_many(&fake_client, 5, items, MANY), 0);
	EXPECT_EQ(fake.calls[2].arg.layout, 5);
	for (size_t i = 0; i < MANY; i++) {
		bool kept = i < 8192 && !(i % 4096 % 100);

		EXPECT_EQ(items[i].status, kept ? MARU_L1_NOT_WRITABLE :
						  MARU_L1_NO_SPACE);
		if (i < 8192 && !kept) {
			ok++;
			sum += i + 1;
		}
	}
	EXPECT_EQ(aborted, ok);
	EXPECT_EQ(abort_sum, sum);
	free(items);
}

static void many_fails_late(void)
{
	struct marul1_reserve *items = many_start();

	ASSERT(items);
	fake.fail_at = 2;
	fake.fail_errno = -ENOMEM;
	EXPECT_EQ(marul1_reserve_write_many(&fake_client, 5, items, MANY), -ENOMEM);
	EXPECT_EQ(aborted, 4096 - 41);
	EXPECT_EQ(items[0].status, MARU_L1_NOT_WRITABLE);
	EXPECT_EQ(items[1].status, MARU_L1_NO_SPACE);
	EXPECT_EQ(items[4096].status, MARU_L1_INVALID);
	EXPECT_EQ(items[MANY - 1].status, MARU_L1_INVALID);
	free(items);
}

/* What is still reserved must not look as if it were not. */
static void many_cannot_abort(void)
{
	struct marul1_reserve *items = many_start();

	ASSERT(items);
	fake.fail_cmd = MARU_L1_ABORT;
	fake.fail_errno = -ENODEV;
	EXPECT_EQ(marul1_reserve_write_many(&fake_client, 5, items, MANY), -ENODEV);
	EXPECT_EQ(items[1].status, MARU_L1_OK);
	EXPECT_EQ(items[8191].status, MARU_L1_OK);
	EXPECT_EQ(items[8192].status, MARU_L1_NO_SPACE);
	EXPECT_EQ(fake_log.messages, 1);
	EXPECT_EQ(fake_log.priority, LOG_ERR);
	free(items);
}

static struct marul1_reserve *many_real(size_t n, uint32_t *numbers)
{
	struct marul1_reserve *items = calloc(n, sizeof(*items));

	for (size_t i = 0; items && i < n; i++) {
		numbers[i] = i;
		items[i].key = &numbers[i];
		items[i].key_len = sizeof(numbers[i]);
		items[i].length = 4096;
	}
	return items;
}

static void many_on_a_pool(const char *uri, uint64_t staged, uint32_t status)
{
	static uint32_t numbers[MANY];
	struct marul1_reserve *items = many_real(MANY, numbers);
	struct maru_l1_usage usage;
	uint32_t layout;
	struct lib l;

	ASSERT(items);
	ASSERT(!lib_open(&l, uri, 0));
	ASSERT(!marul1_layout(l.client, 4096, 0, &layout));
	EXPECT_EQ(marul1_reserve_write_many(l.client, layout, items, MANY), 0);
	for (size_t i = 0; i < MANY; i++)
		EXPECT_EQ(items[i].status, status);
	ASSERT(!marul1_usage(l.client, &usage));
	EXPECT_EQ(usage.my_staged, staged);
	EXPECT_EQ(usage.my_staged_bytes, staged * 4096);
	EXPECT_EQ(usage.quarantined, 0);
	lib_close(&l);
	free(items);
}

static void many_takes_all_or_nothing(void)
{
	many_on_a_pool("embedded:64M", MANY, MARU_L1_OK);
	many_on_a_pool("embedded:34M", 0, MARU_L1_NO_SPACE);
}

static const struct tap_case cases[] = {
	{ "many-space", "NO_SPACE in a later part aborts the earlier ones", many_rolls_back },
	{ "many-error", "an error in a later part aborts the earlier ones", many_fails_late },
	{ "many-stuck", "what cannot be aborted keeps its OK", many_cannot_abort },
	{ "many-pool", "9000 of them: all, or none and nothing left", many_takes_all_or_nothing },
};

int main(int argc, char **argv)
{
	int rc = tap_run("lib-many", cases, ARRAY_SIZE(cases), argc, argv);

	fake_end();
	return rc;
}
