// SPDX-License-Identifier: GPL-2.0-only
/* layouts and segments: how the space of a pool is used. */
#include <stdio.h>
#include <linux/maru_l1_netlink.h>
#include "family.h"
#include "frame.h"
#include "print.h"
#include "verbs.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))
#define MAP_WIDTH	64
#define NODE_ALONE	1

static const struct column layout_columns[] = {
	{ "id", "LAYOUT", STYLE_PLAIN },
	{ "bytes", "OBJECTS UP TO", STYLE_BYTES },
	{ "alignment", "ALIGNMENT", STYLE_PLAIN },
	{ "stride", "PAGE", STYLE_BYTES },
	{ "pages", "PAGES", STYLE_PLAIN },
	{ "free", "FREE", STYLE_PLAIN },
};

static const struct column segment_columns[] = {
	{ "index", "SEGMENT", STYLE_PLAIN },
	{ "offset", "OFFSET", STYLE_PLAIN },
	{ "bytes", "SIZE", STYLE_BYTES },
	{ "owner", "OWNER", STYLE_OWNER },
	{ "used", "IN RUNS", STYLE_BYTES },
};

static int append(struct json_object *row, void *arg)
{
	json_object_object_del(row, "pool");
	model_append(arg, json_object_get(row));
	return 0;
}

static void print_map(struct json_object *segments)
{
	size_t n = json_object_array_length(segments);

	printf("\n" SEGMENT_SIGNS "\n");
	for (size_t i = 0; i < n; i++) {
		putchar(segment_sign(json_object_array_get_idx(segments, i), NODE_ALONE));
		if (i % MAP_WIDTH == MAP_WIDTH - 1 || i == n - 1)
			putchar('\n');
	}
}

static void print_space(int command, struct json_object *rows, const struct column *columns,
			size_t n)
{
	print_table(rows, columns, n);
	if (command == MARU_L1_CMD_SEGMENT_GET)
		print_map(rows);
}

static int space(const struct verb *verb, int argc, char **argv, int command,
		 const struct column *columns, size_t n)
{
	struct family_filter filter = { 0 };
	struct json_object *rows;
	struct family *family;
	bool json;
	int ret;

	filter.pool = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = family_open(&family);
	if (ret)
		return ret;
	rows = model_array();
	ret = family_dump(family, command, &filter, append, rows, NULL);
	family_close(family);
	if (ret)
		ret = family_failed(filter.pool, ret);
	else if (json)
		print_json(rows);
	else
		print_space(command, rows, columns, n);
	json_object_put(rows);
	return ret;
}

int cmd_layouts(const struct verb *verb, int argc, char **argv)
{
	return space(verb, argc, argv, MARU_L1_CMD_LAYOUT_GET, layout_columns, NR(layout_columns));
}

int cmd_segments(const struct verb *verb, int argc, char **argv)
{
	return space(verb, argc, argv, MARU_L1_CMD_SEGMENT_GET, segment_columns,
		     NR(segment_columns));
}
