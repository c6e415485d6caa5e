// SPDX-License-Identifier: GPL-2.0-only
/* Row S4: churn of mixed sizes must not strangle the pool. */
#include "one.h"
#include "tables.h"

/* What is stored of each kind in a step: small ones come in numbers. */
static const struct kind {
	uint64_t bytes;
	unsigned int pages;
} kinds[] = {
	{ 4096, 100 }, { 200000, 10 }, { 1048576, 2 }, { 10485760, 1 },
	{ 17989632, 1 }, { 37748736, 1 },
};

#define LARGEST		37748736ULL
#define LAST		(ARRAY_SIZE(kinds) - 1)
#define STEP_BYTES	11800000	/* of a step on average */

struct churn {
	struct fix *f;
	uint32_t ids[ARRAY_SIZE(kinds)];
	uint64_t random, next;
	struct key k;
	char text[32];
};

static struct key next_key(struct churn *c)
{
	c->k.bytes = c->text;
	c->k.len = snprintf(c->text, sizeof(c->text), "s4.%" PRIu64, c->next++);
	return c->k;
}

/*
 * Reserves one page, evicting for it as a cache server does: what it needs, and
 * again when that was not enough. Return: the bytes that it evicted.
 */
static uint64_t make_room(struct churn *c, struct key k, size_t kind)
{
	uint64_t evicted = 0;

	for (;;) {
		struct maru_l1_evict e = { .bytes = kinds[kind].bytes };
		answer_t a = reserve1(c->f->a, c->ids[kind], k, kinds[kind].bytes, 0,
				      NULL);

		if (a == ANSWER(MARU_L1_OK, 0))
			return evicted;
		if (!IS(a, NO_SPACE))
			return UINT64_MAX;
		if (marul1_evict(c->f->a, &e) || !e.evicted) {
			TAP_FAIL("nothing left to evict for %" PRIu64 " bytes",
				 kinds[kind].bytes);
			return UINT64_MAX;
		}
		evicted += e.evicted_bytes;
	}
}

static void step(struct churn *c)
{
	uint64_t r = random_next(&c->random);
	size_t kind = r % ARRAY_SIZE(kinds);
	struct key k = next_key(c);

	for (unsigned int n = 0; n < kinds[kind].pages; n++) {
		if (make_room(c, k, kind) == UINT64_MAX)
			return;
		IS(commit1(c->f->a, k, 0, 0, 1, NULL), OK);
		k = next_key(c);
	}
	/* Some leave out of turn, so that holes appear everywhere. */
	if (c->next > 300) {
		struct key old = { c->text, 0 };

		old.len = snprintf(c->text, sizeof(c->text), "s4.%" PRIu64,
				   c->next - 1 - (r >> 32) % 300);
		delete1(c->f->a, old, NULL);
	}
}

static void begin(struct churn *c, struct fix *f)
{
	*c = (struct churn){ .f = f, .random = seed(), .next = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		c->ids[i] = layout(f->a, kinds[i].bytes);
}

/* How many of the largest pages an idle pool has room for. */
static size_t count_largest(struct churn *c, const struct key *k, size_t most)
{
	size_t n = 0;

	while (n < most && reserve1(c->f->a, c->ids[LAST], k[n], LARGEST, 0,
				    NULL) == ANSWER(MARU_L1_OK, 0))
		n++;
	for (size_t i = 0; i < n; i++)
		IS(abort1(c->f->a, k[i], 0), OK);
	return n;
}

/* Return: the most that was evicted for one of the largest pages. */
static uint64_t churn(struct churn *c, unsigned int steps)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < steps && !tap_now.failures; i++) {
		uint64_t evicted;

		step(c);
		if (i % 50 == 49) {
			evicted = make_room(c, next_key(c), LAST);
			if (evicted > most)
				most = evicted;
			IS(abort1(c->f->a, c->k, 0), OK);
		}
		if (i % 500 == 499)
			CHECK(c->f);
	}
	return most;
}

/*
 * With everything evictable, least recently used first, one of the largest
 * pages must be had for a few times its size, however large the pool is and
 * however cut up.
 */
CASE(s4_churn)
{
	/* The pool is filled four times over. */
	unsigned int steps = 4 * (f->info.capacity / STEP_BYTES + 1);
	size_t room = f->info.capacity / LARGEST + 1, before;
	struct key *k = keys(f, room, "s4.largest");
	struct maru_l1_purge purge;
	struct churn c;
	uint64_t most;

	begin(&c, f);
	before = count_largest(&c, k, room);
	most = churn(&c, steps > 600 ? steps : 600);
	printf("# at most %" PRIu64 " MiB were evicted for a page of %llu MiB\n",
	       most >> 20, LARGEST >> 20);
	EXPECT(most >= LARGEST);
	EXPECT(most <= 12 * LARGEST);
	/* Emptied, it has as much room as it ever had. */
	EXPECT_EQ(marul1_purge(f->a, &purge), 0);
	EXPECT_EQ(count_largest(&c, k, room), before);
}

CASES(churn_cases,
	{ "S4", "a large page can always be had for a few times its size",
	  s4_churn },
);
