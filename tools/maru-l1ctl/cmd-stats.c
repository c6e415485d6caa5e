// SPDX-License-Identifier: GPL-2.0-only
/* stats: how often each call gave each answer, and how long calls took. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "ending.h"
#include "pools.h"
#include "print.h"
#include "rates.h"
#include "stats.h"
#include "verbs.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

enum { OPT_WATCH = OPT_FIRST };

static const struct column totals[] = {
	{ "clients", "clients", STYLE_PLAIN },
	{ "bytes_stored", "bytes stored", STYLE_BYTES },
	{ "bytes_served", "bytes served", STYLE_BYTES },
	{ "lost_races", "lost races", STYLE_PLAIN },
	{ "evicted", "evicted", STYLE_PLAIN },
	{ "purged", "purged", STYLE_PLAIN },
	{ "expired_holds", "expired holds", STYLE_PLAIN },
	{ "expired_writes", "expired writes", STYLE_PLAIN },
	{ "quarantined", "quarantined", STYLE_PLAIN },
};

static const struct column latency_columns[] = {
	{ "call", "call", STYLE_PLAIN },
	{ "calls", "calls", STYLE_PLAIN },
	{ "errors", "errors", STYLE_PLAIN },
	{ "mean_ns", "mean", STYLE_NS },
	{ "p50_ns", "half within", STYLE_NS },
	{ "p99_ns", "99 % within", STYLE_NS },
};

/* Adds a column for @key unless there is one; @n: columns so far. Return: columns. */
static size_t add_column(struct column *columns, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(columns[i].key, key))
			return n;
	if (n < COLUMNS_MAX)
		columns[n++] = (struct column){ key, key, STYLE_PLAIN };
	return n;
}

/* Calls down, answers across, as many of both as were counted. */
static void print_operations(struct json_object *operations)
{
	struct column columns[COLUMNS_MAX] = { { "operation", "operation", STYLE_PLAIN } };
	struct json_object *rows = model_array(), *row;
	size_t n = 1;

	json_object_object_foreach(operations, op, statuses) {
		row = model_new();
		model_text(row, "operation", op);
		json_object_object_foreach(statuses, status, count) {
			model_add(row, status, json_object_get(count));
			n = add_column(columns, n, status);
		}
		model_append(rows, row);
	}
	if (json_object_array_length(rows))
		print_table(rows, columns, n);
	else
		puts("no operations yet");
	json_object_put(rows);
}

static void print_latencies(struct json_object *latencies)
{
	struct json_object *rows = model_array(), *row, *value;

	json_object_object_foreach(latencies, call, latency) {
		row = model_new();
		model_text(row, "call", call);
		for (size_t i = 1; i < NR(latency_columns); i++)
			if (json_object_object_get_ex(latency, latency_columns[i].key, &value))
				model_add(row, latency_columns[i].key, json_object_get(value));
		model_append(rows, row);
	}
	if (json_object_array_length(rows)) {
		putchar('\n');
		print_table(rows, latency_columns, NR(latency_columns));
	}
	json_object_put(rows);
}

static void print_stats(struct json_object *stats)
{
	print_operations(stats_part(stats, "operations"));
	print_latencies(stats_part(stats, "latencies"));
	putchar('\n');
	print_record(stats, totals, NR(totals));
}

static int stats_once(struct family *family, const char *pool, bool json)
{
	struct json_object *stats;
	int err;

	err = stats_read(family, pool, &stats);
	if (err)
		return family_failed(pool, err);
	if (json)
		print_json(stats);
	else
		print_stats(stats);
	json_object_put(stats);
	return CTL_OK;
}

/* One JSON object a line, so that a reader needs no end. */
static int stats_watch(struct family *family, const char *pool, uint64_t seconds, bool json)
{
	struct json_object *stats, *before = NULL;
	int err = 0;

	ending_begin();
	do {
		err = stats_read(family, pool, &stats);
		if (err)
			break;
		if (json)
			puts(json_object_to_json_string_ext(stats, JSON_C_TO_STRING_PLAIN));
		else
			rates_print(before, stats, seconds);
		json_object_put(before);
		before = stats;
	} while (!fflush(stdout) && ending_wait(-1, seconds * 1000, NULL));
	json_object_put(before);
	return err ? family_failed(pool, err) : CTL_OK;
}

int cmd_stats(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "watch", required_argument, NULL, OPT_WATCH },
		OPTIONS_ALL
	};
	struct family *family;
	uint64_t seconds = 0;
	bool json = false;
	const char *pool;
	int option, ret;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			json = true;
		else if (!parse_number(optarg, 86400, &seconds) || !seconds)
			usage(verb, "--watch is a number of seconds from 1 to 86400, not %s",
			      optarg);
	}
	pool = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	ret = family_open(&family);
	if (ret)
		return ret;
	ret = seconds ? stats_watch(family, pool, seconds, json) :
			stats_once(family, pool, json);
	family_close(family);
	return ret;
}
