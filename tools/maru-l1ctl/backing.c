// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <daxctl/libdaxctl.h>
#include "backing.h"
#include "util.h"

#define MEMFD_ALIGN	(2U << 20)

typedef bool (*dax_match)(struct daxctl_dev *dev, const void *what);

static bool has_devnode(struct daxctl_dev *dev, const void *what)
{
	const struct stat *st = what;

	return daxctl_dev_get_major(dev) == (int)major(st->st_rdev) &&
	       daxctl_dev_get_minor(dev) == (int)minor(st->st_rdev);
}

static bool has_name(struct daxctl_dev *dev, const void *what)
{
	return !strcmp(daxctl_dev_get_devname(dev), what);
}

static struct daxctl_dev *find_dax(struct daxctl_ctx *ctx, dax_match match,
				   const void *what)
{
	struct daxctl_region *region;
	struct daxctl_dev *dev;

	daxctl_region_foreach(ctx, region)
		daxctl_dev_foreach(region, dev)
			if (match(dev, what))
				return dev;
	return NULL;
}

/* A dax device has no node while it is system memory, or has no driver. */
static int no_node(const char *path)
{
	const char *name = strrchr(path, '/');
	struct daxctl_ctx *ctx;
	struct daxctl_dev *dev;
	int ret;

	name = name ? name + 1 : path;
	if (daxctl_new(&ctx))
		out_of_memory();
	dev = find_dax(ctx, has_name, name);
	if (!dev)
		ret = fail("%s: no such device; 'daxctl list' shows those that exist", path);
	else if (!strchr(path, '/'))
		ret = fail("%s is not in this folder; the device is /dev/%s", path, name);
	else if (daxctl_dev_get_memory(dev))
		ret = fail("%s is in system-ram mode; make it a device first: "
			   "daxctl reconfigure-device --mode=devdax %s", path, name);
	else
		ret = fail("%s is disabled; enable it first: daxctl enable-device %s",
			   path, name);
	daxctl_unref(ctx);
	return ret;
}

static int open_dax(struct backing *backing, const struct stat *st)
{
	struct daxctl_ctx *ctx;
	struct daxctl_dev *dev;
	int ret = 0;

	if (daxctl_new(&ctx))
		out_of_memory();
	dev = find_dax(ctx, has_devnode, st);
	if (!dev) {
		ret = fail("%s is not a device-dax node; 'daxctl list' shows those that exist",
			   backing->path);
	} else {
		backing->bytes = daxctl_dev_get_size(dev);
		backing->align = daxctl_dev_get_align(dev);
		backing->numa_node = daxctl_dev_get_target_node(dev);
		if (!backing->bytes || !backing->align)
			ret = fail("%s: its size or alignment cannot be read from sysfs",
				   backing->path);
	}
	daxctl_unref(ctx);
	return ret;
}

static int open_memfd(struct backing *backing, const struct stat *st)
{
	int seals = fcntl(backing->fd, F_GET_SEALS);

	if (seals < 0)
		return fail("%s is neither a device-dax node nor a memfd", backing->path);
	if (!(seals & F_SEAL_SHRINK) || !(seals & F_SEAL_GROW))
		return fail("%s can be resized: seal the memfd with F_SEAL_SHRINK and F_SEAL_GROW",
			    backing->path);
	if (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return fail("%s is sealed against writing", backing->path);
	backing->memfd = true;
	backing->bytes = st->st_size;
	backing->align = MEMFD_ALIGN;
	return 0;
}

int backing_open(const char *path, struct backing *backing)
{
	struct stat st;
	int ret;

	*backing = (struct backing){ .path = path, .numa_node = -1 };
	backing->fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (backing->fd < 0) {
		if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
			return no_node(path);
		if (errno == EACCES || errno == EPERM)
			return fail("%s: %s; run this as root", path, strerror(errno));
		return fail("%s: %s", path, strerror(errno));
	}
	if (fstat(backing->fd, &st))
		ret = fail("%s: %s", path, strerror(errno));
	else if (S_ISCHR(st.st_mode))
		ret = open_dax(backing, &st);
	else if (S_ISREG(st.st_mode))
		ret = open_memfd(backing, &st);
	else
		ret = fail("%s is neither a device-dax node nor a memfd", path);
	if (ret)
		backing_close(backing);
	return ret;
}

void backing_close(struct backing *backing)
{
	close(backing->fd);
	backing->fd = -1;
}
