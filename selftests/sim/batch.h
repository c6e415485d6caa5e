/* SPDX-License-Identifier: GPL-2.0-only */
/* A call with items on its way: what the core answered, what the model wants. */
#ifndef SIM_BATCH_H
#define SIM_BATCH_H

#include "sim.h"

#define ITEM_MAX	128	/* bytes, of any */

struct batch {
	u32 n;
	u32 flags;
	s32 keys[ITEMS_MAX];
	u8 got[ITEMS_MAX * ITEM_MAX];
	u8 want[ITEMS_MAX * ITEM_MAX];
	u8 bytes[ITEMS_MAX * (MARU_L1_KEY_MAX + 1)];
};

/* One at a time: it is large. */
extern struct batch batch;

u32 items_wanted(const struct world *w, const struct op *op);
/* Adds the key to the buffer and its place to the item, which begins with it. */
void key_place(struct batch *b, u32 *head, s32 key, u32 *at);
/* Counts the answer; fails when it is another than the model's. */
void item_compare(struct world *w, enum kind kind, const struct batch *b, u32 i,
		  s32 client);

#endif
