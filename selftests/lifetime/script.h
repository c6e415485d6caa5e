/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A writer and reader that does everything once, in steps of one call each, and
 * what the accounts say when it dies after each of them.
 */
#ifndef MARU_SCRIPT_H
#define MARU_SCRIPT_H

#include "lifetime.h"

/* Objects of the directory, as bits. */
#define P_SEED	(1U << 0)	/* published by the test */
#define P_A	(1U << 1)
#define P_B	(1U << 2)
#define P_ALL	3

/**
 * struct account - the state of the pool, in pages
 * @waiting: what the end of the client sends to quarantine: staging, private
 *	objects, and writes dropped by force
 * @held: published objects that it holds
 * @published: P_*
 */
struct account {
	unsigned int waiting;
	unsigned int held;
	unsigned int published;
};

/**
 * struct progress - shared by the script and the test
 * @begun: number of the last step that was begun
 * @done: number of the last step that is done
 * @took_us: how long all of it took
 */
struct progress {
	volatile unsigned int begun;
	volatile unsigned int done;
	volatile unsigned int took_us;
};

extern const size_t script_steps;
struct account script_after(unsigned int step);
/* Runs in a process of its own and does not return. */
void script_run(const char *pool, struct progress *progress);

/* The payload of a page: depends on the key and each word on its place. */
void payload_fill(void *page, const char *key);
bool payload_whole(const void *page, const char *key);
void payload_cookie(uint8_t cookie[MARU_L1_COOKIE_LEN], const char *key);
extern const char *const published_keys[P_ALL];

#endif /* MARU_SCRIPT_H */
