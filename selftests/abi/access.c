// SPDX-License-Identifier: GPL-2.0-only
/* Which number on which file by whom. */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../guest/raw.h"
#include "abi.h"

static const struct call *find_call(unsigned int nr, bool control)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (_IOC_NR(calls[i].nr) == nr &&
		    !(calls[i].traits & T_CONTROL) == !control)
			return &calls[i];
	return NULL;
}

static void expect_enotty(int fd, unsigned long nr, const char *what)
{
	uint8_t arg[512] = { 0 };
	int ret = raw_call(fd, nr, arg);

	if (ret != -ENOTTY)
		TAP_FAIL("number %#lx, %s: answered %d, expected ENOTTY", nr, what, ret);
}

/* What a debug build has for the tests, and no other build. */
#define DEBUG_CORRUPT 0xf0

static void unknown_numbers(void)
{
	struct maru_l1_info info;
	bool debug;

	ASSERT(!raw_info(world.observer, &info));
	debug = info.flags & MARU_L1_I_DEBUG;
	for (unsigned int nr = 0; nr < 256; nr++) {
		if (!find_call(nr, false) && !(debug && nr == DEBUG_CORRUPT))
			expect_enotty(world.observer, _IO(MARU_L1_IOC, nr), "on a pool");
		if (!find_call(nr, true))
			expect_enotty(world.control, _IO(MARU_L1_IOC, nr), "on control");
	}
}

/* The numbers are plain _IO(): the same one with a direction or a size is another. */
static void size_variants(void)
{
	for (size_t i = 0; i < nr_calls; i++) {
		int fd = calls[i].traits & T_CONTROL ? world.control : world.observer;
		unsigned int nr = _IOC_NR(calls[i].nr);

		expect_enotty(fd, _IOC(_IOC_READ, MARU_L1_IOC, nr, 0), "_IOC_READ");
		expect_enotty(fd, _IOC(_IOC_WRITE, MARU_L1_IOC, nr, 0), "_IOC_WRITE");
		expect_enotty(fd, _IOC(_IOC_READ | _IOC_WRITE, MARU_L1_IOC, nr,
				       shape_of(calls[i].arg)->size), "_IOWR");
		expect_enotty(fd, _IO(MARU_L1_IOC - 1, nr), "another type");
		expect_enotty(fd, _IO(MARU_L1_IOC + 1, nr), "another type");
	}
}

static void wrong_file(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	ASSERT(null >= 0);
	for (size_t i = 0; i < nr_calls; i++) {
		bool control = calls[i].traits & T_CONTROL;

		expect_enotty(control ? world.observer : world.control, calls[i].nr,
			      "on the other node");
		expect_enotty(null, calls[i].nr, "on /dev/null");
	}
	close(null);
}

/*
 * The state is made through a file that may write; then the same struct goes
 * through one that may not.
 */
static void read_only_file(void)
{
	for (size_t i = 0; i < nr_calls; i++) {
		struct frame f;
		int writer;

		if (calls[i].traits & T_CONTROL)
			continue;
		if (!frame_begin(&f, &calls[i], O_RDWR))
			continue;
		writer = f.fd;
		f.fd = raw_open(ABI_POOL, O_RDONLY | O_CLOEXEC);
		ASSERT(f.fd >= 0);
		if (calls[i].traits & T_WRITE)
			frame_refused(&f, -EACCES, "on a file opened read-only");
		else
			frame_accepted(&f, "on a file opened read-only");
		raw_clear(f.fd, MARU_L1_CLEAR_FORCE);
		close(f.fd);
		f.fd = writer;
		frame_end(&f);
	}
}

static void dry_run(void)
{
	struct frame f;
	int writer;

	ASSERT(frame_begin(&f, find_call(_IOC_NR(MARU_L1_EVICT), false), O_RDWR));
	writer = f.fd;
	f.fd = raw_open(ABI_POOL, O_RDONLY | O_CLOEXEC);
	ASSERT(f.fd >= 0);
	((struct maru_l1_evict *)f.arg)->flags = MARU_L1_EVICT_DRY_RUN;
	frame_accepted(&f, "dry run on a file opened read-only");
	EXPECT_EQ(((struct maru_l1_evict *)f.arg)->evicted, FRAME_ITEMS);
	close(f.fd);
	f.fd = writer;
	frame_end(&f);
}

/* A client that may only write has calls, but no mapping. */
static void write_only_file(void)
{
	int fd = raw_open(ABI_POOL, O_WRONLY | O_CLOEXEC);

	ASSERT(fd >= 0);
	EXPECT(mmap(NULL, 2 << 20, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
	       errno == EACCES);
	EXPECT(mmap(NULL, 8192, PROT_NONE, MAP_SHARED, fd, MARU_L1_MMAP_STATUS) ==
	       MAP_FAILED && errno == EACCES);
	close(fd);
}

/* In a child without privileges: -errno of the call, as an exit status. */
static int unprivileged(struct frame *f)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(255);
		_exit(-frame_call(f) & 0xff);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

static void not_root(void)
{
	for (size_t i = 0; i < nr_calls; i++) {
		struct maru_l1_usage was, is;
		struct frame f;
		int want = calls[i].traits & T_ADMIN ? EPERM : 0;
		int ret;

		if (!frame_begin(&f, &calls[i], O_RDWR))
			continue;
		EXPECT_EQ(raw_usage(world.observer, &was), 0);
		ret = unprivileged(&f);
		if (ret != want)
			TAP_FAIL("%s by nobody: answered -%d, expected -%d",
				 calls[i].name, ret, want);
		EXPECT_EQ(raw_usage(world.observer, &is), 0);
		if (want && memcmp(&was, &is, sizeof(was)))
			TAP_FAIL("%s by nobody was refused and changed the pool", calls[i].name);
		frame_end(&f);
	}
}

/*
 * The ioctl of 32-bit programs, from this one.  They cannot map a pool, whose
 * offsets their mmap has no room for, and so have no calls either.
 */
#ifdef __x86_64__
static long compat_ioctl(int fd, uint32_t nr, uint32_t arg)
{
	long ret = 54;

	asm volatile("int $0x80" : "+a" (ret)
		     : "b" ((long)fd), "c" ((long)nr), "d" ((long)arg)
		     : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

static bool compat_works(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		long ret = 20;	/* getpid */

		asm volatile("int $0x80" : "+a" (ret) : : "memory", "r8", "r9", "r10", "r11");
		_exit(ret == getpid() ? 0 : 1);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status);
}

static void compat(void)
{
	struct maru_l1_info *info;

	if (!compat_works())
		SKIP("the kernel runs no 32-bit system calls");
	info = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	ASSERT(info != MAP_FAILED);
	info->size = sizeof(*info);
	for (size_t i = 0; i < nr_calls; i++)
		if (!(calls[i].traits & T_CONTROL))
			EXPECT_EQ((int)compat_ioctl(world.observer, calls[i].nr, (uintptr_t)info),
				  -ENOTTY);
	for (size_t i = sizeof(info->size); i < sizeof(*info); i++)
		EXPECT_EQ(((uint8_t *)info)[i], 0);
	munmap(info, 4096);
}
#endif

const struct tap_case access_cases[] = {
	{ "unknown-number", "each number without a call is ENOTTY", unknown_numbers },
	{ "size-variants", "a number with direction, size or another type is ENOTTY", size_variants },
	{ "wrong-file", "a call on the wrong file is ENOTTY", wrong_file },
	{ "read-only-file", "a call that changes the pool is EACCES on a read-only file", read_only_file },
	{ "dry-run", "a dry run of EVICT needs no writable file", dry_run },
	{ "write-only-file", "a file open for writing only cannot be mapped", write_only_file },
	{ "not-root", "admin calls without CAP_SYS_ADMIN are EPERM", not_root },
#ifdef __x86_64__
	{ "compat", "a call of a 32-bit program is ENOTTY", compat },
#endif
};
CASES(access_cases);
