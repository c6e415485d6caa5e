// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <time.h>
#include "util.h"

static struct marul1_ctx *the_ctx;

static struct pool {
	const char *variable;
	struct marul1_pool *pool;
	struct marul1_client *watch;
} pools[NR_POOLS] = {
	[MAIN_POOL] = { .variable = "MARUL1_URI" },
	[SMALL_POOL] = { .variable = "MARUL1_URI_SMALL" },
};

/* A case cannot go on without this; the run is over and says why. */
static void give_up(const char *what, int error)
{
	printf("Bail out! %s: %s\n", what, strerror(-error));
	exit(2);
}

struct marul1_ctx *context(void)
{
	return the_ctx;
}

bool engine_is_device(void)
{
	const char *uri = getenv("MARUL1_URI");

	return uri && !strncmp(uri, "device:", 7);
}

const char *suite_name(void)
{
	return engine_is_device() ? "contract-device" : "contract-embedded";
}

static void log_line(void *arg, int priority, const char *fmt, va_list args)
{
	printf("# library: ");
	vprintf(fmt, args);
	printf("\n");
}

int pools_open(void)
{
	int err = marul1_new(&the_ctx);

	if (err)
		give_up("marul1_new", err);
	marul1_set_log_fn(the_ctx, log_line, NULL);
	for (size_t i = 0; i < NR_POOLS; i++) {
		const char *uri = getenv(pools[i].variable);

		if (!uri) {
			fprintf(stderr, "%s is not set\n", pools[i].variable);
			return -EINVAL;
		}
		err = marul1_open(the_ctx, uri, &pools[i].pool);
		if (err)
			give_up(uri, err);
		err = marul1_client_open(pools[i].pool, 0, &pools[i].watch);
		if (err)
			give_up(uri, err);
	}
	return 0;
}

void pools_close(void)
{
	for (size_t i = 0; i < NR_POOLS; i++) {
		marul1_client_close(pools[i].watch);
		marul1_pool_unref(pools[i].pool);
	}
	marul1_unref(the_ctx);
}

static bool settled(struct fix *f)
{
	struct maru_l1_usage u = usage(f->watch);

	return u.quarantined == f->before.quarantined &&
	       u.orphan_pins == f->before.orphan_pins;
}

static void same(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		TAP_FAIL("after the case %s is %" PRIu64 ", before it %" PRIu64,
			 what, got, want);
}

static void expect_as_before(struct fix *f)
{
	struct maru_l1_usage u = usage(f->watch), *b = &f->before;

	sums_at(__FILE__, __LINE__, &u);
	same("used", u.used, b->used + f->retired);
	same("available", u.available, b->available - f->retired);
	same("staged", u.staged, b->staged);
	same("private", u.private_bytes, b->private_bytes);
	same("published", u.published, b->published);
	same("zombie", u.zombie, b->zombie);
	same("quarantined", u.quarantined, b->quarantined);
	same("limbo", u.limbo, b->limbo);
	same("retired", u.retired, b->retired + f->retired);
	same("rounding", u.rounding, b->rounding);
	same("objects", u.objects, b->objects);
	same("orphan pins", u.orphan_pins, b->orphan_pins);
	/* Each retired piece counts as one more extent that never comes back. */
	if (!f->retired)
		same("extents", u.extents, b->extents);
}

static void teardown(struct fix *f)
{
	struct maru_l1_purge purge;
	int err;

	CHECK(f);
	for (size_t i = 0; i < FIX_CLIENTS; i++)
		if (f->clients[i])
			client_end(f, f->clients[i]);
	if (!WAIT_UNTIL(settled(f), settle_ms(f)))
		TAP_FAIL("quarantine or orphan pins outlived quarantine_ms + 1 s");
	err = marul1_purge(f->watch, &purge);
	EXPECT_EQ(err, 0);
	if (!err)
		EXPECT_EQ(purge.locked, 0);
	expect_as_before(f);
	CHECK(f);
	for (size_t i = 0; i < FIX_BLOCKS; i++)
		free(f->blocks[i]);
}

void in_pool(enum which_pool which, void (*body)(struct fix *f))
{
	struct fix f = {
		.pool = pools[which].pool,
		.watch = pools[which].watch,
	};
	int err = marul1_info(f.watch, &f.info);

	if (err)
		give_up("marul1_info", err);
	f.before = usage(f.watch);
	f.a = client(&f, 0);
	f.b = client(&f, 0);
	f.page = layout(f.a, PAGE);
	body(&f);
	teardown(&f);
}

struct marul1_client *client(struct fix *f, unsigned int flags)
{
	struct marul1_client *c = NULL;
	int err = marul1_client_open(f->pool, flags, &c);

	if (err)
		give_up("marul1_client_open", err);
	for (size_t i = 0; i < FIX_CLIENTS; i++) {
		if (!f->clients[i]) {
			f->clients[i] = c;
			return c;
		}
	}
	give_up("client: too many", -EMFILE);
	return NULL;
}

struct marul1_client *client_leased(struct fix *f, uint32_t read_ms,
				    uint32_t write_ms)
{
	struct marul1_client *c = client(f, 0);

	EXPECT_EQ(marul1_set_leases(c, read_ms, write_ms), 0);
	return c;
}

void client_end(struct fix *f, struct marul1_client *c)
{
	for (size_t i = 0; i < FIX_CLIENTS; i++)
		if (f->clients[i] == c)
			f->clients[i] = NULL;
	marul1_client_close(c);
}

void *block(struct fix *f, size_t n, size_t size)
{
	for (size_t i = 0; i < FIX_BLOCKS; i++) {
		if (f->blocks[i])
			continue;
		f->blocks[i] = calloc(n ? n : 1, size);
		if (!f->blocks[i])
			give_up("calloc", -ENOMEM);
		return f->blocks[i];
	}
	give_up("block: too many", -EMFILE);
	return NULL;
}

struct key *keys(struct fix *f, size_t n, const char *stem)
{
	enum { LEN = 48 };
	struct key *list = ALLOC(f, n, struct key);
	char *text = block(f, n, LEN);

	for (size_t i = 0; i < n; i++) {
		char *t = text + i * LEN;

		list[i].bytes = t;
		list[i].len = snprintf(t, LEN, "%s.%zu", stem, i);
	}
	return list;
}

uint32_t layout(struct marul1_client *c, uint64_t bytes)
{
	uint32_t id = ~0U;

	EXPECT_EQ(marul1_layout(c, bytes, 0, &id), 0);
	return id;
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

void pass(unsigned int ms)
{
	/* now_ms() rounds down: two more make up for both ends. */
	uint64_t end = now_ms() + ms + 2;

	while (now_ms() < end)
		nap();
}

unsigned int settle_ms(struct fix *f)
{
	return f->info.quarantine_ms + REAP_MS;
}

bool in_quarantine(struct fix *f, uint64_t closing)
{
	return now_ms() < closing + f->info.quarantine_ms;
}

unsigned int scaled(unsigned int rounds, unsigned int least)
{
	const char *s = getenv("MARU_SCALE");
	unsigned int scale = s ? strtoul(s, NULL, 10) : 1;

	rounds /= scale ? scale : 1;
	return rounds > least ? rounds : least;
}

uint64_t seed(void)
{
	const char *s = getenv("MARU_SEED");
	uint64_t value = s ? strtoull(s, NULL, 0) : 0;
	struct timespec t;

	if (!value) {
		clock_gettime(CLOCK_REALTIME, &t);
		value = t.tv_sec * 1000000007ULL + t.tv_nsec + 1;
	}
	printf("# MARU_SEED=%" PRIu64 "\n", value);
	return value;
}

/* splitmix64: any state is a good one. */
uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}
