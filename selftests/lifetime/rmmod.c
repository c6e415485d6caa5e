// SPDX-License-Identifier: GPL-2.0-only
/*
 * rmmod: the module goes when nobody needs it, and not before.  MARU_KO is its
 * file; it is loaded and has no pool when this begins and when this ends.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../guest/account.h"
#include "../guest/medium.h"
#include "../guest/raw.h"
#include "../tap.h"

#define NAME "rmmod"
#define BLOCK (2UL << 20)
#define QUARANTINE_MS 200
#define GRACE_MS 1000

static struct medium medium;

static int unload(void)
{
	return syscall(SYS_delete_module, "maru_l1", O_NONBLOCK) ? -errno : 0;
}

static void load(void)
{
	int fd = open(getenv("MARU_KO"), O_RDONLY | O_CLOEXEC);

	EXPECT(fd >= 0);
	EXPECT_EQ(syscall(SYS_finit_module, fd, "", 0), 0);
	close(fd);
}

/* Refused without delay: a module in use answers EAGAIN to O_NONBLOCK. */
static void expect_stays(const char *why)
{
	int ret = unload();

	if (ret == -EAGAIN || ret == -EWOULDBLOCK || ret == -EBUSY)
		return;
	TAP_FAIL("%s: rmmod answered %d", why, ret);
	if (!ret)
		load();
}

static bool appears(const char *path)
{
	return !access(path, F_OK);
}

static bool slab_left(void)
{
	char line[512];
	FILE *file = fopen("/proc/slabinfo", "r");
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= !strncmp(line, "maru", 4);
	if (file)
		fclose(file);
	return found;
}

static bool device_number_left(void)
{
	char line[128];
	FILE *file = fopen("/proc/devices", "r");
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, "maru") != NULL;
	if (file)
		fclose(file);
	return found;
}

/* The module goes and takes all that it made with it; then it comes back. */
static void expect_goes(void)
{
	EXPECT_EQ(unload(), 0);
	EXPECT(!appears("/sys/module/maru_l1"));
	EXPECT(!appears("/dev/maru_l1/control"));
	EXPECT(!appears("/sys/class/maru_l1"));
	EXPECT(!appears("/sys/kernel/debug/maru_l1"));
	EXPECT(!slab_left());
	EXPECT(!device_number_left());
	load();
	EXPECT(appears("/dev/maru_l1/control"));
}

static bool attach(void)
{
	int ret = medium_memfd(&medium, 16 << 20, MEDIUM_SEALED, true);

	ret = ret ?: medium_attach(&medium, NAME, QUARANTINE_MS);
	EXPECT_EQ(ret, 0);
	return !ret;
}

/* Leaves something to a quarantine when it is closed. */
static int client_with_staging(void)
{
	struct maru_l1_reserve reserve;
	uint32_t layout;
	int fd = raw_open(NAME, O_RDWR | O_CLOEXEC);

	EXPECT_EQ(raw_layout(fd, 4096, &layout), 0);
	EXPECT_EQ(raw_reserve(fd, layout, "key", 1, 0, &reserve), MARU_L1_OK);
	return fd;
}

static void idle(void)
{
	expect_goes();
	expect_goes();
}

static void control_open(void)
{
	int fd = open(RAW_CONTROL, O_RDWR | O_CLOEXEC);

	EXPECT(fd >= 0);
	expect_stays("control is open");
	close(fd);
	expect_goes();
}

static void attached(void)
{
	ASSERT(attach());
	expect_stays("a pool is attached");
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	expect_goes();
	medium_close(&medium);
}

static void file_open(void)
{
	int fd;

	ASSERT(attach());
	fd = raw_open(NAME, O_RDWR | O_CLOEXEC);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	expect_stays("a file of a detached pool is open");
	sleep_ms(QUARANTINE_MS + GRACE_MS);
	expect_stays("a file of a detached pool is open after its quarantine");
	close(fd);
	sleep_ms(QUARANTINE_MS + GRACE_MS);
	expect_goes();
	medium_close(&medium);
}

/* Only a mapping is left, revoked; then it is split; then it goes. */
static void mapped(void)
{
	uint8_t *m;
	int fd;

	ASSERT(attach());
	fd = raw_open(NAME, O_RDWR | O_CLOEXEC);
	m = mmap(NULL, 3 * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT(m != MAP_FAILED);
	m[0] = 1;
	close(fd);
	expect_stays("a mapping exists");
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	sleep_ms(QUARANTINE_MS + GRACE_MS);
	expect_stays("a revoked mapping exists");
	munmap(m + BLOCK, BLOCK);
	expect_stays("two parts of a revoked mapping exist");
	munmap(m, BLOCK);
	expect_stays("one part of a revoked mapping exists");
	munmap(m + 2 * BLOCK, BLOCK);
	expect_goes();
	medium_close(&medium);
}

static void status_mapped(void)
{
	uint8_t *m;
	int fd;

	ASSERT(attach());
	fd = raw_open(NAME, O_RDONLY | O_CLOEXEC);
	m = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, MARU_L1_MMAP_STATUS);
	ASSERT(m != MAP_FAILED);
	close(fd);
	expect_stays("a status page is mapped");
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	sleep_ms(QUARANTINE_MS + GRACE_MS);
	expect_stays("a status page of a detached pool is mapped");
	EXPECT_EQ(((volatile struct maru_l1_pool_status *)m)->state, UINT64_MAX);
	munmap(m, 8192);
	expect_goes();
	medium_close(&medium);
}

static void quarantine(void)
{
	uint64_t since;
	int fd, ret;

	ASSERT(attach());
	fd = client_with_staging();
	since = now_ms();
	close(fd);
	expect_stays("a quarantine has not passed");
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	while ((ret = unload()) && now_ms() - since < QUARANTINE_MS + GRACE_MS)
		sleep_ms(10);
	EXPECT_EQ(ret, 0);
	EXPECT(now_ms() - since >= QUARANTINE_MS);
	if (!ret)
		load();
	expect_goes();
	medium_close(&medium);
}

/* The memory is the user's again: a memfd can be sealed and its size is as before. */
static void memory_is_free(void)
{
	ASSERT(attach());
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	expect_goes();
	munmap(medium.base, medium.bytes);
	EXPECT_EQ(fcntl(medium.fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	close(medium.fd);
}

static const struct tap_case cases[] = {
	{ "idle", "an idle module goes and comes back", idle },
	{ "control", "an open control node keeps it", control_open },
	{ "pool", "an attached pool keeps it", attached },
	{ "file", "an open file of a detached pool keeps it", file_open },
	{ "mapping", "each part of a revoked mapping keeps it", mapped },
	{ "status", "a mapped status page keeps it", status_mapped },
	{ "quarantine", "a quarantine keeps it, no longer than it lasts", quarantine },
	{ "memory", "the memory of a pool is free when the module is gone", memory_is_free },
};

int main(int argc, char **argv)
{
	return tap_run("rmmod", cases, ARRAY_SIZE(cases), argc, argv);
}
