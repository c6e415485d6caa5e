/* SPDX-License-Identifier: GPL-2.0-only */
/* What happened between two looks at the counters of a pool. */
#ifndef MARU_CTL_RATES_H
#define MARU_CTL_RATES_H

#include <stdint.h>
#include <json-c/json.h>

/* Answers of @op between two stats, per second; all but OK with @status NULL. */
double rates_of(struct json_object *before, struct json_object *now, const char *op,
		const char *status, double seconds);
/* The same of a counter of the whole. */
double rates_total(struct json_object *before, struct json_object *now, const char *key,
		   double seconds);
/*
 * One line, with titles above the first.  @before: NULL: the first look; then there
 * is nothing to tell but the fill.
 */
void rates_print(struct json_object *before, struct json_object *now, double seconds);

#endif
