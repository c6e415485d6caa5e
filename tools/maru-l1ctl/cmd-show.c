// SPDX-License-Identifier: GPL-2.0-only
/* show: all about one object, and who holds it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "clients.h"
#include "key.h"
#include "print.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

static const struct column fields[] = {
	{ "key", "key", STYLE_PLAIN },
	{ "id", "id", STYLE_PLAIN },
	{ "size", "size", STYLE_BYTES },
	{ "offset", "offset", STYLE_PLAIN },
	{ "stride", "page", STYLE_BYTES },
	{ "layout", "layout", STYLE_PLAIN },
	{ "cookie", "cookie", STYLE_PLAIN },
	{ "idle_ms", "unused for", STYLE_AGE },
	{ "holders", "holders", STYLE_PLAIN },
};

static const struct column holder_columns[] = {
	{ "client", "CLIENT", STYLE_PLAIN },
	{ "pid", "PID", STYLE_PLAIN },
	{ "comm", "COMMAND", STYLE_PLAIN },
	{ "count", "HOLDS", STYLE_PLAIN },
	{ "left_ms", "LEASE LEFT", STYLE_AGE },
};

/* The object of a key, among those whose keys begin so. */
struct search {
	const char *key;
	struct json_object *found;
};

static int match(struct json_object *row, void *arg)
{
	struct search *search = arg;
	struct json_object *key;

	if (!json_object_object_get_ex(row, "key", &key) ||
	    strcmp(json_object_get_string(key), search->key))
		return 0;
	json_object_put(search->found);
	search->found = json_object_get(row);
	return 0;
}

struct holders {
	const char *object;
	struct json_object *rows;
};

static int take_holder(struct json_object *hold, void *arg)
{
	struct json_object *object, *count, *row, *value;
	struct holders *holders = arg;

	if (!json_object_object_get_ex(hold, "object", &object) ||
	    !json_object_object_get_ex(hold, "count", &count) ||
	    strcmp(json_object_get_string(object), holders->object) ||
	    !json_object_get_uint64(count))
		return 0;
	row = model_new();
	for (size_t i = 0; i < NR(holder_columns); i++)
		if (json_object_object_get_ex(hold, holder_columns[i].key, &value))
			model_add(row, holder_columns[i].key, json_object_get(value));
	model_append(holders->rows, row);
	return 0;
}

static int add_holders(struct family *family, const char *pool, struct json_object *object)
{
	struct holders holders = { .rows = model_array() };
	struct json_object *clients, *id;
	int err;

	json_object_object_get_ex(object, "id", &id);
	holders.object = json_object_get_string(id);
	err = clients_read(family, pool, &clients);
	if (!err) {
		err = clients_holds(family, pool, clients, 0, take_holder, &holders);
		json_object_put(clients);
	}
	model_add(object, "clients", holders.rows);
	return err;
}

static void print_object(struct json_object *object)
{
	struct json_object *clients;

	print_record(object, fields, NR(fields));
	json_object_object_get_ex(object, "clients", &clients);
	if (!json_object_array_length(clients))
		return;
	putchar('\n');
	print_table(clients, holder_columns, NR(holder_columns));
}

static int show(const char *pool, const struct key *key, bool json)
{
	struct family_filter filter = {
		.pool = pool, .prefix = key->bytes, .prefix_len = key->len,
	};
	char text[ESCAPED(MARU_L1_KEY_MAX)];
	struct search search = { .key = key_text(key->bytes, key->len, text) };
	struct family *family;
	int ret;

	ret = family_open(&family);
	if (ret)
		return ret;
	ret = family_dump(family, MARU_L1_CMD_OBJECT_GET, &filter, match, &search, NULL);
	if (!ret && search.found)
		ret = add_holders(family, pool, search.found);
	family_close(family);
	if (ret)
		ret = family_failed(pool, ret);
	else if (!search.found)
		ret = fail("%s has no object of the key %s", pool, text);
	else if (json)
		print_json(search.found);
	else
		print_object(search.found);
	json_object_put(search.found);
	return ret;
}

int cmd_show(const struct verb *verb, int argc, char **argv)
{
	struct key key;
	bool json;

	argv = only_arguments(verb, argc, argv, 2, &json);
	key_argument(verb, argv[1], &key);
	return show(pool_name(verb, argv[0]), &key, json);
}
