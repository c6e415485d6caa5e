// SPDX-License-Identifier: GPL-2.0-only
/* devices: every dax device of this host, and what is on it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <daxctl/libdaxctl.h>
#include "look.h"
#include "pools.h"
#include "print.h"
#include "verbs.h"

static const struct column columns[] = {
	{ "device", "DEVICE", STYLE_PLAIN },
	{ "mode", "MODE", STYLE_PLAIN },
	{ "size", "SIZE", STYLE_BYTES },
	{ "align", "ALIGN", STYLE_BYTES },
	{ "numa_node", "NODE", STYLE_NODE },
	{ "state", "STATE", STYLE_PLAIN },
	{ "pool", "POOL", STYLE_PLAIN },
	{ "part", "PART", STYLE_PLAIN },
	{ "label", "LABEL", STYLE_PLAIN },
	{ "uuid", "UUID", STYLE_PLAIN },
	{ "note", "NOTE", STYLE_PLAIN },
};

/* A pool of this host. */
struct attached {
	char name[MARU_L1_NAME_LEN];
	uint8_t uuid[16];
};

struct pools {
	struct attached *all;
	size_t n;
};

static void add_pool(struct pools *pools, const char *name)
{
	struct attached *pool = &pools->all[pools->n];
	struct maru_l1_info info = { 0 };
	struct pool_file file;

	/* One that goes meanwhile, or that we may not open, is not told. */
	if (pool_try_open(name, &file))
		return;
	if (!marul1_info(file.client, &info)) {
		memcpy(pool->name, info.name, sizeof(pool->name) - 1);
		memcpy(pool->uuid, info.uuid, sizeof(pool->uuid));
		pools->n++;
	}
	pool_close(&file);
}

/* None without the module. */
static void find_pools(struct pools *pools)
{
	struct dirent **names;
	int n = pool_names(&names);

	*pools = (struct pools){ 0 };
	if (n < 0)
		return;
	pools->all = calloc(n ?: 1, sizeof(*pools->all));
	if (!pools->all)
		out_of_memory();
	for (int i = 0; i < n; i++) {
		add_pool(pools, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

static const char *attached_as(const struct pools *pools, const uint8_t uuid[16])
{
	for (size_t i = 0; i < pools->n; i++)
		if (!memcmp(pools->all[i].uuid, uuid, 16))
			return pools->all[i].name;
	return NULL;
}

static void add_super(struct json_object *row, const struct maru_super *sb,
		      const struct pools *pools)
{
	char label[ESCAPED(MARU_L1_LABEL_LEN)], uuid[UUID_TEXT], part[16];
	const char *name = attached_as(pools, sb->uuid);

	model_text(row, "state", name ? "attached" : "formatted");
	if (name)
		model_text(row, "pool", name);
	snprintf(part, sizeof(part), "%u/%u", sb->backing_index + 1, sb->backing_count);
	model_text(row, "part", part);
	model_text(row, "label", escape(sb->label, strnlen((char *)sb->label,
							   sizeof(sb->label)), label));
	model_text(row, "uuid", uuid_text(sb->uuid, uuid));
}

static void add_found(struct json_object *row, const char *path, int found)
{
	char note[128];

	if (found == MARU_SUPER_NONE) {
		model_text(row, "state", "empty");
		return;
	}
	if (found > 0)
		snprintf(note, sizeof(note), "the superblock is %s", maru_super_strerror(found));
	else if (found == -EACCES || found == -EPERM)
		snprintf(note, sizeof(note), "only root can look at it");
	else if (found == -EFAULT)
		snprintf(note, sizeof(note), "its memory cannot be read");
	else
		snprintf(note, sizeof(note), "%s: %s", path, strerror(-found));
	model_text(row, "state", found > MARU_SUPER_VERSION ? "damaged" : "unknown");
	model_text(row, "note", note);
}

static void add_contents(struct json_object *row, struct daxctl_dev *dev, const char *path,
			 const struct pools *pools)
{
	struct maru_super sb;
	int found = look_at(path, daxctl_dev_get_size(dev), daxctl_dev_get_align(dev), &sb);

	if (found == MARU_SUPER_OK)
		add_super(row, &sb, pools);
	else
		add_found(row, path, found);
}

static void cannot_look(struct json_object *row, const char *verb, const char *name)
{
	char note[128];

	snprintf(note, sizeof(note), "to use it: daxctl %s %s", verb, name);
	model_text(row, "state", "unknown");
	model_text(row, "note", note);
}

static struct json_object *device_model(struct daxctl_dev *dev, const struct pools *pools)
{
	struct json_object *row = model_new();
	const char *name = daxctl_dev_get_devname(dev), *mode = "devdax";
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", name);
	if (daxctl_dev_get_memory(dev))
		mode = "system-ram";
	else if (!daxctl_dev_is_enabled(dev))
		mode = "disabled";
	model_text(row, "device", path);
	model_text(row, "mode", mode);
	model_number(row, "size", daxctl_dev_get_size(dev));
	model_number(row, "align", daxctl_dev_get_align(dev));
	model_signed(row, "numa_node", daxctl_dev_get_target_node(dev));
	if (!strcmp(mode, "system-ram"))
		cannot_look(row, "reconfigure-device --mode=devdax", name);
	else if (!strcmp(mode, "disabled"))
		cannot_look(row, "enable-device", name);
	else
		add_contents(row, dev, path, pools);
	return row;
}

/* What has no size is room for a device and not yet one. */
static void add_devices(struct json_object *rows, struct daxctl_ctx *ctx)
{
	struct daxctl_region *region;
	struct daxctl_dev *dev;
	struct pools pools;

	find_pools(&pools);
	daxctl_region_foreach(ctx, region)
		daxctl_dev_foreach(region, dev)
			if (daxctl_dev_get_size(dev))
				model_append(rows, device_model(dev, &pools));
	free(pools.all);
}

int cmd_devices(const struct verb *verb, int argc, char **argv)
{
	struct json_object *rows;
	struct daxctl_ctx *ctx;
	bool json;

	only_arguments(verb, argc, argv, 0, &json);
	if (daxctl_new(&ctx))
		out_of_memory();
	rows = model_array();
	add_devices(rows, ctx);
	daxctl_unref(ctx);
	if (json)
		print_json(rows);
	else
		print_table(rows, columns, sizeof(columns) / sizeof(columns[0]));
	json_object_put(rows);
	return CTL_OK;
}
