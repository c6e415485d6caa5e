/* SPDX-License-Identifier: GPL-2.0-only */
/* The counters of a pool, with the names of calls and answers. */
#ifndef MARU_CTL_STATS_H
#define MARU_CTL_STATS_H

#include "family.h"

/*
 * { name, operations: { CALL: { ANSWER: n } }, latencies: { CALL: { calls, errors,
 * total_ns, mean_ns, p50_ns, p99_ns, histogram } }, removed: { CAUSE: { objects,
 * bytes } }, refused: { REASON: n }, clients, bytes_stored, … }: the caller's to put.
 * Return: 0 or -errno.
 */
int stats_read(struct family *family, const char *pool, struct json_object **stats);
/* A number of @model, 0 if it has none of that name. */
uint64_t stats_number(struct json_object *model, const char *key);
/* The same of a model in the model. */
struct json_object *stats_part(struct json_object *model, const char *key);

#endif
