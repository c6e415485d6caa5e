// SPDX-License-Identifier: GPL-2.0-only
/* list and info: pools as a whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pools.h"
#include "print.h"
#include "verbs.h"

static const struct column list_columns[] = {
	{ "name", "NAME", STYLE_PLAIN },
	{ "label", "LABEL", STYLE_PLAIN },
	{ "uuid", "UUID", STYLE_PLAIN },
	{ "size", "SIZE", STYLE_BYTES },
	{ "used", "USED", STYLE_BYTES },
	{ "available", "AVAILABLE", STYLE_BYTES },
	{ "objects", "OBJECTS", STYLE_PLAIN },
	{ "clients", "CLIENTS", STYLE_PLAIN },
	{ "state", "STATE", STYLE_PLAIN },
};

static const struct column info_fields[] = {
	{ "name", "name", STYLE_PLAIN },
	{ "label", "label", STYLE_PLAIN },
	{ "uuid", "uuid", STYLE_PLAIN },
	{ "state", "state", STYLE_PLAIN },
	{ "coherent", "coherent", STYLE_YES_NO },
	{ "debug", "debug build", STYLE_YES_NO },
	{ "node", "node", STYLE_PLAIN },
	{ "incarnation", "incarnation", STYLE_PLAIN },
	{ "numa_node", "NUMA node", STYLE_NODE },
	{ "backings", "backings", STYLE_PLAIN },
	{ "map_alignment", "map alignment", STYLE_BYTES },
	{ "segment_size", "segment size", STYLE_BYTES },
	{ "segments", "segments", STYLE_PLAIN },
	{ "layouts", "layouts", STYLE_PLAIN },
	{ "quarantine_ms", "quarantine", STYLE_MS },
	{ "max_client_bytes", "limit of a client", STYLE_LIMIT },
	{ "clients", "clients", STYLE_PLAIN },
	{ "objects", "objects", STYLE_PLAIN },
	{ "max_objects", "most objects", STYLE_PLAIN },
	{ "extents", "extents", STYLE_PLAIN },
	{ "orphan_pins", "orphan pins", STYLE_PLAIN },
	{ "size", "size", STYLE_BYTES },
	{ "available", "available", STYLE_BYTES },
	{ "used", "used", STYLE_BYTES },
	{ "staged", "  staged", STYLE_BYTES },
	{ "private", "  private", STYLE_BYTES },
	{ "published", "  published", STYLE_BYTES },
	{ "zombie", "  zombie", STYLE_BYTES },
	{ "quarantined", "  quarantined", STYLE_BYTES },
	{ "limbo", "  limbo", STYLE_BYTES },
	{ "retired", "  retired", STYLE_BYTES },
	{ "rounding", "lost to rounding", STYLE_BYTES },
};

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

int cmd_info(const struct verb *verb, int argc, char **argv)
{
	struct json_object *model;
	struct pool_file file;
	const char *name;
	bool json;
	int ret;

	name = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = pool_open(name, &file);
	if (ret)
		return ret;
	ret = pool_model(&file, &model);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	if (json)
		print_json(model);
	else
		print_record(model, info_fields, NR(info_fields));
	json_object_put(model);
	return CTL_OK;
}

/* The keys of @columns alone: a list has what its table has. */
static struct json_object *part_of(struct json_object *whole,
				   const struct column *columns, size_t n)
{
	struct json_object *part = model_new(), *value;

	for (size_t i = 0; i < n; i++)
		if (json_object_object_get_ex(whole, columns[i].key, &value))
			model_add(part, columns[i].key, json_object_get(value));
	return part;
}

/* A pool that goes while we look is no failure. */
static int add_pool(const char *name, struct json_object *rows)
{
	struct json_object *model;
	struct pool_file file;
	int ret;

	ret = pool_try_open(name, &file);
	if (!ret) {
		ret = pool_model(&file, &model);
		pool_close(&file);
	}
	if (ret == -ENOENT || ret == -ENXIO || ret == -ENODEV)
		return CTL_OK;
	if (ret)
		return pool_failed(name, ret);
	model_append(rows, part_of(model, list_columns, NR(list_columns)));
	json_object_put(model);
	return CTL_OK;
}

int cmd_list(const struct verb *verb, int argc, char **argv)
{
	struct json_object *rows;
	struct dirent **entries;
	int ret = CTL_OK, n;
	bool json;

	only_arguments(verb, argc, argv, 0, &json);
	if (pools_ready())
		return CTL_FAILED;
	n = pool_names(&entries);
	if (n < 0)
		return fail(POOLS_DIR ": %s", strerror(-n));
	rows = model_array();
	for (int i = 0; i < n; i++) {
		if (add_pool(entries[i]->d_name, rows))
			ret = CTL_FAILED;
		free(entries[i]);
	}
	free(entries);
	if (json)
		print_json(rows);
	else
		print_table(rows, list_columns, NR(list_columns));
	json_object_put(rows);
	return ret;
}
