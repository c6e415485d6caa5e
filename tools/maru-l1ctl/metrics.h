/* SPDX-License-Identifier: GPL-2.0-only */
/* What a host counts, in the text format of Prometheus. */
#ifndef MARU_CTL_METRICS_H
#define MARU_CTL_METRICS_H

#include <stdio.h>
#include <json-c/json.h>

/*
 * @host: { up, pools: [ ... ] }, each pool as pool-get tells it, with stats: as
 * stats_read() does, and owners: [ { owner, segments, bytes } ].
 */
void metrics_write(FILE *out, struct json_object *host);

#endif
