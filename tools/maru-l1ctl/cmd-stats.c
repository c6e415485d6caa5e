// SPDX-License-Identifier: GPL-2.0-only
/* stats: how often each call gave each answer. */
#include <stdio.h>
#include <string.h>
#include "pools.h"
#include "print.h"
#include "verbs.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

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

#define OP(call, text)	{ call & 0xff, text }

static const struct {
	unsigned int nr;
	const char *name;
} ops[] = {
	OP(MARU_L1_INFO, "info"),
	OP(MARU_L1_SETUP, "setup"),
	OP(MARU_L1_LAYOUT, "layout"),
	OP(MARU_L1_RESERVE_WRITE, "reserve_write"),
	OP(MARU_L1_COMMIT, "commit"),
	OP(MARU_L1_ABORT, "abort"),
	OP(MARU_L1_RESERVE_READ, "reserve_read"),
	OP(MARU_L1_PEEK, "peek"),
	OP(MARU_L1_RELEASE, "release"),
	OP(MARU_L1_RENEW, "renew"),
	OP(MARU_L1_DELETE, "delete"),
	OP(MARU_L1_TOUCH, "touch"),
	OP(MARU_L1_QUERY, "query"),
	OP(MARU_L1_CLEAR, "clear"),
	OP(MARU_L1_PURGE, "purge"),
	OP(MARU_L1_EVICT, "evict"),
	OP(MARU_L1_USAGE, "usage"),
	OP(MARU_L1_SUBSCRIBE, "subscribe"),
	OP(MARU_L1_REPORT_BAD, "report_bad"),
	OP(MARU_L1_STATS, "stats"),
	OP(MARU_L1_CHECK, "check"),
};

/* A newer module may count what this program cannot name. */
#define NAME_LEN	24

static const char *op_name(unsigned int nr, char text[NAME_LEN])
{
	for (size_t i = 0; i < NR(ops); i++)
		if (ops[i].nr == nr)
			return ops[i].name;
	snprintf(text, NAME_LEN, "call_0x%02x", nr);
	return text;
}

static const char *status_name(unsigned int status, char text[NAME_LEN])
{
	const char *name = marul1_status_name(status);

	if (strcmp(name, "?"))
		return name;
	snprintf(text, NAME_LEN, "STATUS_%u", status);
	return text;
}

/* { "reserve_read": { "OK": 12, … }, … } */
static struct json_object *operations(const struct maru_l1_counter *counters, size_t n)
{
	struct json_object *model = model_new(), *op;
	char text[NAME_LEN];
	const char *name;

	for (size_t i = 0; i < n; i++) {
		name = op_name(counters[i].op, text);
		if (!json_object_object_get_ex(model, name, &op)) {
			op = model_new();
			model_add(model, name, op);
		}
		model_number(op, status_name(counters[i].status, text), counters[i].count);
	}
	return model;
}

static struct json_object *stats_model(const char *name, const struct maru_l1_stats *stats,
				       const struct maru_l1_counter *counters)
{
	struct json_object *model = model_new();

	model_text(model, "name", name);
	model_add(model, "operations", operations(counters, stats->nr_items));
	model_number(model, "clients", stats->clients ? stats->clients - 1 : 0);
	model_number(model, "bytes_stored", stats->bytes_stored);
	model_number(model, "bytes_served", stats->bytes_served);
	model_number(model, "lost_races", stats->lost_races);
	model_number(model, "evicted", stats->evicted);
	model_number(model, "purged", stats->purged);
	model_number(model, "expired_holds", stats->expired_holds);
	model_number(model, "expired_writes", stats->expired_writes);
	model_number(model, "quarantined", stats->quarantined);
	return model;
}

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

int cmd_stats(const struct verb *verb, int argc, char **argv)
{
	struct maru_l1_counter counters[MARU_L1_BATCH_MAX] = { 0 };
	struct maru_l1_stats stats = {
		.nr_items = MARU_L1_BATCH_MAX, .items = (uintptr_t)counters,
	};
	struct json_object *model, *operations_model;
	struct pool_file file;
	const char *name;
	bool json;
	int ret;

	name = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = pool_open(name, &file);
	if (ret)
		return ret;
	ret = marul1_stats(file.client, &stats);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	model = stats_model(name, &stats, counters);
	if (json) {
		print_json(model);
	} else {
		json_object_object_get_ex(model, "operations", &operations_model);
		print_operations(operations_model);
		putchar('\n');
		print_record(model, totals, NR(totals));
	}
	json_object_put(model);
	return CTL_OK;
}
