// SPDX-License-Identifier: GPL-2.0-only
/* Mappings end with munmap; a client ends with close, whatever it has mapped. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-mapped"

static uint8_t *map(int fd, size_t len, int prot, off_t offset)
{
	uint8_t *p = mmap(NULL, len, prot, MAP_SHARED, fd, offset);

	EXPECT(p != MAP_FAILED);
	return p;
}

static uint8_t *map_status(int fd)
{
	return map(fd, 2 * PAGE, PROT_READ, MARU_L1_MMAP_STATUS);
}

static void close_mapped(void)
{
	int fd = place_client(&place, O_CLOEXEC);
	uint8_t *data, *status;
	uint64_t since;

	data = map(fd, BLOCK, PROT_READ | PROT_WRITE, 0);
	status = map_status(fd);
	ASSERT(data != MAP_FAILED && status != MAP_FAILED);
	things_take(fd, place.layout);
	data[0] = 1;
	since = now_ms();
	close(fd);
	things_waiting(&place);
	EXPECT_EQ(touch_write(data + 1), 0);
	EXPECT_EQ(((volatile struct maru_l1_pool_status *)status)->total, 62 << 20);
	things_gone(&place, since);
	munmap(data, BLOCK);
	munmap(status, 2 * PAGE);
}

/* The vma of the status page alone does not put release() off. */
static void close_with_status(void)
{
	int fd = place_client(&place, O_CLOEXEC);
	uint8_t *status = map_status(fd);
	uint64_t since;

	ASSERT(status != MAP_FAILED);
	things_take(fd, place.layout);
	since = now_ms();
	close(fd);
	things_waiting(&place);
	things_gone(&place, since);
	EXPECT_EQ(touch_read(status), 0);
	EXPECT_EQ(touch_read(status + PAGE), 0);
	munmap(status, 2 * PAGE);
}

/* A pool with neither file nor quarantine, and a mapping that @fd made. */
static bool only_mapped(struct place *p)
{
	if (!place_begin(p, NAME, 20))
		return false;
	close(p->observer);
	return true;
}

static void still_busy(void)
{
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
}

/* Parts go one by one; the last byte of a mapping keeps the pool. */
static void split(void)
{
	struct place p;
	uint8_t *m;
	int fd;

	ASSERT(only_mapped(&p));
	fd = place_client(&p, O_CLOEXEC);
	m = map(fd, 10 * BLOCK, PROT_READ | PROT_WRITE, 0);
	close(fd);
	ASSERT(m != MAP_FAILED);
	for (int i = 0; i < 10; i++)
		m[i * BLOCK] = i;
	still_busy();
	EXPECT_EQ(munmap(m + 4 * BLOCK, 2 * BLOCK), 0);
	still_busy();
	EXPECT_EQ(mprotect(m + 2 * BLOCK, BLOCK, PROT_READ), 0);
	EXPECT_EQ(touch_read(m + 2 * BLOCK), 0);
	EXPECT_EQ(touch_write(m + 2 * BLOCK), SIGSEGV);
	EXPECT_EQ(munmap(m, 2 * BLOCK), 0);
	still_busy();
	EXPECT_EQ(munmap(m + 2 * BLOCK, 2 * BLOCK), 0);
	still_busy();
	for (int i = 6; i < 10; i++)
		EXPECT_EQ(m[i * BLOCK], i);
	EXPECT_EQ(munmap(m + 7 * BLOCK, 3 * BLOCK), 0);
	still_busy();
	EXPECT_EQ(munmap(m + 6 * BLOCK, BLOCK), 0);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

static void moved(void)
{
	struct place p;
	uint8_t *m, *to;
	int fd;

	ASSERT(only_mapped(&p));
	fd = place_client(&p, O_CLOEXEC);
	m = map(fd, 4 * BLOCK, PROT_READ | PROT_WRITE, 0);
	close(fd);
	ASSERT(m != MAP_FAILED);
	m[BLOCK] = 77;
	to = mmap(NULL, 4 * BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT(to != MAP_FAILED);
	to = (uint8_t *)(((uintptr_t)to + BLOCK - 1) & ~(BLOCK - 1));
	EXPECT(mremap(m + BLOCK, BLOCK, BLOCK, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to);
	EXPECT_EQ(touch_read(m + BLOCK), SIGSEGV);
	EXPECT_EQ(to[0], 77);
	munmap(m, 4 * BLOCK);
	still_busy();
	EXPECT_EQ(touch_write(to), 0);
	munmap(to, BLOCK);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

static void sleep_for_ever(void *arg)
{
	for (;;)
		pause();
}

/* Mappings are not inherited, unless the parent asks for it. */
static void inherited(void)
{
	struct place p;
	uint8_t *m;
	pid_t pid;
	int fd;

	ASSERT(only_mapped(&p));
	fd = place_client(&p, O_CLOEXEC);
	m = map(fd, BLOCK, PROT_READ | PROT_WRITE, 0);
	close(fd);
	pid = child(sleep_for_ever, NULL);
	munmap(m, BLOCK);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	child_kill(pid);
	medium_close(&p.medium);

	ASSERT(only_mapped(&p));
	fd = place_client(&p, O_CLOEXEC);
	m = map(fd, BLOCK, PROT_READ | PROT_WRITE, 0);
	close(fd);
	if (!madvise(m, BLOCK, MADV_DOFORK)) {
		pid = child(sleep_for_ever, NULL);
		munmap(m, BLOCK);
		still_busy();
		child_kill(pid);
	} else {
		munmap(m, BLOCK);
	}
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/* A process killed while it has nothing but mappings. */
static void map_and_sleep(void *arg)
{
	int fd = raw_open(NAME, O_RDWR);
	uint8_t *m = map(fd, 4 * BLOCK, PROT_READ | PROT_WRITE, 0);

	map_status(fd);
	close(fd);
	m[0] = 1;
	signal_send(arg);
	sleep_for_ever(NULL);
}

static void killed_mapped(void)
{
	struct signal_pipe ready;
	struct place p;
	pid_t pid;

	ASSERT(only_mapped(&p) && signal_begin(&ready));
	pid = child(map_and_sleep, &ready);
	signal_wait(&ready);
	still_busy();
	child_kill(pid);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	signal_end(&ready);
	medium_close(&p.medium);
}

const struct tap_case mapped_cases[] = {
	{ "map-close", "a client with mappings ends at close, the mappings do not", close_mapped },
	{ "map-status", "a mapped status page does not put the end off", close_with_status },
	{ "map-split", "every part of a split mapping keeps the pool", split },
	{ "map-moved", "a moved part of a mapping keeps the pool", moved },
	{ "map-fork", "a child has no mapping unless it was asked for", inherited },
	{ "map-killed", "the mappings of a killed process are gone with it", killed_mapped },
};
CASES(mapped_cases);
