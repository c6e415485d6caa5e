/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * M1 with memory that the kernel itself holds for bad: MADV_HWPOISON does what a
 * memory error does, but for the error.  The library is used as a cache server
 * uses it.
 */
#ifndef MARU_HWPOISON_H
#define MARU_HWPOISON_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libmarul1.h"
#include "../guest/account.h"
#include "../guest/medium.h"
#include "../tap.h"

#define PAGE	4096UL
#define OBJECT	(64UL << 10)	/* of each object, and so of each extent */

/**
 * struct pool_under_test - one of the two kinds of memory
 * @name: of its node
 * @kind: "device" or "memfd"
 * @writer: puts the objects there and reports the bad memory
 * @reader: has the pool mapped and is told of it
 * @layout: of OBJECT bytes
 */
struct pool_under_test {
	struct medium medium;
	const char *name;
	const char *kind;
	struct marul1_pool *pool;
	struct marul1_client *writer;
	struct marul1_client *reader;
	uint32_t layout;
};

/* The device of MARU_DAX and a memfd of 64 MiB. */
extern struct pool_under_test pools[2];

/* Runs @test on both. */
void each_pool(void (*test)(struct pool_under_test *p));
/* Of OBJECT bytes that depend on the key; where it lies, or ~0. */
uint64_t put(struct pool_under_test *p, const char *key);
/* Whether the object is there with its bytes. */
bool whole(struct pool_under_test *p, const char *key);
struct maru_l1_usage usage_of(struct marul1_client *client);

/**
 * struct bus - what the handler of this program has seen last
 * @signals: how many since bus_watch()
 * @code: si_code
 * @err: answer of marul1_sigbus() for the client that the place lies in
 * @offset: likewise
 * @length: likewise
 */
struct bus {
	volatile sig_atomic_t signals;
	int code;
	int err;
	uint64_t offset;
	uint64_t length;
};

extern struct bus bus;

/* Sets the handler, which asks marul1_sigbus() of the pool's clients. */
void bus_watch(const struct pool_under_test *p);
void bus_end(void);
/* Whether what was seen is a media error, of a piece that @offset lies in. */
bool bus_told(int code, uint64_t offset);
/*
 * Declares the page bad that @at lies in: 0 or -errno.  The signal, if there is
 * one, comes before this returns.
 */
int poison(void *at);
/* Reads a byte; true: SIGBUS. */
bool bus_at(const void *at);
/* Whether this kernel can be told that memory is bad. */
bool can_poison(void);
#define NEEDS_POISON() do {						\
	if (!can_poison())						\
		SKIP("this kernel has no CONFIG_MEMORY_FAILURE");	\
} while (0)

extern const struct tap_case data_cases[], super_cases[];
extern const size_t nr_data_cases, nr_super_cases;

#define CASES(name) const size_t nr_##name = ARRAY_SIZE(name)

#endif /* MARU_HWPOISON_H */
