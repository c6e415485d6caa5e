// SPDX-License-Identifier: GPL-2.0-only
/*
 * Z1, invariants 1, 3, 4 and 9: a process killed at any place returns what it
 * had, all of it and once.  script.c says what it had.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "script.h"

#define NAME "lifetime-kill"
#define SHORT_MS 100
#define RANDOM_KILLS 300
#define THREAD_KILLS 30

static struct place pool;
static struct progress *progress;

/* Looks that came too late to see the quarantine: a slow machine has few. */
static unsigned int looks, late_looks;

static bool begin(void)
{
	progress = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	looks = 0;
	late_looks = 0;
	return progress != MAP_FAILED && place_begin(&pool, NAME, SHORT_MS);
}

static void end(void)
{
	printf("# %u looks, %u of them too late to see the quarantine\n", looks, late_looks);
	EXPECT(late_looks * 10 <= looks);
	place_end(&pool);
	munmap(progress, PAGE);
}

/* Before each run: an empty pool with one object that is not the script's. */
static void plant_seed(void)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };

	progress->begun = 0;
	progress->done = 0;
	EXPECT_EQ(raw_reserve(pool.observer, pool.layout, "seed", PAGE, 0, &reserve), MARU_L1_OK);
	payload_fill(pool.medium.base + MEDIUM_UNIT + reserve.offset, "seed");
	payload_cookie(commit.cookie, "seed");
	EXPECT_EQ(raw_commit(pool.observer, "seed", 0, &commit), MARU_L1_OK);
}

/* P_* of the objects that are there, each of which must be whole. */
static unsigned int published(void)
{
	unsigned int found = 0;

	for (int i = 0; i < P_ALL; i++) {
		const char *key = published_keys[i];
		uint8_t cookie[MARU_L1_COOKIE_LEN];
		struct maru_l1_read item;

		if (raw_read(pool.observer, key, 1, &item) != MARU_L1_OK)
			continue;
		found |= 1U << i;
		payload_cookie(cookie, key);
		EXPECT_EQ(item.length, PAGE);
		EXPECT(payload_whole(pool.medium.base + MEDIUM_UNIT + item.offset, key));
		EXPECT(!memcmp(cookie, item.cookie, sizeof(cookie)));
		EXPECT_EQ(raw_release(pool.observer, key, 1), MARU_L1_OK);
	}
	return found;
}

static bool same(const struct maru_l1_usage *usage, unsigned int found,
		 const struct account *want)
{
	return usage->quarantined == want->waiting * (uint64_t)PAGE &&
	       usage->orphan_pins == want->held && found == want->published;
}

/*
 * The script's process has been waited for; it did not end before @since.  The
 * accounts are those after one of the steps @first … @last.
 */
static void judge(uint64_t since, unsigned int first, unsigned int last, const char *where)
{
	struct account want[2] = { script_after(first), script_after(last) };
	struct maru_l1_usage usage;
	unsigned int found;

	EXPECT(account_sound(pool.observer, &usage));
	looks++;
	EXPECT_EQ(usage.staged, 0);
	EXPECT_EQ(usage.private_bytes, 0);
	EXPECT_EQ(usage.zombie, 0);
	if (now_ms() - since >= SHORT_MS) {
		late_looks++;
	} else {
		found = published();
		if (!same(&usage, found, &want[0]) && !same(&usage, found, &want[1])) {
			TAP_FAIL("%s, steps %u to %u done: published %#x, expected waiting %u held %u published %#x",
				 where, first, last, found, want[1].waiting, want[1].held,
				 want[1].published);
			account_print(&usage);
		}
	}
	EXPECT(account_settle(pool.observer, SHORT_MS + GRACE_MS) >= 0);
	found = published();
	EXPECT(found == want[0].published || found == want[1].published);
	EXPECT(account_sound(pool.observer, &usage));
	EXPECT_EQ(usage.used, usage.published);
	EXPECT_EQ(raw_purge(pool.observer), 0);
	EXPECT_EQ(raw_usage(pool.observer, &usage), 0);
	EXPECT_EQ(usage.used, 0);
}

static void traced_script(void *arg)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	script_run(NAME, progress);
}

/*
 * Lets @pid run to its @n-th stop at the entry or exit of a system call.
 * False: it has ended before.
 */
static bool run_to_stop(pid_t pid, unsigned int n)
{
	int status;

	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (n--) {
		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
			EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
			return false;
		}
		EXPECT_EQ(WSTOPSIG(status), SIGTRAP | 0x80);
	}
	return true;
}

static bool at_exit_of_call(pid_t pid)
{
	struct __ptrace_syscall_info info;

	EXPECT(ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) > 0);
	return info.op == PTRACE_SYSCALL_INFO_EXIT;
}

/* A call that is killed at its entry is not made; at its exit it has been. */
static bool kill_at(unsigned int n)
{
	uint64_t since = now_ms();
	unsigned int step;
	char where[40];
	pid_t pid;

	plant_seed();
	pid = child(traced_script, NULL);
	if (!run_to_stop(pid, n)) {
		EXPECT_EQ(progress->done, script_steps);
		judge(since, script_steps, script_steps, "after the end");
		return false;
	}
	step = at_exit_of_call(pid) ? progress->begun : progress->done;
	since = now_ms();
	child_kill(pid);
	snprintf(where, sizeof(where), "stop %u", n);
	judge(since, step, step, where);
	return true;
}

static void every_call(void)
{
	unsigned int n = 1;

	ASSERT(begin());
	while (kill_at(n) && n < 1000)
		n++;
	printf("# killed at %u stops\n", n - 1);
	EXPECT(n > 2 * script_steps && n < 1000);
	end();
}

static void plain_script(void *arg)
{
	script_run(NAME, progress);
}

/* A script that has begun; false after a failed EXPECT. */
static bool script_begins(pid_t *pid)
{
	uint64_t start = now_ms();

	plant_seed();
	*pid = child(plain_script, NULL);
	while (!progress->begun && now_ms() - start < 10000)
		;
	EXPECT(progress->begun);
	return progress->begun;
}

/* How long the script takes, so that kills fall into it. */
static unsigned int script_us(void)
{
	unsigned int least = UINT32_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t since = now_ms();
		pid_t pid;

		if (!script_begins(&pid))
			return 1;
		child_ended(pid);
		if (progress->took_us < least)
			least = progress->took_us;
		judge(since, script_steps, script_steps, "not killed");
	}
	return least + 1;
}

/* From the first call on; every_call() has the time before it too. */
static void random_instants(void)
{
	unsigned int in_script = 0, us;

	ASSERT(begin());
	us = script_us();
	srandom(now_us());
	for (unsigned int i = 0; i < RANDOM_KILLS; i++) {
		uint64_t since = now_ms(), instant;
		int status;
		pid_t pid;

		/* It may come to its end by itself before the kill. */
		if (!script_begins(&pid))
			break;
		instant = now_us() + random() % us;
		while (now_us() < instant)
			;
		kill(pid, SIGKILL);
		EXPECT_EQ(waitpid(pid, &status, 0), pid);
		in_script += WIFSIGNALED(status) && progress->done < script_steps;
		judge(since, progress->done, progress->begun, "random kill");
	}
	printf("# %u random kills within %u us, %u of them before the last call was done\n",
	       RANDOM_KILLS, us, in_script);
	EXPECT(in_script * 4 >= RANDOM_KILLS);
	end();
}

/* Threads of one client in calls on the same keys, all at once. */
static void *busy_thread(void *arg)
{
	int fd = *(int *)arg;

	for (unsigned int i = 0;; i++) {
		struct maru_l1_reserve reserve = { 0 };
		struct maru_l1_commit commit = { 0 };
		struct maru_l1_read read;
		char key[2] = { 'h' + i % 5 };

		raw_reserve(fd, pool.layout, key, PAGE, i % 3 ? 0 : MARU_L1_TEMPORARY, &reserve);
		if (i % 4)
			raw_commit(fd, key, i % 2, &commit);
		raw_read(fd, key, 2, &read);
		raw_release(fd, key, 1 + i % 2);
		raw_delete(fd, key, i % 7 ? 0 : MARU_L1_B_FORCE);
		if (i % 64 == 0)
			raw_clear(fd, MARU_L1_CLEAR_FORCE);
	}
	return NULL;
}

static void busy_threads(void *arg)
{
	int fd = raw_open(NAME, O_RDWR | O_CLOEXEC);
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, busy_thread, &fd))
			_exit(1);
	busy_thread(&fd);
}

static void in_threads(void)
{
	ASSERT(begin());
	srandom(now_us());
	for (unsigned int i = 0; i < THREAD_KILLS; i++) {
		struct maru_l1_usage usage;
		pid_t pid = child(busy_threads, NULL);

		usleep(20000 + random() % 100000);
		child_kill(pid);
		EXPECT(account_sound(pool.observer, &usage));
		EXPECT_EQ(usage.staged, 0);
		EXPECT_EQ(usage.private_bytes, 0);
		EXPECT(account_settle(pool.observer, SHORT_MS + GRACE_MS) >= 0);
		EXPECT_EQ(raw_purge(pool.observer), 0);
		EXPECT(account_sound(pool.observer, &usage));
		EXPECT_EQ(usage.used, 0);
		looks++;
	}
	end();
}

const struct tap_case kill_cases[] = {
	{ "I9-call", "killed at the entry and exit of each system call", every_call },
	{ "I9-random", "killed at random instants", random_instants },
	{ "I9-threads", "killed with four threads in calls", in_threads },
};
CASES(kill_cases);
