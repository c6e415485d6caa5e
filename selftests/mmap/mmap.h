/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mappings of a pool: what they are (the memory itself, in huge pages, for
 * devices too), and what they must not become.
 */
#ifndef MARU_MMAP_TEST_H
#define MARU_MMAP_TEST_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../guest/account.h"
#include "../guest/medium.h"
#include "../guest/raw.h"
#include "../guest/touch.h"
#include "../tap.h"

#define PAGE	4096UL
#define BLOCK	(2UL << 20)

/**
 * struct pool_under_test - one of the two kinds of memory
 * @name: of its node
 * @kind: "device" or "memfd"
 * @rw: a client, open for reading and writing
 * @ro: a client, open for reading only
 */
struct pool_under_test {
	struct medium medium;
	const char *name;
	const char *kind;
	int rw;
	int ro;
	uint64_t capacity;
	uint64_t unit;
	uint32_t layout;
};

/* The device of MARU_DAX and a memfd of 256 MiB. */
extern struct pool_under_test pools[2];

/* Runs @test on both. */
void each_pool(void (*test)(struct pool_under_test *p));
/* A mapping that must succeed; NULL after a failed EXPECT. */
uint8_t *map(int fd, size_t len, int prot, uint64_t offset);
/* Whether mmap() answers that errno. */
void refused(int fd, size_t len, int prot, int flags, uint64_t offset, int want,
	     const char *what);

extern const struct tap_case refuse_cases[], guard_cases[], fault_cases[],
	device_cases[];
extern const size_t nr_refuse_cases, nr_guard_cases, nr_fault_cases,
	nr_device_cases;

#define CASES(name) const size_t nr_##name = ARRAY_SIZE(name)

#endif /* MARU_MMAP_TEST_H */
