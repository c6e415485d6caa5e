// SPDX-License-Identifier: GPL-2.0-only
/* put: a file becomes an object, read in place. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "key.h"
#include "lines.h"
#include "pools.h"
#include "print.h"
#include "source.h"

enum { OPT_PAGE = OPT_FIRST };

struct put {
	const char *pool;
	struct key key;
	char key_shown[ESCAPED(MARU_L1_KEY_MAX)];
	uint64_t page_size;	/* 0: as long as the file */
	bool json;
	struct pool_file file;
	struct maru_l1_info info;
	struct source source;
};

static int make_layout(struct put *put, uint32_t *layout)
{
	uint64_t bytes = put->page_size ?: put->source.bytes;
	int err;

	if (bytes < put->source.bytes)
		return fail("%s has %" PRIu64 " bytes, more than --page-size", put->source.path,
			    put->source.bytes);
	err = marul1_layout(put->file.client, bytes, 0, layout);
	if (err == -ENOSPC)
		return fail("%s has pages of %d sizes, and no more are possible; see "
			    "'maru-l1ctl layouts %s' and give one of them as --page-size",
			    put->pool, MARU_L1_LAYOUTS_MAX, put->pool);
	if (err == -EINVAL)
		return fail("a page of %" PRIu64 " bytes is longer than the pool", bytes);
	return err ? pool_failed(put->pool, err) : CTL_OK;
}

static int refused(const struct put *put, uint32_t status, uint32_t result)
{
	char size[SIZE_TEXT];

	if (result & MARU_L1_R_FENCED)
		return fail("%s is fenced: nothing can be stored", put->pool);
	switch (status) {
	case MARU_L1_NOT_WRITABLE:
		return fail("%s has an object of the key %s already; to replace it, first: "
			    "maru-l1ctl evict %s --key '%s'", put->pool, put->key_shown,
			    put->pool, put->key_shown);
	case MARU_L1_NO_SPACE:
		return fail("%s has no room for %s, or as many objects as it may have; "
			    "see 'maru-l1ctl info %s'; 'maru-l1ctl evict %s' makes room",
			    put->pool, size_text(put->source.bytes, size), put->pool,
			    put->pool);
	default:
		return fail("%s cannot store it: %s", put->pool,
			    marul1_status_string(status));
	}
}

static int fill(struct put *put, const struct marul1_reserve *write)
{
	void *to = marul1_ptr(put->file.client, write->offset, write->length);
	int ret;

	if (!to)
		return fail("%s: offset %" PRIu64 " cannot be mapped", put->pool,
			    write->offset);
	ret = source_read(&put->source, to);
	if (!ret && !(put->info.flags & MARU_L1_I_COHERENT))
		ret = lines_flush(to, write->length);
	if (ret == -EFAULT)
		return pool_memory_failed(put->pool, &put->file, write->offset);
	return ret;
}

static int commit(struct put *put, const struct marul1_reserve *write)
{
	struct marul1_commit commit = {
		.key = put->key.bytes, .key_len = put->key.len, .reservation = write->id,
	};
	int err = marul1_commit(put->file.client, &commit, 1);

	if (err)
		return pool_failed(put->pool, err);
	if (commit.status != MARU_L1_OK)
		return refused(put, commit.status, commit.result);
	if (commit.result & MARU_L1_R_LOST_RACE)
		return fail("%s: another writer stored an object of the key %s meanwhile, "
			    "which stays", put->pool, put->key_shown);
	return CTL_OK;
}

static void report(const struct put *put, const struct marul1_reserve *write)
{
	char size[SIZE_TEXT], id[ID_TEXT];
	struct json_object *model;

	if (!put->json) {
		printf("Stored %s in %s: %s at offset %" PRIu64 ", key %s.\n",
		       put->source.path, put->pool, size_text(write->length, size),
		       write->offset, put->key_shown);
		return;
	}
	model = model_new();
	model_text(model, "name", put->pool);
	model_text(model, "key", put->key_shown);
	model_number(model, "size", write->length);
	model_number(model, "page_size", write->page_size);
	model_number(model, "offset", write->offset);
	model_text(model, "id", id_text(write->id, id));
	print_json(model);
	json_object_put(model);
}

/* Nothing writes there any more: the space is free at once. */
static void give_up(const struct put *put, uint64_t id)
{
	struct marul1_abort abort = { .id = id };

	marul1_abort(put->file.client, &abort, 1);
}

static int store(struct put *put)
{
	struct marul1_reserve write = {
		.key = put->key.bytes, .key_len = put->key.len, .length = put->source.bytes,
	};
	uint32_t layout;
	int ret;

	ret = make_layout(put, &layout);
	if (ret)
		return ret;
	ret = marul1_map(put->file.client, 0, NULL, NULL);
	if (!ret)
		ret = marul1_reserve_write(put->file.client, layout, &write, 1);
	if (ret)
		return pool_failed(put->pool, ret);
	if (write.status != MARU_L1_OK)
		return refused(put, write.status, write.result);
	ret = fill(put, &write);
	if (!ret)
		ret = commit(put, &write);
	if (ret)
		give_up(put, write.id);
	else
		report(put, &write);
	return ret;
}

static int open_and_store(struct put *put, const char *path)
{
	int ret;

	ret = pool_open_writable(put->pool, &put->file);
	if (ret)
		return ret;
	ret = marul1_info(put->file.client, &put->info);
	if (ret)
		ret = pool_failed(put->pool, ret);
	else
		ret = source_open(path, put->info.capacity, &put->source);
	if (!ret) {
		ret = store(put);
		source_close(&put->source);
	}
	pool_close(&put->file);
	return ret;
}

int cmd_put(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "page-size", required_argument, NULL, OPT_PAGE },
		OPTIONS_ALL
	};
	struct put put = { 0 };
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			put.json = true;
		else if (!parse_size(optarg, &put.page_size) || !put.page_size)
			usage(verb, "--page-size is a size from 1, not %s", optarg);
	}
	argv = arguments(verb, argc, argv, 3);
	put.pool = pool_name(verb, argv[0]);
	key_argument(verb, argv[1], &put.key);
	key_text(put.key.bytes, put.key.len, put.key_shown);
	return open_and_store(&put, argv[2]);
}
