// SPDX-License-Identifier: GPL-2.0-only
/* objects: what is in a pool. */
#include <stdlib.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "family.h"
#include "key.h"
#include "rows.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))
#define STOP	1	/* the limit has been reached */

enum { OPT_PREFIX = OPT_FIRST, OPT_HELD, OPT_OLDER, OPT_SORT, OPT_LIMIT };

static const struct column columns[] = {
	{ "size", "SIZE", STYLE_BYTES },
	{ "holders", "HOLDERS", STYLE_PLAIN },
	{ "idle_ms", "UNUSED FOR", STYLE_AGE },
	{ "layout", "LAYOUT", STYLE_PLAIN },
	{ "id", "ID", STYLE_PLAIN },
	{ "key", "KEY", STYLE_PLAIN },
};

static const int widths[] = { 9, 7, 10, 6, 18 };

/* By which field, and whether the largest comes first. */
static const struct sort {
	const char *name;
	const char *field;
	bool largest_first;
} sorts[] = {
	{ "lru", "idle_ms", true },
	{ "size", "size", true },
	{ "age", "id", false },		/* ids grow */
};

struct sorted {
	struct json_object *row;
	uint64_t by;
};

struct objects {
	struct rows rows;
	uint64_t limit;			/* 0: none */
	const struct sort *sort;
	struct sorted *kept;
	size_t nr_kept;
	size_t room;
};

static int compare(const void *a, const void *b)
{
	uint64_t left = ((const struct sorted *)a)->by;
	uint64_t right = ((const struct sorted *)b)->by;

	return left < right ? -1 : left > right;
}

static void drop_from(struct objects *objects, size_t first)
{
	while (objects->nr_kept > first)
		json_object_put(objects->kept[--objects->nr_kept].row);
}

/* No more than twice the limit is kept at any time. */
static void keep(struct objects *objects, struct json_object *row)
{
	struct json_object *value = NULL;
	struct sorted *kept;

	if (objects->nr_kept == objects->room) {
		objects->room = objects->room ? 2 * objects->room : 1024;
		objects->kept = reallocarray(objects->kept, objects->room, sizeof(*kept));
		if (!objects->kept)
			out_of_memory();
	}
	kept = &objects->kept[objects->nr_kept++];
	json_object_object_get_ex(row, objects->sort->field, &value);
	kept->row = json_object_get(row);
	kept->by = json_object_is_type(value, json_type_string) ?
		   strtoull(json_object_get_string(value), NULL, 0) :
		   json_object_get_uint64(value);
	if (objects->sort->largest_first)
		kept->by = ~kept->by;
	if (!objects->limit || objects->nr_kept < 2 * objects->limit)
		return;
	qsort(objects->kept, objects->nr_kept, sizeof(*kept), compare);
	drop_from(objects, objects->limit);
}

static int take(struct json_object *row, void *arg)
{
	struct objects *objects = arg;

	json_object_object_del(row, "pool");
	if (objects->sort) {
		keep(objects, row);
		return 0;
	}
	rows_print(&objects->rows, row);
	return objects->limit && objects->rows.printed == objects->limit ? STOP : 0;
}

static void print_kept(struct objects *objects)
{
	if (objects->nr_kept)
		qsort(objects->kept, objects->nr_kept, sizeof(*objects->kept), compare);
	if (objects->limit && objects->nr_kept > objects->limit)
		drop_from(objects, objects->limit);
	for (size_t i = 0; i < objects->nr_kept; i++)
		rows_print(&objects->rows, objects->kept[i].row);
	drop_from(objects, 0);
	free(objects->kept);
}

static int dump(const struct family_filter *filter, struct objects *objects)
{
	struct family *family;
	bool changed;
	int ret;

	ret = family_open(&family);
	if (ret)
		return ret;
	ret = family_dump(family, MARU_L1_CMD_OBJECT_GET, filter, take, objects, &changed);
	family_close(family);
	if (ret == STOP)
		ret = 0;
	print_kept(objects);
	/* After a failure too, what has been printed ends as JSON: exit 1 tells the rest. */
	if (!ret || objects->rows.printed)
		rows_end(&objects->rows);
	if (ret)
		return family_failed(filter->pool, ret);
	if (changed)
		say("objects came or went meanwhile: those may be missing here");
	return CTL_OK;
}

static const struct sort *find_sort(const struct verb *verb, const char *name)
{
	for (size_t i = 0; i < NR(sorts); i++)
		if (!strcmp(sorts[i].name, name))
			return &sorts[i];
	usage(verb, "--sort is lru, size or age, not %s", name);
}

static void set_option(const struct verb *verb, int option, struct objects *objects,
		       struct family_filter *filter, struct key *prefix)
{
	switch (option) {
	case OPT_JSON:
		objects->rows.json = true;
		break;
	case OPT_PREFIX:
		key_argument(verb, optarg, prefix);
		filter->prefix = prefix->bytes;
		filter->prefix_len = prefix->len;
		break;
	case OPT_HELD:
		filter->held = true;
		break;
	case OPT_OLDER:
		if (!parse_duration(optarg, &filter->min_idle_ms))
			usage(verb, "--older-than is like 500ms, 10s, 5m or 2h, not %s", optarg);
		break;
	case OPT_SORT:
		objects->sort = find_sort(verb, optarg);
		break;
	case OPT_LIMIT:
		if (!parse_number(optarg, UINT32_MAX, &objects->limit) || !objects->limit)
			usage(verb, "--limit is a number from 1, not %s", optarg);
		break;
	}
}

int cmd_objects(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "prefix", required_argument, NULL, OPT_PREFIX },
		{ "held", no_argument, NULL, OPT_HELD },
		{ "older-than", required_argument, NULL, OPT_OLDER },
		{ "sort", required_argument, NULL, OPT_SORT },
		{ "limit", required_argument, NULL, OPT_LIMIT },
		OPTIONS_ALL
	};
	struct objects objects = { .rows = { columns, widths, NR(columns), false, 0 } };
	struct family_filter filter = { 0 };
	struct key prefix;
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1)
		set_option(verb, option, &objects, &filter, &prefix);
	filter.pool = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	return dump(&filter, &objects);
}
