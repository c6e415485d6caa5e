/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The embedded engine.
 *
 * Locks, outermost first: events of a client, lock of the core.  The engine's
 * own lock, which is the thread's, comes before that of the core too, and is
 * not taken together with the former.
 */
#ifndef MARUL1_EMBEDDED_H
#define MARUL1_EMBEDDED_H

#include "../kmod/core/core.h"
#include "internal.h"

/**
 * struct embedded - a pool
 * @memfd: the memory, sealed against resizing
 * @status: page
 * @reaper: ends what is due
 * @lock: guards what follows
 * @wake: wakes @reaper; by CLOCK_MONOTONIC
 * @clients: open ones
 * @stop: @reaper shall end
 */
struct embedded {
	struct maru_pool *core;
	int memfd;
	struct maru_l1_pool_status *status;
	pthread_t reaper;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	unsigned int clients;
	bool stop;
};

u64 embedded_now(void);
/* A page of zeros for a status; NULL: no memory. */
void *embedded_page(void);
void embedded_count_client(struct embedded *e, int n);
int embedded_open(struct marul1_pool *pool, const char *address);
void embedded_close(struct marul1_pool *pool, bool here);

#endif /* MARUL1_EMBEDDED_H */
