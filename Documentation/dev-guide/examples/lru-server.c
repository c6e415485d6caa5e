// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lru-server URI COUNT
 *
 * A server that decides by itself what to evict: it keeps its own list of keys, the
 * least recently used first, and lets the pool tell it what it cannot know: that the
 * pool fills up (watermark), and that an object has gone which somebody else deleted.
 * Without the latter its list would keep ghosts for ever.
 *
 * Stores COUNT objects, evicting when the pool is 90 % full, and prints what it did.
 */
#include <errno.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <libmarul1.h>

#define PAGE_BYTES	(256 << 10)
#define KEY_MAX		32
#define HIGH_PERMILLE	900
#define LOW_PERMILLE	700
#define EVENTS		(1U << MARU_L1_EV_DELETED | 1U << MARU_L1_EV_WATERMARK)

struct entry {
	TAILQ_ENTRY(entry) link;
	char key[KEY_MAX];
};

TAILQ_HEAD(lru, entry);

struct server {
	struct marul1_client *client;
	uint32_t layout;
	struct lru lru;		/* least recently used first */
	size_t known;		/* its length */
	size_t stored;
	size_t evicted;		/* by this server */
	size_t gone;		/* by others */
	bool full;		/* the watermark was reached */
};

static void forget(struct server *server, struct entry *entry)
{
	TAILQ_REMOVE(&server->lru, entry, link);
	server->known--;
	free(entry);
}

/* A real server has a hash table here. */
static struct entry *find(struct server *server, const void *key, size_t len)
{
	struct entry *entry;

	TAILQ_FOREACH(entry, &server->lru, link)
		if (strlen(entry->key) == len && !memcmp(entry->key, key, len))
			return entry;
	return NULL;
}

/* Records were lost: the keys that we know are asked for, one by one here. */
static int resync(struct server *server)
{
	struct entry *entry = TAILQ_FIRST(&server->lru), *next;
	struct marul1_query query;
	int err;

	for (; entry; entry = next) {
		next = TAILQ_NEXT(entry, link);
		query = (struct marul1_query){ .key = entry->key, .key_len = strlen(entry->key) };
		err = marul1_query(server->client, &query, 1);
		if (err)
			return err;
		if (query.state == MARU_L1_S_ABSENT) {
			server->gone++;
			forget(server, entry);
		}
	}
	return 0;
}

static int take_event(struct server *server, const struct maru_l1_event *event)
{
	struct entry *entry;

	switch (event->kind) {
	case MARU_L1_EV_WATERMARK:
		server->full = true;
		return 0;
	case MARU_L1_EV_LOST:
		return resync(server);
	case MARU_L1_EV_DELETED:
		/* Our own deletes are told as well, and known by then. */
		entry = find(server, event->key, event->key_len);
		if (entry && !(event->flags & MARU_L1_EV_SELF)) {
			server->gone++;
			forget(server, entry);
		}
		return 0;
	default:
		return 0;
	}
}

static int take_events(struct server *server)
{
	alignas(8) char buf[64 << 10];
	ssize_t n, at;
	int err = 0;

	while ((n = marul1_read_events(server->client, buf, sizeof(buf), 0)) > 0)
		for (at = 0; at < n && !err; at += ((struct maru_l1_event *)(buf + at))->size)
			err = take_event(server, (struct maru_l1_event *)(buf + at));
	return n < 0 ? n : err;
}

static unsigned int fill_permille(struct server *server)
{
	uint64_t total, used;

	marul1_space(server->client, &total, &used, NULL);
	return used * 1000 / total;
}

/* The oldest first, down to the low mark; what somebody reads stays. */
static int evict(struct server *server)
{
	struct entry *entry = TAILQ_FIRST(&server->lru), *next;
	struct marul1_delete item;
	int err;

	for (; entry && fill_permille(server) > LOW_PERMILLE; entry = next) {
		next = TAILQ_NEXT(entry, link);
		item = (struct marul1_delete){ .key = entry->key, .key_len = strlen(entry->key) };
		err = marul1_delete(server->client, 0, &item, 1);
		if (err)
			return err;
		if (item.status == MARU_L1_LOCKED || item.status == MARU_L1_PENDING)
			continue;
		if (item.status == MARU_L1_OK)
			server->evicted++;
		forget(server, entry);
	}
	server->full = false;
	return 0;
}

static int store(struct server *server, size_t n)
{
	static const char bytes[PAGE_BYTES];
	struct entry *entry = calloc(1, sizeof(*entry));
	int err;

	if (!entry)
		return -ENOMEM;
	snprintf(entry->key, KEY_MAX, "object/%zu", n);
	err = marul1_put(server->client, server->layout, entry->key, strlen(entry->key), bytes,
			 sizeof(bytes), NULL);
	if (err) {
		free(entry);
		return err;
	}
	TAILQ_INSERT_TAIL(&server->lru, entry, link);
	server->known++;
	server->stored++;
	return 0;
}

static int serve(struct server *server, size_t count)
{
	int err;

	err = marul1_layout(server->client, PAGE_BYTES, 0, &server->layout);
	if (!err)
		err = marul1_subscribe(server->client, EVENTS, 1 << 20, HIGH_PERMILLE);
	for (size_t i = 0; i < count && !err; i++) {
		err = store(server, i);
		if (!err)
			err = take_events(server);
		if (!err && server->full)
			err = evict(server);
	}
	return err;
}

int main(int argc, char **argv)
{
	struct server server = { .lru = TAILQ_HEAD_INITIALIZER(server.lru) };
	struct marul1_pool *pool = NULL;
	struct marul1_ctx *ctx = NULL;
	int err;

	if (argc != 3 || atoi(argv[2]) < 1) {
		fprintf(stderr, "usage: lru-server URI COUNT\n");
		return 2;
	}
	err = marul1_new(&ctx);
	if (!err)
		err = marul1_open(ctx, argv[1], &pool);
	if (!err)
		err = marul1_client_open(pool, 0, &server.client);
	if (!err)
		err = serve(&server, atoi(argv[2]));
	if (err)
		fprintf(stderr, "lru-server: %s: %s\n", argv[1], strerror(-err));
	else
		printf("stored %zu, evicted %zu, gone by others %zu, known %zu\n", server.stored,
		       server.evicted, server.gone, server.known);
	while (!TAILQ_EMPTY(&server.lru))
		forget(&server, TAILQ_FIRST(&server.lru));
	marul1_client_close(server.client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return err ? 2 : 0;
}
