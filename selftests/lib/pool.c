// SPDX-License-Identifier: GPL-2.0-only
/* Pools and clients: the thread, references, messages. */
#include "embedded.h"
#include "lib.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static int count_threads(void)
{
	return count_entries("/proc/self/task");
}

static int count_fds(void)
{
	return count_entries("/proc/self/fd");
}

/* Reads /proc/self/task/TID/@file of the thread of that name. */
static bool read_of_thread(const char *name, const char *file, char *text,
			   size_t size)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d))) {
		char path[320], comm[64] = "";
		FILE *f;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
		f = fopen(path, "r");
		if (f && fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		if (f)
			fclose(f);
		if (strcmp(comm, name))
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/%s", e->d_name, file);
		f = fopen(path, "r");
		if (f) {
			text[fread(text, 1, size - 1, f)] = '\0';
			fclose(f);
			found = true;
		}
	}
	if (d)
		closedir(d);
	return found;
}

/* All but those that cannot be blocked, and the two that libc keeps. */
static bool blocks_all_signals(const char *status)
{
	const char *line = strstr(status, "SigBlk:");
	unsigned long long mask = line ? strtoull(line + 7, NULL, 16) : 0;

	for (int sig = 1; sig <= 64; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33 &&
		    !(mask >> (sig - 1) & 1))
			return false;
	return true;
}

static void *do_nothing(void *arg)
{
	return arg;
}

static void thread_is_joined(void)
{
	char status[4096];
	int threads, fds;
	pthread_t first;
	struct lib l;
	long until;

	/* A sanitizer starts a thread of its own with the first one. */
	ASSERT(!pthread_create(&first, NULL, do_nothing, NULL));
	pthread_join(first, NULL);
	threads = count_threads();
	fds = count_fds();
	ASSERT(!lib_open(&l, "embedded:4M", 0));
	EXPECT_EQ(count_threads(), threads + 1);
	/* The thread names itself: give it the time to. */
	until = now_ms() + 2000;
	while (!read_of_thread("marul1-reaper", "status", status, sizeof(status)) &&
	       now_ms() < until)
		sleep_ms(1);
	EXPECT(read_of_thread("marul1-reaper", "status", status, sizeof(status)));
	EXPECT(blocks_all_signals(status));
	lib_close(&l);
	EXPECT_EQ(count_threads(), threads);
	EXPECT_EQ(count_fds(), fds);

	/* A thread that is only told to go would now and then still be there. */
	for (int i = 0; i < 200; i++) {
		ASSERT(!lib_open(&l, "embedded:2M", 0));
		lib_close(&l);
		EXPECT_EQ(count_threads(), threads);
	}
}

static void descriptors_are_cloexec(void)
{
	DIR *d;
	struct dirent *e;
	struct lib l;
	int checked = 0;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	d = opendir("/proc/self/fd");
	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (fd <= 2 || e->d_name[0] == '.' || fd == dirfd(d))
			continue;
		if (fcntl(fd, F_GETFD) & FD_CLOEXEC)
			checked++;
	}
	closedir(d);
	/* The memory and the eventfd of the client. */
	EXPECT(checked >= 2);
	EXPECT(fcntl(marul1_client_fd(l.client), F_GETFD) & FD_CLOEXEC);
	lib_close(&l);
}

/* Nobody makes a call: the pool's own thread ends what is due. */
static void reaper_works_alone(void)
{
	struct marul1_reserve item = { .key = "k", .key_len = 1, .length = 10 };
	struct marul1_client *writer;
	uint64_t used = 0;
	uint32_t layout;
	struct lib l;
	long t;

	ASSERT(!lib_open(&l, "embedded:4M,quarantine_ms=200", 0));
	ASSERT(!marul1_client_open(l.pool, 0, &writer));
	ASSERT(!marul1_layout(writer, 64, 0, &layout));
	ASSERT(!marul1_reserve_write(writer, layout, &item, 1));
	EXPECT_EQ(item.status, MARU_L1_OK);
	marul1_client_close(writer);
	t = now_ms();
	marul1_space(l.client, NULL, &used, NULL);
	EXPECT(used > 0);
	while (used && now_ms() - t < 3000) {
		sleep_ms(10);
		marul1_space(l.client, NULL, &used, NULL);
	}
	t = now_ms() - t;
	EXPECT_EQ(used, 0);
	EXPECT(t >= 190 && t < 1200);
	lib_close(&l);
}

/* The same when no client is left at all. */
static void reaper_settles_the_last(void)
{
	struct marul1_reserve item = { .key = "k", .key_len = 1, .length = 10 };
	const struct embedded *e;
	uint32_t layout;
	struct lib l;
	long t;

	ASSERT(!lib_open(&l, "embedded:4M,quarantine_ms=50", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!marul1_reserve_write(l.client, layout, &item, 1));
	marul1_client_close(l.client);
	l.client = NULL;
	/* Without a client nobody else looks. */
	e = l.pool->priv;
	t = now_ms();
	EXPECT(READ_ONCE(e->status->used) > 0);
	while (READ_ONCE(e->status->used) && now_ms() - t < 3000)
		sleep_ms(10);
	EXPECT_EQ(READ_ONCE(e->status->used), 0);
	EXPECT(now_ms() - t < 1050);
	lib_close(&l);
}

static void space_is_the_usage(void)
{
	uint64_t total = 0, used = 0, available = 0;
	struct maru_l1_usage usage;
	uint32_t layout;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:16M", 0));
	ASSERT(!marul1_layout(l.client, 4096, 0, &layout));
	ASSERT(!lib_put(l.client, layout, "k", "x", 1));
	ASSERT(!marul1_usage(l.client, &usage));
	marul1_space(l.client, &total, &used, &available);
	EXPECT_EQ(total, 16 << 20);
	EXPECT_EQ(total, usage.total);
	EXPECT_EQ(used, usage.used);
	EXPECT_EQ(available, usage.available);
	EXPECT_EQ(used, 4096);
	lib_close(&l);
}

static void messages(void)
{
	struct log_seen first = { 0 }, second = { 0 };
	struct marul1_pool *pool = NULL;
	struct marul1_ctx *ctx;

	ASSERT(!marul1_new(&ctx));
	EXPECT_EQ(marul1_open(ctx, "embedded:1", &pool), -EINVAL);
	marul1_set_log_fn(ctx, log_keep, &first);
	EXPECT_EQ(marul1_open(ctx, "embedded:1", &pool), -EINVAL);
	marul1_set_log_fn(ctx, log_keep, &second);
	EXPECT_EQ(marul1_open(ctx, "embedded:1", &pool), -EINVAL);
	marul1_set_log_fn(ctx, NULL, NULL);
	EXPECT_EQ(marul1_open(ctx, "embedded:1", &pool), -EINVAL);
	EXPECT_EQ(first.messages, 1);
	EXPECT_EQ(second.messages, 1);
	EXPECT(!strcmp(first.text, second.text));
	EXPECT(!pool);
	marul1_unref(ctx);
}

static void references(void)
{
	int threads = count_threads();
	struct maru_l1_info info;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	EXPECT(marul1_ref(l.ctx) == l.ctx);
	EXPECT(marul1_pool_ref(l.pool) == l.pool);
	EXPECT(!marul1_unref(l.ctx));
	EXPECT(!marul1_unref(l.ctx));
	EXPECT(!marul1_pool_unref(l.pool));
	EXPECT(!marul1_pool_unref(l.pool));
	/* The client keeps pool and context. */
	EXPECT_EQ(count_threads(), threads + 1);
	EXPECT_EQ(marul1_info(l.client, &info), 0);
	marul1_client_close(l.client);
	EXPECT_EQ(count_threads(), threads);
	EXPECT(!marul1_unref(NULL));
	EXPECT(!marul1_pool_unref(NULL));
	marul1_client_close(NULL);
}

struct worker {
	pthread_t thread;
	struct marul1_pool *pool;
	struct marul1_client *shared;
	uint32_t layout;
	int errors;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < 300; i++) {
		struct marul1_client *own = NULL;
		char key[2] = { 'a' + i % 16 }, buf[64];
		uint64_t length = sizeof(buf);
		int put, get;

		if (marul1_client_open(w->pool, 0, &own)) {
			w->errors++;
			continue;
		}
		put = lib_put(i % 2 ? own : w->shared, w->layout, key, "text", 5);
		get = marul1_get(i % 3 ? own : w->shared, key, 1, buf, &length, NULL);
		/* Another thread may be storing it, or have evicted it. */
		w->errors += (put && put != -EBUSY) || (get && get != -ENOENT) ||
			     (!get && strcmp(buf, "text"));
		if (i % 7 == 0) {
			struct maru_l1_evict evict = { .count = 4 };

			w->errors += marul1_evict(own, &evict) != 0;
		}
		marul1_client_close(own);
	}
	return NULL;
}

static void many_threads(void)
{
	struct maru_l1_check check = { 0 };
	struct worker workers[8] = { 0 };
	uint32_t layout;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:16M,quarantine_ms=1", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		workers[i] = (struct worker) {
			.pool = l.pool, .shared = l.client, .layout = layout,
		};
		ASSERT(!pthread_create(&workers[i].thread, NULL, work, &workers[i]));
	}
	for (size_t i = 0; i < ARRAY_SIZE(workers); i++) {
		pthread_join(workers[i].thread, NULL);
		EXPECT_EQ(workers[i].errors, 0);
	}
	ASSERT(!marul1_check(l.client, &check));
	EXPECT_EQ(check.differences, 0);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "thread", "the thread blocks signals and is joined at the end", thread_is_joined },
	{ "cloexec", "descriptors are not inherited over exec", descriptors_are_cloexec },
	{ "Z1-reap", "the pool's thread ends a quarantine by itself", reaper_works_alone },
	{ "Z1-last", "also when no client is left", reaper_settles_the_last },
	{ "U1", "the status page says what usage says", space_is_the_usage },
	{ "log", "messages go to the last hook, or nowhere", messages },
	{ "refs", "a client keeps its pool, a pool its context", references },
	{ "threads", "eight threads open, store, fetch, evict and close", many_threads },
};

int main(int argc, char **argv)
{
	return tap_run("lib-pool", cases, ARRAY_SIZE(cases), argc, argv);
}
