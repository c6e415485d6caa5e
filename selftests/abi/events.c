// SPDX-License-Identifier: GPL-2.0-only
/*
 * read(2) and poll(2) of a client: records, and buffers that are wrong.  A read
 * never waits: poll does.
 */
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../guest/raw.h"
#include "abi.h"

static int subscriber(void)
{
	struct maru_l1_subscribe arg = {
		.size = sizeof(arg),
		.mask = MARU_L1_EV_MASK(MARU_L1_EV_DELETED),
		.ring_size = MARU_L1_EVENTS_MIN,
	};
	int fd = raw_open(ABI_POOL, O_RDWR | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_EQ(raw_call(fd, MARU_L1_SUBSCRIBE, &arg), 0);
	return fd;
}

/* Publishes and deletes @key by another client. */
static void delete_one(const char *key)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };

	EXPECT_EQ(raw_reserve(world.observer, world.layout, key, 1, 0, &reserve), MARU_L1_OK);
	EXPECT_EQ(raw_commit(world.observer, key, 0, &commit), MARU_L1_OK);
	EXPECT_EQ(raw_delete(world.observer, key, 0), MARU_L1_OK);
}

static short polled(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

/* By number: the compiler knows that read() of NULL is wrong. */
static ssize_t read_errno(int fd, void *buf, size_t len)
{
	ssize_t ret = syscall(SYS_read, fd, buf, len);

	return ret < 0 ? -errno : ret;
}

static void records(void)
{
	union {
		struct maru_l1_event event;
		uint8_t bytes[2048];
	} buf;
	int fd = subscriber();

	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(read_errno(fd, &buf, sizeof(buf)), -EAGAIN);
	delete_one("event-1");
	EXPECT_EQ(polled(fd), POLLIN);
	memset(&buf, FRAME_POISON, sizeof(buf));
	EXPECT_EQ(read_errno(fd, &buf, sizeof(buf)), sizeof(buf.event) + 8);
	EXPECT_EQ(buf.event.size, sizeof(buf.event) + 8);
	EXPECT_EQ(buf.event.kind, MARU_L1_EV_DELETED);
	EXPECT(buf.event.id != 0);
	EXPECT_EQ(buf.event.value, 0);
	EXPECT_EQ(buf.event.flags, 0);
	EXPECT_EQ(buf.event.key_len, 7);
	EXPECT(!memcmp(buf.event.key, "event-1\0", 8));
	EXPECT_EQ(buf.bytes[sizeof(buf.event) + 8], FRAME_POISON);
	EXPECT_EQ(polled(fd), 0);
	close(fd);
}

/* A read that fails takes nothing; one without room says so. */
static void bad_buffers(void)
{
	uint8_t buf[2048];
	int fd = subscriber();

	delete_one("event-2");
	delete_one("event-3");
	EXPECT_EQ(read_errno(fd, buf, sizeof(struct maru_l1_event) + 7), -EINVAL);
	EXPECT_EQ(read_errno(fd, buf, 1), -EINVAL);
	EXPECT_EQ(read_errno(fd, NULL, sizeof(buf)), -EFAULT);
	EXPECT_EQ(read_errno(fd, world.unmapped, 4096), -EFAULT);
	EXPECT_EQ(read_errno(fd, world.arg_end - 8, 4096), -EFAULT);
	page_protect(world.arg_end, PROT_READ);
	EXPECT_EQ(read_errno(fd, world.arg_end - 4096, 4096), -EFAULT);
	page_protect(world.arg_end, PROT_READ | PROT_WRITE);
	/* Room for one of the two: whole records only. */
	EXPECT_EQ(read_errno(fd, buf, 2 * (sizeof(struct maru_l1_event) + 8) - 1),
		  sizeof(struct maru_l1_event) + 8);
	EXPECT_EQ(polled(fd), POLLIN);
	EXPECT_EQ(read_errno(fd, buf, sizeof(buf)), sizeof(struct maru_l1_event) + 8);
	EXPECT_EQ(read_errno(fd, buf, sizeof(buf)), -EAGAIN);
	close(fd);
}

static void replaced(void)
{
	struct maru_l1_subscribe end = { .size = sizeof(end) };
	uint8_t buf[2048];
	int fd = subscriber();

	delete_one("event-4");
	EXPECT_EQ(polled(fd), POLLIN);
	EXPECT_EQ(raw_call(fd, MARU_L1_SUBSCRIBE, &end), 0);
	EXPECT_EQ(polled(fd), 0);
	delete_one("event-5");
	EXPECT_EQ(polled(fd), 0);
	EXPECT_EQ(read_errno(fd, buf, sizeof(buf)), -EAGAIN);
	close(fd);
}

/* A file without a subscription has nothing to read, and no position. */
static void unsubscribed(void)
{
	uint8_t buf[2048] = { 0 };
	int fd = raw_open(ABI_POOL, O_RDWR | O_CLOEXEC);

	EXPECT_EQ(read_errno(fd, buf, sizeof(buf)), -EAGAIN);
	EXPECT_EQ(polled(fd), 0);
	EXPECT(write(fd, buf, 8) < 0 && errno == EINVAL);
	EXPECT(lseek(fd, 0, SEEK_SET) < 0 && errno == ESPIPE);
	EXPECT(pread(fd, buf, 8, 0) < 0 && errno == ESPIPE);
	close(fd);
}

const struct tap_case event_cases[] = {
	{ "records", "an event is read whole and once", records },
	{ "bad-buffers", "a read that fails takes no record", bad_buffers },
	{ "replaced", "a new subscription drops what was not read", replaced },
	{ "unsubscribed", "without a subscription there is nothing to read or write", unsubscribed },
};
CASES(event_cases);
