/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of uapi/linux/maru_l1.h called as it is: a system call and
 * -errno.  Tests of the module go this way and not through libmarul1, so that a
 * fault of the library cannot hide one of the module, nor the other way round.
 */
#ifndef MARU_RAW_H
#define MARU_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/maru_l1.h>

#define RAW_CONTROL "/dev/maru_l1/control"

static inline int raw_call(int fd, unsigned long nr, void *arg)
{
	int ret = ioctl(fd, nr, arg);

	return ret < 0 ? -errno : ret;
}

/* A client of pool @name, or -errno. */
static inline int raw_open(const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/dev/maru_l1/%s", name);
	fd = open(path, flags);
	return fd < 0 ? -errno : fd;
}

static inline int raw_batch_flags(int fd, unsigned long nr, uint32_t layout,
				  uint32_t flags, const void *keys,
				  size_t keys_len, void *items, uint32_t nr_items)
{
	struct maru_l1_batch batch = {
		.size = sizeof(batch),
		.flags = flags,
		.nr_items = nr_items,
		.layout = layout,
		.items = (uintptr_t)items,
		.keys = (uintptr_t)keys,
		.keys_len = keys_len,
	};

	return raw_call(fd, nr, &batch);
}

/* One item whose key is the string @key: the item's status, or -errno. */
#define RAW_ONE(fd, nr, layout, flags, key, item) ({			\
	const char *raw_key = (key);					\
	int raw_ret;							\
									\
	(item)->key_off = 0;						\
	(item)->key_len = strlen(raw_key);				\
	raw_ret = raw_batch_flags(fd, nr, layout, flags, raw_key,	\
				  strlen(raw_key), item, 1);		\
	raw_ret < 0 ? raw_ret : (int)(item)->status;			\
})

static inline int raw_layout(int fd, uint64_t bytes, uint32_t *layout)
{
	struct maru_l1_layout arg = { .size = sizeof(arg), .bytes = bytes };
	int ret = raw_call(fd, MARU_L1_LAYOUT, &arg);

	*layout = arg.layout;
	return ret;
}

static inline int raw_reserve(int fd, uint32_t layout, const char *key,
			      uint64_t length, uint32_t flags,
			      struct maru_l1_reserve *item)
{
	*item = (struct maru_l1_reserve){ .length = length, .flags = flags };
	return RAW_ONE(fd, MARU_L1_RESERVE_WRITE, layout, 0, key, item);
}

static inline int raw_commit(int fd, const char *key, uint32_t holds,
			     struct maru_l1_commit *item)
{
	item->tag = 0;
	item->reservation = 0;
	item->holds = holds;
	item->reserved = 0;
	return RAW_ONE(fd, MARU_L1_COMMIT, 0, 0, key, item);
}

static inline int raw_abort(int fd, const char *key)
{
	struct maru_l1_abort item = { 0 };

	return RAW_ONE(fd, MARU_L1_ABORT, 0, 0, key, &item);
}

static inline int raw_abort_id(int fd, uint64_t id)
{
	struct maru_l1_abort item = { .id = id };

	return RAW_ONE(fd, MARU_L1_ABORT, 0, 0, "", &item);
}

static inline int raw_read(int fd, const char *key, uint32_t holds,
			   struct maru_l1_read *item)
{
	*item = (struct maru_l1_read){ .holds = holds };
	return RAW_ONE(fd, MARU_L1_RESERVE_READ, 0, 0, key, item);
}

static inline int raw_peek(int fd, const char *key)
{
	struct maru_l1_read item = { 0 };

	return RAW_ONE(fd, MARU_L1_PEEK, 0, 0, key, &item);
}

static inline int raw_release(int fd, const char *key, uint32_t holds)
{
	struct maru_l1_release item = { .holds = holds };

	return RAW_ONE(fd, MARU_L1_RELEASE, 0, 0, key, &item);
}

static inline int raw_release_id(int fd, uint64_t id, uint32_t holds)
{
	struct maru_l1_release item = { .id = id, .holds = holds };

	return RAW_ONE(fd, MARU_L1_RELEASE, 0, 0, "", &item);
}

static inline int raw_delete(int fd, const char *key, uint32_t flags)
{
	struct maru_l1_delete item = { 0 };

	return RAW_ONE(fd, MARU_L1_DELETE, 0, flags, key, &item);
}

static inline int raw_query(int fd, const char *key, struct maru_l1_query *item)
{
	*item = (struct maru_l1_query){ 0 };
	return RAW_ONE(fd, MARU_L1_QUERY, 0, 0, key, item);
}

static inline int raw_usage(int fd, struct maru_l1_usage *usage)
{
	*usage = (struct maru_l1_usage){ .size = sizeof(*usage) };
	return raw_call(fd, MARU_L1_USAGE, usage);
}

static inline int raw_info(int fd, struct maru_l1_info *info)
{
	*info = (struct maru_l1_info){ .size = sizeof(*info) };
	return raw_call(fd, MARU_L1_INFO, info);
}

static inline int raw_clear(int fd, uint32_t flags)
{
	struct maru_l1_clear arg = { .size = sizeof(arg), .flags = flags };

	return raw_call(fd, MARU_L1_CLEAR, &arg);
}

static inline int raw_purge(int fd)
{
	struct maru_l1_purge arg = { .size = sizeof(arg) };

	return raw_call(fd, MARU_L1_PURGE, &arg);
}

#endif /* MARU_RAW_H */
