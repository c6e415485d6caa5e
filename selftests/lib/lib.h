/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of libmarul1 share: an embedded pool, and what it logged. */
#ifndef LIB_TEST_H
#define LIB_TEST_H

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libmarul1.h"
#include "../tap.h"

struct log_seen {
	int messages;
	int priority;
	char text[512];
};

static inline void log_keep(void *arg, int priority, const char *fmt, va_list args)
{
	struct log_seen *seen = arg;

	seen->messages++;
	seen->priority = priority;
	vsnprintf(seen->text, sizeof(seen->text), fmt, args);
}

struct lib {
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *client;
	struct log_seen log;
};

static inline int lib_open(struct lib *l, const char *uri, unsigned int flags)
{
	int err;

	memset(l, 0, sizeof(*l));
	err = marul1_new(&l->ctx);
	if (err)
		return err;
	marul1_set_log_fn(l->ctx, log_keep, &l->log);
	err = marul1_open(l->ctx, uri, &l->pool);
	if (!err)
		err = marul1_client_open(l->pool, flags, &l->client);
	return err;
}

static inline void lib_close(struct lib *l)
{
	marul1_client_close(l->client);
	marul1_pool_unref(l->pool);
	marul1_unref(l->ctx);
}

static inline long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static inline void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

/* Stores @bytes bytes under a text key; 0 or what went wrong. */
static inline int lib_put(struct marul1_client *client, uint32_t layout,
			  const char *key, const void *bytes, uint64_t length)
{
	return marul1_put(client, layout, key, strlen(key), bytes, length, NULL);
}

#endif /* LIB_TEST_H */
