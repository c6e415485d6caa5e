// SPDX-License-Identifier: GPL-2.0-only
/*
 * ENOMEM: for each call the first allocation fails, then the second, and so on
 * until none did.  Each time either -ENOMEM is answered and nothing happened,
 * or all of it did.  Calls that give something back allocate nothing.
 */

#include "fixture.h"

#define N	128		/* keys of a batch: tables and runs grow under it */

struct keys {
	char bytes[N][8];
};

static void keys_fill(struct keys *k, char c)
{
	u32 i;

	for (i = 0; i < N; i++) {
		memset(k->bytes[i], c, sizeof(k->bytes[i]));
		snprintf(k->bytes[i], sizeof(k->bytes[i]), "%c%u", c, i);
	}
}

static int run_reserve(struct fixture *f)
{
	struct maru_l1_reserve items[N];
	struct keys k;
	u32 i;

	keys_fill(&k, 'r');
	for (i = 0; i < N; i++)
		items[i] = (struct maru_l1_reserve){
			.key_off = i * 8, .key_len = 8, .length = 1 };
	return call_batch(A, MARU_L1_RESERVE_WRITE, &(struct batch){
			  0, layout(B, MIB, 0), items, N, &k, sizeof(k) });
}

static int run_commit(struct fixture *f)
{
	struct maru_l1_commit items[N];
	struct keys k;
	u32 i;

	keys_fill(&k, 'r');
	for (i = 0; i < N; i++)
		items[i] = (struct maru_l1_commit){
			.key_off = i * 8, .key_len = 8, .holds = 1 };
	return call_batch(A, MARU_L1_COMMIT, &(struct batch){
			  0, 0, items, N, &k, sizeof(k) });
}

static int run_read(struct fixture *f)
{
	struct maru_l1_read items[N];
	struct keys k;
	u32 i;

	keys_fill(&k, 'r');
	for (i = 0; i < N; i++)
		items[i] = (struct maru_l1_read){
			.key_off = i * 8, .key_len = 8, .holds = 1 };
	return call_batch(B, MARU_L1_RESERVE_READ, &(struct batch){
			  0, 0, items, N, &k, sizeof(k) });
}

static int run_layout(struct fixture *f)
{
	static u32 bytes = 1000;
	union maru_call_arg arg = { .layout = { .bytes = ++bytes } };

	return call_single(A, MARU_L1_LAYOUT, &arg, NULL, NULL);
}

static int run_subscribe(struct fixture *f)
{
	union maru_call_arg arg = { .subscribe = {
		.mask = MARU_L1_EV_ALL, .ring_size = MARU_L1_EVENTS_MIN,
		.watermark_permille = 900 } };

	return call_single(A, MARU_L1_SUBSCRIBE, &arg, NULL, NULL);
}

static int run_report_bad(struct fixture *f)
{
	union maru_call_arg arg = { .report_bad = { .offset = 5 * MIB } };

	return call_single(A, MARU_L1_REPORT_BAD, &arg, NULL, NULL);
}

static int run_check(struct fixture *f)
{
	union maru_call_arg arg = { 0 };

	return call_single(A, MARU_L1_CHECK, &arg, NULL, NULL);
}

static int run_open(struct fixture *f)
{
	struct maru_client_params params = { .status = &f->users[3].status };

	f->users[3].f = f;
	return maru_client_open(f->pool, &params, &f->users[3].core);
}

static void prepare_commit(struct fixture *f)
{
	EXPECT_EQ(run_reserve(f), 0);
}

static void prepare_read(struct fixture *f)
{
	EXPECT_EQ(run_reserve(f), 0);
	EXPECT_EQ(run_commit(f), 0);
}

static const struct sweep {
	const char *name;
	void (*prepare)(struct fixture *f);
	int (*run)(struct fixture *f);
	long least;		/* so many allocations fail at least */
} sweeps[] = {
	{ "reserve_write", NULL, run_reserve, N + N / 2 },
	{ "commit", prepare_commit, run_commit, N },
	{ "reserve_read", prepare_read, run_read, N },
	{ "layout", NULL, run_layout, 1 },
	{ "subscribe", NULL, run_subscribe, 1 },
	{ "report_bad", NULL, run_report_bad, 1 },
	{ "check", NULL, run_check, 1 },
	{ "open", NULL, run_open, 9 },
};

static void snapshot(struct fixture *f, struct maru_l1_usage u[2])
{
	u[0] = usage(A);
	u[1] = usage(B);
}

/* Return: whether an allocation had to fail. */
static bool sweep_step(struct fixture *f, const struct sweep *s, long n)
{
	struct maru_l1_usage before[2], after[2];
	u64 clients = f->pool->nr_clients;
	bool failed;
	int err;

	if (s->prepare)
		s->prepare(f);
	layout(B, MIB, 0);
	snapshot(f, before);
	alloc_fail(n, false);
	err = s->run(f);
	failed = alloc_failed();
	snapshot(f, after);
	EXPECT(!err || (failed && err == -ENOMEM));
	if (err && (memcmp(before, after, sizeof(before)) ||
		    f->pool->nr_clients != clients))
		TAP_FAIL("%s, allocation %ld: something happened", s->name, n);
	CHECK(f);
	return failed;
}

static const struct sweep *sweep_now;
static long sweep_n;
static bool sweep_again;

static void sweep_body(struct fixture *f)
{
	sweep_again = sweep_step(f, sweep_now, sweep_n);
}

static void sweep_calls(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sweeps); i++) {
		sweep_now = &sweeps[i];
		for (sweep_n = 1, sweep_again = true; sweep_again; sweep_n++)
			in_pool(&(struct maru_pool_params){ .bytes = 256 * MIB },
				sweep_body);
		if (sweep_n - 2 < sweeps[i].least)
			TAP_FAIL("%s: %ld allocations, expected %ld",
				 sweeps[i].name, sweep_n - 2, sweeps[i].least);
	}
}

static void sweep_create(void)
{
	struct maru_l1_pool_status status;
	struct maru_pool_params params = {
		.bytes = 64 * MIB, .node = 1, .incarnation = 1, .status = &status,
	};
	struct maru_pool *pool = NULL;
	int err = -ENOMEM;
	long n;

	for (n = 1; err; n++) {
		alloc_fail(n, false);
		err = maru_pool_create(&params, &pool);
		EXPECT(alloc_failed() == !!err);
		EXPECT(!err || err == -ENOMEM);
		EXPECT(!err == !!pool);
		ASSERT(n < 20);
	}
	EXPECT(n > 4);
	maru_pool_destroy(pool);
}

/* What ends something works also when there is no memory at all. */
CASE(no_memory_to_end)
{
	union maru_call_arg purge = { 0 }, stats = { 0 }, evict = { .evict = { .count = 1 } },
			    clear = { .clear = { .flags = MARU_L1_CLEAR_FORCE } };
	u64 id = publish(A, "k");

	publish(A, "l");
	hold(A, "k", 2);
	hold(B, "k", 1);
	make_private(A, "p", 0);
	stage(A, "s");
	stage(A, "t");
	make_private(B, "p", 1);
	stage(B, "s");
	alloc_fail(1, true);
	EXPECT_STATUS(release(A, "", id, 1).status, OK);
	EXPECT_STATUS(renew(A, "", id), OK);
	EXPECT_STATUS(touch(A, "k"), OK);
	EXPECT_STATUS(query(A, "k").status, OK);
	EXPECT_STATUS(peek(A, "k").status, OK);
	EXPECT_EQ(usage(A).my_holds, 1);
	EXPECT_EQ(call_single(A, MARU_L1_STATS, &stats, NULL, NULL), 0);
	EXPECT_STATUS(abort_key(A, "s", 0), OK);
	EXPECT_STATUS(commit(A, "t", 0, 0).status, OK);
	EXPECT_STATUS(delete(A, "t", 0), OK);
	EXPECT_EQ(call_single(A, MARU_L1_CLEAR, &clear, NULL, NULL), 0);
	EXPECT_EQ(call_single(A, MARU_L1_EVICT, &evict, NULL, NULL), 0);
	EXPECT_EQ(call_single(A, MARU_L1_PURGE, &purge, NULL, NULL), 0);
	user_close(B, false);
	EXPECT(!alloc_failed());
}

CASES(memory_cases,
	{ "enomem-calls", "each allocation of each call fails: nothing happened", sweep_calls },
	{ "enomem-create", "each allocation of a new pool fails", sweep_create },
	{ "enomem-end", "what gives back needs no memory", no_memory_to_end });
