// SPDX-License-Identifier: GPL-2.0-only
/*
 * check-guest: `maru-l1ctl check` names what is wrong with a pool.  The module
 * must be a debug build, which can plant faults in its accounts.
 *
 * MARU_CTL is the tool.
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "account.h"
#include "medium.h"
#include "raw.h"
#include "../tap.h"

#define NAME		"check"
#define DEBUG_CORRUPT	_IO(MARU_L1_IOC, 0xf0)
#define UNDO		0x80	/* takes the fault out again */

static struct medium medium;
static int fd;

/* What the tool prints and its exit status. */
static int run_check(char *out, size_t room)
{
	char command[512];
	size_t len = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "%s check %s 2>&1", getenv("MARU_CTL"), NAME);
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	len = fread(out, 1, room - 1, pipe);
	out[len] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

static void expect_ok(void)
{
	char out[4096];

	EXPECT_EQ(run_check(out, sizeof(out)), 0);
	if (strncmp(out, "OK", 2))
		TAP_FAIL("check printed %s", out);
}

/* Fault @n is seen, by this account's name, and nothing is when it is gone. */
static void planted(unsigned long n, const char *account)
{
	char out[4096];

	if (ioctl(fd, DEBUG_CORRUPT, n)) {
		if (errno == ENOTTY)
			SKIP("not a debug build: no fault can be planted");
		TAP_FAIL("fault %lu cannot be planted: %s", n, strerror(errno));
		return;
	}
	EXPECT_EQ(run_check(out, sizeof(out)), 1);
	if (!strstr(out, account))
		TAP_FAIL("fault %lu: check does not name %s but prints\n%s", n, account, out);
	EXPECT_EQ(ioctl(fd, DEBUG_CORRUPT, n | UNDO), 0);
	expect_ok();
}

static void sound(void)
{
	expect_ok();
}

static void pin(void)
{
	planted(0, "PINS");
}

static void free_bytes(void)
{
	planted(1, "FREE");
}

static void block(void)
{
	planted(2, "BLOCKS");
}

static void no_such_fault(void)
{
	if (ioctl(fd, DEBUG_CORRUPT, 3UL) && errno == ENOTTY)
		SKIP("not a debug build: no fault can be planted");
	EXPECT(ioctl(fd, DEBUG_CORRUPT, 3UL) && errno == EINVAL);
	expect_ok();
}

static const struct tap_case cases[] = {
	{ "sound", "a sound pool is OK", sound },
	{ "corrupt-0", "a pin that nobody holds is named", pin },
	{ "corrupt-1", "free bytes that are not there are named", free_bytes },
	{ "corrupt-2", "a block without an owner is named", block },
	{ "corrupt-3", "a fault that there is not is refused", no_such_fault },
};

/* Something in every list: objects, a hold, staging, a private object. */
static bool fill(void)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	uint32_t layout;

	return !raw_layout(fd, 4096, &layout) &&
	       !raw_reserve(fd, layout, "a", 1, 0, &reserve) &&
	       !raw_commit(fd, "a", 1, &commit) &&
	       !raw_reserve(fd, layout, "b", 1, 0, &reserve) &&
	       !raw_commit(fd, "b", 0, &commit) &&
	       !raw_reserve(fd, layout, "c", 1, MARU_L1_TEMPORARY, &reserve) &&
	       !raw_commit(fd, "c", 1, &commit) &&
	       !raw_reserve(fd, layout, "d", 1, 0, &reserve);
}

int main(int argc, char **argv)
{
	int ret;

	ret = medium_memfd(&medium, 16 << 20, MEDIUM_SEALED, true);
	ret = ret ?: medium_attach(&medium, NAME, 10);
	fd = ret ? ret : raw_open(NAME, O_RDWR | O_CLOEXEC);
	if (fd < 0 || !fill()) {
		printf("# no pool: %s\ncheck-guest: 0 passed, 1 failed, 0 skipped\n",
		       strerror(-fd));
		return 1;
	}
	ret = tap_run("check-guest", cases, ARRAY_SIZE(cases), argc, argv);
	raw_clear(fd, MARU_L1_CLEAR_FORCE);
	close(fd);
	sleep_ms(1100);
	if (pool_detach(NAME, 0)) {
		printf("# the pool cannot be detached\n");
		ret = 1;
	}
	return ret;
}
