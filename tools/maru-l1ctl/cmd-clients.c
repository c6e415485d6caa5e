// SPDX-License-Identifier: GPL-2.0-only
/* clients and holds: who uses a pool, and what keeps objects in it. */
#include <errno.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "clients.h"
#include "print.h"
#include "rows.h"

#define NR(a)	(sizeof(a) / sizeof((a)[0]))

enum { OPT_CLIENT = OPT_FIRST };

static const struct column client_columns[] = {
	{ "id", "CLIENT", STYLE_PLAIN },
	{ "pid", "PID", STYLE_PLAIN },
	{ "comm", "COMMAND", STYLE_PLAIN },
	{ "writable", "WRITES", STYLE_YES_NO },
	{ "staged", "STAGED", STYLE_PLAIN },
	{ "staged_bytes", "BYTES", STYLE_BYTES },
	{ "private", "PRIVATE", STYLE_PLAIN },
	{ "private_bytes", "BYTES", STYLE_BYTES },
	{ "held", "HELD", STYLE_PLAIN },
	{ "holds", "HOLDS", STYLE_PLAIN },
	{ "unacked", "UNACKED", STYLE_PLAIN },
	{ "unacked_bytes", "BYTES", STYLE_BYTES },
};

static const struct column hold_columns[] = {
	{ "client", "CLIENT", STYLE_PLAIN },
	{ "pid", "PID", STYLE_PLAIN },
	{ "comm", "COMMAND", STYLE_PLAIN },
	{ "count", "HOLDS", STYLE_PLAIN },
	{ "lost", "LOST", STYLE_PLAIN },
	{ "left_ms", "LEASE LEFT", STYLE_AGE },
	{ "size", "SIZE", STYLE_BYTES },
	{ "object", "OBJECT", STYLE_PLAIN },
	{ "key", "KEY", STYLE_PLAIN },
};

static const int hold_widths[] = { 6, 7, 15, 5, 5, 10, 9, 18 };

static int append(struct json_object *row, void *arg)
{
	json_object_object_del(row, "pool");
	model_append(arg, json_object_get(row));
	return 0;
}

int clients_read(struct family *family, const char *pool, struct json_object **clients)
{
	struct family_filter filter = { .pool = pool };
	int err;

	*clients = model_array();
	err = family_dump(family, MARU_L1_CMD_CLIENT_GET, &filter, append, *clients, NULL);
	if (err)
		json_object_put(*clients);
	return err;
}

struct one_client {
	struct json_object *client;
	family_row row;
	void *arg;
};

static int add_client(struct json_object *hold, void *arg)
{
	static const char * const keys[] = { "pid", "comm" };
	struct one_client *one = arg;
	struct json_object *value;

	json_object_object_del(hold, "pool");
	for (size_t i = 0; i < NR(keys); i++)
		if (json_object_object_get_ex(one->client, keys[i], &value))
			model_add(hold, keys[i], json_object_get(value));
	return one->row(hold, one->arg);
}

int clients_holds(struct family *family, const char *pool, struct json_object *clients,
		  uint64_t only, family_row row, void *arg)
{
	struct family_filter filter = { .pool = pool };
	struct one_client one = { .row = row, .arg = arg };
	struct json_object *id;
	size_t found = 0;
	int err = 0;

	for (size_t i = 0; i < json_object_array_length(clients) && !err; i++) {
		one.client = json_object_array_get_idx(clients, i);
		json_object_object_get_ex(one.client, "id", &id);
		filter.client = json_object_get_uint64(id);
		if (only && only != filter.client)
			continue;
		found++;
		err = family_dump(family, MARU_L1_CMD_HOLD_GET, &filter, add_client, &one, NULL);
		/* It has closed since: it holds nothing. */
		if ((err == -ENOENT || err == -ENODEV) && pool_is_there(family, pool))
			err = 0;
	}
	return err ? err : only && !found ? -ESRCH : 0;
}

bool pool_is_there(struct family *family, const char *pool)
{
	struct json_object *model;

	if (family_get(family, MARU_L1_CMD_POOL_GET, pool, &model))
		return false;
	json_object_put(model);
	return true;
}

int cmd_clients(const struct verb *verb, int argc, char **argv)
{
	struct json_object *clients;
	struct family *family;
	const char *pool;
	bool json;
	int ret;

	pool = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = family_open(&family);
	if (ret)
		return ret;
	ret = clients_read(family, pool, &clients);
	family_close(family);
	if (ret)
		return family_failed(pool, ret);
	if (json)
		print_json(clients);
	else
		print_table(clients, client_columns, NR(client_columns));
	json_object_put(clients);
	return CTL_OK;
}

static int print_hold(struct json_object *hold, void *rows)
{
	rows_print(rows, hold);
	return 0;
}

static int print_holds(const char *pool, uint64_t client, struct rows *rows)
{
	struct json_object *clients;
	struct family *family;
	int ret;

	ret = family_open(&family);
	if (ret)
		return ret;
	ret = clients_read(family, pool, &clients);
	if (!ret) {
		ret = clients_holds(family, pool, clients, client, print_hold, rows);
		json_object_put(clients);
	}
	family_close(family);
	if (!ret || rows->printed)
		rows_end(rows);
	if (ret == -ESRCH)
		return fail("%s has no such client; see 'maru-l1ctl clients %s'", pool, pool);
	return ret ? family_failed(pool, ret) : CTL_OK;
}

int cmd_holds(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "client", required_argument, NULL, OPT_CLIENT },
		OPTIONS_ALL
	};
	struct rows rows = { hold_columns, hold_widths, NR(hold_columns), false, 0 };
	uint64_t client = 0;
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			rows.json = true;
		else if (!parse_number(optarg, UINT64_MAX, &client) || !client)
			usage(verb, "--client is a number that 'clients' shows, not %s", optarg);
	}
	return print_holds(pool_name(verb, arguments(verb, argc, argv, 1)[0]), client, &rows);
}
