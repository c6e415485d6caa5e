// SPDX-License-Identifier: GPL-2.0-only
/* The mapping is the memory itself: its pages, its faults, its bytes. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <fcntl.h>
#include "mmap.h"

#define TOUCHED (64UL << 20)

static long faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt + usage.ru_majflt;
}

/* Touches each page of 64 MiB once, to write; how many faults that raised. */
static long count_faults(uint8_t *m)
{
	long before = faults();

	for (size_t i = 0; i < TOUCHED; i += PAGE)
		((volatile uint8_t *)m)[i] = 1;
	return faults() - before;
}

static void huge_pages(struct pool_under_test *p)
{
	uint8_t *ours, *bare;
	long of_ours, of_bare;

	ours = map(p->rw, TOUCHED, PROT_READ | PROT_WRITE, 0);
	bare = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_SHARED, p->medium.fd, p->unit);
	ASSERT(ours && bare != MAP_FAILED);
	of_bare = count_faults(bare);
	of_ours = count_faults(ours);
	printf("# %s: 64 MiB raise %ld faults in the pool, %ld in the bare memory\n",
	       p->kind, of_ours, of_bare);
	EXPECT_EQ(of_ours, of_bare);
	if (!strcmp(p->kind, "device"))
		EXPECT_EQ(of_ours, 32);
	munmap(bare, TOUCHED);
	munmap(ours, TOUCHED);
}

static void fault_count(void)
{
	each_pool(huge_pages);
}

static void reader_huge_pages(struct pool_under_test *p)
{
	uint8_t *m = map(p->ro, TOUCHED, PROT_READ, 0);
	long before = faults();

	ASSERT(m);
	for (size_t i = 0; i < TOUCHED; i += PAGE)
		touch_read(m + i);
	before = faults() - before;
	if (!strcmp(p->kind, "device"))
		EXPECT_EQ(before, 32);
	munmap(m, TOUCHED);
}

static void reader_fault_count(void)
{
	each_pool(reader_huge_pages);
}

/* Pool offset 0 is the first byte behind the superblock area. */
static void offsets(struct pool_under_test *p)
{
	uint64_t at[] = { 0, p->unit, p->capacity / 2 & ~(p->unit - 1), p->capacity - p->unit };

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, at[i]);

		ASSERT(m);
		memcpy(m + 4321, &at[i], sizeof(at[i]));
		EXPECT(!memcmp(p->medium.base + p->unit + at[i] + 4321, &at[i], sizeof(at[i])));
		munmap(m, p->unit);
	}
}

static void same_bytes(void)
{
	each_pool(offsets);
}

/* Two processes, each with its own client, see each other's bytes in place. */
static void two_processes(struct pool_under_test *p)
{
	volatile uint32_t *ours = (void *)map(p->rw, p->unit, PROT_READ | PROT_WRITE, p->unit);
	uint64_t start = now_ms();
	int status;
	pid_t pid;

	ASSERT(ours);
	*ours = 0;
	pid = fork();
	if (!pid) {
		int fd = raw_open(p->name, O_RDWR);
		volatile uint32_t *theirs = (void *)map(fd, p->unit, PROT_READ | PROT_WRITE, p->unit);

		while (theirs && *theirs != 1)
			if (now_ms() - start > 10000)
				_exit(1);
		*theirs = 2;
		_exit(0);
	}
	*ours = 1;
	while (*ours != 2 && now_ms() - start < 10000)
		;
	EXPECT_EQ(*ours, 2);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
	munmap((void *)ours, p->unit);
}

static void shared(void)
{
	each_pool(two_processes);
}

/* Writes of a store that committed are what a reader's mapping shows. */
static void object_in_place(struct pool_under_test *p)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	struct maru_l1_read read;
	uint8_t *rw, *ro;

	rw = map(p->rw, p->capacity, PROT_READ | PROT_WRITE, 0);
	ro = map(p->ro, p->capacity, PROT_READ, 0);
	ASSERT(rw && ro);
	ASSERT(raw_reserve(p->rw, p->layout, "in-place", PAGE, 0, &reserve) == MARU_L1_OK);
	memset(rw + reserve.offset, 0xa7, PAGE);
	ASSERT(raw_commit(p->rw, "in-place", 0, &commit) == MARU_L1_OK);
	ASSERT(raw_read(p->ro, "in-place", 1, &read) == MARU_L1_OK);
	EXPECT_EQ(read.offset, reserve.offset);
	EXPECT_EQ(read.length, PAGE);
	for (size_t i = 0; i < PAGE; i++)
		EXPECT_EQ(ro[read.offset + i], 0xa7);
	EXPECT_EQ(raw_release(p->ro, "in-place", 1), MARU_L1_OK);
	munmap(ro, p->capacity);
	munmap(rw, p->capacity);
}

static void in_place(void)
{
	each_pool(object_in_place);
}

const struct tap_case fault_cases[] = {
	{ "faults", "64 MiB raise as many faults as on the bare device: 32", fault_count },
	{ "faults-reader", "a reader's mapping has huge pages too", reader_fault_count },
	{ "offsets", "pool offsets are memory offsets behind the superblock area", same_bytes },
	{ "shared", "two processes see each other's bytes in place", shared },
	{ "object", "a reader finds an object's bytes where it was written", in_place },
};
CASES(fault_cases);
