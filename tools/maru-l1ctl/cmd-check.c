// SPDX-License-Identifier: GPL-2.0-only
/* check: every account of a pool against a walk of what it counts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "pools.h"
#include "print.h"
#include "verbs.h"

static const struct column columns[] = {
	{ "account", "ACCOUNT", STYLE_PLAIN },
	{ "id", "OBJECT", STYLE_PLAIN },
	{ "recorded", "RECORDED", STYLE_PLAIN },
	{ "found", "FOUND", STYLE_PLAIN },
};

static struct json_object *difference(const struct maru_l1_difference *d)
{
	struct json_object *model = model_new();
	char id[ID_TEXT] = "";

	model_text(model, "account", marul1_account_name(d->account));
	if (d->id)
		id_text(d->id, id);
	model_text(model, "id", id);
	model_number(model, "recorded", d->recorded);
	model_number(model, "found", d->found);
	return model;
}

static struct json_object *check_model(const char *name, const struct maru_l1_check *check,
				       const struct maru_l1_difference *items)
{
	struct json_object *model = model_new(), *rows = model_array();

	model_text(model, "name", name);
	model_bool(model, "ok", !check->differences);
	model_number(model, "walked", check->walked);
	model_number(model, "differences", check->differences);
	for (uint32_t i = 0; i < check->nr_items; i++)
		model_append(rows, difference(&items[i]));
	model_add(model, "items", rows);
	return model;
}

static void print_check(struct json_object *model, const struct maru_l1_check *check)
{
	struct json_object *rows;

	if (!check->differences) {
		printf("OK, %" PRIu64 " extents walked\n", (uint64_t)check->walked);
		return;
	}
	json_object_object_get_ex(model, "items", &rows);
	print_table(rows, columns, sizeof(columns) / sizeof(columns[0]));
}

int cmd_check(const struct verb *verb, int argc, char **argv)
{
	struct maru_l1_difference items[MARU_L1_BATCH_MAX] = { 0 };
	struct maru_l1_check check = {
		.nr_items = MARU_L1_BATCH_MAX, .items = (uintptr_t)items,
	};
	struct json_object *model;
	struct pool_file file;
	const char *name;
	bool json;
	int ret;

	name = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = pool_open(name, &file);
	if (ret)
		return ret;
	ret = marul1_check(file.client, &check);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	model = check_model(name, &check, items);
	if (json)
		print_json(model);
	else
		print_check(model, &check);
	json_object_put(model);
	if (!check.differences)
		return CTL_OK;
	return fail("%s: %" PRIu64 " differences in %" PRIu64 " extents walked: a fault of the module",
		    name, (uint64_t)check.differences, (uint64_t)check.walked);
}
