// SPDX-License-Identifier: GPL-2.0-only
/* Calls as a shell makes them, and items of one key. */

#include "fixture.h"

static int run(struct user *u, unsigned int nr, union maru_call_arg *arg,
	       void *items, void *keys)
{
	struct maru_call call = {
		.type = maru_call_find(_IOC_NR(nr)), .arg = arg,
		.items = items, .keys = keys, .now = u->f->now,
	};
	int err;

	if (!call.type)
		return -ENOTTY;
	err = maru_call_check(u->core, &call);
	return err ? err : maru_call_run(u->core, &call);
}

int call_batch(struct user *u, unsigned int nr, const struct batch *b)
{
	union maru_call_arg arg = { .batch = {
		.size = sizeof(struct maru_l1_batch), .flags = b->flags,
		.nr_items = b->n, .layout = b->layout, .keys_len = b->keys_len,
	} };

	return run(u, nr, &arg, b->items, (void *)b->keys);
}

int call_single(struct user *u, unsigned int nr, union maru_call_arg *arg,
		void *items, void *keys)
{
	return run(u, nr, arg, items, keys);
}

/* One item: its key is @key, whatever its struct; all begin with the key. */
static void one(struct user *u, unsigned int nr, u32 flags, u32 page_layout,
		const char *key, void *item)
{
	struct batch b = { flags, page_layout, item, 1, key, strlen(key) };
	u32 *key_len = (u32 *)item + 1;

	*key_len = b.keys_len;
	EXPECT_EQ(call_batch(u, nr, &b), 0);
}

struct maru_l1_reserve reserve(struct user *u, u32 page_layout, const char *key,
			       u64 tag, u32 flags)
{
	struct maru_l1_reserve item = { .length = 1, .tag = tag, .flags = flags,
					.status = ~0U };

	one(u, MARU_L1_RESERVE_WRITE, 0, page_layout, key, &item);
	return item;
}

struct maru_l1_commit commit(struct user *u, const char *key, u64 tag, u32 holds)
{
	struct maru_l1_commit item = { .tag = tag, .holds = holds, .status = ~0U };

	memcpy(item.cookie, key, min(strlen(key), sizeof(item.cookie)));
	one(u, MARU_L1_COMMIT, 0, 0, key, &item);
	return item;
}

u32 abort_key(struct user *u, const char *key, u64 tag)
{
	struct maru_l1_abort item = { .tag = tag, .status = ~0U };

	one(u, MARU_L1_ABORT, 0, 0, key, &item);
	return item.status;
}

u32 abort_id(struct user *u, u64 id)
{
	struct maru_l1_abort item = { .id = id, .status = ~0U };

	one(u, MARU_L1_ABORT, 0, 0, "", &item);
	return item.status;
}

struct maru_l1_read reserve_read(struct user *u, const char *key, u32 holds)
{
	struct maru_l1_read item = { .holds = holds, .status = ~0U };

	one(u, MARU_L1_RESERVE_READ, 0, 0, key, &item);
	return item;
}

struct maru_l1_read peek(struct user *u, const char *key)
{
	struct maru_l1_read item = { .status = ~0U };

	one(u, MARU_L1_PEEK, 0, 0, key, &item);
	return item;
}

struct maru_l1_release release(struct user *u, const char *key, u64 id, u32 holds)
{
	struct maru_l1_release item = { .id = id, .holds = holds, .status = ~0U };

	one(u, MARU_L1_RELEASE, 0, 0, key, &item);
	return item;
}

u32 renew(struct user *u, const char *key, u64 id)
{
	struct maru_l1_renew item = { .id = id, .status = ~0U };

	one(u, MARU_L1_RENEW, 0, 0, key, &item);
	return item.status;
}

u32 delete(struct user *u, const char *key, u32 flags)
{
	struct maru_l1_delete item = { .status = ~0U };

	one(u, MARU_L1_DELETE, flags, 0, key, &item);
	return item.status;
}

u32 touch(struct user *u, const char *key)
{
	struct maru_l1_touch item = { .status = ~0U };

	one(u, MARU_L1_TOUCH, 0, 0, key, &item);
	return item.status;
}

struct maru_l1_query query(struct user *u, const char *key)
{
	struct maru_l1_query item = { .status = ~0U };

	one(u, MARU_L1_QUERY, 0, 0, key, &item);
	return item;
}

struct maru_l1_usage usage(struct user *u)
{
	union maru_call_arg arg = { 0 };

	EXPECT_EQ(run(u, MARU_L1_USAGE, &arg, NULL, NULL), 0);
	return arg.usage;
}

u32 layout(struct user *u, u64 bytes, u32 alignment)
{
	union maru_call_arg arg = {
		.layout = { .bytes = bytes, .alignment = alignment },
	};

	EXPECT_EQ(run(u, MARU_L1_LAYOUT, &arg, NULL, NULL), 0);
	return arg.layout.layout;
}

void leases(struct user *u, u32 read_ms, u32 write_ms)
{
	union maru_call_arg arg = {
		.setup = { .read_lease_ms = read_ms, .write_lease_ms = write_ms },
	};

	EXPECT_EQ(run(u, MARU_L1_SETUP, &arg, NULL, NULL), 0);
}

void subscribe(struct user *u, u32 mask, u32 ring_size)
{
	union maru_call_arg arg = {
		.subscribe = { .mask = mask, .ring_size = ring_size },
	};

	EXPECT_EQ(run(u, MARU_L1_SUBSCRIBE, &arg, NULL, NULL), 0);
}

u64 stage(struct user *u, const char *key)
{
	struct maru_l1_reserve r = reserve(u, u->f->page, key, 0, 0);

	EXPECT_STATUS(r.status, OK);
	return r.id;
}

u64 stage_temporary(struct user *u, const char *key)
{
	struct maru_l1_reserve r;

	r = reserve(u, u->f->page, key, 0, MARU_L1_TEMPORARY);
	EXPECT_STATUS(r.status, OK);
	return r.id;
}

u64 publish(struct user *u, const char *key)
{
	u64 id = stage(u, key);

	EXPECT_STATUS(commit(u, key, 0, 0).status, OK);
	return id;
}

u64 make_private(struct user *u, const char *key, u32 holds)
{
	u64 id = stage_temporary(u, key);

	EXPECT_STATUS(commit(u, key, 0, holds).status, OK);
	return id;
}

u64 hold(struct user *u, const char *key, u32 holds)
{
	struct maru_l1_read r = reserve_read(u, key, holds);

	EXPECT_STATUS(r.status, OK);
	return r.id;
}
