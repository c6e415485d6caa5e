// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows A4 … A6: calls of several threads against each other. What they do to
 * the bytes of objects is in race.c.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include "one.h"
#include "tables.h"

enum { N = 64 };

/* Two threads that do the same to the same keys at the same moment. */
struct twin {
	struct fix *f;
	struct marul1_client *c;
	pthread_barrier_t *start, *end;
	unsigned int rounds;
	struct key *k;
	struct marul1_reserve w[N];
	struct marul1_commit commit[N];
	struct marul1_delete delete[N];
	struct marul1_abort abort[N];
	int err;
};

static struct twin *make_twins(struct fix *f, unsigned int rounds,
			       const char *stem)
{
	struct twin *t = ALLOC(f, 2, struct twin);
	pthread_barrier_t *b = ALLOC(f, 2, pthread_barrier_t);
	struct key *k = keys(f, N, stem);

	for (size_t i = 0; i < 2; i++) {
		pthread_barrier_init(&b[i], NULL, 2);
		t[i].f = f;
		t[i].c = i ? f->b : f->a;
		t[i].rounds = rounds;
		t[i].k = k;
		t[i].start = &b[0];
		t[i].end = &b[1];
	}
	return t;
}

static void name_items(struct twin *t)
{
	for (size_t i = 0; i < N; i++) {
		t->w[i] = (struct marul1_reserve){ .key = t->k[i].bytes,
			.key_len = t->k[i].len, .length = PAGE };
		t->commit[i] = (struct marul1_commit){ .key = t->k[i].bytes,
			.key_len = t->k[i].len };
		t->delete[i] = (struct marul1_delete){ .key = t->k[i].bytes,
			.key_len = t->k[i].len };
		t->abort[i] = (struct marul1_abort){ .key = t->k[i].bytes,
			.key_len = t->k[i].len };
	}
}

static void run_twins(struct twin *t, void *(*body)(void *),
		      void (*look)(struct twin *both))
{
	for (unsigned int r = 0; r < t[0].rounds; r++) {
		pthread_t thread;

		name_items(&t[0]);
		name_items(&t[1]);
		ASSERT(!pthread_create(&thread, NULL, body, &t[1]));
		body(&t[0]);
		pthread_join(thread, NULL);
		EXPECT_EQ(t[0].err, 0);
		EXPECT_EQ(t[1].err, 0);
		look(t);
	}
	pthread_barrier_destroy(t[0].start);
	pthread_barrier_destroy(t[0].end);
}

static void *stage_and_commit(void *arg)
{
	struct twin *t = arg;

	t->err = marul1_reserve_write(t->c, t->f->page, t->w, N);
	pthread_barrier_wait(t->start);
	if (!t->err)
		t->err = marul1_commit(t->c, t->commit, N);
	return NULL;
}

/* One of them was first, and then it was first for all keys. */
static void one_won(struct twin *both)
{
	size_t won[2] = { 0, 0 };

	for (size_t j = 0; j < 2; j++)
		for (size_t i = 0; i < N; i++) {
			EXPECT_EQ(both[j].commit[i].status, MARU_L1_OK);
			won[j] += both[j].commit[i].result != LOST_RACE;
		}
	EXPECT(won[0] == 0 || won[0] == N);
	EXPECT_EQ(won[0] + won[1], N);
	EXPECT_EQ(marul1_delete(both[0].c, 0, both[0].delete, N), 0);
	ACCOUNTS(both[0].f);
}

CASE(a4_commit_is_one_step)
{
	run_twins(make_twins(f, scaled(300, 40), "a4c"), stage_and_commit,
		  one_won);
}

static void *reserve_and_abort(void *arg)
{
	struct twin *t = arg;

	pthread_barrier_wait(t->start);
	t->err = marul1_reserve_write(t->f->a, t->f->page, t->w, N);
	pthread_barrier_wait(t->end);
	if (!t->err)
		t->err = marul1_abort(t->f->a, t->abort, N);
	return NULL;
}

/* Both reserve and both abort on the same client: one gets all, the other none. */
static void one_reserved(struct twin *both)
{
	size_t got[2] = { 0, 0 }, aborted[2] = { 0, 0 };

	for (size_t j = 0; j < 2; j++)
		for (size_t i = 0; i < N; i++) {
			got[j] += both[j].w[i].status == MARU_L1_OK;
			aborted[j] += both[j].abort[i].status == MARU_L1_OK;
		}
	EXPECT(got[0] == 0 || got[0] == N);
	EXPECT_EQ(got[0] + got[1], N);
	EXPECT(aborted[0] == 0 || aborted[0] == N);
	EXPECT_EQ(aborted[0] + aborted[1], N);
	ACCOUNTS(both[0].f);
}

CASE(a4_reserve_and_abort_are_one_step)
{
	run_twins(make_twins(f, scaled(300, 40), "a4r"), reserve_and_abort,
		  one_reserved);
}

static void *delete_all(void *arg)
{
	struct twin *t = arg;

	pthread_barrier_wait(t->start);
	t->err = marul1_delete(t->c, 0, t->delete, N);
	return NULL;
}

static void publish_keys(struct twin *t)
{
	int err = marul1_reserve_write(t->c, t->f->page, t->w, N);

	EXPECT_EQ(err, 0);
	EXPECT_EQ(marul1_commit(t->c, t->commit, N), 0);
}

static void one_deleted(struct twin *both)
{
	size_t got[2] = { 0, 0 };

	for (size_t j = 0; j < 2; j++)
		for (size_t i = 0; i < N; i++) {
			uint32_t s = both[j].delete[i].status;

			EXPECT(s == MARU_L1_OK || s == MARU_L1_NOT_FOUND);
			got[j] += s == MARU_L1_OK;
		}
	EXPECT(got[0] == 0 || got[0] == N);
	EXPECT_EQ(got[0] + got[1], N);
	ACCOUNTS(both[0].f);
	name_items(&both[0]);
	publish_keys(&both[0]);
}

CASE(a4_delete_closes_in_one_step)
{
	struct twin *t = make_twins(f, scaled(300, 40), "a4d");

	name_items(&t[0]);
	publish_keys(&t[0]);
	run_twins(t, delete_all, one_deleted);
}

/* One client, many threads: nothing is lost between them. */
struct sharer {
	struct fix *f;
	struct key k;
	unsigned int rounds;
};

static void *share(void *arg)
{
	struct sharer *s = arg;
	uint32_t released;

	for (unsigned int i = 0; i < s->rounds; i++) {
		struct marul1_read r;

		IS(read1(s->f->a, s->k, 3, &r), OK);
		IS(peek1(s->f->a, s->k, NULL), OK);
		IS(release_id(s->f->a, r.id, 2, &released), OK);
		EXPECT_EQ(released, 2);
		IS(reserve1(s->f->a, s->f->page, s->k, PAGE, 0, NULL),
		   NOT_WRITABLE);
		IS(release_id(s->f->a, r.id, 1, &released), OK);
		EXPECT_EQ(released, 1);
	}
	return NULL;
}

CASE(a5_one_client_many_threads)
{
	enum { THREADS = 8 };
	pthread_t thread[THREADS];
	struct sharer s = { f, K("a5"), scaled(2000, 200) };

	publish(f, f->b, s.k);
	for (size_t i = 0; i < THREADS; i++)
		ASSERT(!pthread_create(&thread[i], NULL, share, &s));
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	MINE(f->a);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->b, s.k, NULL), OK);
}

static unsigned long signals;

static void on_alarm(int number)
{
	__atomic_add_fetch(&signals, 1, __ATOMIC_RELAXED);
}

/* All calls, again and again, while signals without SA_RESTART rain down. */
static void calls_under_signals(struct fix *f)
{
	struct maru_l1_event *e = block(f, 1, 4096);
	uint64_t end = now_ms() + 1000;

	while (now_ms() < end) {
		uint64_t id = publish_held(f, f->a, K("a6"), 2);

		EXPECT_EQ(marul1_read_events(f->b, e, 4096, 1), 0);
		IS(read1(f->b, K("a6"), 1, NULL), OK);
		IS(delete1(f->a, K("a6"), NULL), LOCKED);
		IS(release_id(f->a, id, 2, NULL), OK);
		IS(release_id(f->b, id, 1, NULL), OK);
		stage(f, f->a, K("a6.x"));
		IS(abort1(f->a, K("a6.x"), 0), OK);
		CHECK(f);
		IS(delete1(f->a, K("a6"), NULL), OK);
	}
}

CASE(a6_no_eintr)
{
	struct sigaction action = { .sa_handler = on_alarm }, old;
	struct itimerval rain = { { 0, 500 }, { 0, 500 } }, none = { 0 };
	unsigned long before = signals;

	EXPECT_EQ(marul1_subscribe(f->b, MARU_L1_EV_MASK(MARU_L1_EV_FENCED),
				   MARU_L1_EVENTS_MIN, 0), 0);
	ASSERT(!sigaction(SIGALRM, &action, &old));
	ASSERT(!setitimer(ITIMER_REAL, &rain, NULL));
	calls_under_signals(f);
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &old, NULL);
	EXPECT(signals - before > 100);
}

CASES(together_cases,
	{ "A4", "no other writing call comes between the items of a commit",
	  a4_commit_is_one_step },
	{ "A4", "nor of a reserve_write or an abort",
	  a4_reserve_and_abort_are_one_step },
	{ "A4", "delete closes its items in one step",
	  a4_delete_closes_in_one_step },
	{ "A5", "one client, many threads", a5_one_client_many_threads },
	{ "A6", "no call answers EINTR", a6_no_eintr },
);
