// SPDX-License-Identifier: GPL-2.0-only
/* One object by copy: marul1_put() and marul1_get(). */
#include "lib.h"

static void put_and_get(void)
{
	char cookie[MARU_L1_COOKIE_LEN] = "cookie", seen[MARU_L1_COOKIE_LEN];
	char buf[64] = "";
	uint64_t length;
	uint32_t layout;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	length = sizeof(buf);
	EXPECT_EQ(marul1_get(l.client, "k", 1, buf, &length, NULL), -ENOENT);
	EXPECT_EQ(marul1_put(l.client, layout, "k", 1, "text", 5, cookie), 0);
	EXPECT_EQ(marul1_get(l.client, "k", 1, buf, &length, seen), 0);
	EXPECT_EQ(length, 5);
	EXPECT(!strcmp(buf, "text"));
	EXPECT(!memcmp(seen, cookie, sizeof(cookie)));
	/* The first stays. */
	EXPECT_EQ(marul1_put(l.client, layout, "k", 1, "other", 6, NULL), 0);
	length = sizeof(buf);
	EXPECT_EQ(marul1_get(l.client, "k", 1, buf, &length, NULL), 0);
	EXPECT_EQ(length, 5);
	EXPECT(!strcmp(buf, "text"));
	lib_close(&l);
}

static void get_says_how_much(void)
{
	char buf[4] = "abc", seen[MARU_L1_COOKIE_LEN] = "untouched";
	struct maru_l1_usage usage;
	uint64_t length = 4;
	uint32_t layout;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!lib_put(l.client, layout, "k", "text", 5));
	EXPECT_EQ(marul1_get(l.client, "k", 1, buf, &length, seen), -EMSGSIZE);
	EXPECT_EQ(length, 5);
	EXPECT(!strcmp(buf, "abc") && !strcmp(seen, "untouched"));
	ASSERT(!marul1_usage(l.client, &usage));
	EXPECT_EQ(usage.my_holds, 0);
	lib_close(&l);
}

static void put_errors(void)
{
	struct marul1_reserve item = { .key = "staged", .key_len = 6, .length = 1 };
	struct maru_l1_usage usage;
	uint32_t layout, large;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!marul1_layout(l.client, 4 << 20, 0, &large));
	EXPECT_EQ(lib_put(l.client, layout, "", "x", 1), -EINVAL);
	EXPECT_EQ(lib_put(l.client, layout, "k", "x", 0), -EINVAL);
	EXPECT_EQ(lib_put(l.client, layout, "k", "x", 65), -EINVAL);
	EXPECT_EQ(lib_put(l.client, large + 1, "k", "x", 1), -EINVAL);
	ASSERT(!marul1_reserve_write(l.client, layout, &item, 1));
	EXPECT_EQ(lib_put(l.client, layout, "staged", "x", 1), -EBUSY);
	EXPECT_EQ(lib_put(l.client, large, "k", "x", 1), -ENOSPC);
	ASSERT(!marul1_usage(l.client, &usage));
	EXPECT_EQ(usage.my_staged, 1);
	EXPECT_EQ(usage.objects, 0);
	lib_close(&l);
}

/* Lines of a pool that hosts do not see of each other: the same bytes. */
static void put_and_get_incoherent(void)
{
	static char in[100000], out[100000];
	uint64_t length = sizeof(out);
	uint32_t layout;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:4M,coherent=0", 0));
	ASSERT(!marul1_layout(l.client, sizeof(in), 0, &layout));
	for (size_t i = 0; i < sizeof(in); i++)
		in[i] = i * 7;
	EXPECT_EQ(lib_put(l.client, layout, "k", in, sizeof(in)), 0);
	EXPECT_EQ(marul1_get(l.client, "k", 1, out, &length, NULL), 0);
	EXPECT_EQ(length, sizeof(in));
	EXPECT(!memcmp(in, out, sizeof(in)));
	lib_close(&l);
}

/* The write's lease ends while the bytes are copied: nothing of it is left. */
static void put_too_slow(void)
{
	const uint64_t length = 256 << 20;
	struct maru_l1_usage usage;
	uint32_t layout;
	char *bytes;
	struct lib l;
	void *base;

	ASSERT(!lib_open(&l, "embedded:256M", 0));
	ASSERT(!marul1_layout(l.client, length, 0, &layout));
	ASSERT(!marul1_set_leases(l.client, 0, 1));
	ASSERT(!marul1_map(l.client, 0, &base, NULL));
	bytes = calloc(1, length);
	ASSERT(bytes);
	/* First touch of 65536 pages takes far longer than a millisecond. */
	EXPECT_EQ(lib_put(l.client, layout, "k", bytes, length), -ETIMEDOUT);
	ASSERT(!marul1_usage(l.client, &usage));
	EXPECT_EQ(usage.used, 0);
	EXPECT_EQ(usage.my_unacked, 0);
	free(bytes);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "put-get", "one object by copy, cookie included", put_and_get },
	{ "get-size", "a small buffer: EMSGSIZE, the size, no hold left", get_says_how_much },
	{ "put-errors", "INVALID, NO_SPACE and staged keys have their errno", put_errors },
	{ "put-incoherent", "lines are written back and dropped on the way", put_and_get_incoherent },
	{ "put-slow", "the lease ends during the copy: ETIMEDOUT", put_too_slow },
};

int main(int argc, char **argv)
{
	return tap_run("lib-put-get", cases, ARRAY_SIZE(cases), argc, argv);
}
