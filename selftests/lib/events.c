// SPDX-License-Identifier: GPL-2.0-only
/* Events: the descriptor is readable exactly while there are some; bounded waits. */
#include "lib.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/time.h>

#define DELETED	MARU_L1_EV_MASK(MARU_L1_EV_DELETED)
#define RING	MARU_L1_EVENTS_MIN

static char buf[1 << 16] __attribute__((aligned(8)));

static bool readable(struct marul1_client *client)
{
	struct pollfd p = { .fd = marul1_client_fd(client), .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static bool start(struct lib *l, uint32_t *layout)
{
	return !lib_open(l, "embedded:4M", 0) &&
	       !marul1_layout(l->client, 64, 0, layout) &&
	       !marul1_subscribe(l->client, DELETED, RING, 0);
}

/* Makes @n events of 40 bytes: keys "0" … "7". */
static void make_events(struct lib *l, uint32_t layout, int n)
{
	for (int i = 0; i < n; i++) {
		char key[2] = { '0' + i % 8 };
		struct marul1_delete item = { .key = key, .key_len = 1 };

		EXPECT_EQ(lib_put(l->client, layout, key, "x", 1), 0);
		EXPECT_EQ(marul1_delete(l->client, 0, &item, 1), 0);
		EXPECT_EQ(item.status, MARU_L1_OK);
	}
}

static void level(void)
{
	const struct maru_l1_event *e = (void *)buf;
	uint32_t layout;
	struct lib l;

	ASSERT(start(&l, &layout));
	EXPECT(!readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 0), 0);
	make_events(&l, layout, 3);
	EXPECT_EQ(marul1_events_queued(l.client), 3);
	EXPECT(readable(l.client));
	EXPECT(readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 0), 3 * 40);
	EXPECT(!readable(l.client));
	EXPECT_EQ(e->size, 40);
	EXPECT_EQ(e->kind, MARU_L1_EV_DELETED);
	EXPECT_EQ(e->key_len, 1);
	EXPECT_EQ(e->key[0], '0');
	EXPECT_EQ(e->flags, MARU_L1_EV_SELF);
	make_events(&l, layout, 1);
	EXPECT(readable(l.client));
	lib_close(&l);
}

/* A buffer for fewer records than there are: it stays readable. */
static void level_of_a_partial_read(void)
{
	const size_t room = sizeof(struct maru_l1_event) + MARU_L1_KEY_MAX;
	const int n = 2 * (room / 40) + 1;
	uint32_t layout;
	struct lib l;

	ASSERT(start(&l, &layout));
	make_events(&l, layout, n);
	EXPECT_EQ(marul1_read_events(l.client, buf, room, 0), room / 40 * 40);
	EXPECT(readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, room, 0), room / 40 * 40);
	EXPECT(readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, room, 0), 40);
	EXPECT(!readable(l.client));
	lib_close(&l);
}

/* A new subscription drops what was unread, and so must the descriptor. */
static void level_of_a_new_subscription(void)
{
	uint32_t layout;
	struct lib l;

	ASSERT(start(&l, &layout));
	make_events(&l, layout, 1);
	EXPECT(readable(l.client));
	ASSERT(!marul1_subscribe(l.client, DELETED, RING, 0));
	EXPECT(!readable(l.client));
	make_events(&l, layout, 1);
	EXPECT(readable(l.client));
	ASSERT(!marul1_subscribe(l.client, 0, 0, 0));
	EXPECT(!readable(l.client));
	make_events(&l, layout, 1);
	EXPECT(!readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 0), 0);
	lib_close(&l);
}

/* The watermark is told by the very call that subscribes. */
static void event_in_subscribe(void)
{
	const struct maru_l1_event *e = (void *)buf;
	uint32_t layout;
	struct lib l;

	ASSERT(start(&l, &layout));
	ASSERT(!lib_put(l.client, layout, "k", "x", 1));
	make_events(&l, layout, 1);
	ASSERT(!marul1_layout(l.client, 2 << 20, 0, &layout));
	ASSERT(!lib_put(l.client, layout, "large", "x", 1));
	ASSERT(!marul1_subscribe(l.client, MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK),
				 RING, 1));
	EXPECT(readable(l.client));
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 0), sizeof(*e));
	EXPECT_EQ(e->kind, MARU_L1_EV_WATERMARK);
	EXPECT(!readable(l.client));
	lib_close(&l);
}

static void bad_arguments(void)
{
	uint32_t layout;
	struct lib l;

	ASSERT(start(&l, &layout));
	make_events(&l, layout, 1);
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), -1), -EINVAL);
	EXPECT_EQ(marul1_read_events(l.client, NULL, sizeof(buf), 0), -EINVAL);
	EXPECT_EQ(marul1_read_events(l.client, buf + 4, 2000, 0), -EINVAL);
	EXPECT_EQ(marul1_read_events(l.client, buf, 0, 0), -EINVAL);
	EXPECT_EQ(marul1_read_events(l.client, buf,
		  sizeof(struct maru_l1_event) + MARU_L1_KEY_MAX - 1, 0), -EINVAL);
	EXPECT(readable(l.client));
	lib_close(&l);
}

static void waits_as_long_as_asked(void)
{
	uint32_t layout;
	struct lib l;
	long t;

	ASSERT(start(&l, &layout));
	t = now_ms();
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 120), 0);
	t = now_ms() - t;
	EXPECT(t >= 120 && t < 1000);
	lib_close(&l);
}

static void on_alarm(int sig)
{
}

/* A timer every 20 ms must not begin the 150 ms anew each time. */
static void signals_do_not_prolong(void)
{
	struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, off = { 0 };
	struct sigaction act = { .sa_handler = on_alarm }, before;
	uint32_t layout;
	struct lib l;
	long t;

	ASSERT(start(&l, &layout));
	sigaction(SIGALRM, &act, &before);
	t = now_ms();
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(marul1_read_events(l.client, buf, sizeof(buf), 150), 0);
	setitimer(ITIMER_REAL, &off, NULL);
	t = now_ms() - t;
	sigaction(SIGALRM, &before, NULL);
	EXPECT(t >= 150 && t < 1000);
	lib_close(&l);
}

struct waiter {
	struct marul1_client *client;
	ssize_t got;
};

static void *wait_for_event(void *arg)
{
	struct waiter *w = arg;
	static char room[4096] __attribute__((aligned(8)));

	w->got = marul1_read_events(w->client, room, sizeof(room), 10000);
	return NULL;
}

static void an_event_ends_the_wait(void)
{
	struct waiter w = { 0 };
	pthread_t thread;
	uint32_t layout;
	struct lib l;
	long t;

	ASSERT(start(&l, &layout));
	w.client = l.client;
	t = now_ms();
	ASSERT(!pthread_create(&thread, NULL, wait_for_event, &w));
	sleep_ms(50);
	make_events(&l, layout, 1);
	pthread_join(thread, NULL);
	EXPECT_EQ(w.got, 40);
	EXPECT(now_ms() - t < 5000);
	EXPECT(!readable(l.client));
	lib_close(&l);
}

static struct lib *drained;
static uint32_t drained_layout;

int __real_eventfd_read(int fd, eventfd_t *n);
int __wrap_eventfd_read(int fd, eventfd_t *n);

/* The linker (--wrap) puts this before the engine's emptying of the descriptor. */
int __wrap_eventfd_read(int fd, eventfd_t *n)
{
	struct lib *l = drained;

	drained = NULL;
	if (l)
		make_events(l, drained_layout, 1);
	return __real_eventfd_read(fd, n);
}

/* An event between the look whether there are more and the emptying. */
static void event_at_the_worst_moment(void)
{
	struct marul1_client *reader;
	struct lib l;

	ASSERT(start(&l, &drained_layout));
	ASSERT(!marul1_client_open(l.pool, MARUL1_RDONLY, &reader));
	ASSERT(!marul1_subscribe(reader, DELETED, RING, 0));
	make_events(&l, drained_layout, 1);
	drained = &l;
	EXPECT_EQ(marul1_read_events(reader, buf, sizeof(buf), 0), 40);
	EXPECT(!drained);
	EXPECT(readable(reader));
	EXPECT_EQ(marul1_read_events(reader, buf, sizeof(buf), 0), 40);
	EXPECT(!readable(reader));
	marul1_client_close(reader);
	lib_close(&l);
}

#define RACED	20000
#define WAIT_MS	10000

static void *make_many(void *arg)
{
	struct lib *l = arg;
	uint32_t layout;

	if (!marul1_layout(l->client, 64, 0, &layout))
		make_events(l, layout, RACED);
	return NULL;
}

/* A reader that only looks when told to must not miss or be stuck on any. */
static void no_wake_is_lost(void)
{
	struct marul1_client *reader;
	pthread_t thread;
	uint32_t layout;
	struct lib l;
	long got = 0, t;

	ASSERT(start(&l, &layout));
	ASSERT(!marul1_client_open(l.pool, MARUL1_RDONLY, &reader));
	ASSERT(!marul1_subscribe(reader, DELETED, MARU_L1_EVENTS_MAX, 0));
	ASSERT(!pthread_create(&thread, NULL, make_many, &l));
	while (got < RACED) {
		ssize_t n;

		t = now_ms();
		n = marul1_read_events(reader, buf, 2000, WAIT_MS);
		/* What came in time but did not end the wait was not told. */
		if (n <= 0 || now_ms() - t >= WAIT_MS) {
			TAP_FAIL("after %ld of %d events: %zd", got, RACED, n);
			break;
		}
		got += n / 40;
	}
	pthread_join(thread, NULL);
	EXPECT_EQ(got, RACED);
	EXPECT_EQ(marul1_events_queued(reader), RACED);
	EXPECT(!readable(reader));
	marul1_client_close(reader);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "events-level", "readable exactly while there are events", level },
	{ "events-partial", "readable after a read that took some only", level_of_a_partial_read },
	{ "events-again", "a new subscription settles it too", level_of_a_new_subscription },
	{ "events-watermark", "an event of the subscription itself is seen", event_in_subscribe },
	{ "events-bad", "small or unaligned buffers and endless waits are EINVAL", bad_arguments },
	{ "events-timeout", "the wait is as long as asked", waits_as_long_as_asked },
	{ "events-eintr", "signals neither end nor prolong the wait", signals_do_not_prolong },
	{ "events-wake", "an event ends the wait", an_event_ends_the_wait },
	{ "events-worst", "an event while it is emptied is told", event_at_the_worst_moment },
	{ "events-race", "20000 events against a reader: none lost, none stuck", no_wake_is_lost },
};

int main(int argc, char **argv)
{
	return tap_run("lib-events", cases, ARRAY_SIZE(cases), argc, argv);
}
