// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the device engine asks of the kernel.  The linker (--wrap) puts the
 * functions below before open, ioctl, mmap and read; the contract suite runs
 * the engine on the module itself.
 */
#include "lib.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define CAPACITY	(6ULL << 20)

static struct {
	char path[128];
	int flags;
	int opened;
	int open_errno;
	bool no_module;			/* /dev/maru_l1/control is not there */
	unsigned long cmd;
	int ioctl_errno;
	int read_errno;			/* of the next read only; -1: it reads 0 */
	uint8_t *status;		/* the two pages */
	off_t map_offset;
	int map_prot, map_flags;
	int status_errno;
} kernel;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __real_ioctl(int fd, unsigned long cmd, ...);
int __wrap_ioctl(int fd, unsigned long cmd, ...);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off);
ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __wrap_read(int fd, void *buf, size_t len);

/* A node of ours is an eventfd: it can be polled, and read. */
int __wrap_open(const char *path, int flags, ...)
{
	if (strncmp(path, "/dev/maru_l1/", 13))
		return __real_open(path, flags);
	snprintf(kernel.path, sizeof(kernel.path), "%s", path);
	kernel.flags = flags;
	if (kernel.open_errno) {
		errno = kernel.open_errno;
		return -1;
	}
	kernel.opened++;
	return eventfd(0, EFD_NONBLOCK | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0));
}

int __wrap_access(const char *path, int mode)
{
	if (strcmp(path, "/dev/maru_l1/control"))
		return __real_access(path, mode);
	errno = ENOENT;
	return kernel.no_module ? -1 : 0;
}

int __wrap_ioctl(int fd, unsigned long cmd, ...)
{
	va_list args;
	void *arg;

	va_start(args, cmd);
	arg = va_arg(args, void *);
	va_end(args);
	kernel.cmd = cmd;
	if (kernel.ioctl_errno) {
		errno = kernel.ioctl_errno;
		return -1;
	}
	if (cmd == MARU_L1_INFO) {
		struct maru_l1_info *info = arg;

		info->capacity = CAPACITY;
		info->nr_backings = 1;
		info->backing_bytes[0] = CAPACITY;
		info->map_align = 2 << 20;
	}
	return 0;
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
	if (fd < 0)
		return __real_mmap(addr, len, prot, flags, fd, off);
	kernel.map_offset = off;
	kernel.map_prot = prot;
	kernel.map_flags = flags;
	if (off == (off_t)MARU_L1_MMAP_STATUS && kernel.status_errno) {
		errno = kernel.status_errno;
		return MAP_FAILED;
	}
	addr = __real_mmap(addr, len, PROT_READ | PROT_WRITE,
			   MAP_ANONYMOUS | flags, -1, 0);
	if (off == (off_t)MARU_L1_MMAP_STATUS)
		kernel.status = addr;
	return addr;
}

ssize_t __wrap_read(int fd, void *buf, size_t len)
{
	int err = kernel.read_errno;

	kernel.read_errno = 0;
	if (err < 0)
		return 0;
	if (!err)
		return __real_read(fd, buf, len);
	errno = err;
	return -1;
}

static void start(void)
{
	memset(&kernel, 0, sizeof(kernel));
}

static void opens(void)
{
	const int always = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
	struct marul1_client *reader;
	struct lib l;

	start();
	ASSERT(!lib_open(&l, "device:pool-1.a_B", 0));
	EXPECT(!strcmp(kernel.path, "/dev/maru_l1/pool-1.a_B"));
	EXPECT_EQ(kernel.flags, O_RDWR | always);
	EXPECT_EQ(kernel.cmd, MARU_L1_INFO);
	EXPECT_EQ(kernel.map_offset, MARU_L1_MMAP_STATUS);
	EXPECT_EQ(kernel.map_prot, PROT_READ);
	EXPECT_EQ(kernel.map_flags, MAP_SHARED);
	ASSERT(!marul1_client_open(l.pool, MARUL1_RDONLY, &reader));
	EXPECT_EQ(kernel.flags, O_RDONLY | always);
	marul1_client_close(reader);
	lib_close(&l);

	start();
	ASSERT(!lib_open(&l, "device:/dev/maru_l1/x", 0));
	EXPECT(!strcmp(kernel.path, "/dev/maru_l1/x"));
	lib_close(&l);
}

static void open_errors(void)
{
	static const struct {
		int open_errno, ioctl_errno, expected;
	} cases[] = {
		{ ENOENT, 0, -ENOENT }, { EACCES, 0, -EACCES },
		{ ENXIO, 0, -ENODEV }, { ENODEV, 0, -ENODEV },
		{ ELOOP, 0, -ELOOP }, { EMFILE, 0, -EMFILE },
		{ 0, ENOTTY, -ENODEV }, { 0, ENODEV, -ENODEV },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lib l;

		start();
		kernel.open_errno = cases[i].open_errno;
		kernel.ioctl_errno = cases[i].ioctl_errno;
		EXPECT_EQ(lib_open(&l, "device:x", 0), cases[i].expected);
		EXPECT_EQ(l.log.messages, 1);
		EXPECT(strstr(l.log.text, "/dev/maru_l1/x"));
		lib_close(&l);
	}
}

static void no_module(void)
{
	struct lib l;

	start();
	kernel.no_module = true;
	kernel.open_errno = ENOENT;
	EXPECT_EQ(lib_open(&l, "device:x", 0), -ENODEV);
	lib_close(&l);
	/* A container may have been given one node alone. */
	kernel.open_errno = 0;
	ASSERT(!lib_open(&l, "device:x", 0));
	lib_close(&l);
}

static int lowest_free_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

static void nothing_leaks(void)
{
	int fd = lowest_free_fd();
	struct lib l;

	start();
	kernel.status_errno = ENOMEM;
	EXPECT_EQ(lib_open(&l, "device:x", 0), -ENOMEM);
	lib_close(&l);
	kernel.ioctl_errno = ENODEV;
	EXPECT_EQ(lib_open(&l, "device:x", 0), -ENODEV);
	lib_close(&l);
	start();
	ASSERT(!lib_open(&l, "device:x", 0));
	lib_close(&l);
	EXPECT_EQ(kernel.opened, 2);
	EXPECT_EQ(lowest_free_fd(), fd);
}

static void calls(void)
{
	struct marul1_touch touch = { .key = "k", .key_len = 1 };
	struct lib l;

	start();
	ASSERT(!lib_open(&l, "device:x", 0));
	EXPECT_EQ(marul1_touch(l.client, &touch, 1), 0);
	EXPECT_EQ(kernel.cmd, MARU_L1_TOUCH);
	kernel.ioctl_errno = EPERM;
	EXPECT_EQ(marul1_purge(l.client, NULL), -EPERM);
	EXPECT_EQ(kernel.cmd, MARU_L1_PURGE);
	lib_close(&l);
}

static void status_pages(void)
{
	uint64_t total, used, available;
	struct maru_l1_client_status *client;
	struct maru_l1_pool_status *pool;
	struct lib l;

	start();
	ASSERT(!lib_open(&l, "device:x", 0));
	pool = (void *)kernel.status;
	client = (void *)(kernel.status + sysconf(_SC_PAGESIZE));
	*pool = (struct maru_l1_pool_status) { .total = 9, .used = 4, .available = 3 };
	*client = (struct maru_l1_client_status) { .epoch = 70, .events = 80 };
	marul1_space(l.client, &total, &used, &available);
	EXPECT(total == 9 && used == 4 && available == 3);
	EXPECT_EQ(marul1_epoch(l.client), 70);
	EXPECT_EQ(marul1_events_queued(l.client), 80);
	EXPECT(marul1_valid(l.client, 70));
	client->epoch++;
	EXPECT(!marul1_valid(l.client, 70));
	lib_close(&l);
}

static void maps(void)
{
	struct lib l;
	void *base;

	start();
	ASSERT(!lib_open(&l, "device:x", MARUL1_RDONLY));
	ASSERT(!marul1_map(l.client, 0, &base, NULL));
	EXPECT_EQ(kernel.map_prot, PROT_READ);
	EXPECT_EQ(kernel.map_flags, MAP_SHARED | MAP_FIXED);
	EXPECT_EQ(kernel.map_offset, 0);
	lib_close(&l);
	ASSERT(!lib_open(&l, "device:x", 0));
	ASSERT(!marul1_map(l.client, 0, &base, NULL));
	EXPECT_EQ(kernel.map_prot, PROT_READ | PROT_WRITE);
	lib_close(&l);
}

static void reads(void)
{
	static char buf[2048] __attribute__((aligned(8)));
	static const int nothing_yet[] = { EAGAIN, EINTR, -1 };
	struct lib l;

	start();
	ASSERT(!lib_open(&l, "device:x", 0));
	for (size_t i = 0; i < ARRAY_SIZE(nothing_yet); i++) {
		kernel.read_errno = nothing_yet[i];
		EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 0), 0);
		eventfd_write(marul1_client_fd(l.client), 1);
		kernel.read_errno = nothing_yet[i];
		EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 1000), 8);
	}
	kernel.read_errno = ENODEV;
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 1000), -ENODEV);
	lib_close(&l);
}

/* The pages are not in a child: whatever lies there now must stay. */
static void child_closes(void)
{
	struct lib l;
	int status;
	pid_t pid;

	start();
	ASSERT(!lib_open(&l, "device:x", 0));
	pid = fork();
	if (!pid) {
		unsigned char vec;
		size_t page = sysconf(_SC_PAGESIZE);

		if (!mincore(kernel.status, page, &vec))
			_exit(1);
		if (__real_mmap(kernel.status, 2 * page, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
				-1, 0) != kernel.status)
			_exit(2);
		marul1_client_close(l.client);
		marul1_pool_unref(l.pool);
		marul1_unref(l.ctx);
		kernel.status[0] = 1;
		kernel.status[page] = 1;
		_exit(0);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(marul1_epoch(l.client), 0);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "device-open", "both forms of the URI open the node, read-only if asked", opens },
	{ "device-errors", "errors of open and of a foreign node", open_errors },
	{ "device-module", "without the module it is ENODEV, not ENOENT", no_module },
	{ "device-leak", "a client that fails to open leaves no descriptor", nothing_leaks },
	{ "device-calls", "a call is its ioctl, its errno the answer", calls },
	{ "device-status", "space, epoch and events come from the two pages", status_pages },
	{ "device-map", "protection and offset of the mapping", maps },
	{ "device-read", "no event is no error, an error is told", reads },
	{ "device-fork", "a child that closes unmaps nothing", child_closes },
};

int main(int argc, char **argv)
{
	return tap_run("lib-device", cases, ARRAY_SIZE(cases), argc, argv);
}
