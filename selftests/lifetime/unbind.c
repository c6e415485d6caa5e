// SPDX-License-Identifier: GPL-2.0-only
/*
 * An operator disables the device below an attached pool.  The kernel takes it
 * out of all mappings and waits for the pages that the module has pinned.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-unbind"

static const char *device(void)
{
	const char *path = getenv("MARU_DAX"), *name = path ? strrchr(path, '/') : NULL;

	return name ? name + 1 : "";
}

/* daxctl in a process of its own. */
static pid_t daxctl(const char *verb)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	if (!freopen("/dev/null", "w", stderr))
		_exit(126);
	execlp("daxctl", "daxctl", verb, device(), NULL);
	_exit(127);
}

/* The device has no driver any more: its unbinding has begun. */
static bool unbinding(void)
{
	uint64_t start = now_ms();
	char link[128];

	snprintf(link, sizeof(link), "/sys/bus/dax/devices/%s/driver", device());
	while (!access(link, F_OK)) {
		if (now_ms() - start > 10000)
			return false;
		sleep_ms(5);
	}
	return true;
}

static void goes_on(struct place *p)
{
	struct maru_l1_query query;
	struct maru_l1_info info;

	EXPECT_EQ(raw_query(p->observer, "object", &query), MARU_L1_OK);
	EXPECT_EQ(query.state, MARU_L1_S_PUBLISHED);
	EXPECT(account_sound(p->observer, NULL));
	EXPECT_EQ(raw_info(p->observer, &info), 0);
	EXPECT(!(info.flags & MARU_L1_I_FENCED));
}

static void unbind(void)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	struct place p;
	uint8_t *m;
	pid_t pid;

	ASSERT(place_begin_dax(&p, NAME, 20));
	EXPECT_EQ(raw_reserve(p.observer, p.layout, "object", PAGE, 0, &reserve), MARU_L1_OK);
	EXPECT_EQ(raw_commit(p.observer, "object", 0, &commit), MARU_L1_OK);
	m = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, p.observer, 0);
	ASSERT(m != MAP_FAILED);
	EXPECT_EQ(touch_write(m), 0);
	pid = daxctl("disable-device");
	EXPECT(unbinding());
	/* Ten beats of a pool whose memory is being waited for. */
	for (int i = 0; i < 10; i++) {
		sleep_ms(200);
		goes_on(&p);
	}
	EXPECT_EQ(waitpid(pid, NULL, WNOHANG), 0);
	/* That much the kernel takes at once: from everybody who has it mapped. */
	EXPECT_EQ(touch_write(m), SIGBUS);
	munmap(m, BLOCK);
	close(p.observer);
	medium_close(&p.medium);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	child_ended(pid);

	/* The same memory, bound anew. */
	child_ended(daxctl("enable-device"));
	ASSERT(place_begin_dax(&p, NAME, 20));
	place_end(&p);
}

const struct tap_case unbind_cases[] = {
	{ "unbind", "disabling the device waits for the detach; enabled again it can be attached",
	  unbind },
};
CASES(unbind_cases);
