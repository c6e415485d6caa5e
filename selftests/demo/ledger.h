/* SPDX-License-Identifier: GPL-2.0-only */
/* The accounts of the pool at several moments, as a table with sums. */
#ifndef DEMO_LEDGER_H
#define DEMO_LEDGER_H

#include <stdbool.h>
#include <linux/maru_l1.h>

#define LEDGER_COLUMNS	8

struct ledger {
	const char *moment[LEDGER_COLUMNS];
	struct maru_l1_usage usage[LEDGER_COLUMNS];
	int columns;
};

/* @moment: at most seven letters. */
void ledger_note(struct ledger *ledger, const char *moment,
		 const struct maru_l1_usage *usage);
void ledger_print(const struct ledger *ledger);
/* How many columns add up to the pool's size, and their parts to what is used. */
int ledger_sound(const struct ledger *ledger);

#endif
