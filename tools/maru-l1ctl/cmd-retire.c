// SPDX-License-Identifier: GPL-2.0-only
/* retire: memory that has gone bad is given up, with what is in it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "family.h"
#include "key.h"
#include "pools.h"
#include "print.h"

/* A size, or hexadecimal as the kernel's log has it. */
static bool parse_offset(const char *text, uint64_t *offset)
{
	uint64_t n = 0;
	int digit;

	if (strncmp(text, "0x", 2))
		return parse_size(text, offset);
	text += 2;
	if (!*text || strlen(text) > 16)
		return false;
	for (; *text; text++) {
		digit = hex_digit(*text);
		if (digit < 0)
			return false;
		n = n << 4 | digit;
	}
	*offset = n;
	return true;
}

/* The object at an offset. */
struct victim {
	uint64_t offset;
	struct json_object *row;	/* or NULL */
};

static int take_if_there(struct json_object *row, void *arg)
{
	struct victim *victim = arg;
	uint64_t offset = model_get_number(row, "offset");

	if (victim->offset < offset || victim->offset - offset >= model_get_number(row, "stride"))
		return 0;
	victim->row = json_object_get(row);
	return 1;
}

/* Afterwards nobody knows its key.  Who may not see keys does without. */
static void find_victim(const char *name, struct victim *victim)
{
	struct family_filter filter = { .pool = name };
	struct family *family;

	if (family_open(&family))
		return;
	family_dump(family, MARU_L1_CMD_OBJECT_GET, &filter, take_if_there, victim, NULL);
	family_close(family);
}

static void report(const char *name, const struct maru_l1_report_bad *bad,
		   const struct victim *victim, bool json)
{
	char id[ID_TEXT] = "", size[SIZE_TEXT];
	struct json_object *model;
	const char *key = "";

	if (bad->id)
		id_text(bad->id, id);
	/* Another object may have come there since it was looked for. */
	if (!strcmp(model_get_text(victim->row, "id"), id))
		key = model_get_text(victim->row, "key");
	if (json) {
		model = model_new();
		model_text(model, "name", name);
		model_number(model, "offset", bad->offset);
		model_number(model, "retired", bad->retired);
		model_text(model, "id", id);
		model_text(model, "key", key);
		print_json(model);
		json_object_put(model);
	} else if (!bad->retired) {
		printf("Offset %" PRIu64 " of %s is given up already, or no page can lie there.\n",
		       (uint64_t)bad->offset, name);
	} else {
		printf("Retired %s at offset %" PRIu64 " of %s for good; %s%s%s%s.\n",
		       size_text(bad->retired, size), (uint64_t)bad->offset, name,
		       bad->id ? "gone with it: object " : "no object was there", id,
		       *key ? ", key " : "", key);
	}
}

static int retire_failed(const char *name, const struct pool_file *file, uint64_t offset,
			 int error)
{
	struct maru_l1_info info = { 0 };

	if (error == -EINVAL && !marul1_info(file->client, &info) && offset >= info.capacity)
		return fail("%s has %" PRIu64 " bytes: there is no offset %" PRIu64, name,
			    (uint64_t)info.capacity, offset);
	return pool_failed(name, error);
}

int cmd_retire(const struct verb *verb, int argc, char **argv)
{
	struct maru_l1_report_bad bad = { 0 };
	struct victim victim = { 0 };
	struct pool_file file;
	const char *name;
	bool json;
	int ret;

	argv = only_arguments(verb, argc, argv, 2, &json);
	name = pool_name(verb, argv[0]);
	if (!parse_offset(argv[1], &victim.offset))
		usage(verb, "an offset is a size, or hexadecimal with 0x before it, not %s",
		      argv[1]);
	ret = pool_open_writable(name, &file);
	if (ret)
		return ret;
	find_victim(name, &victim);
	ret = marul1_report_bad(file.client, victim.offset, &bad);
	if (ret)
		ret = retire_failed(name, &file, victim.offset, ret);
	else
		report(name, &bad, &victim, json);
	json_object_put(victim.row);
	pool_close(&file);
	return ret;
}
