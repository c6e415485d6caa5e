/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Inside of libmarul1.  An engine opens pools and carries out calls; all else
 * (batches, mapping, waiting for events, put and get) is the same for every
 * engine.  Calls travel as the structs of linux/maru_l1.h, so the device engine
 * is ioctl(2) and the embedded engine hands them to the core.
 *
 * Locks: the map lock of a client; engines have their own below it.
 */
#ifndef MARUL1_INTERNAL_H
#define MARUL1_INTERNAL_H

#include <errno.h>
#include <pthread.h>
#include <syslog.h>

/* All else is hidden by the compiler's default: see the Makefile. */
#pragma GCC visibility push(default)
#include "libmarul1.h"
#pragma GCC visibility pop

#define ALIGN_2M	(2ULL << 20)

/**
 * struct marul1_engine - one way to reach a pool
 * @scheme: what its URIs begin with
 * @open: @address is the URI after the scheme; fills in pool->priv
 * @close: ends the pool; @here: false in a forked child, which only gives its
 *	own copies back
 * @client_open: fills in the client's fd, pages and priv
 * @client_close: as @close; the mapping is gone already
 * @call: @cmd is the number of the ioctl, @arg its struct
 * @map: maps @length bytes at @offset of the pool to @addr (MAP_FIXED)
 * @read: whole events; -EAGAIN: none
 *
 * All answer 0 or -errno.
 */
struct marul1_engine {
	const char *scheme;
	int (*open)(struct marul1_pool *pool, const char *address);
	void (*close)(struct marul1_pool *pool, bool here);
	int (*client_open)(struct marul1_client *client);
	void (*client_close)(struct marul1_client *client, bool here);
	int (*call)(struct marul1_client *client, unsigned long cmd, void *arg);
	int (*map)(struct marul1_client *client, void *addr, uint64_t offset,
		   uint64_t length, int prot);
	ssize_t (*read)(struct marul1_client *client, void *buf, size_t len);
};

extern const struct marul1_engine marul1_device;
extern const struct marul1_engine marul1_embedded;

/**
 * struct marul1_pool
 * @here: a page that a child finds wiped: not 0 in the process that opened
 *	the pool.  Asking costs no system call.
 * @priv: the engine's
 */
struct marul1_pool {
	struct marul1_ctx *ctx;
	const struct marul1_engine *engine;
	unsigned int refs;
	unsigned int *here;
	void *priv;
};

/**
 * struct marul1_client
 * @fd: readable when there are events
 * @pool_status: page, or NULL while opening
 * @status: page
 * @priv: the engine's
 * @map_lock: makes one mapping of several callers
 * @base: where the pool is mapped, valid once @mapped is not 0
 * @mapped: bytes mapped, only grows
 * @reserved: bytes of address space set aside
 * @ends: pool offsets where the backings that are mapped end
 * @coherent: hosts see each other's stores, valid once mapped
 */
struct marul1_client {
	struct marul1_pool *pool;
	unsigned int flags;
	int fd;
	const struct maru_l1_pool_status *pool_status;
	const struct maru_l1_client_status *status;
	void *priv;
	pthread_mutex_t map_lock;
	uint8_t *base;
	uint64_t mapped;
	uint64_t reserved;
	uint64_t ends[MARU_L1_BACKINGS_MAX];
	bool coherent;
};

void marul1_log(struct marul1_ctx *ctx, int priority, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline bool marul1_pool_here(const struct marul1_pool *pool)
{
	return __atomic_load_n(pool->here, __ATOMIC_RELAXED);
}

static inline bool marul1_here(const struct marul1_client *client)
{
	return marul1_pool_here(client->pool);
}

static inline int marul1_call(struct marul1_client *client, unsigned long cmd,
			      void *arg)
{
	if (!marul1_here(client))
		return -EOWNERDEAD;
	return client->pool->engine->call(client, cmd, arg);
}

/* Where the pool is mapped, or NULL. */
static inline uint8_t *marul1_base(struct marul1_client *client,
				   uint64_t *mapped)
{
	/* Pairs with the release in map_rest(): then base is set as well. */
	*mapped = __atomic_load_n(&client->mapped, __ATOMIC_ACQUIRE);
	return *mapped && marul1_here(client) ? client->base : NULL;
}

/* Gives the address space back. */
void marul1_unmap(struct marul1_client *client);

/**
 * struct embedded_options - what follows "embedded:"
 * 0: not given, @coherent is then true
 */
struct embedded_options {
	uint64_t bytes;
	uint64_t max_objects;
	uint64_t quarantine_ms;
	uint64_t max_client_bytes;
	bool coherent;
};

/* -EINVAL: malformed; @ctx has been told what to write instead. */
int embedded_options_parse(struct marul1_ctx *ctx, const char *text,
			   struct embedded_options *options);

#endif /* MARUL1_INTERNAL_H */
