// SPDX-License-Identifier: GPL-2.0-only
/* The memory of an object goes bad: what its readers see, and what becomes of it. */
#include <sys/prctl.h>
#include <sys/wait.h>
#include "hwpoison.h"

/* The one that goes bad in most cases, and its place. */
static uint64_t bad_at[ARRAY_SIZE(pools)];

static uint64_t *place_of(struct pool_under_test *p)
{
	return &bad_at[p - pools];
}

static bool hold(struct marul1_client *client, const char *key, struct marul1_read *read)
{
	*read = (struct marul1_read){ .key = key, .key_len = strlen(key), .holds = 1 };
	return !marul1_reserve_read(client, 0, read, 1) && !read->status;
}

/* M1 told to a holder: one event, and nothing of the pool is answered wrongly. */
static void told(struct pool_under_test *p, const struct marul1_read *held)
{
	static uint64_t buf[4096 / 8];
	const struct maru_l1_event *event = (const void *)buf;
	struct marul1_release release = { .id = held->id, .holds = 1 };
	struct marul1_read again;

	ASSERT(marul1_read_events(p->reader, buf, sizeof(buf), 1000) > 0);
	EXPECT_EQ(event->kind, MARU_L1_EV_MEDIA_ERROR);
	EXPECT_EQ(event->id, held->id);
	EXPECT_EQ(event->value, held->offset);
	EXPECT(event->key_len == held->key_len && !memcmp(event->key, held->key, held->key_len));
	EXPECT(!hold(p->reader, "bad", &again));
	EXPECT_EQ(again.status, MARU_L1_NOT_FOUND);
	EXPECT_EQ(marul1_release(p->reader, &release, 1), 0);
	EXPECT_EQ(release.status, MARU_L1_STALE);
}

static void story(struct pool_under_test *p)
{
	uint64_t retired = usage_of(p->writer).retired, epoch;
	struct maru_l1_report_bad bad;
	struct marul1_read held;
	uint8_t *m;

	EXPECT_EQ(marul1_subscribe(p->reader, MARU_L1_EV_MASK(MARU_L1_EV_MEDIA_ERROR),
				   MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT(put(p, "before") != ~0ULL && put(p, "bad") != ~0ULL && put(p, "after") != ~0ULL);
	epoch = marul1_epoch(p->reader);
	ASSERT(hold(p->reader, "bad", &held));
	m = marul1_ptr(p->reader, held.offset, held.length);
	ASSERT(m);
	*place_of(p) = held.offset;

	EXPECT_EQ(poison(m + 3 * PAGE + 5), 0);
	EXPECT(bus_told(BUS_MCEERR_AR, held.offset + 3 * PAGE));
	/* The kernel has told the processes, and nobody has told the pool. */
	EXPECT(marul1_valid(p->reader, epoch));
	EXPECT_EQ(usage_of(p->writer).retired, retired);

	EXPECT_EQ(marul1_report_bad(p->reader, held.offset, &bad), 0);
	EXPECT_EQ(bad.id, held.id);
	EXPECT_EQ(bad.retired, OBJECT);
	EXPECT(!marul1_valid(p->reader, epoch));
	told(p, &held);
	EXPECT_EQ(usage_of(p->writer).retired, retired + OBJECT);
	EXPECT(account_sound(marul1_client_fd(p->writer), NULL));
}

static void m1_story(void)
{
	NEEDS_POISON();
	each_pool(story);
}

/* They share the block of 2 MiB that the kernel has unmapped from everybody. */
static void neighbours(struct pool_under_test *p)
{
	EXPECT(whole(p, "before"));
	EXPECT(whole(p, "after"));
	EXPECT(put(p, "bad") != *place_of(p));
	EXPECT(whole(p, "bad"));
}

static void m1_neighbours(void)
{
	NEEDS_POISON();
	each_pool(neighbours);
}

/* Reserves until there is no space; none of it may be the bad place. */
static uint64_t fill_up(struct pool_under_test *p, struct marul1_client *client)
{
	struct marul1_reserve item;
	uint64_t nr;

	for (nr = 0;; nr++) {
		item = (struct marul1_reserve){
			.key = &nr, .key_len = sizeof(nr), .length = OBJECT,
		};
		if (marul1_reserve_write(client, p->layout, &item, 1) || item.status)
			break;
		if (item.offset == *place_of(p))
			TAP_FAIL("%s: the bad extent is used again", p->kind);
	}
	EXPECT_EQ(item.status, MARU_L1_NO_SPACE);
	return nr;
}

static void used_up(struct pool_under_test *p)
{
	struct maru_l1_usage before = usage_of(p->writer), full;
	struct marul1_client *client;
	uint64_t nr;

	ASSERT(!marul1_client_open(p->pool, 0, &client));
	nr = fill_up(p, client);
	full = usage_of(client);
	EXPECT_EQ(nr * OBJECT, before.available);
	EXPECT(full.available < OBJECT);
	EXPECT_EQ(full.retired, before.retired);
	EXPECT_EQ(marul1_clear(client, MARU_L1_CLEAR_FORCE, NULL), 0);
	marul1_client_close(client);
	EXPECT(account_settle(marul1_client_fd(p->writer), 20 + 1000) >= 0);
}

static void m1_used_up(void)
{
	NEEDS_POISON();
	each_pool(used_up);
}

/* A page of a memfd stays bad; emulated device memory has nothing to fail with. */
static void m1_again(void)
{
	struct pool_under_test *p = &pools[1];
	uint64_t at = *place_of(p);
	uint8_t *m = marul1_ptr(p->reader, at, OBJECT);

	NEEDS_POISON();
	ASSERT(m);
	bus_watch(p);
	for (int i = 1; i <= 3; i++) {
		EXPECT(bus_at(m + 3 * PAGE + i));
		EXPECT_EQ(bus.signals, i);
		EXPECT(bus_told(BUS_MCEERR_AR, at + 3 * PAGE + i));
		EXPECT_EQ(bus.length, PAGE);
	}
	EXPECT(!bus_at(m + 2 * PAGE));
	EXPECT(!bus_at(m + 4 * PAGE));
	bus_end();
}

/* A process that has the page mapped, and asked to hear of it early. */
static void hear(struct pool_under_test *p, uint64_t at, int ready, int end)
{
	struct pool_under_test mine = { 0 };
	struct marul1_ctx *ctx;
	char uri[64], byte;
	uint8_t *m;

	snprintf(uri, sizeof(uri), "device:%s", p->name);
	if (prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0) || marul1_new(&ctx) ||
	    marul1_open(ctx, uri, &mine.pool) ||
	    marul1_client_open(mine.pool, MARUL1_RDONLY, &mine.reader) ||
	    marul1_map(mine.reader, 0, NULL, NULL))
		_exit(2);
	mine.writer = mine.reader;
	bus_watch(&mine);
	m = marul1_ptr(mine.reader, at, OBJECT);
	if (bus_at(m) || write(ready, "", 1) != 1)
		_exit(3);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(bus_told(BUS_MCEERR_AO, at) ? 0 : 4);
}

static void others(struct pool_under_test *p)
{
	struct maru_l1_report_bad bad;
	uint64_t at = put(p, "shared");
	int ready[2], end[2], status;
	char byte;
	pid_t pid;

	ASSERT(at != ~0ULL && !pipe(ready) && !pipe(end));
	fflush(stdout);
	pid = fork();
	if (!pid)
		hear(p, at, ready[1], end[0]);
	close(ready[1]);
	EXPECT_EQ(read(ready[0], &byte, 1), 1);
	EXPECT_EQ(poison(marul1_ptr(p->reader, at, OBJECT)), 0);
	EXPECT(bus_told(BUS_MCEERR_AR, at));
	EXPECT_EQ(write(end[1], "", 1), 1);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	close(ready[0]);
	close(end[0]);
	close(end[1]);
	EXPECT_EQ(marul1_report_bad(p->writer, at, &bad), 0);
	EXPECT_EQ(bad.retired, OBJECT);
}

static void m1_others(void)
{
	NEEDS_POISON();
	each_pool(others);
}

const struct tap_case data_cases[] = {
	{ "M1", "SIGBUS, report: the object goes, its holder is told, its extent retired",
	  m1_story },
	{ "M1", "the objects beside it stay whole, and the key can be stored again",
	  m1_neighbours },
	{ "M1", "a pool filled to the last extent has not used it again", m1_used_up },
	{ "M1", "each read of the bad page is a SIGBUS that tells its place", m1_again },
	{ "M1", "another process that has it mapped hears of it and goes on", m1_others },
};
CASES(data_cases);
