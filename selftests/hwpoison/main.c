// SPDX-License-Identifier: GPL-2.0-only
/*
 * hwpoison: in a kernel with the module, as root.  MARU_DAX names a device-dax
 * node whose content may be lost; what is declared bad stays so until the guest
 * ends.
 */
#include "hwpoison.h"

struct pool_under_test pools[2] = {
	{ .name = "hwpoison-device", .kind = "device" },
	{ .name = "hwpoison-memfd", .kind = "memfd" },
};

static struct marul1_ctx *ctx;

void each_pool(void (*test)(struct pool_under_test *p))
{
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++) {
		bus_watch(&pools[i]);
		test(&pools[i]);
		bus_end();
	}
}

/* Each word tells the key and its place. */
static void fill(uint8_t *buf, const char *key)
{
	for (size_t i = 0; i < OBJECT; i++)
		buf[i] = key[i % strlen(key)] + i / 251;
}

uint64_t put(struct pool_under_test *p, const char *key)
{
	struct marul1_read at = { .key = key, .key_len = strlen(key), .holds = 1 };
	struct marul1_release done = { .key = key, .key_len = strlen(key), .holds = 1 };
	static uint8_t buf[OBJECT];

	fill(buf, key);
	EXPECT_EQ(marul1_put(p->writer, p->layout, key, strlen(key), buf, OBJECT, NULL), 0);
	if (marul1_reserve_read(p->writer, 0, &at, 1) || at.status)
		return ~0ULL;
	EXPECT_EQ(marul1_release(p->writer, &done, 1), 0);
	return at.offset;
}

bool whole(struct pool_under_test *p, const char *key)
{
	static uint8_t want[OBJECT], got[OBJECT];
	uint64_t length = OBJECT;

	fill(want, key);
	return !marul1_get(p->writer, key, strlen(key), got, &length, NULL) &&
	       length == OBJECT && !memcmp(got, want, OBJECT);
}

struct maru_l1_usage usage_of(struct marul1_client *client)
{
	struct maru_l1_usage usage = { 0 };

	EXPECT_EQ(marul1_usage(client, &usage), 0);
	return usage;
}

static int pool_begin(struct pool_under_test *p)
{
	char uri[64];
	int err;

	if (!strcmp(p->kind, "device"))
		err = medium_dax(&p->medium, getenv("MARU_DAX"));
	else
		err = medium_memfd(&p->medium, 64 << 20, MEDIUM_SEALED, true);
	if (!err)
		err = medium_attach(&p->medium, p->name, 20);
	if (err)
		return err;
	/* Only clients have it mapped: one signal goes to one address. */
	munmap(p->medium.base, p->medium.bytes);
	snprintf(uri, sizeof(uri), "device:%s", p->name);
	err = marul1_open(ctx, uri, &p->pool);
	if (!err)
		err = marul1_client_open(p->pool, 0, &p->writer);
	if (!err)
		err = marul1_client_open(p->pool, 0, &p->reader);
	if (!err)
		err = marul1_map(p->reader, 0, NULL, NULL);
	return err ?: marul1_layout(p->writer, OBJECT, 0, &p->layout);
}

static void pool_end(struct pool_under_test *p)
{
	EXPECT(account_sound(marul1_client_fd(p->writer), NULL));
	marul1_client_close(p->writer);
	marul1_client_close(p->reader);
	marul1_pool_unref(p->pool);
	EXPECT_EQ(pool_detach(p->name, 0), 0);
	/* What the kernel knows to be bad it does not map; of a device it cannot know. */
	if (!strcmp(p->kind, "memfd") && can_poison())
		EXPECT_EQ(medium_attach(&p->medium, p->name, 20), -EUCLEAN);
	close(p->medium.fd);
}

static void detached(void)
{
	each_pool(pool_end);
}

int main(int argc, char **argv)
{
	static const struct tap_case end = {
		"end", "the accounts are right, the pools can be detached, and bad ones not attached",
		detached,
	};
	struct tap_case cases[32];
	size_t nr = 0;
	int err = marul1_new(&ctx);

	memcpy(cases, data_cases, nr_data_cases * sizeof(*cases));
	nr += nr_data_cases;
	memcpy(cases + nr, super_cases, nr_super_cases * sizeof(*cases));
	nr += nr_super_cases;
	cases[nr++] = end;
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
		err = err ?: pool_begin(&pools[i]);
	if (err) {
		printf("# the pools cannot be made: %s\n", strerror(-err));
		printf("hwpoison: 0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	err = tap_run("hwpoison", cases, nr, argc, argv);
	marul1_unref(ctx);
	return err;
}
