// SPDX-License-Identifier: GPL-2.0-only
/* purge: all objects go that nobody holds. */
#include <inttypes.h>
#include <stdio.h>
#include "pools.h"
#include "print.h"
#include "verbs.h"

static void report(const char *name, const struct maru_l1_purge *purge, bool json)
{
	struct json_object *model;

	if (!json) {
		printf("Purged %s: %" PRIu64 " objects deleted, %" PRIu64 " held and kept.\n",
		       name, (uint64_t)purge->deleted, (uint64_t)purge->locked);
		return;
	}
	model = model_new();
	model_text(model, "name", name);
	model_number(model, "deleted", purge->deleted);
	model_number(model, "held", purge->locked);
	print_json(model);
	json_object_put(model);
}

int cmd_purge(const struct verb *verb, int argc, char **argv)
{
	struct maru_l1_purge purge = { 0 };
	struct pool_file file;
	const char *name;
	bool json;
	int ret;

	name = pool_name(verb, only_arguments(verb, argc, argv, 1, &json)[0]);
	ret = pool_open_writable(name, &file);
	if (ret)
		return ret;
	ret = marul1_purge(file.client, &purge);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	report(name, &purge, json);
	return CTL_OK;
}
