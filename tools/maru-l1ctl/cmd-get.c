// SPDX-License-Identifier: GPL-2.0-only
/* get: an object becomes a file, written from where it lies. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "key.h"
#include "lines.h"
#include "output.h"
#include "pools.h"
#include "print.h"

enum { OPT_FORCE = OPT_FIRST };

struct get {
	const char *pool;
	struct key key;
	char key_shown[ESCAPED(MARU_L1_KEY_MAX)];
	bool json;
	struct pool_file file;
	struct output output;
	uint64_t epoch;
};

static int hold(struct get *get, struct marul1_read *read)
{
	int err;

	*read = (struct marul1_read){
		.key = get->key.bytes, .key_len = get->key.len, .holds = 1,
	};
	err = marul1_map(get->file.client, 0, NULL, NULL);
	get->epoch = marul1_epoch(get->file.client);
	if (!err)
		err = marul1_reserve_read(get->file.client, 0, read, 1);
	if (err)
		return pool_failed(get->pool, err);
	if (read->result & MARU_L1_R_FENCED)
		return fail("%s is fenced: nothing can be read", get->pool);
	if (read->status == MARU_L1_NOT_FOUND)
		return fail("%s has no object of the key %s", get->pool, get->key_shown);
	if (read->status != MARU_L1_OK)
		return fail("%s cannot give it: %s", get->pool,
			    marul1_status_string(read->status));
	return CTL_OK;
}

static int copy_out(struct get *get, const struct marul1_read *read)
{
	const void *from = marul1_ptr(get->file.client, read->offset, read->length);
	uint64_t done = 0;
	int ret = 0;

	if (!from)
		return fail("%s: offset %" PRIu64 " cannot be mapped", get->pool, read->offset);
	if (read->result & MARU_L1_R_NEEDS_INVALIDATE)
		ret = lines_flush(from, read->length);
	if (!ret)
		ret = output_write(&get->output, from, read->length, &done);
	if (ret == -EFAULT)
		return pool_memory_failed(get->pool, &get->file, read->offset + done);
	return ret;
}

/*
 * Whatever came of the bytes: a hold that is not given back would keep the object
 * for the time of a quarantine.  Only one that lived until now says that they were
 * good.
 */
static int release(struct get *get, const struct marul1_read *read)
{
	struct marul1_release release = { .id = read->id, .holds = 1 };
	bool valid = marul1_valid(get->file.client, get->epoch);
	int err = marul1_release(get->file.client, &release, 1);

	if (err)
		return pool_failed(get->pool, err);
	if (!valid || release.status != MARU_L1_OK)
		return fail("%s: the object was given up while it was read; what was written is void",
			    get->pool);
	return CTL_OK;
}

static void report(const struct get *get, const struct marul1_read *read)
{
	char size[SIZE_TEXT], id[ID_TEXT];
	struct json_object *model;

	if (!get->json) {
		printf("Wrote %s: %s, key %s of %s.\n", get->output.path,
		       size_text(read->length, size), get->key_shown, get->pool);
		return;
	}
	model = model_new();
	model_text(model, "name", get->pool);
	model_text(model, "key", get->key_shown);
	model_number(model, "size", read->length);
	model_number(model, "offset", read->offset);
	model_text(model, "id", id_text(read->id, id));
	print_json(model);
	json_object_put(model);
}

static int fetch(struct get *get, const char *path, bool force)
{
	struct marul1_read read;
	int ret, released;

	ret = output_open(path, force, &get->output);
	if (ret)
		return ret;
	ret = hold(get, &read);
	if (!ret) {
		ret = copy_out(get, &read);
		released = release(get, &read);
		ret = ret ? ret : released;
	}
	if (ret)
		output_discard(&get->output);
	else
		ret = output_keep(&get->output);
	/* Standard output is for the bytes. */
	if (!ret && path)
		report(get, &read);
	return ret;
}

int cmd_get(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, OPT_FORCE },
		OPTIONS_ALL
	};
	struct get get = { 0 };
	bool force = false;
	int option, ret;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			get.json = true;
		else
			force = true;
	}
	argv = some_arguments(verb, argc, argv, 2, 3);
	get.pool = pool_name(verb, argv[0]);
	key_argument(verb, argv[1], &get.key);
	key_text(get.key.bytes, get.key.len, get.key_shown);
	/* argv ends with a NULL, also where FILE would be. */
	if (get.json && !argv[2])
		usage(verb, "--json needs a FILE: standard output is for the object's bytes");
	ret = pool_open(get.pool, &get.file);
	if (ret)
		return ret;
	ret = fetch(&get, argv[2], force);
	pool_close(&get.file);
	return ret;
}
