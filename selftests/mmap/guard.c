// SPDX-License-Identifier: GPL-2.0-only
/* What a mapping that exists must not be turned into. */
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include "mmap.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Every way that a process has to write where it may only read. */
static void try_to_write(const char *kind, uint8_t *m, size_t len)
{
	uint8_t was = m[0];
	int fd;

	EXPECT(mprotect(m, len, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	EXPECT(mprotect(m, len, PROT_WRITE) < 0 && errno == EACCES);
	EXPECT(mprotect(m, len, PROT_READ | PROT_EXEC) < 0 && errno == EACCES);
	EXPECT_EQ(touch_write(m), SIGSEGV);

	fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	EXPECT(fd >= 0);
	EXPECT(pwrite(fd, "x", 1, (off_t)(uintptr_t)m) < 0 && errno == EIO);
	close(fd);

	fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	EXPECT(fd >= 0);
	EXPECT(read(fd, m, 1) < 0 && errno == EFAULT);
	close(fd);

	EXPECT(madvise(m, len, MADV_POPULATE_WRITE) < 0);
	EXPECT(madvise(m, len, MADV_REMOVE) < 0);
	EXPECT(madvise(m, len, MADV_FREE) < 0);
	if (m[0] != was)
		TAP_FAIL("%s: a byte was changed", kind);
}

static void read_only(struct pool_under_test *p)
{
	uint8_t *m = map(p->ro, 2 * p->unit, PROT_READ, 0);

	ASSERT(m);
	try_to_write(p->kind, m, 2 * p->unit);
	try_to_write(p->kind, m, p->unit);
	munmap(m, 2 * p->unit);
	/* A mapping that begins without any access. */
	m = map(p->ro, p->unit, PROT_NONE, 0);
	ASSERT(m);
	EXPECT(mprotect(m, p->unit, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	EXPECT_EQ(mprotect(m, p->unit, PROT_READ), 0);
	EXPECT_EQ(touch_write(m), SIGSEGV);
	munmap(m, p->unit);
}

static void stays_read_only(void)
{
	each_pool(read_only);
}

/* Moving it, wholly or by half, changes nothing of that. */
static void moved(struct pool_under_test *p)
{
	uint8_t *m = map(p->ro, 2 * p->unit, PROT_READ, 0), *to;

	ASSERT(m);
	to = mmap(NULL, 4 * p->unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT(to != MAP_FAILED);
	to = (uint8_t *)(((uintptr_t)to + p->unit - 1) & ~(p->unit - 1));
	EXPECT(mremap(m, p->unit, p->unit, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
	try_to_write(p->kind, to, p->unit);
	EXPECT(mprotect(m + p->unit, p->unit, PROT_WRITE) < 0 && errno == EACCES);
	munmap(to, 3 * p->unit);
	munmap(m, 2 * p->unit);
}

static void moved_read_only(void)
{
	each_pool(moved);
}

/* Nor does a mapping grow, or double.  There is room behind it, and nothing in it. */
static void grown(struct pool_under_test *p)
{
	uint8_t *room = mmap(NULL, 4 * p->unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *at = (uint8_t *)(((uintptr_t)room + p->unit - 1) & ~(p->unit - 1));
	int fds[] = { p->rw, p->ro };

	ASSERT(room != MAP_FAILED);
	munmap(at + p->unit, 2 * p->unit);
	for (int i = 0; i < 2; i++) {
		uint8_t *m = mmap(at, p->unit, PROT_READ, MAP_SHARED | MAP_FIXED, fds[i], 0);

		ASSERT(m == at);
		EXPECT(mremap(m, p->unit, 2 * p->unit, 0) == MAP_FAILED);
		EXPECT(mremap(m, p->unit, 2 * p->unit, MREMAP_MAYMOVE) == MAP_FAILED);
		EXPECT(mremap(m, 0, p->unit, MREMAP_MAYMOVE) == MAP_FAILED);
		EXPECT_EQ(touch_read(m), 0);
		EXPECT_EQ(touch_read(m + p->unit), SIGSEGV);
	}
	munmap(room, 4 * p->unit);
}

static void does_not_grow(void)
{
	each_pool(grown);
}

/*
 * remap_file_pages() makes a new mapping of the vma's file, at any offset: of
 * the backing it would show the superblock, lose the revocation, and give a
 * reader the backing's right to write.
 */
static void remapped(struct pool_under_test *p)
{
	int fds[] = { p->rw, p->ro };

	for (int i = 0; i < 2; i++) {
		uint8_t *m = map(fds[i], 2 * p->unit, PROT_READ, 0);

		ASSERT(m);
		for (unsigned long pgoff = 0; pgoff < 4; pgoff++) {
			long ret = syscall(SYS_remap_file_pages, m, p->unit, 0,
					   pgoff * p->unit / PAGE, 0);

			if (!ret)
				TAP_FAIL("%s: remap_file_pages() to page %lu of a %s file: %s",
					 p->kind, pgoff * p->unit / PAGE, i ? "read-only" : "read-write",
					 mprotect(m, p->unit, PROT_READ | PROT_WRITE) ?
					 "unwrapped" : "unwrapped and writable");
		}
		munmap(m, 2 * p->unit);
	}
}

static void cannot_be_remapped(void)
{
	each_pool(remapped);
}

/* What a writer may do to its own mapping leaves the bytes alone. */
static void advised(struct pool_under_test *p)
{
	static const int harmless[] = {
		MADV_DONTNEED, MADV_COLD, MADV_PAGEOUT, MADV_WILLNEED, MADV_SEQUENTIAL,
		MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE, MADV_POPULATE_READ,
		MADV_POPULATE_WRITE, MADV_DONTDUMP, MADV_KEEPONFORK, MADV_WIPEONFORK,
		MADV_FREE, MADV_COLLAPSE, MADV_REMOVE,
	};
	uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, 0);

	ASSERT(m);
	for (size_t i = 0; i < p->unit; i += PAGE)
		m[i] = i / PAGE * 7 + 1;
	for (size_t k = 0; k < ARRAY_SIZE(harmless); k++) {
		madvise(m, p->unit, harmless[k]);
		for (size_t i = 0; i < p->unit; i += PAGE)
			if (m[i] != (uint8_t)(i / PAGE * 7 + 1)) {
				TAP_FAIL("%s: madvise(%d) changed page %zu", p->kind,
					 harmless[k], i / PAGE);
				break;
			}
	}
	munmap(m, p->unit);
}

static void advice(void)
{
	each_pool(advised);
}

/* The flags of a mapping, as the kernel tells them. */
static bool vma_has(const void *at, const char *flag)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	unsigned long start, end;
	bool inside = false, found = false;
	char line[512];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			inside = (uintptr_t)at >= start && (uintptr_t)at < end;
		if (inside && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, flag) != NULL;
	}
	if (smaps)
		fclose(smaps);
	return found;
}

static int exit_status(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* A child that touches @m: the signal that it gets. */
static int child_touch(uint8_t *m)
{
	pid_t pid = fork();

	if (!pid)
		_exit(touch_read(m));
	return exit_status(pid);
}

static void inherited(struct pool_under_test *p)
{
	uint8_t *data = map(p->rw, p->unit, PROT_READ | PROT_WRITE, 0);
	uint8_t *page = map(p->rw, 2 * PAGE, PROT_READ, MARU_L1_MMAP_STATUS);

	ASSERT(data && page);
	EXPECT_EQ(child_touch(data), SIGSEGV);
	EXPECT_EQ(child_touch(page), SIGSEGV);
	EXPECT(vma_has(data, " dc") && vma_has(page, " dc"));
	EXPECT(vma_has(data, " de") && vma_has(page, " de"));
	EXPECT(vma_has(data, " dd") && vma_has(page, " dd"));
	munmap(page, 2 * PAGE);
	munmap(data, p->unit);
}

static void not_inherited(void)
{
	each_pool(inherited);
}

static void status_page(struct pool_under_test *p)
{
	uint8_t *m = map(p->rw, 2 * PAGE, PROT_READ, MARU_L1_MMAP_STATUS);
	volatile struct maru_l1_pool_status *pool = (void *)m;
	volatile struct maru_l1_client_status *client = (void *)(m + PAGE);
	struct maru_l1_reserve reserve;
	struct maru_l1_usage usage;

	ASSERT(m);
	ASSERT(!raw_usage(p->rw, &usage));
	EXPECT_EQ(pool->total, p->capacity);
	EXPECT_EQ(pool->used, usage.used);
	EXPECT_EQ(pool->available, usage.available);
	EXPECT_EQ(pool->state, 0);
	EXPECT_EQ(raw_reserve(p->rw, p->layout, "status", PAGE, 0, &reserve), MARU_L1_OK);
	EXPECT_EQ(pool->used, usage.used + PAGE);
	EXPECT_EQ(raw_abort(p->rw, "status"), MARU_L1_OK);
	EXPECT_EQ(pool->used, usage.used);
	EXPECT_EQ(client->events, 0);
	for (size_t i = sizeof(*pool); i < PAGE; i++)
		EXPECT_EQ(m[i], 0);
	for (size_t i = sizeof(*client); i < PAGE; i++)
		EXPECT_EQ(m[PAGE + i], 0);
	try_to_write("status pages", m, 2 * PAGE);
	EXPECT(syscall(SYS_remap_file_pages, m, PAGE, 0, 0, 0) < 0);
	munmap(m, 2 * PAGE);
}

static void status_pages(void)
{
	each_pool(status_page);
}

/* A fault handler in userspace could answer in place of the memory. */
static void handled(struct pool_under_test *p)
{
	struct uffdio_api api = { .api = UFFD_API };
	uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, 0);
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	static const unsigned int modes[] = {
		UFFDIO_REGISTER_MODE_MISSING, UFFDIO_REGISTER_MODE_WP,
		UFFDIO_REGISTER_MODE_MINOR,
	};

	ASSERT(m);
	if (fd < 0)
		SKIP("userfaultfd: %s", strerror(errno));
	EXPECT_EQ(ioctl(fd, UFFDIO_API, &api), 0);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct uffdio_register reg = {
			.range = { (uintptr_t)m, p->unit }, .mode = modes[i],
		};

		if (!ioctl(fd, UFFDIO_REGISTER, &reg))
			TAP_FAIL("%s: userfaultfd mode %u was accepted", p->kind, modes[i]);
	}
	close(fd);
	munmap(m, p->unit);
}

static void no_userfaults(void)
{
	each_pool(handled);
}

const struct tap_case guard_cases[] = {
	{ "read-only", "a reader's mapping cannot be made writable", stays_read_only },
	{ "read-only-moved", "nor after it was moved or split", moved_read_only },
	{ "grow", "a mapping does not grow or double", does_not_grow },
	{ "remap", "remap_file_pages() does not get at the backing", cannot_be_remapped },
	{ "advice", "no advice changes the bytes", advice },
	{ "fork", "mappings are not inherited, dumped or expanded", not_inherited },
	{ "status", "the status pages tell the accounts and cannot be written", status_pages },
	{ "userfault", "no userfaultfd takes over the faults", no_userfaults },
};
CASES(guard_cases);
