// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The embedded engine: the core in this process.  A call is handed over as the
 * module hands it over, without the copying.
 */
#include "embedded.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/**
 * struct embedded_client
 * @events: one reader at a time; guards the level of @fd
 * @fd: eventfd, readable while there are events
 */
struct embedded_client {
	struct maru_client *core;
	struct maru_l1_client_status *status;
	pthread_mutex_t events;
	int fd;
};

/* By the core, under its lock. */
static void wake_reader(void *owner)
{
	struct embedded_client *c = owner;

	eventfd_write(c->fd, 1);
}

static int embedded_client_open(struct marul1_client *client)
{
	struct embedded *e = client->pool->priv;
	struct maru_client_params params = {
		.writable = !(client->flags & MARUL1_RDONLY),
		.wake = wake_reader,
	};
	struct embedded_client *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (!c)
		return -ENOMEM;
	c->status = embedded_page();
	if (!c->status)
		goto free_client;
	c->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->fd < 0) {
		err = -errno;
		goto free_status;
	}
	params.status = c->status;
	params.owner = c;
	err = maru_client_open(e->core, &params, &c->core);
	if (err)
		goto close_fd;
	pthread_mutex_init(&c->events, NULL);
	client->fd = c->fd;
	client->pool_status = e->status;
	client->status = c->status;
	client->priv = c;
	embedded_count_client(e, 1);
	return 0;

close_fd:
	close(c->fd);
free_status:
	free(c->status);
free_client:
	free(c);
	return err;
}

static void embedded_client_close(struct marul1_client *client, bool here)
{
	struct embedded_client *c = client->priv;

	if (here) {
		maru_client_close(c->core, embedded_now(), false);
		embedded_count_client(client->pool->priv, -1);
		pthread_mutex_destroy(&c->events);
	}
	close(c->fd);
	free(c->status);
	free(c);
}

/* ---- events ------------------------------------------------------------- */

/*
 * Makes @fd readable exactly while there are events.  An event queued between
 * the drain and the second look has signalled for nothing: it is told again.
 */
static void settle_level(struct embedded_client *c)
{
	eventfd_t n;

	if (maru_events_ready(c->core))
		return;
	eventfd_read(c->fd, &n);
	if (maru_events_ready(c->core))
		eventfd_write(c->fd, 1);
}

static ssize_t embedded_read(struct marul1_client *client, void *buf, size_t len)
{
	struct embedded_client *c = client->priv;
	ssize_t n;

	pthread_mutex_lock(&c->events);
	n = maru_events_peek(c->core, buf, len);
	if (n > 0)
		maru_events_consume(c->core, n);
	settle_level(c);
	pthread_mutex_unlock(&c->events);
	return n ? n : -EAGAIN;
}

/* ---- calls --------------------------------------------------------------- */

static void embedded_info(struct marul1_client *client, struct maru_l1_info *info)
{
	struct embedded *e = client->pool->priv;

	*info = (struct maru_l1_info) { .size = sizeof(*info) };
	maru_pool_info(e->core, info);
	memcpy(info->name, "embedded", sizeof("embedded"));
	info->map_align = ALIGN_2M;
	info->nr_backings = 1;
	info->backing_bytes[0] = info->capacity;
	info->numa_node = -1;
	if (client->flags & MARUL1_RDONLY)
		info->flags |= MARU_L1_I_READ_ONLY;
}

/* Where the caller wants the list of a LIST call. */
static void list_place(const struct maru_call *call, void **items, void **keys)
{
	*keys = NULL;
	switch (call->type->nr) {
	case _IOC_NR(MARU_L1_EVICT):
		*items = (void *)(uintptr_t)call->arg->evict.items;
		*keys = (void *)(uintptr_t)call->arg->evict.keys;
		break;
	case _IOC_NR(MARU_L1_STATS):
		*items = (void *)(uintptr_t)call->arg->stats.items;
		break;
	default:
		*items = (void *)(uintptr_t)call->arg->check.items;
		break;
	}
}

/* As the module does it: the caller's memory changes only on success. */
static int run_list(struct maru_client *client, struct maru_call *call)
{
	size_t item_size = call->type->item_size;
	void *items, *keys, *room;
	int err;

	list_place(call, &items, &keys);
	if ((call->nr_items && !items) || (call->keys_len && !keys))
		return -EFAULT;
	room = calloc(1, call->nr_items * item_size + call->keys_len + 1);
	if (!room)
		return -ENOMEM;
	call->items = room;
	call->keys = (u8 *)room + call->nr_items * item_size;
	err = maru_call_run(client, call);
	if (!err) {
		if (call->nr_items)
			memcpy(items, call->items, call->nr_items * item_size);
		if (call->keys_len)
			memcpy(keys, call->keys, call->keys_len);
	}
	free(room);
	return err;
}

static int run_call(struct maru_client *client, struct maru_call *call)
{
	int err = maru_call_check(client, call);

	if (err)
		return err;
	if (call->type->flags & MARU_CALL_LIST)
		return run_list(client, call);
	if (call->type->flags & MARU_CALL_BATCH) {
		call->items = (void *)(uintptr_t)call->arg->batch.items;
		call->keys = (void *)(uintptr_t)call->arg->batch.keys;
	}
	return maru_call_run(client, call);
}

static int embedded_call(struct marul1_client *client, unsigned long cmd, void *arg)
{
	struct embedded_client *c = client->priv;
	union maru_call_arg copy = { 0 };
	struct maru_call call = {
		.type = maru_call_find(_IOC_NR(cmd)),
		.arg = &copy,
		.now = embedded_now(),
	};
	int err;

	if (cmd == MARU_L1_INFO) {
		embedded_info(client, arg);
		return 0;
	}
	if (!call.type)
		return -ENOTTY;
	memcpy(&copy, arg, call.type->arg_size);
	if (cmd != MARU_L1_SUBSCRIBE) {
		err = run_call(c->core, &call);
	} else {
		/* Unread events go: no reader may be between peek and consume. */
		pthread_mutex_lock(&c->events);
		err = run_call(c->core, &call);
		settle_level(c);
		pthread_mutex_unlock(&c->events);
	}
	if (!err)
		memcpy(arg, &copy, call.type->arg_size);
	return err;
}

/* ---- mapping ------------------------------------------------------------- */

/* A second file of the memory, so that mprotect() cannot make it writable. */
static int open_read_only(struct marul1_pool *pool, int memfd)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", memfd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fd = -errno;
		marul1_log(pool->ctx, LOG_ERR,
			   "cannot open %s (errno %d): is /proc mounted?", path, -fd);
	}
	return fd;
}

static int embedded_map(struct marul1_client *client, void *addr, uint64_t offset,
			uint64_t length, int prot)
{
	struct embedded *e = client->pool->priv;
	bool read_only = !(prot & PROT_WRITE);
	int fd = e->memfd, err = 0;

	if (read_only) {
		fd = open_read_only(client->pool, fd);
		if (fd < 0)
			return fd;
	}
	if (mmap(addr, length, prot, MAP_SHARED | MAP_FIXED, fd, offset) ==
	    MAP_FAILED)
		err = -errno;
	if (read_only)
		close(fd);
	return err;
}

const struct marul1_engine marul1_embedded = {
	.scheme = "embedded:",
	.open = embedded_open,
	.close = embedded_close,
	.client_open = embedded_client_open,
	.client_close = embedded_client_close,
	.call = embedded_call,
	.map = embedded_map,
	.read = embedded_read,
};
