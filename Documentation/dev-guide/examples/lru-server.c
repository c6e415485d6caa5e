// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * lru-server URI COUNT: stores COUNT objects, evicting when the pool is 90 % full.
 *
 * It keeps its own list of objects, the least recently used first, and lets the pool
 * tell it what it cannot know: that the pool fills up (watermark), and that an object
 * is gone which somebody else deleted: else its list would keep ghosts for ever.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <libmarul1.h>

#define PAGE_BYTES	(256 << 10)
#define HIGH_PERMILLE	900
#define LOW_PERMILLE	700
#define EVENTS		(1U << MARU_L1_EV_DELETED | 1U << MARU_L1_EV_WATERMARK)

struct entry {
	TAILQ_ENTRY(entry) link;
	uint64_t id;		/* tells it from a later object of the same key */
	char key[32];
};

struct server {
	struct marul1_client *client;
	uint32_t layout;
	TAILQ_HEAD(, entry) lru;	/* least recently used first */
	size_t stored;
	size_t evicted;		/* by this server */
	size_t gone;		/* by others */
	bool full;		/* the watermark was reached */
};

static void forget(struct server *server, struct entry *entry)
{
	TAILQ_REMOVE(&server->lru, entry, link);
	free(entry);
}

/* What is stored under the entry's key now: an id, or 0. */
static int ask(struct server *server, const struct entry *entry, uint64_t *id)
{
	struct marul1_query query = { .key = entry->key, .key_len = strlen(entry->key) };
	int err = marul1_query(server->client, &query, 1);

	*id = query.state == MARU_L1_S_PUBLISHED ? query.id : 0;
	return err;
}

/* A real server has a hash table here.  What we have deleted ourselves is not found. */
static void deleted(struct server *server, uint64_t id)
{
	struct entry *entry;

	TAILQ_FOREACH(entry, &server->lru, link)
		if (entry->id == id) {
			server->gone++;
			forget(server, entry);
			return;
		}
}

/* Records were lost: every object that we know is asked for, one by one here. */
static int resync(struct server *server)
{
	struct entry *entry = TAILQ_FIRST(&server->lru), *next;
	uint64_t id;
	int err = 0;

	for (; entry && !err; entry = next) {
		next = TAILQ_NEXT(entry, link);
		err = ask(server, entry, &id);
		if (!err && id != entry->id)
			deleted(server, entry->id);
	}
	return err;
}

static int take_events(struct server *server)
{
	_Alignas(8) char buf[64 << 10];
	const struct maru_l1_event *event;
	ssize_t n, at;
	int err = 0;

	while (!err && (n = marul1_read_events(server->client, buf, sizeof(buf), 0)) > 0)
		for (at = 0; at < n && !err; at += event->size) {
			event = (const struct maru_l1_event *)(buf + at);
			if (event->kind == MARU_L1_EV_WATERMARK)
				server->full = true;
			else if (event->kind == MARU_L1_EV_DELETED)
				deleted(server, event->id);
			else if (event->kind == MARU_L1_EV_LOST)
				err = resync(server);
		}
	return n < 0 ? n : err;
}

static bool above(struct server *server, unsigned int permille)
{
	uint64_t total, used;

	marul1_space(server->client, &total, &used, NULL);
	return used > total / 1000 * permille;
}

/* The oldest first, down to the low mark.  What is held, or about to go, stays listed. */
static int evict(struct server *server)
{
	struct entry *entry = TAILQ_FIRST(&server->lru), *next;
	struct marul1_delete item;
	int err;

	for (; entry && above(server, LOW_PERMILLE); entry = next) {
		next = TAILQ_NEXT(entry, link);
		item = (struct marul1_delete){ .key = entry->key, .key_len = strlen(entry->key) };
		err = marul1_delete(server->client, 0, &item, 1);
		if (err)
			return err;
		if (item.status == MARU_L1_LOCKED || item.status == MARU_L1_PENDING)
			continue;
		server->evicted += item.status == MARU_L1_OK;
		forget(server, entry);
	}
	server->full = above(server, HIGH_PERMILLE);
	return 0;
}

static int store(struct server *server, size_t n)
{
	static const char bytes[PAGE_BYTES];
	struct entry *entry = calloc(1, sizeof(*entry));
	int len, err;

	if (!entry)
		return -ENOMEM;
	len = snprintf(entry->key, sizeof(entry->key), "object/%zu", n);
	err = marul1_put(server->client, server->layout, entry->key, len, bytes,
			 sizeof(bytes), NULL);
	if (!err)
		err = ask(server, entry, &entry->id);
	/* Without an id it is gone again, by another server. */
	if (err || !entry->id) {
		free(entry);
		return err;
	}
	TAILQ_INSERT_TAIL(&server->lru, entry, link);
	server->stored++;
	return 0;
}

static int serve(struct server *server, size_t count)
{
	int err = marul1_layout(server->client, PAGE_BYTES, 0, &server->layout);

	if (!err)
		err = marul1_subscribe(server->client, EVENTS, 1 << 20, HIGH_PERMILLE);
	for (size_t i = 0; i < count && !err; i++) {
		err = take_events(server);
		if (!err && server->full)
			err = evict(server);
		if (!err)
			err = store(server, i);
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
		printf("stored %zu, evicted %zu, gone by others %zu\n", server.stored,
		       server.evicted, server.gone);
	while (!TAILQ_EMPTY(&server.lru))
		forget(&server, TAILQ_FIRST(&server.lru));
	marul1_client_close(server.client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return err ? 2 : 0;
}
