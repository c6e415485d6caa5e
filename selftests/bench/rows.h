/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows of the benchmark: one measure against its reference, taken in rounds
 * that take turns, so that a busy neighbour disturbs both.  What the machine
 * can do is in neither: a row is about their ratio.
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdint.h>
#include <stddef.h>

#define ROUNDS		15	/* odd: the median is one of them */
#define KEY_LEN		110	/* as LMCache's are */
#define BATCH		128	/* keys of a 32k prompt */
#define HOT_KEYS	(8 * BATCH)

struct row {
	const char *name;
	const char *unit;
	double values[ROUNDS];
	double references[ROUNDS];	/* 0: there is none */
	double goal;			/* of the ratio, or of the value */
};

/*
 * Prints @row as one line of JSON: the medians of its values, references and
 * ratios; the spread is (largest - smallest) / median of what has the goal.
 */
void row_print(const struct row *row);

/* Key @i of KEY_LEN bytes, of the form that cache servers use. */
void key_write(uint8_t *key, uint32_t i);

double seconds_now(void);
/* Says what failed and ends the program. */
void fail(const char *what, int err) __attribute__((noreturn));

#endif
