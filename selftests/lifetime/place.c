// SPDX-License-Identifier: GPL-2.0-only
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lifetime.h"

struct place place;

static bool place_open(struct place *p, int ret)
{
	if (!ret)
		ret = medium_attach(&p->medium, p->name, p->quarantine_ms);
	if (ret) {
		TAP_FAIL("pool %s cannot be attached: %s", p->name, strerror(-ret));
		return false;
	}
	p->observer = raw_open(p->name, O_RDWR | O_CLOEXEC);
	if (p->observer < 0 || raw_layout(p->observer, PAGE, &p->layout)) {
		TAP_FAIL("pool %s cannot be opened", p->name);
		return false;
	}
	return true;
}

bool place_begin(struct place *p, const char *name, unsigned int quarantine_ms)
{
	*p = (struct place){ .name = name, .quarantine_ms = quarantine_ms };
	return place_open(p, medium_memfd(&p->medium, 64 << 20, MEDIUM_SEALED, true));
}

bool place_begin_dax(struct place *p, const char *name, unsigned int quarantine_ms)
{
	*p = (struct place){ .name = name, .quarantine_ms = quarantine_ms };
	return place_open(p, medium_dax(&p->medium, getenv("MARU_DAX")));
}

void place_end(struct place *p)
{
	struct maru_l1_usage usage;

	EXPECT(account_settle(p->observer, p->quarantine_ms + GRACE_MS) >= 0);
	EXPECT(account_sound(p->observer, &usage));
	EXPECT_EQ(usage.used, 0);
	close(p->observer);
	EXPECT_EQ(pool_detach(p->name, 0), 0);
	medium_close(&p->medium);
}

int place_client(struct place *p, int flags)
{
	int fd = raw_open(p->name, O_RDWR | flags);

	EXPECT(fd >= 0);
	return fd;
}

void things_take(int fd, uint32_t layout)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };

	EXPECT_EQ(raw_reserve(fd, layout, "object", PAGE, 0, &reserve), MARU_L1_OK);
	EXPECT_EQ(raw_commit(fd, "object", 2, &commit), MARU_L1_OK);
	EXPECT_EQ(raw_reserve(fd, layout, "private", PAGE, MARU_L1_TEMPORARY, &reserve),
		  MARU_L1_OK);
	EXPECT_EQ(raw_commit(fd, "private", 1, &commit), MARU_L1_OK);
	EXPECT_EQ(raw_reserve(fd, layout, "staged", PAGE, 0, &reserve), MARU_L1_OK);
}

void things_alive(struct place *p)
{
	struct maru_l1_usage usage;

	EXPECT(account_sound(p->observer, &usage));
	EXPECT_EQ(usage.staged, PAGE);
	EXPECT_EQ(usage.private_bytes, PAGE);
	EXPECT_EQ(usage.published, PAGE);
	EXPECT_EQ(usage.quarantined, 0);
	EXPECT_EQ(usage.orphan_pins, 0);
	EXPECT_EQ(raw_delete(p->observer, "object", 0), MARU_L1_LOCKED);
}

void things_waiting(struct place *p)
{
	struct maru_l1_usage usage;

	EXPECT(account_sound(p->observer, &usage));
	EXPECT_EQ(usage.staged, 0);
	EXPECT_EQ(usage.private_bytes, 0);
	EXPECT_EQ(usage.published, PAGE);
	EXPECT_EQ(usage.quarantined, 2 * PAGE);
	EXPECT_EQ(usage.orphan_pins, 1);
	EXPECT_EQ(raw_delete(p->observer, "object", 0), MARU_L1_LOCKED);
}

void things_gone(struct place *p, uint64_t since)
{
	struct maru_l1_usage usage;
	uint64_t waited;

	EXPECT(account_settle(p->observer, p->quarantine_ms + GRACE_MS) >= 0);
	waited = now_ms() - since;
	if (waited < p->quarantine_ms)
		TAP_FAIL("the quarantine of %u ms was over after %llu", p->quarantine_ms,
			 (unsigned long long)waited);
	EXPECT(account_sound(p->observer, &usage));
	EXPECT_EQ(usage.used, PAGE);
	EXPECT_EQ(raw_delete(p->observer, "object", 0), MARU_L1_OK);
	EXPECT_EQ(raw_delete(p->observer, "private", 0), MARU_L1_NOT_FOUND);
	EXPECT_EQ(raw_delete(p->observer, "staged", 0), MARU_L1_NOT_FOUND);
}

pid_t child(void (*run)(void *arg), void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		run(arg);
		_exit(tap_now.failures ? 1 : 0);
	}
	EXPECT(pid > 0);
	return pid;
}

void child_kill(pid_t pid)
{
	int status;

	EXPECT_EQ(kill(pid, SIGKILL), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void child_ended(pid_t pid)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
}

bool signal_begin(struct signal_pipe *s)
{
	bool made = !pipe2(s->fds, O_CLOEXEC);

	EXPECT(made);
	return made;
}

void signal_send(struct signal_pipe *s)
{
	EXPECT_EQ(write(s->fds[1], "", 1), 1);
}

bool signal_wait(struct signal_pipe *s)
{
	struct pollfd p = { .fd = s->fds[0], .events = POLLIN };
	char byte;

	if (poll(&p, 1, 10000) == 1 && read(s->fds[0], &byte, 1) == 1)
		return true;
	TAP_FAIL("the other process said nothing");
	return false;
}

void signal_end(struct signal_pipe *s)
{
	close(s->fds[0]);
	close(s->fds[1]);
}
