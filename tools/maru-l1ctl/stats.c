// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "pools.h"
#include "print.h"
#include "stats.h"

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
	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
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

uint64_t stats_number(struct json_object *model, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(model, key, &value) ?
	       json_object_get_uint64(value) : 0;
}

struct json_object *stats_part(struct json_object *model, const char *key)
{
	struct json_object *part = NULL;

	json_object_object_get_ex(model, key, &part);
	return part;
}

/* { "reserve_read": { "OK": 12, … }, … } */
static struct json_object *operations(struct json_object *counters)
{
	struct json_object *model = model_new(), *op, *counter;
	char text[NAME_LEN];
	const char *name;

	for (size_t i = 0; i < json_object_array_length(counters); i++) {
		counter = json_object_array_get_idx(counters, i);
		name = op_name(stats_number(counter, "op"), text);
		op = stats_part(model, name);
		if (!op) {
			op = model_new();
			model_add(model, name, op);
		}
		model_number(op, status_name(stats_number(counter, "status"), text),
			     stats_number(counter, "count"));
	}
	return model;
}

static const char *reason_name(const char *const *names, size_t n, uint64_t number,
			       char text[NAME_LEN])
{
	if (number < n)
		return names[number];
	snprintf(text, NAME_LEN, "reason_%u", (unsigned int)number);
	return text;
}

/* { "deleted": { objects, bytes }, … } */
static struct json_object *removals(struct json_object *all)
{
	static const char *const names[] = {
		[MARU_L1_C_DELETED] = "deleted", [MARU_L1_C_EVICT_BYTES] = "evict_bytes",
		[MARU_L1_C_EVICT_LAYOUT] = "evict_layout", [MARU_L1_C_EVICT_TARGET] = "evict_target",
		[MARU_L1_C_EVICT_COUNT] = "evict_count", [MARU_L1_C_PURGED] = "purged",
		[MARU_L1_C_RETIRED] = "retired", [MARU_L1_C_PRIVATE] = "private",
	};
	struct json_object *model = model_new(), *one;
	char text[NAME_LEN];
	const char *name;

	for (size_t i = 0; i < json_object_array_length(all); i++) {
		one = json_object_get(json_object_array_get_idx(all, i));
		name = reason_name(names, sizeof(names) / sizeof(names[0]),
				   stats_number(one, "cause"), text);
		json_object_object_del(one, "cause");
		model_add(model, name, one);
	}
	return model;
}

/* { "space": 3, … } */
static struct json_object *refusals(struct json_object *all)
{
	static const char *const names[] = {
		[MARU_L1_N_SPACE] = "space", [MARU_L1_N_OBJECTS] = "objects",
		[MARU_L1_N_CLIENT_BYTES] = "client_bytes", [MARU_L1_N_TAGS] = "tags",
		[MARU_L1_N_FENCED] = "fenced",
	};
	struct json_object *model = model_new(), *one;
	char text[NAME_LEN];

	for (size_t i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		model_number(model, reason_name(names, sizeof(names) / sizeof(names[0]),
						stats_number(one, "reason"), text),
			     stats_number(one, "items"));
	}
	return model;
}

/* The end of the bucket that @permille of the calls are not beyond, in ns. */
static uint64_t quantile(struct json_object *histogram, uint64_t calls, unsigned int permille)
{
	size_t n = json_object_array_length(histogram), i;
	uint64_t wanted = (calls * permille + 999) / 1000, seen = 0;

	for (i = 0; i < n; i++) {
		seen += json_object_get_uint64(json_object_array_get_idx(histogram, i));
		if (seen >= wanted)
			break;
	}
	return (2ULL << (i < n ? i : n - 1)) - 1;
}

static struct json_object *latencies(struct json_object *all)
{
	struct json_object *model = model_new(), *latency, *histogram;
	char text[NAME_LEN];
	const char *name;
	uint64_t calls;

	for (size_t i = 0; i < json_object_array_length(all); i++) {
		latency = json_object_get(json_object_array_get_idx(all, i));
		calls = stats_number(latency, "calls");
		histogram = stats_part(latency, "histogram");
		name = op_name(stats_number(latency, "op"), text);
		json_object_object_del(latency, "op");
		if (calls && histogram && json_object_array_length(histogram)) {
			model_number(latency, "mean_ns",
				     stats_number(latency, "total_ns") / calls);
			model_number(latency, "p50_ns", quantile(histogram, calls, 500));
			model_number(latency, "p99_ns", quantile(histogram, calls, 990));
		}
		model_add(model, name, latency);
	}
	return model;
}

int stats_read(struct family *family, const char *pool, struct json_object **stats)
{
	struct json_object *raw, *info;
	int err;

	err = family_get(family, MARU_L1_CMD_STATS_GET, pool, &raw);
	if (!err) {
		err = family_get(family, MARU_L1_CMD_POOL_GET, pool, &info);
		if (err)
			json_object_put(raw);
	}
	if (err)
		return err;
	*stats = model_new();
	model_text(*stats, "name", pool);
	model_add(*stats, "operations", operations(stats_part(raw, "counters")));
	model_add(*stats, "latencies", latencies(stats_part(raw, "latencies")));
	model_add(*stats, "removed", removals(stats_part(raw, "removals")));
	model_add(*stats, "refused", refusals(stats_part(raw, "refusals")));
	model_number(*stats, "clients", stats_number(info, "clients"));
	json_object_object_foreach(raw, key, value)
		if (json_object_is_type(value, json_type_int))
			model_add(*stats, key, json_object_get(value));
	model_add(*stats, "usage", json_object_get(stats_part(info, "usage")));
	json_object_put(info);
	json_object_put(raw);
	return 0;
}
