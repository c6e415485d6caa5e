// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The device engine: a client is an open file of /dev/maru_l1/NAME. */
#include "internal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define DIRECTORY	"/dev/maru_l1/"
#define CONTROL		DIRECTORY "control"

/**
 * struct device - a pool
 * @path: of its node
 */
struct device {
	char path[sizeof(DIRECTORY) + MARU_L1_NAME_LEN];
};

/* Letters, digits, '-', '_' and '.', not first a '.': no way out of the folder. */
static bool name_is_valid(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz"
				"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n && n < MARU_L1_NAME_LEN && !name[n] && name[0] != '.' &&
	       strcmp(name, "control");
}

static int call_file(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) < 0 ? -errno : 0;
}

/* Without a module there is no control node: its pools are not merely absent. */
static int open_error(int error)
{
	/* ENXIO: a node is left whose pool is gone. */
	if (error == ENXIO || (error == ENOENT && access(CONTROL, F_OK)))
		return -ENODEV;
	return -error;
}

/* O_NONBLOCK says what read(2) of events does anyway: it never waits. */
static int open_file(struct marul1_pool *pool, bool read_only)
{
	struct device *d = pool->priv;
	struct maru_l1_info info = { .size = sizeof(info) };
	int fd, err;

	fd = open(d->path, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
			   O_NONBLOCK | O_NOFOLLOW);
	if (fd < 0) {
		err = open_error(errno);
		marul1_log(pool->ctx, LOG_ERR, "cannot open %s (errno %d)",
			   d->path, -err);
		return err;
	}
	err = call_file(fd, MARU_L1_INFO, &info);
	if (!err)
		return fd;
	close(fd);
	marul1_log(pool->ctx, LOG_ERR, "%s is no pool of maru_l1, or one that is gone (errno %d)",
		   d->path, -err);
	return err == -ENOTTY ? -ENODEV : err;
}

static int device_open(struct marul1_pool *pool, const char *address)
{
	size_t prefix = strlen(DIRECTORY);
	const char *name = address;
	struct device *d;
	int fd;

	if (!strncmp(address, DIRECTORY, prefix))
		name += prefix;
	if (!name_is_valid(name)) {
		marul1_log(pool->ctx, LOG_ERR,
			   "device:%s: write device:NAME, the name of a node in " DIRECTORY,
			   address);
		return -EINVAL;
	}
	d = malloc(sizeof(*d));
	if (!d)
		return -ENOMEM;
	memcpy(d->path, DIRECTORY, prefix);
	strcpy(d->path + prefix, name);
	pool->priv = d;
	/* Reading needs the least rights: whether more is allowed, clients find out. */
	fd = open_file(pool, true);
	if (fd < 0) {
		free(d);
		return fd;
	}
	close(fd);
	return 0;
}

static void device_close(struct marul1_pool *pool, bool here)
{
	free(pool->priv);
}

static int device_client_open(struct marul1_client *client)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *status;
	int fd, err;

	fd = open_file(client->pool, client->flags & MARUL1_RDONLY);
	if (fd < 0)
		return fd;
	status = mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd,
		      MARU_L1_MMAP_STATUS);
	if (status == MAP_FAILED) {
		err = -errno;
		goto close_file;
	}
	/* The module's mappings are so already; a child then has none to end. */
	if (madvise(status, 2 * page, MADV_DONTFORK)) {
		err = -errno;
		goto unmap;
	}
	client->fd = fd;
	client->pool_status = (void *)status;
	client->status = (void *)(status + page);
	return 0;

unmap:
	munmap(status, 2 * page);
close_file:
	close(fd);
	return err;
}

static void device_client_close(struct marul1_client *client, bool here)
{
	if (here)
		munmap((void *)client->pool_status, 2 * sysconf(_SC_PAGESIZE));
	close(client->fd);
}

static int device_call(struct marul1_client *client, unsigned long cmd, void *arg)
{
	return call_file(client->fd, cmd, arg);
}

static int device_map(struct marul1_client *client, void *addr, uint64_t offset,
		      uint64_t length, int prot)
{
	void *p = mmap(addr, length, prot, MAP_SHARED | MAP_FIXED, client->fd,
		       offset);

	return p == MAP_FAILED ? -errno : 0;
}

static ssize_t device_read(struct marul1_client *client, void *buf, size_t len)
{
	ssize_t n = read(client->fd, buf, len);

	if (n > 0)
		return n;
	return !n || errno == EINTR ? -EAGAIN : -errno;
}

const struct marul1_engine marul1_device = {
	.scheme = "device:",
	.open = device_open,
	.close = device_close,
	.client_open = device_client_open,
	.client_close = device_client_close,
	.call = device_call,
	.map = device_map,
	.read = device_read,
};
