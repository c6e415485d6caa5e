// SPDX-License-Identifier: GPL-2.0-only
/* The end of a pool: refused while it is used, or by force, as a fence. */
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-end"
#define SHORT_MS 300

static void busy(void)
{
	struct place p;
	uint8_t *m;
	int fd;

	ASSERT(place_begin(&p, NAME, SHORT_MS));
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	close(p.observer);

	fd = place_client(&p, O_CLOEXEC);
	m = mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	munmap(m, BLOCK);

	fd = place_client(&p, O_CLOEXEC);
	m = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, MARU_L1_MMAP_STATUS);
	EXPECT(m != MAP_FAILED);
	close(fd);
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	munmap(m, 2 * PAGE);

	fd = place_client(&p, O_CLOEXEC);
	things_take(fd, p.layout);
	close(fd);
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	sleep_ms(SHORT_MS + GRACE_MS);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	EXPECT_EQ(pool_detach(NAME, 0), -ENOENT);
	EXPECT_EQ(raw_open(NAME, O_RDONLY), -ENOENT);
	medium_close(&p.medium);
}

/* What was in a pool is given up with it. */
static void given_up(void)
{
	struct place p;
	struct maru_l1_query query;
	int fd;

	ASSERT(place_begin(&p, NAME, 1));
	fd = place_client(&p, O_CLOEXEC);
	things_take(fd, p.layout);
	raw_clear(fd, MARU_L1_CLEAR_FORCE);
	raw_abort(fd, "staged");
	close(fd);
	EXPECT(account_settle(p.observer, GRACE_MS) >= 0);
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	EXPECT_EQ(medium_attach(&p.medium, NAME, 1), 0);
	fd = place_client(&p, O_CLOEXEC);
	EXPECT_EQ(raw_query(fd, "object", &query), MARU_L1_OK);
	EXPECT_EQ(query.state, MARU_L1_S_ABSENT);
	close(fd);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/* Every call of a file whose pool was taken away. */
static void all_enodev(int fd)
{
	static const struct {
		unsigned long nr;
		uint32_t size;
	} calls[] = {
		{ MARU_L1_INFO, sizeof(struct maru_l1_info) },
		{ MARU_L1_SETUP, sizeof(struct maru_l1_setup) },
		{ MARU_L1_LAYOUT, sizeof(struct maru_l1_layout) },
		{ MARU_L1_RESERVE_WRITE, sizeof(struct maru_l1_batch) },
		{ MARU_L1_COMMIT, sizeof(struct maru_l1_batch) },
		{ MARU_L1_ABORT, sizeof(struct maru_l1_batch) },
		{ MARU_L1_RESERVE_READ, sizeof(struct maru_l1_batch) },
		{ MARU_L1_PEEK, sizeof(struct maru_l1_batch) },
		{ MARU_L1_RELEASE, sizeof(struct maru_l1_batch) },
		{ MARU_L1_RENEW, sizeof(struct maru_l1_batch) },
		{ MARU_L1_DELETE, sizeof(struct maru_l1_batch) },
		{ MARU_L1_TOUCH, sizeof(struct maru_l1_batch) },
		{ MARU_L1_QUERY, sizeof(struct maru_l1_batch) },
		{ MARU_L1_CLEAR, sizeof(struct maru_l1_clear) },
		{ MARU_L1_PURGE, sizeof(struct maru_l1_purge) },
		{ MARU_L1_USAGE, sizeof(struct maru_l1_usage) },
		{ MARU_L1_SUBSCRIBE, sizeof(struct maru_l1_subscribe) },
		{ MARU_L1_REPORT_BAD, sizeof(struct maru_l1_report_bad) },
		{ MARU_L1_STATS, sizeof(struct maru_l1_stats) },
		{ MARU_L1_CHECK, sizeof(struct maru_l1_check) },
	};
	struct maru_l1_evict evict = { .size = sizeof(evict), .count = 1 };

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		uint32_t arg[128] = { calls[i].size };
		int ret = raw_call(fd, calls[i].nr, arg);

		if (ret != -ENODEV)
			TAP_FAIL("call %#lx answered %d, expected ENODEV", calls[i].nr, ret);
	}
	EXPECT_EQ(raw_call(fd, MARU_L1_EVICT, &evict), -ENODEV);
}

static void file_is_dead(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[2048];

	all_enodev(fd);
	EXPECT_EQ(poll(&p, 1, 0), 1);
	EXPECT(p.revents & POLLHUP);
	EXPECT(read(fd, buf, sizeof(buf)) < 0 && errno == ENODEV);
	EXPECT(mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED &&
	       errno == ENODEV);
	EXPECT(mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, MARU_L1_MMAP_STATUS) ==
	       MAP_FAILED && errno == ENODEV);
}

/* Attaches as soon as the backing is let go of; ms after @since, or -1. */
static int attach_again(struct place *p, uint64_t since, unsigned int limit_ms)
{
	int ret;

	do {
		uint64_t asked = now_ms();

		ret = medium_attach(&p->medium, NAME, SHORT_MS);
		if (!ret)
			return asked - since;
		EXPECT_EQ(ret, -EBUSY);
		sleep_ms(10);
	} while (now_ms() - since < limit_ms);
	return -1;
}

static void forced_on(struct place *p)
{
	struct maru_l1_pool_status *status;
	uint64_t since;
	uint8_t *m;
	int fd, took;

	fd = place_client(p, O_CLOEXEC);
	things_take(fd, p->layout);
	m = mmap(NULL, 4 * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	status = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, MARU_L1_MMAP_STATUS);
	ASSERT(m != MAP_FAILED && status != MAP_FAILED);
	m[0] = 1;
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);

	EXPECT_EQ(touch_write(m), SIGBUS);
	EXPECT_EQ(touch_read(m + 3 * BLOCK), SIGBUS);
	EXPECT_EQ(touch_read((uint8_t *)status), 0);
	EXPECT_EQ(((volatile struct maru_l1_pool_status *)status)->state, UINT64_MAX);
	file_is_dead(fd);
	file_is_dead(p->observer);
	EXPECT_EQ(raw_open(NAME, O_RDONLY), -ENOENT);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), -ENOENT);

	/* As long as a file is open, and then for the quarantine. */
	EXPECT_EQ(medium_attach(&p->medium, NAME, SHORT_MS), -EBUSY);
	sleep_ms(SHORT_MS + GRACE_MS);
	EXPECT_EQ(medium_attach(&p->medium, NAME, SHORT_MS), -EBUSY);
	close(p->observer);
	sleep_ms(SHORT_MS + GRACE_MS);
	EXPECT_EQ(medium_attach(&p->medium, NAME, SHORT_MS), -EBUSY);
	since = now_ms();
	close(fd);
	took = attach_again(p, since, SHORT_MS + GRACE_MS);
	EXPECT(took >= SHORT_MS);

	/* The new pool does not bring old mappings to life. */
	EXPECT_EQ(touch_read(m), SIGBUS);
	EXPECT_EQ(touch_write(m + BLOCK), SIGBUS);
	fd = place_client(p, O_CLOEXEC);
	EXPECT_EQ(raw_delete(fd, "object", 0), MARU_L1_NOT_FOUND);
	close(fd);
	EXPECT_EQ(munmap(m + BLOCK, BLOCK), 0);
	EXPECT_EQ(touch_read(m + 2 * BLOCK), SIGBUS);
	munmap(m, 4 * BLOCK);
	munmap(status, 2 * PAGE);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p->medium);
}

static void forced(void)
{
	struct place p;

	ASSERT(place_begin(&p, NAME, SHORT_MS));
	forced_on(&p);
}

static void forced_dax(void)
{
	struct place p;

	if (!getenv("MARU_DAX"))
		SKIP("MARU_DAX names no device-dax node");
	ASSERT(place_begin_dax(&p, NAME, SHORT_MS));
	forced_on(&p);
}

/* By force, of a pool that nobody uses any more: its last close counts. */
static void forced_idle(void)
{
	struct place p;
	uint64_t since;

	ASSERT(place_begin(&p, NAME, SHORT_MS));
	since = now_ms();
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	EXPECT(attach_again(&p, since, SHORT_MS + GRACE_MS) >= SHORT_MS);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/*
 * A file that owns nothing: what was mapped through it may be in a device's
 * hands, so the memory waits all the same.
 */
static void forced_empty(void)
{
	struct place p;
	uint64_t since;

	ASSERT(place_begin(&p, NAME, SHORT_MS));
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	EXPECT_EQ(medium_attach(&p.medium, NAME, SHORT_MS), -EBUSY);
	since = now_ms();
	close(p.observer);
	EXPECT(attach_again(&p, since, SHORT_MS + GRACE_MS) >= SHORT_MS);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/* The name is free at once, for another memory. */
static void name_is_free(void)
{
	struct place p, q;

	ASSERT(place_begin(&p, NAME, SHORT_MS));
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	ASSERT(place_begin(&q, NAME, SHORT_MS));
	EXPECT_EQ(raw_call(p.observer, MARU_L1_USAGE,
			   &(struct maru_l1_usage){ .size = sizeof(struct maru_l1_usage) }),
		  -ENODEV);
	place_end(&q);
	close(p.observer);
	medium_close(&p.medium);
}

/* A client that waits in poll(2) is woken. */
static void wait_for_event(void *arg)
{
	struct maru_l1_subscribe subscribe = {
		.size = sizeof(subscribe), .mask = MARU_L1_EV_MASK(MARU_L1_EV_DELETED),
		.ring_size = MARU_L1_EVENTS_MIN,
	};
	int fd = raw_open(NAME, O_RDWR);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	EXPECT_EQ(raw_call(fd, MARU_L1_SUBSCRIBE, &subscribe), 0);
	signal_send(arg);
	EXPECT_EQ(poll(&p, 1, 10000), 1);
	EXPECT(p.revents & POLLHUP);
}

static void wakes_pollers(void)
{
	struct signal_pipe ready;
	struct place p;
	pid_t pid;

	ASSERT(place_begin(&p, NAME, SHORT_MS) && signal_begin(&ready));
	pid = child(wait_for_event, &ready);
	signal_wait(&ready);
	sleep_ms(200);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	child_ended(pid);
	close(p.observer);
	signal_end(&ready);
	medium_close(&p.medium);
}

const struct tap_case detach_cases[] = {
	{ "detach-busy", "a pool with a file, mapping or quarantine is EBUSY", busy },
	{ "detach-empty", "the content of a pool ends with it", given_up },
	{ "G3", "a forced detach is final, and keeps the memory until all let go", forced },
	{ "G3-dax", "the same on a device", forced_dax },
	{ "G3-idle", "a forced detach of an idle pool lets go in time", forced_idle },
	{ "G3-empty", "the same when the last file owned nothing", forced_empty },
	{ "G3-name", "a forced detach frees the name at once", name_is_free },
	{ "G3-wakes", "a forced detach wakes those who wait for events", wakes_pollers },
};
CASES(detach_cases);
