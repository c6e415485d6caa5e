// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pools.h"
#include "print.h"
#include "util.h"

static int try_open(const char *name, unsigned int flags, struct pool_file *file)
{
	char uri[sizeof("device:") + MARU_L1_NAME_LEN];
	int err;

	*file = (struct pool_file){ 0 };
	snprintf(uri, sizeof(uri), "device:%s", name);
	err = marul1_new(&file->ctx);
	if (!err)
		err = marul1_open(file->ctx, uri, &file->pool);
	if (!err)
		err = marul1_client_open(file->pool, flags, &file->client);
	if (err)
		pool_close(file);
	return err;
}

int pool_try_open(const char *name, struct pool_file *file)
{
	return try_open(name, MARUL1_RDONLY, file);
}

void pool_close(struct pool_file *file)
{
	marul1_client_close(file->client);
	marul1_pool_unref(file->pool);
	marul1_unref(file->ctx);
	*file = (struct pool_file){ 0 };
}

int pool_failed(const char *name, int error)
{
	switch (-error) {
	case ENOENT:
	case ENXIO:
		return fail(NO_POOL, name);
	case ENODEV:
		return fail("%s has been detached", name);
	case EACCES:
	case EPERM:
		return fail("%s: %s; run this as root", name, strerror(-error));
	case ENOTTY:
		return fail("%s: the module is older than this program", name);
	default:
		return fail("%s: %s", name, strerror(-error));
	}
}

int pool_memory_failed(const char *name, struct pool_file *file, uint64_t offset)
{
	struct maru_l1_info info = { 0 };
	int err = marul1_info(file->client, &info);

	if (err)
		return pool_failed(name, err);
	return fail("%s: the memory at offset %" PRIu64 " cannot be accessed; if it has gone bad: "
		    "maru-l1ctl retire %s %" PRIu64, name, offset, name, offset);
}

int pools_ready(void)
{
	return access(POOLS_DIR "/control", F_OK) ? fail(MODULE_MISSING) : CTL_OK;
}

static int open_told(const char *name, unsigned int flags, struct pool_file *file)
{
	int err;

	if (pools_ready())
		return CTL_FAILED;
	err = try_open(name, flags, file);
	return err ? pool_failed(name, err) : CTL_OK;
}

static int is_pool(const struct dirent *entry)
{
	return valid_name(entry->d_name);
}

int pool_names(struct dirent ***names)
{
	int n = scandir(POOLS_DIR, names, is_pool, alphasort);

	return n < 0 ? -errno : n;
}

int pool_open(const char *name, struct pool_file *file)
{
	return open_told(name, MARUL1_RDONLY, file);
}

int pool_open_writable(const char *name, struct pool_file *file)
{
	return open_told(name, 0, file);
}

static void add_bytes(struct json_object *model, const char *key, const uint8_t *bytes)
{
	char text[ESCAPED(MARU_L1_LABEL_LEN)];

	model_text(model, key, escape(bytes, strnlen((const char *)bytes, MARU_L1_LABEL_LEN),
				      text));
}

static void add_info(struct json_object *model, const struct maru_l1_info *info)
{
	char uuid[UUID_TEXT];

	add_bytes(model, "name", info->name);
	add_bytes(model, "label", info->label);
	model_text(model, "uuid", uuid_text(info->uuid, uuid));
	model_text(model, "state", info->flags & MARU_L1_I_FENCED ? "fenced" : "attached");
	model_bool(model, "coherent", !!(info->flags & MARU_L1_I_COHERENT));
	model_bool(model, "debug", !!(info->flags & MARU_L1_I_DEBUG));
	model_number(model, "size", info->capacity);
	model_number(model, "map_alignment", info->map_align);
	model_number(model, "segment_size", info->segment_size);
	model_number(model, "segments", info->nr_segments);
	model_number(model, "layouts", info->nr_layouts);
	model_number(model, "backings", info->nr_backings);
	model_number(model, "max_client_bytes", info->max_client_bytes);
	model_number(model, "quarantine_ms", info->quarantine_ms);
	model_number(model, "node", info->node);
	model_number(model, "incarnation", info->incarnation);
	model_signed(model, "numa_node", info->numa_node);
}

static void add_usage(struct json_object *model, const struct maru_l1_usage *usage)
{
	model_number(model, "used", usage->used);
	model_number(model, "available", usage->available);
	model_number(model, "staged", usage->staged);
	model_number(model, "private", usage->private_bytes);
	model_number(model, "published", usage->published);
	model_number(model, "zombie", usage->zombie);
	model_number(model, "quarantined", usage->quarantined);
	model_number(model, "limbo", usage->limbo);
	model_number(model, "retired", usage->retired);
	model_number(model, "rounding", usage->rounding);
	model_number(model, "objects", usage->objects);
	model_number(model, "max_objects", usage->max_objects);
	model_number(model, "extents", usage->extents);
	model_number(model, "orphan_pins", usage->orphan_pins);
}

int pool_model(struct pool_file *file, struct json_object **model)
{
	struct maru_l1_usage usage = { 0 };
	struct maru_l1_stats stats = { 0 };
	struct maru_l1_info info = { 0 };
	int err;

	err = marul1_info(file->client, &info);
	if (!err)
		err = marul1_usage(file->client, &usage);
	if (!err)
		err = marul1_stats(file->client, &stats);
	if (err)
		return err;
	*model = model_new();
	add_info(*model, &info);
	add_usage(*model, &usage);
	/* Our own file is no client worth telling. */
	model_number(*model, "clients", stats.clients ? stats.clients - 1 : 0);
	return 0;
}
