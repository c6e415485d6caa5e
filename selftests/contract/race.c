// SPDX-License-Identifier: GPL-2.0-only
/*
 * Invariants 2 and 3, row A5: eight threads on the same keys. Each object says
 * in its bytes whose it is; a reader that was told that its read was valid must
 * have read one whole object, the one that it asked for.
 */
#include <pthread.h>
#include "race.h"
#include "tables.h"

static void *run(void *arg)
{
	struct racer *r = arg;

	for (unsigned int i = 0; i < r->race->rounds; i++)
		racer_step(r);
	return NULL;
}

static void run_all(struct race *race)
{
	struct racer *r = ALLOC(race->f, RACERS, struct racer);
	pthread_t thread[RACERS];

	for (unsigned int i = 0; i < RACERS; i++) {
		r[i].race = race;
		r[i].number = i;
		r[i].random = race->seed + i;
		ASSERT(!racer_open(&r[i]));
	}
	for (unsigned int i = 0; i < RACERS; i++)
		ASSERT(!pthread_create(&thread[i], NULL, run, &r[i]));
	for (unsigned int i = 0; i < RACERS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int i = 0; i < RACERS; i++) {
		struct maru_l1_usage u = usage(r[i].patient);

		EXPECT_EQ(u.my_staged + u.my_holds + u.my_unacked, 0);
		u = usage(r[i].hasty);
		EXPECT_EQ(u.my_staged + u.my_holds + u.my_unacked, 0);
		racer_close(&r[i]);
	}
}

static struct race *race_of(struct fix *f, unsigned int nr_keys,
			    unsigned int rounds)
{
	struct race *race = ALLOC(f, 1, struct race);

	race->f = f;
	race->keys = keys(f, nr_keys, "race");
	race->nr_keys = nr_keys;
	race->rounds = rounds;
	race->last_key = ALLOC(f, f->info.capacity / PAGE, uint32_t);
	race->seed = seed();
	return race;
}

static void floor_of(const char *what, uint64_t n, uint64_t least)
{
	least = least ? least : 1;
	printf("# %s: %" PRIu64 ", needed %" PRIu64 "\n", what, n, least);
	if (n < least)
		TAP_FAIL("%s happened %" PRIu64 " times: the race shows nothing",
			 what, n);
}

/* Floors per thousand rounds of one racer, far below what is usual. */
static void judge(const struct race *race, bool full)
{
	const struct race_counts *n = &race->n;
	uint64_t k = (uint64_t)race->rounds * RACERS / 1000;

	EXPECT_EQ(n->wrong, 0);
	floor_of("stored", n->stored, 20 * k);
	floor_of("valid reads verified", n->verified, 50 * k);
	floor_of("reuse of an extent by another key", n->reused, 10 * k);
	floor_of("expired write", n->expired_writes, 2 * k);
	floor_of("expired read", n->expired_reads, 2 * k);
	floor_of("client closed in the middle", n->reopened, k / 40);
	if (full) {
		floor_of("NO_SPACE", n->no_space, 2 * k);
		floor_of("evicted", n->evicted, 20 * k);
		return;
	}
	floor_of("LOST_RACE", n->lost_race, k);
	floor_of("LOCKED", n->locked, 5 * k);
	floor_of("deleted", n->deleted, 20 * k);
}

/* Few keys: every one is fought for. */
CASE(a5_same_keys)
{
	struct race *race = race_of(f, 12, scaled(20000, 1500));

	run_all(race);
	judge(race, false);
}

/* A full pool: what is written lies where something was just evicted. */
CASE_SMALL(i2_full_pool)
{
	struct race *race = race_of(f, f->info.max_objects * 2,
				    scaled(20000, 1500));

	run_all(race);
	judge(race, true);
}

CASES(race_cases,
	{ "A5", "eight threads on the same keys", a5_same_keys },
	{ "I2", "reads against eviction and rewriting of their extents",
	  i2_full_pool },
);
