// SPDX-License-Identifier: GPL-2.0-only
/*
 * embedded.read128.vs_hash: what a safe read costs beside the look-up in it.
 *
 * The reference is one look-up for each key in the core's own table: SipHash of
 * the key, its chain, comparison of the whole key.  It is called on a second
 * core, linked in here, of the same keys, without its lock.
 */
#include "internal.h"
#undef ARRAY_SIZE
#include "pairs.h"

#define TIMES	100	/* all keys so often in a round: some 30 ms */

static struct maru_l1_pool_status pool_status;
static struct maru_l1_client_status client_status;

static void core_call(struct maru_client *client, unsigned int nr,
		      union maru_call_arg *arg, void *items, void *keys)
{
	struct maru_call call = {
		.type = maru_call_find(_IOC_NR(nr)), .arg = arg,
		.items = items, .keys = keys, .now = 1,
	};
	int err = maru_call_check(client, &call);

	if (!err)
		err = maru_call_run(client, &call);
	if (err)
		fail(call.type->name, err);
}

/* Stores the keys of @p. */
static void core_store(struct maru_client *client, struct pairs *p)
{
	static struct maru_l1_reserve writes[HOT_KEYS];
	static struct maru_l1_commit commits[HOT_KEYS];
	union maru_call_arg layout = { .layout = { .bytes = 32 } };
	union maru_call_arg batch = { .batch = {
		.nr_items = HOT_KEYS, .keys_len = sizeof(p->keys) } };
	u32 i;

	core_call(client, MARU_L1_LAYOUT, &layout, NULL, NULL);
	for (i = 0; i < HOT_KEYS; i++) {
		writes[i] = (struct maru_l1_reserve){
			.key_off = i * KEY_LEN, .key_len = KEY_LEN, .length = 32 };
		commits[i] = (struct maru_l1_commit){
			.key_off = i * KEY_LEN, .key_len = KEY_LEN };
	}
	batch.batch.layout = layout.layout.layout;
	core_call(client, MARU_L1_RESERVE_WRITE, &batch, writes, p->keys);
	batch.batch.layout = 0;
	core_call(client, MARU_L1_COMMIT, &batch, commits, p->keys);
}

static struct maru_pool *core_open(struct maru_client **client)
{
	struct maru_pool_params params = {
		.bytes = 64ULL << 20, .node = 1, .incarnation = 1,
		.quarantine_ns = 1, .status = &pool_status,
		.hash_key = "sixteen letters",
	};
	struct maru_client_params writer = {
		.writable = true, .status = &client_status,
	};
	struct maru_pool *pool;
	int err = maru_pool_create(&params, &pool);

	if (!err)
		err = maru_client_open(pool, &writer, client);
	if (err)
		fail("core", err);
	return pool;
}

static double lookups_run(struct maru_pool *pool, struct pairs *p,
			  unsigned int times)
{
	double begin = seconds_now();
	unsigned int i;
	u32 k;

	for (i = 0; i < times; i++) {
		for (k = 0; k < HOT_KEYS; k++) {
			struct maru_key key = { p->keys[k], KEY_LEN, 0 };

			key.hash = siphash(key.bytes, key.len, &pool->hash_key);
			if (!maru_find_published(pool, &key))
				fail("look-up", ENOENT);
		}
	}
	return (seconds_now() - begin) / times / HOT_KEYS;
}

int main(void)
{
	struct row row = { .name = "embedded.read128.vs_hash", .unit = "ns/key",
			   .goal = 6 };
	struct pairs *p = pairs_open("embedded:64M");
	struct maru_client *client;
	struct maru_pool *pool = core_open(&client);
	int i;

	core_store(client, p);
	pairs_run(p, TIMES);
	lookups_run(pool, p, TIMES);
	for (i = 0; i < ROUNDS; i++) {
		row.references[i] = lookups_run(pool, p, TIMES) * 1e9;
		row.values[i] = pairs_run(p, TIMES) * 1e9;
	}
	row_print(&row);
	maru_client_close(client, 2, false);
	maru_pool_destroy(pool);
	pairs_close(p);
	return 0;
}
