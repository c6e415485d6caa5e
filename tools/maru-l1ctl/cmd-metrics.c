// SPDX-License-Identifier: GPL-2.0-only
/* metrics: the counters of all pools, printed once or served to Prometheus. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "family.h"
#include "http.h"
#include "metrics.h"
#include "print.h"
#include "stats.h"
#include "verbs.h"

#define PATH	"/metrics"
#define TYPE	"text/plain; version=0.0.4; charset=utf-8"

enum { OPT_LISTEN = OPT_FIRST };

/* Segments are many, their owners few. */
static int add_segment(struct json_object *segment, void *arg)
{
	struct json_object *owners = arg, *one = NULL;
	uint64_t node = stats_number(segment, "owner");
	char owner[24] = "free";

	if (node)
		snprintf(owner, sizeof(owner), "%u", (unsigned int)node);
	for (size_t i = 0; i < json_object_array_length(owners) && !one; i++) {
		one = json_object_array_get_idx(owners, i);
		if (strcmp(model_get_text(one, "owner"), owner))
			one = NULL;
	}
	if (!one) {
		one = model_new();
		model_text(one, "owner", owner);
		model_append(owners, one);
	}
	model_number(one, "segments", stats_number(one, "segments") + 1);
	model_number(one, "bytes", stats_number(one, "bytes") + stats_number(segment, "bytes"));
	return 0;
}

/* Return: 0 or -errno; @pool has stats and owners then. */
static int complete_pool(struct family *family, struct json_object *pool)
{
	struct family_filter filter = { .pool = model_get_text(pool, "name") };
	struct json_object *owners = model_array(), *stats;
	int err;

	model_add(pool, "owners", owners);
	err = family_dump(family, MARU_L1_CMD_SEGMENT_GET, &filter, add_segment, owners, NULL);
	if (!err)
		err = stats_read(family, filter.pool, &stats);
	if (!err)
		model_add(pool, "stats", stats);
	return err;
}

static bool went_away(int err)
{
	return err == -ENOENT || err == -ENODEV;
}

static int keep_pool(struct json_object *row, void *arg)
{
	model_append(arg, json_object_get(row));
	return 0;
}

/* Adds those that are there from beginning to end, all or @name. Return: 0 or -errno. */
static int add_pools(struct family *family, const char *name, struct json_object *pools)
{
	struct json_object *rows = model_array(), *row;
	int err;

	err = family_dump(family, MARU_L1_CMD_POOL_GET, &(struct family_filter){ 0 }, keep_pool,
			  rows, NULL);
	for (size_t i = 0; !err && i < json_object_array_length(rows); i++) {
		row = json_object_array_get_idx(rows, i);
		if (name && strcmp(model_get_text(row, "name"), name))
			continue;
		err = complete_pool(family, row);
		if (!err)
			model_append(pools, json_object_get(row));
		else if (went_away(err))
			err = 0;
	}
	json_object_put(rows);
	return err;
}

/* With up false when the module does not answer; @err says why then. */
static struct json_object *look(const char *name, int *err)
{
	struct json_object *host = model_new(), *pools = model_array();
	struct family *family;

	*err = family_try_open(&family);
	if (!*err) {
		*err = add_pools(family, name, pools);
		family_close(family);
	}
	if (*err) {
		json_object_put(pools);
		pools = model_array();
	}
	model_bool(host, "up", !*err);
	model_add(host, "pools", pools);
	return host;
}

/**
 * struct exporter - what is served
 * @pool: name; NULL: all
 * @err: of the last scrape, so that the log has what changed
 */
struct exporter {
	const char *pool;
	int err;
};

static char *scrape(size_t *bytes, void *arg)
{
	struct exporter *exporter = arg;
	struct json_object *host;
	char *text = NULL;
	FILE *out;
	int err;

	host = look(exporter->pool, &err);
	if (err && err != exporter->err)
		say("the module does not answer: %s", strerror(-err));
	exporter->err = err;
	out = open_memstream(&text, bytes);
	if (!out)
		out_of_memory();
	metrics_write(out, host);
	if (fclose(out))
		out_of_memory();
	json_object_put(host);
	return text;
}

static int print_once(const char *pool)
{
	struct family *family;
	struct json_object *host;
	int err;

	/* Says what to do when there is no module. */
	if (family_open(&family))
		return CTL_FAILED;
	family_close(family);
	host = look(pool, &err);
	if (!err && pool && !json_object_array_length(stats_part(host, "pools")))
		err = -ENOENT;
	if (!err)
		metrics_write(stdout, host);
	json_object_put(host);
	return err ? family_failed(pool ? pool : "metrics", err) : CTL_OK;
}

int cmd_metrics(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "listen", required_argument, NULL, OPT_LISTEN },
		OPTIONS_ALL
	};
	struct exporter exporter = { 0 };
	struct http_address address;
	bool listen = false;
	int option;
	char **rest;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			usage(verb, "it is text for Prometheus; 'stats --json' has the numbers");
		listen = true;
		if (!http_parse(optarg, &address))
			usage(verb, "--listen is an address and a port, as 127.0.0.1:9464 or "
			      "[::1]:9464, not %s", optarg);
	}
	rest = some_arguments(verb, argc, argv, 0, 1);
	if (*rest)
		exporter.pool = pool_name(verb, *rest);
	if (listen)
		return http_serve(&address, PATH, TYPE, scrape, &exporter);
	return print_once(exporter.pool);
}
