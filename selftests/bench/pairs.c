// SPDX-License-Identifier: GPL-2.0-only
/* Stores and reads through libmarul1, as a cache server does. */

#include "pairs.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t layout_of(struct pairs *p)
{
	uint32_t layout;
	int err = marul1_layout(p->client, 32, 0, &layout);

	if (err)
		fail("layout", err);
	return layout;
}

static void store_batch(struct pairs *p, uint32_t layout, uint32_t first)
{
	static uint8_t keys[BATCH][KEY_LEN];
	struct marul1_reserve writes[BATCH];
	struct marul1_commit commits[BATCH];
	int i, err;

	for (i = 0; i < BATCH; i++) {
		key_write(keys[i], first + i);
		writes[i] = (struct marul1_reserve){
			.key = keys[i], .key_len = KEY_LEN, .length = 32 };
		commits[i] = (struct marul1_commit){
			.key = keys[i], .key_len = KEY_LEN };
	}
	err = marul1_reserve_write(p->client, layout, writes, BATCH);
	if (!err)
		err = marul1_commit(p->client, commits, BATCH);
	if (err)
		fail("store", err);
	for (i = 0; i < BATCH; i++)
		if (writes[i].status || commits[i].status)
			fail(marul1_status_name(writes[i].status ?: commits[i].status),
			     EIO);
}

void pairs_store(struct pairs *p, uint32_t first, uint32_t n)
{
	uint32_t layout = layout_of(p), end = first + n;

	for (; first < end; first += BATCH)
		store_batch(p, layout, first);
}

struct pairs *pairs_open(const char *uri)
{
	struct pairs *p = calloc(1, sizeof(*p));
	int i, err = p ? marul1_new(&p->ctx) : -ENOMEM;

	if (!err)
		err = marul1_open(p->ctx, uri, &p->pool);
	if (!err)
		err = marul1_client_open(p->pool, 0, &p->client);
	if (err)
		fail(uri, err);
	for (i = 0; i < HOT_KEYS; i++)
		key_write(p->keys[i], i);
	pairs_store(p, 0, HOT_KEYS);
	return p;
}

void pairs_close(struct pairs *p)
{
	marul1_client_close(p->client);
	marul1_pool_unref(p->pool);
	marul1_unref(p->ctx);
	free(p);
}

/* One prompt: BATCH keys from @first on. */
static void read_batch(struct pairs *p, uint32_t first)
{
	struct marul1_release releases[BATCH];
	struct marul1_read reads[BATCH];
	int i, err;

	for (i = 0; i < BATCH; i++)
		reads[i] = (struct marul1_read){
			.key = p->keys[first + i], .key_len = KEY_LEN, .holds = 1 };
	err = marul1_reserve_read(p->client, 0, reads, BATCH);
	if (err)
		fail("reserve_read", err);
	for (i = 0; i < BATCH; i++) {
		if (reads[i].status)
			fail(marul1_status_name(reads[i].status), EIO);
		releases[i] = (struct marul1_release){
			.id = reads[i].id, .holds = 1 };
	}
	err = marul1_release(p->client, releases, BATCH);
	if (err)
		fail("release", err);
	for (i = 0; i < BATCH; i++)
		if (releases[i].status)
			fail(marul1_status_name(releases[i].status), EIO);
}

double pairs_run(struct pairs *p, unsigned int times)
{
	double begin = seconds_now();
	uint32_t first;
	unsigned int i;

	for (i = 0; i < times; i++)
		for (first = 0; first < HOT_KEYS; first += BATCH)
			read_batch(p, first);
	return (seconds_now() - begin) / times / HOT_KEYS;
}
