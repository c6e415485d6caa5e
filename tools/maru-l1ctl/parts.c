// SPDX-License-Identifier: GPL-2.0-only
/* Which device is which part of a pool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <daxctl/libdaxctl.h>
#include "look.h"
#include "parts.h"

/* Return: 0, or CTL_FAILED: two devices say that they are the same part. */
static int add_part(struct parts *parts, const struct maru_super *sb, const char *path)
{
	char *slot = parts->path[sb->backing_index];

	if (*slot)
		return fail("%s and %s both say that they are part %u of this pool: attach the "
			    "right one by its name", slot, path, sb->backing_index + 1);
	snprintf(slot, sizeof(parts->path[0]), "%s", path);
	/* What the first part says counts: see "grow" in maru-l1ctl(1). */
	if (!sb->backing_index || (!*parts->path[0] && parts->count < sb->backing_count))
		parts->count = sb->backing_count;
	return 0;
}

static int look_at_device(const uint8_t uuid[16], struct daxctl_dev *dev, struct parts *parts)
{
	struct maru_super sb;
	char path[64];
	int found;

	if (daxctl_dev_get_memory(dev) || !daxctl_dev_is_enabled(dev))
		return 0;
	snprintf(path, sizeof(path), "/dev/%s", daxctl_dev_get_devname(dev));
	found = look_at(path, daxctl_dev_get_size(dev), daxctl_dev_get_align(dev), &sb);
	if (found == -EACCES || found == -EPERM)
		parts->denied = true;
	if (found != MARU_SUPER_OK || memcmp(sb.uuid, uuid, sizeof(sb.uuid)))
		return 0;
	return add_part(parts, &sb, path);
}

/* Each time with a fresh context: libdaxctl reads the devices once. */
static int look_at_all(const uint8_t uuid[16], struct parts *parts)
{
	struct daxctl_region *region;
	struct daxctl_ctx *ctx;
	struct daxctl_dev *dev;
	int ret = 0;

	*parts = (struct parts){ 0 };
	if (daxctl_new(&ctx))
		out_of_memory();
	daxctl_region_foreach(ctx, region)
		daxctl_dev_foreach(region, dev)
			if (!ret)
				ret = look_at_device(uuid, dev, parts);
	daxctl_unref(ctx);
	return ret;
}

/* The number of the first part that is not here, from 1; 0: none is missing. */
static unsigned int missing(const struct parts *parts)
{
	if (!parts->count)
		return 1;
	for (unsigned int i = 0; i < parts->count; i++)
		if (!*parts->path[i])
			return i + 1;
	return 0;
}

int parts_find(const uint8_t uuid[16], const struct wait *wait, struct parts *parts)
{
	char text[UUID_TEXT];
	int ret;

	do {
		ret = look_at_all(uuid, parts);
		if (ret)
			return ret;
		if (!missing(parts))
			return 0;
	} while (!parts->denied && wait_more(wait));

	uuid_text(uuid, text);
	if (parts->denied)
		return fail("only root can look for the devices of pool %s", text);
	if (!parts->count)
		return fail("no device of this host has pool %s on it: see 'maru-l1ctl devices'; "
			    "one in another mode needs daxctl first", text);
	return fail("part %u of %u of pool %s is on no device of this host: see 'maru-l1ctl "
		    "devices'", missing(parts), parts->count, text);
}
