// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include "rates.h"
#include "stats.h"
#include "util.h"

static uint64_t answers(struct json_object *stats, const char *op, const char *status)
{
	struct json_object *answers = stats_part(stats_part(stats, "operations"), op);
	uint64_t all = 0;

	if (!answers)
		return 0;
	if (status)
		return stats_number(answers, status);
	json_object_object_foreach(answers, name, count)
		if (strcmp(name, "OK"))
			all += json_object_get_uint64(count);
	return all;
}

double rates_of(struct json_object *before, struct json_object *now, const char *op,
		const char *status, double seconds)
{
	return (answers(now, op, status) - answers(before, op, status)) / seconds;
}

double rates_total(struct json_object *before, struct json_object *now, const char *key,
		   double seconds)
{
	return (stats_number(now, key) - stats_number(before, key)) / seconds;
}

static void print_fill(struct json_object *now)
{
	struct json_object *usage = stats_part(now, "usage");
	uint64_t total = stats_number(usage, "total");
	char used[SIZE_TEXT], free[SIZE_TEXT];

	printf("%9s %9s %5.1f%% %8ju", size_text(stats_number(usage, "used"), used),
	       size_text(stats_number(usage, "available"), free),
	       total ? 100.0 * stats_number(usage, "used") / total : 0,
	       (uintmax_t)stats_number(usage, "objects"));
}

void rates_print(struct json_object *before, struct json_object *now, double seconds)
{
	char served[SIZE_TEXT], stored[SIZE_TEXT];

	if (!before)
		puts("     USED AVAILABLE   FILL  OBJECTS   HITS/s MISSES/s   SERVED/s STORES/s"
		     "   STORED/s EVICTED/s");
	print_fill(now);
	if (!before) {
		putchar('\n');
		return;
	}
	printf(" %8.0f %8.0f %10s %8.0f %10s %9.0f\n",
	       rates_of(before, now, "reserve_read", "OK", seconds),
	       rates_of(before, now, "reserve_read", NULL, seconds),
	       size_text(rates_total(before, now, "bytes_served", seconds), served),
	       rates_of(before, now, "commit", "OK", seconds),
	       size_text(rates_total(before, now, "bytes_stored", seconds), stored),
	       rates_total(before, now, "evicted", seconds));
}
