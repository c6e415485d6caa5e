// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A pool: an engine chosen by URI, and the process that opened it. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct marul1_engine *const engines[] = {
	&marul1_device,
	&marul1_embedded,
};

static const struct marul1_engine *find_engine(const char *uri,
					       const char **address)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		size_t n = strlen(engines[i]->scheme);

		if (!strncmp(uri, engines[i]->scheme, n)) {
			*address = uri + n;
			return engines[i];
		}
	}
	return NULL;
}

static int mark_process(struct marul1_pool *pool)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (page == MAP_FAILED)
		return -errno;
	if (madvise(page, size, MADV_WIPEONFORK)) {
		err = -errno;
		munmap(page, size);
		return err;
	}
	pool->here = page;
	*pool->here = 1;
	return 0;
}

static void free_pool(struct marul1_pool *pool)
{
	if (pool->here)
		munmap(pool->here, sysconf(_SC_PAGESIZE));
	marul1_unref(pool->ctx);
	free(pool);
}

int marul1_open(struct marul1_ctx *ctx, const char *uri,
		struct marul1_pool **pool)
{
	const struct marul1_engine *engine;
	const char *address;
	struct marul1_pool *p;
	int err;

	engine = uri ? find_engine(uri, &address) : NULL;
	if (!engine) {
		marul1_log(ctx, LOG_ERR,
			   "\"%s\" is no pool: write device:NAME or embedded:SIZE",
			   uri ? uri : "");
		return -EINVAL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->ctx = marul1_ref(ctx);
	p->engine = engine;
	p->refs = 1;
	err = mark_process(p);
	if (!err)
		err = engine->open(p, address);
	if (err) {
		free_pool(p);
		return err;
	}
	*pool = p;
	return 0;
}

struct marul1_pool *marul1_pool_ref(struct marul1_pool *pool)
{
	__atomic_add_fetch(&pool->refs, 1, __ATOMIC_RELAXED);
	return pool;
}

struct marul1_pool *marul1_pool_unref(struct marul1_pool *pool)
{
	if (pool && !__atomic_sub_fetch(&pool->refs, 1, __ATOMIC_ACQ_REL)) {
		pool->engine->close(pool, marul1_pool_here(pool));
		free_pool(pool);
	}
	return NULL;
}
