// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * writer URI PREFIX COUNT [LEASE_MS]
 *
 * Stores COUNT objects whose pages are filled in the background, as a GPU's copy
 * engine would do it: reserve all, start the transfers, publish each when its
 * transfer has ended.
 *
 * What an expired lease means here: the write cannot be published any more, but the
 * transfer may still be running, so the memory stays ours until we acknowledge, by
 * the reservation's id and only when the transfer has ended, that nobody writes to it.
 *
 * Exit status: 0 all were stored, 1 some were not, 2 something went wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libmarul1.h>

#define PAGE_BYTES	(1 << 20)
#define KEY_MAX		64

/* One object on its way. */
struct transfer {
	pthread_t thread;
	char key[KEY_MAX];
	void *page;
	uint64_t id;		/* of the reservation */
	unsigned int ms;	/* how long the transfer takes */
};

static int failed(const char *what, int error)
{
	fprintf(stderr, "writer: %s: %s\n", what, strerror(-error));
	return 2;
}

static void *run(void *arg)
{
	struct transfer *transfer = arg;

	usleep(transfer->ms * 1000);
	memset(transfer->page, transfer->key[strlen(transfer->key) - 1], PAGE_BYTES);
	return NULL;
}

/* NULL: the pool is gone.  One that has grown since it was mapped is mapped again. */
static void *page_of(struct marul1_client *client, const struct marul1_reserve *item)
{
	void *page = marul1_ptr(client, item->offset, item->page_size);

	if (!page && !marul1_map(client, 0, NULL, NULL))
		page = marul1_ptr(client, item->offset, item->page_size);
	return page;
}

/* Gives back a page to which nothing writes, and nothing will. */
static int give_back(struct marul1_client *client, uint64_t id)
{
	struct marul1_abort item = { .id = id };

	return marul1_abort(client, &item, 1);
}

static int start(struct marul1_client *client, struct transfer *transfer,
		 const struct marul1_reserve *item)
{
	int err;

	transfer->id = item->id;
	transfer->page = page_of(client, item);
	err = transfer->page ? -pthread_create(&transfer->thread, NULL, run, transfer) : -ENODEV;
	if (err) {
		transfer->page = NULL;
		give_back(client, item->id);
	}
	return err;
}

/* Room for all or for none: so that no server waits for what another one has taken. */
static int reserve(struct marul1_client *client, uint32_t layout, struct marul1_reserve *items,
		   size_t n)
{
	struct maru_l1_evict evict = { .bytes = n * PAGE_BYTES };
	int err;

	err = marul1_reserve_write_many(client, layout, items, n);
	if (err || items[0].status != MARU_L1_NO_SPACE)
		return err;
	/* Which objects may go is this server's to decide: here, the oldest ones. */
	err = marul1_evict(client, &evict);
	return err ? err : marul1_reserve_write_many(client, layout, items, n);
}

/* Return: 1: published; 0: it was not; or a negative errno. */
static int finish(struct marul1_client *client, struct transfer *transfer)
{
	struct marul1_commit commit = {
		.key = transfer->key, .key_len = strlen(transfer->key),
		.reservation = transfer->id,
	};
	int err;

	pthread_join(transfer->thread, NULL);
	err = marul1_commit(client, &commit, 1);
	if (err)
		return err;
	if (commit.status == MARU_L1_OK) {
		if (commit.result & MARU_L1_R_LOST_RACE)
			printf("%s: another writer was first\n", transfer->key);
		return 1;
	}
	printf("%s: %s\n", transfer->key, marul1_status_name(commit.status));
	/* The transfer has ended, so the memory may go. */
	return commit.status == MARU_L1_EXPIRED ? give_back(client, transfer->id) : 0;
}

static int store(struct marul1_client *client, const char *prefix, size_t n, unsigned int ms)
{
	struct marul1_reserve *items = calloc(n, sizeof(*items));
	struct transfer *transfers = calloc(n, sizeof(*transfers));
	size_t stored = 0;
	uint32_t layout;
	int err, ret;

	err = !items || !transfers ? -ENOMEM : marul1_layout(client, PAGE_BYTES, 0, &layout);
	for (size_t i = 0; !err && i < n; i++) {
		snprintf(transfers[i].key, KEY_MAX, "%s%zu", prefix, i);
		items[i] = (struct marul1_reserve){
			.key = transfers[i].key, .key_len = strlen(transfers[i].key),
			.length = PAGE_BYTES,
		};
	}
	if (!err)
		err = reserve(client, layout, items, n);
	for (size_t i = 0; !err && i < n; i++) {
		transfers[i].ms = ms;
		if (items[i].status == MARU_L1_OK) {
			err = start(client, &transfers[i], &items[i]);
		} else if (items[i].status == MARU_L1_NOT_WRITABLE) {
			stored++;	/* the object is there already */
		} else {
			printf("%s: %s\n", transfers[i].key, marul1_status_name(items[i].status));
		}
	}
	/* Whatever has failed: what runs is waited for. */
	for (size_t i = 0; transfers && i < n; i++) {
		ret = transfers[i].page ? finish(client, &transfers[i]) : 0;
		if (ret < 0)
			err = ret;
		else
			stored += ret;
	}
	free(transfers);
	free(items);
	if (err)
		return failed("store", err);
	printf("%zu of %zu objects are in the pool\n", stored, n);
	return stored == n ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct marul1_client *client = NULL;
	struct marul1_pool *pool = NULL;
	struct marul1_ctx *ctx = NULL;
	unsigned int lease_ms;
	int err, ret;

	if (argc < 4 || atoi(argv[3]) < 1 || strlen(argv[2]) > KEY_MAX / 2) {
		fprintf(stderr, "usage: writer URI PREFIX COUNT [LEASE_MS]\n");
		return 2;
	}
	lease_ms = argc > 4 ? atoi(argv[4]) : 600000;
	err = marul1_new(&ctx);
	if (!err)
		err = marul1_open(ctx, argv[1], &pool);
	if (!err)
		err = marul1_client_open(pool, 0, &client);
	if (!err)
		err = marul1_set_leases(client, 0, lease_ms);
	if (!err)
		err = marul1_map(client, 0, NULL, NULL);
	/* With a short lease the transfers take too long: to see what happens then. */
	ret = err ? failed(argv[1], err) :
		    store(client, argv[2], atoi(argv[3]), argc > 4 ? 3 * lease_ms : 1);
	marul1_client_close(client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return ret;
}
