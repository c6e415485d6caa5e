// SPDX-License-Identifier: GPL-2.0-only
/*
 * Z1, invariant 9: while a process that reserved on a file is still exiting,
 * its devices may still write, and the quarantine of that file has not begun.
 *
 * A process that is traced with PTRACE_O_TRACEEXIT stops in the middle of its
 * exit: it is being killed, and has not closed its files yet.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-exit"
#define SHORT_MS 200

/**
 * struct writer - a process that reserves on a file that it shares
 * @fd: the client, inherited
 * @keep: whether it keeps its own descriptor
 * @threaded: whether a second thread is the one that will be stuck
 * @headless: whether the first thread ends then, by itself
 * @tid: of the thread that will be stuck
 */
struct writer {
	struct place place;
	int fd;
	bool keep;
	bool threaded;
	bool headless;
	struct signal_pipe ready;
	pid_t pid;
	pid_t tid;
};

static void *pause_for_ever(void *arg)
{
	pid_t tid = gettid();

	EXPECT_EQ(write(((struct writer *)arg)->ready.fds[1], &tid, sizeof(tid)),
		  sizeof(tid));
	for (;;)
		pause();
	return NULL;
}

static void write_and_wait(void *arg)
{
	struct writer *w = arg;
	struct maru_l1_reserve reserve;
	pthread_t thread;

	EXPECT_EQ(raw_reserve(w->fd, w->place.layout, "staged", PAGE, 0, &reserve),
		  MARU_L1_OK);
	if (!w->keep)
		close(w->fd);
	close(w->place.observer);
	if (w->threaded && pthread_create(&thread, NULL, pause_for_ever, w))
		_exit(1);
	if (w->headless)
		pthread_exit(NULL);
	if (w->threaded)
		for (;;)
			pause();
	pause_for_ever(w);
}

static bool writer_begin(struct writer *w)
{
	if (!place_begin(&w->place, NAME, SHORT_MS) || !signal_begin(&w->ready))
		return false;
	w->fd = place_client(&w->place, O_CLOEXEC);
	w->pid = child(write_and_wait, w);
	EXPECT_EQ(read(w->ready.fds[0], &w->tid, sizeof(w->tid)), sizeof(w->tid));
	return true;
}

static void writer_end(struct writer *w)
{
	signal_end(&w->ready);
	place_end(&w->place);
}

/* Kills the writer; its traced thread stops on its way out. */
static bool stop_in_exit(struct writer *w)
{
	int status = 0;

	EXPECT_EQ(ptrace(PTRACE_SEIZE, w->tid, 0, PTRACE_O_TRACEEXIT), 0);
	EXPECT_EQ(kill(w->pid, SIGKILL), 0);
	EXPECT_EQ(waitpid(w->tid, &status, __WALL), w->tid);
	EXPECT_EQ(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
	return WIFSTOPPED(status);
}

static void let_go(struct writer *w)
{
	int status;

	EXPECT_EQ(ptrace(PTRACE_CONT, w->tid, 0, 0), 0);
	if (w->tid != w->pid)
		EXPECT_EQ(waitpid(w->tid, &status, __WALL), w->tid);
	EXPECT_EQ(waitpid(w->pid, &status, __WALL), w->pid);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void expect_quarantined(struct writer *w, uint64_t bytes)
{
	struct maru_l1_usage usage;

	EXPECT(account_sound(w->place.observer, &usage));
	EXPECT_EQ(usage.staged, 0);
	EXPECT_EQ(usage.quarantined, bytes);
}

/* From now on it takes quarantine_ms, and not more than a second longer. */
static void expect_gone(struct writer *w, uint64_t since)
{
	EXPECT(account_settle(w->place.observer, SHORT_MS + GRACE_MS) >= 0);
	EXPECT(now_ms() - since >= SHORT_MS);
}

static void stuck(struct writer *w)
{
	uint64_t since;

	ASSERT(writer_begin(w));
	ASSERT(stop_in_exit(w));
	close(w->fd);
	expect_quarantined(w, PAGE);
	sleep_ms(3 * SHORT_MS + GRACE_MS);
	expect_quarantined(w, PAGE);
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	since = now_ms();
	let_go(w);
	expect_quarantined(w, PAGE);
	expect_gone(w, since);
	writer_end(w);
}

static void exiting(void)
{
	struct writer w = { 0 };

	stuck(&w);
}

/* The leader of the process is gone, one of its threads is not. */
static void leader_gone(void)
{
	struct writer w = { .threaded = true };

	stuck(&w);
}

/* With its own descriptor still open the file has not even been closed. */
static void own_descriptor(void)
{
	struct maru_l1_usage usage;
	struct writer w = { .keep = true };
	uint64_t since;

	ASSERT(writer_begin(&w));
	ASSERT(stop_in_exit(&w));
	close(w.fd);
	sleep_ms(SHORT_MS + GRACE_MS);
	EXPECT_EQ(raw_usage(w.place.observer, &usage), 0);
	EXPECT_EQ(usage.staged, PAGE);
	since = now_ms();
	let_go(&w);
	expect_quarantined(&w, PAGE);
	expect_gone(&w, since);
	writer_end(&w);
}

/* A process that lives on does not put the end off: its files are its own affair. */
static void lives_on(void)
{
	struct writer w = { 0 };
	uint64_t since;

	ASSERT(writer_begin(&w));
	since = now_ms();
	close(w.fd);
	expect_quarantined(&w, PAGE);
	expect_gone(&w, since);
	child_kill(w.pid);
	writer_end(&w);
}

/* Nor does the end of one of its threads, were it the first. */
static void lost_its_head(void)
{
	struct writer w = { .threaded = true, .headless = true };
	uint64_t since;

	ASSERT(writer_begin(&w));
	sleep_ms(100);
	since = now_ms();
	close(w.fd);
	expect_quarantined(&w, PAGE);
	expect_gone(&w, since);
	child_kill(w.pid);
	writer_end(&w);
}

/* One that begins to exit after the close is as good as one that lives on. */
static void gone_before(void)
{
	struct writer w = { 0 };
	uint64_t since;

	ASSERT(writer_begin(&w));
	child_kill(w.pid);
	since = now_ms();
	close(w.fd);
	expect_quarantined(&w, PAGE);
	expect_gone(&w, since);
	writer_end(&w);
}

/* A forced detach with such a file: the memory stays taken until all is over. */
static void forced_meanwhile(void)
{
	struct writer w = { 0 };
	uint64_t since;
	int ret;

	ASSERT(writer_begin(&w));
	ASSERT(stop_in_exit(&w));
	close(w.fd);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	close(w.place.observer);
	sleep_ms(SHORT_MS + GRACE_MS);
	EXPECT_EQ(medium_attach(&w.place.medium, NAME, SHORT_MS), -EBUSY);
	since = now_ms();
	let_go(&w);
	while ((ret = medium_attach(&w.place.medium, NAME, SHORT_MS)) == -EBUSY &&
	       now_ms() - since < SHORT_MS + GRACE_MS)
		sleep_ms(10);
	EXPECT_EQ(ret, 0);
	EXPECT(now_ms() - since >= SHORT_MS);
	w.place.observer = place_client(&w.place, O_CLOEXEC);
	writer_end(&w);
}

const struct tap_case exit_cases[] = {
	{ "I9-exiting", "while a process that reserved is exiting, the extent waits", exiting },
	{ "I9-leader", "also when only a thread of it is left", leader_gone },
	{ "I9-own", "also when it has the file itself", own_descriptor },
	{ "I9-alive", "a process that lives on does not lengthen the quarantine", lives_on },
	{ "I9-headless", "also when its first thread has ended", lost_its_head },
	{ "I9-gone", "nor one that is gone", gone_before },
	{ "I9-forced", "a forced detach waits for it too, before the memory is free", forced_meanwhile },
};
CASES(exit_cases);
