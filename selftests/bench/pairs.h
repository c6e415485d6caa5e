/* SPDX-License-Identifier: GPL-2.0-only */
/* What a reader does with each prompt: holds its keys, then lets them go. */
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include <libmarul1.h>
#include "rows.h"

struct pairs {
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *client;
	uint8_t keys[HOT_KEYS][KEY_LEN];
};

/* Opens @uri and stores HOT_KEYS objects of 32 bytes; ends the program if not. */
struct pairs *pairs_open(const char *uri);
void pairs_close(struct pairs *p);
/* Seconds of a pair of reserve_read and release, by key: @times all keys. */
double pairs_run(struct pairs *p, unsigned int times);
/* Stores keys @first … @first + @n - 1. */
void pairs_store(struct pairs *p, uint32_t first, uint32_t n);

#endif
