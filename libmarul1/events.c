// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Waiting for events. */
#include "internal.h"

#include <poll.h>
#include <time.h>

#define ROOM_MIN	(sizeof(struct maru_l1_event) + MARU_L1_KEY_MAX)

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/*
 * Waits until the descriptor is readable or @deadline has come.
 * Return: 1: worth another look; 0: time is up; or a negative errno.
 */
static int wait_readable(int fd, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left = deadline - now_ns();
	int n;

	if (left <= 0)
		return 0;
	n = poll(&p, 1, (left + 999999) / 1000000);
	if (n < 0)
		return errno == EINTR ? 1 : -errno;
	/* Without this a pool that is gone would be asked again and again. */
	if (n && !(p.revents & POLLIN))
		return p.revents & POLLNVAL ? -EBADF : -ENODEV;
	return 1;
}

ssize_t marul1_read_events(struct marul1_client *client, void *buf,
			   size_t len, int timeout_ms)
{
	int64_t deadline;
	ssize_t n;
	int more;

	if (timeout_ms < 0 || !buf || (uintptr_t)buf % 8 || len < ROOM_MIN)
		return -EINVAL;
	if (!marul1_here(client))
		return -EOWNERDEAD;
	n = client->pool->engine->read(client, buf, len);
	if (n != -EAGAIN || !timeout_ms)
		return n == -EAGAIN ? 0 : n;
	deadline = now_ns() + timeout_ms * 1000000LL;
	do {
		more = wait_readable(client->fd, deadline);
		if (more < 0)
			return more;
		n = client->pool->engine->read(client, buf, len);
	} while (n == -EAGAIN && more);
	return n == -EAGAIN ? 0 : n;
}
