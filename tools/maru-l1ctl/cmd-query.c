// SPDX-License-Identifier: GPL-2.0-only
/* query: what a pool knows of some keys. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "key.h"
#include "pools.h"
#include "print.h"

static const struct column columns[] = {
	{ "state", "STATE", STYLE_PLAIN },
	{ "size", "SIZE", STYLE_BYTES },
	{ "holders", "HOLDERS", STYLE_PLAIN },
	{ "evictable", "EVICTABLE", STYLE_YES_NO },
	{ "id", "ID", STYLE_PLAIN },
	{ "key", "KEY", STYLE_PLAIN },
};

/* What is staged or private belongs to other clients: we never see it. */
static const char *state_name(uint32_t state)
{
	switch (state) {
	case MARU_L1_S_PUBLISHED:
		return "published";
	case MARU_L1_S_DELETING:
		return "deleting";
	default:
		return "absent";
	}
}

static struct json_object *query_model(const struct marul1_query *query)
{
	char key[ESCAPED(MARU_L1_KEY_MAX)], id[ID_TEXT];
	struct json_object *row = model_new();

	model_text(row, "key", key_text(query->key, query->key_len, key));
	model_text(row, "state", state_name(query->state));
	if (query->state == MARU_L1_S_ABSENT)
		return row;
	model_number(row, "size", query->length);
	model_number(row, "holders", query->holders);
	model_bool(row, "evictable", query->flags & MARU_L1_Q_EVICTABLE);
	model_text(row, "id", id_text(query->id, id));
	return row;
}

/* Return: how many keys are absent. */
static size_t report(const struct marul1_query *queries, size_t n, bool json)
{
	struct json_object *rows = model_array();
	size_t absent = 0;

	for (size_t i = 0; i < n; i++) {
		model_append(rows, query_model(&queries[i]));
		absent += queries[i].state == MARU_L1_S_ABSENT;
	}
	if (json)
		print_json(rows);
	else
		print_table(rows, columns, sizeof(columns) / sizeof(columns[0]));
	json_object_put(rows);
	return absent;
}

static int ask(const char *name, struct marul1_query *queries, size_t n, bool json)
{
	struct pool_file file;
	size_t absent;
	int ret;

	ret = pool_open(name, &file);
	if (ret)
		return ret;
	ret = marul1_query(file.client, queries, n);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	absent = report(queries, n, json);
	if (absent)
		return fail("%s: %zu of %zu keys absent", name, absent, n);
	return CTL_OK;
}

int cmd_query(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_ALL };
	struct marul1_query *queries;
	struct key *keys;
	bool json = false;
	int n, ret;

	while (next_option(verb, argc, argv, options) != -1)
		json = true;
	argv = some_arguments(verb, argc, argv, 2, INT_MAX);
	pool_name(verb, argv[0]);
	n = argc - optind - 1;
	keys = calloc(n, sizeof(*keys));
	queries = calloc(n, sizeof(*queries));
	if (!keys || !queries)
		out_of_memory();
	for (int i = 0; i < n; i++) {
		key_argument(verb, argv[i + 1], &keys[i]);
		queries[i].key = keys[i].bytes;
		queries[i].key_len = keys[i].len;
	}
	ret = ask(argv[0], queries, n, json);
	free(queries);
	free(keys);
	return ret;
}
