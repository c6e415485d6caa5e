// SPDX-License-Identifier: GPL-2.0-only
/* Medians, and a row as JSON. */

#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

void fail(const char *what, int err)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(err < 0 ? -err : err));
	exit(1);
}

void key_write(uint8_t *key, uint32_t i)
{
	char text[KEY_LEN + 1];
	int n;

	n = snprintf(text, sizeof(text), "Qwen/Qwen3-8B@8@3@%016llx%016llx@bfloat16@",
		     i * 0x9e3779b97f4a7c15ULL, (i + 1) * 0xbf58476d1ce4e5b9ULL);
	memset(text + n, 'k', KEY_LEN - n);
	memcpy(key, text, KEY_LEN);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sorted(double *to, const double *from)
{
	memcpy(to, from, ROUNDS * sizeof(*to));
	qsort(to, ROUNDS, sizeof(*to), compare);
}

void row_print(const struct row *row)
{
	double values[ROUNDS], references[ROUNDS], ratios[ROUNDS], *judged = values;
	int i, has_reference = row->references[0] > 0;

	for (i = 0; i < ROUNDS && has_reference; i++)
		ratios[i] = row->values[i] / row->references[i];
	sorted(values, row->values);
	if (has_reference) {
		sorted(references, row->references);
		qsort(ratios, ROUNDS, sizeof(*ratios), compare);
		judged = ratios;
	}
	printf("{\"name\": \"%s\", \"value\": %.1f, \"unit\": \"%s\", \"better\": \"less\", ",
	       row->name, values[ROUNDS / 2], row->unit);
	if (has_reference)
		printf("\"reference\": %.1f, \"ratio\": %.3f, ",
		       references[ROUNDS / 2], ratios[ROUNDS / 2]);
	else
		printf("\"reference\": null, \"ratio\": null, ");
	printf("\"goal\": %g, \"met\": %s, \"rounds\": %d, \"spread\": %.3f}\n",
	       row->goal, judged[ROUNDS / 2] <= row->goal ? "true" : "false", ROUNDS,
	       (judged[ROUNDS - 1] - judged[0]) / judged[ROUNDS / 2]);
	fflush(stdout);
}
