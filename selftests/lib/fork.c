// SPDX-License-Identifier: GPL-2.0-only
/* A forked child is refused everything, and what it closes is not its parent's. */
#include "lib.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>

static char buf[4096] __attribute__((aligned(8)));

/* Failures of a child, by its exit code: 0, or the line of the first. */
#define CHILD(c) do {						\
	if (!(c)) {						\
		printf("# %s:%d: in the child: %s\n",		\
		       __FILE__, __LINE__, #c);			\
		fflush(stdout);					\
		_exit(1);					\
	}							\
} while (0)

static int wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void child_batches(struct marul1_client *client)
{
	struct marul1_reserve reserve = { .key = "k", .key_len = 1, .length = 1 };
	struct marul1_commit commit = { .key = "k", .key_len = 1 };
	struct marul1_abort abort_item = { .key = "k", .key_len = 1 };
	struct marul1_read read_item = { .key = "k", .key_len = 1, .holds = 1 };
	struct marul1_release release = { .key = "k", .key_len = 1, .holds = 1 };
	struct marul1_renew renew = { .key = "k", .key_len = 1 };
	struct marul1_delete delete = { .key = "k", .key_len = 1 };
	struct marul1_touch touch = { .key = "k", .key_len = 1 };
	struct marul1_query query = { .key = "k", .key_len = 1 };

	CHILD(marul1_reserve_write(client, 1, &reserve, 1) == -EOWNERDEAD);
	CHILD(marul1_reserve_write_many(client, 1, &reserve, 1) == -EOWNERDEAD);
	CHILD(marul1_commit(client, &commit, 1) == -EOWNERDEAD);
	CHILD(marul1_abort(client, &abort_item, 1) == -EOWNERDEAD);
	CHILD(marul1_reserve_read(client, 0, &read_item, 1) == -EOWNERDEAD);
	CHILD(marul1_peek(client, &read_item, 1) == -EOWNERDEAD);
	CHILD(marul1_release(client, &release, 1) == -EOWNERDEAD);
	CHILD(marul1_renew(client, &renew, 1) == -EOWNERDEAD);
	CHILD(marul1_delete(client, 0, &delete, 1) == -EOWNERDEAD);
	CHILD(marul1_touch(client, &touch, 1) == -EOWNERDEAD);
	CHILD(marul1_query(client, &query, 1) == -EOWNERDEAD);
}

static void child_singles(struct marul1_client *client)
{
	struct maru_l1_evict evict = { .count = 1 };
	struct maru_l1_stats stats = { 0 };
	struct maru_l1_check check = { 0 };
	struct maru_l1_usage usage;
	struct maru_l1_info info;
	uint64_t length = 1;
	uint32_t layout;

	CHILD(marul1_info(client, &info) == -EOWNERDEAD);
	CHILD(marul1_set_leases(client, 0, 1000) == -EOWNERDEAD);
	CHILD(marul1_layout(client, 1, 0, &layout) == -EOWNERDEAD);
	CHILD(marul1_clear(client, 0, NULL) == -EOWNERDEAD);
	CHILD(marul1_purge(client, NULL) == -EOWNERDEAD);
	CHILD(marul1_evict(client, &evict) == -EOWNERDEAD);
	CHILD(marul1_report_bad(client, 0, NULL) == -EOWNERDEAD);
	CHILD(marul1_stats(client, &stats) == -EOWNERDEAD);
	CHILD(marul1_check(client, &check) == -EOWNERDEAD);
	CHILD(marul1_usage(client, &usage) == -EOWNERDEAD);
	CHILD(marul1_subscribe(client, 0, 0, 0) == -EOWNERDEAD);
	CHILD(marul1_read_events(client, buf, sizeof(buf), 0) == -EOWNERDEAD);
	CHILD(marul1_put(client, 1, "k", 1, "x", 1, NULL) == -EOWNERDEAD);
	CHILD(marul1_get(client, "k", 1, buf, &length, NULL) == -EOWNERDEAD);
}

static void child_no_call(struct lib *l, void *base)
{
	struct marul1_client *client = l->client, *mine;
	uint64_t total = 1, used = 1, available = 1, n;
	void *p;

	CHILD(marul1_client_fd(client) == -1);
	CHILD(marul1_map(client, 0, &p, &n) == -EOWNERDEAD);
	CHILD(!marul1_ptr(client, 0, 1));
	CHILD(marul1_offset(client, base, &n) == -ENOENT);
	CHILD(marul1_range(client, 0, 0, &p, &n) == -EINVAL);
	marul1_space(client, &total, &used, &available);
	CHILD(!total && !used && !available);
	CHILD(!marul1_valid(client, marul1_epoch(client)));
	CHILD(marul1_events_queued(client) == 0);
	CHILD(marul1_client_open(l->pool, 0, &mine) == -EOWNERDEAD);
}

static void child_is_refused(void)
{
	uint32_t layout;
	struct lib l;
	void *base;
	pid_t pid;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!marul1_map(l.client, 0, &base, NULL));
	ASSERT(!lib_put(l.client, layout, "k", "x", 1));
	pid = fork();
	if (!pid) {
		child_batches(l.client);
		child_singles(l.client);
		child_no_call(&l, base);
		_exit(0);
	}
	EXPECT_EQ(wait_for(pid), 0);
	EXPECT_EQ(lib_put(l.client, layout, "after", "x", 1), 0);
	lib_close(&l);
}

static bool is_mapped(void *p)
{
	unsigned char vec;

	return !mincore(p, 4096, &vec);
}

/*
 * The child maps something of its own where the pool lies in the parent, and
 * closes: its own must stay, and its copies of the descriptors must go.
 */
static void child_closes(void)
{
	const uint64_t length = 4 << 20;
	struct marul1_read held = { .key = "k", .key_len = 1, .holds = 2 };
	struct maru_l1_usage usage;
	uint32_t layout;
	struct lib l;
	void *base;
	pid_t pid;
	int fd;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!marul1_map(l.client, 0, &base, NULL));
	ASSERT(!lib_put(l.client, layout, "k", "x", 1));
	ASSERT(!marul1_reserve_read(l.client, 0, &held, 1));
	fd = marul1_client_fd(l.client);
	pid = fork();
	if (!pid) {
		CHILD(!is_mapped(base));
		CHILD(mmap(base, length, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			   MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == base);
		memset(base, 1, length);
		marul1_client_close(l.client);
		CHILD(is_mapped(base));
		CHILD(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
		marul1_pool_unref(l.pool);
		marul1_unref(l.ctx);
		_exit(0);
	}
	EXPECT_EQ(wait_for(pid), 0);
	ASSERT(!marul1_usage(l.client, &usage));
	EXPECT_EQ(usage.my_holds, 2);
	EXPECT_EQ(usage.objects, 1);
	EXPECT_EQ(*(char *)marul1_ptr(l.client, held.offset, 1), 'x');
	EXPECT(fcntl(fd, F_GETFD) >= 0);
	lib_close(&l);
}

/* Only what was inherited is refused. */
static void child_opens_its_own(void)
{
	struct lib l;
	pid_t pid;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	pid = fork();
	if (!pid) {
		struct marul1_client *client;
		struct marul1_pool *pool;
		uint32_t layout;

		CHILD(!marul1_open(l.ctx, "embedded:4M", &pool));
		CHILD(!marul1_client_open(pool, 0, &client));
		CHILD(!marul1_layout(client, 64, 0, &layout));
		CHILD(!lib_put(client, layout, "k", "x", 1));
		marul1_client_close(client);
		marul1_pool_unref(pool);
		_exit(0);
	}
	EXPECT_EQ(wait_for(pid), 0);
	lib_close(&l);
}

static void grandchild_is_refused(void)
{
	struct maru_l1_info info;
	struct lib l;
	pid_t pid;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	pid = fork();
	if (!pid) {
		pid = fork();
		if (!pid) {
			CHILD(marul1_info(l.client, &info) == -EOWNERDEAD);
			_exit(0);
		}
		_exit(wait_for(pid));
	}
	EXPECT_EQ(wait_for(pid), 0);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "fork-refused", "every call in a child answers EOWNERDEAD", child_is_refused },
	{ "fork-close", "closing in a child leaves the parent's alone", child_closes },
	{ "fork-own", "a child may open a pool of its own", child_opens_its_own },
	{ "fork-twice", "a grandchild is refused too", grandchild_is_refused },
};

int main(int argc, char **argv)
{
	return tap_run("lib-fork", cases, ARRAY_SIZE(cases), argc, argv);
}
