// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A context: where messages go. */
#include "internal.h"

#include <stdlib.h>

/**
 * struct marul1_ctx
 * @lock: keeps @log_fn and @log_arg a pair
 */
struct marul1_ctx {
	unsigned int refs;
	pthread_mutex_t lock;
	marul1_log_fn log_fn;
	void *log_arg;
};

int marul1_new(struct marul1_ctx **ctx)
{
	struct marul1_ctx *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->refs = 1;
	pthread_mutex_init(&c->lock, NULL);
	*ctx = c;
	return 0;
}

struct marul1_ctx *marul1_ref(struct marul1_ctx *ctx)
{
	__atomic_add_fetch(&ctx->refs, 1, __ATOMIC_RELAXED);
	return ctx;
}

struct marul1_ctx *marul1_unref(struct marul1_ctx *ctx)
{
	if (ctx && !__atomic_sub_fetch(&ctx->refs, 1, __ATOMIC_ACQ_REL)) {
		pthread_mutex_destroy(&ctx->lock);
		free(ctx);
	}
	return NULL;
}

void marul1_set_log_fn(struct marul1_ctx *ctx, marul1_log_fn fn, void *arg)
{
	pthread_mutex_lock(&ctx->lock);
	ctx->log_fn = fn;
	ctx->log_arg = arg;
	pthread_mutex_unlock(&ctx->lock);
}

void marul1_log(struct marul1_ctx *ctx, int priority, const char *fmt, ...)
{
	marul1_log_fn fn;
	va_list args;
	void *arg;

	pthread_mutex_lock(&ctx->lock);
	fn = ctx->log_fn;
	arg = ctx->log_arg;
	pthread_mutex_unlock(&ctx->lock);
	if (!fn)
		return;
	va_start(args, fmt);
	fn(arg, priority, fmt, args);
	va_end(args);
}

const char *marul1_version(void)
{
	return MARUL1_VERSION;
}
