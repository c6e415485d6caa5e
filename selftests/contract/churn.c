// SPDX-License-Identifier: GPL-2.0-only
/* Row S4: churn of mixed sizes must not strangle the pool. */
#include "one.h"
#include "tables.h"

static const uint64_t sizes[] = {
	4096, 200000, 1048576, 10485760, 17989632, 37748736,
};

#define LARGEST	37748736ULL

struct churn {
	struct fix *f;
	uint32_t ids[ARRAY_SIZE(sizes)];
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
		struct maru_l1_evict e = { .bytes = sizes[kind] };
		answer_t a = reserve1(c->f->a, c->ids[kind], k, sizes[kind], 0,
				      NULL);

		if (a == ANSWER(MARU_L1_OK, 0))
			return evicted;
		if (!IS_SAME(a, NO_SPACE))
			return UINT64_MAX;
		if (marul1_evict(c->f->a, &e) || !e.evicted) {
			TAP_FAIL("nothing left to evict for %" PRIu64 " bytes",
				 sizes[kind]);
			return UINT64_MAX;
		}
		evicted += e.evicted_bytes;
	}
}

static void step(struct churn *c)
{
	uint64_t r = random_next(&c->random);
	size_t kind = r % ARRAY_SIZE(sizes);
	struct key k = next_key(c);

	/* By bytes each size gets about the same share. */
	for (uint64_t n = 0; n < LARGEST / sizes[kind] / 64 + 1 && n < 40; n++) {
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
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		c->ids[i] = layout(f->a, sizes[i]);
}

static size_t fill_with_largest(struct churn *c)
{
	size_t n = 0, last = ARRAY_SIZE(sizes) - 1;

	while (reserve1(c->f->a, c->ids[last], next_key(c), LARGEST, 0, NULL) ==
	       ANSWER(MARU_L1_OK, 0))
		n++;
	EXPECT_EQ(marul1_clear(c->f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
	return n;
}

CASE(s4_churn)
{
	unsigned int steps = scaled(6000, 600), looks = 0;
	size_t last = ARRAY_SIZE(sizes) - 1;
	uint64_t most = 0;
	struct churn c;

	begin(&c, f);
	for (unsigned int i = 0; i < steps && !tap_now.failures; i++) {
		uint64_t evicted;

		step(&c);
		if (i % 50 != 49)
			continue;
		/* Everything can be evicted: a large page must be had for less. */
		evicted = make_room(&c, next_key(&c), last);
		if (evicted > most)
			most = evicted;
		looks++;
		IS(abort1(f->a, c.k, 0), OK);
		if (i % 500 == 499)
			CHECK(f);
	}
	printf("# s4: %u looks, at most %" PRIu64 " MiB of %" PRIu64 " evicted for one page\n",
	       looks, most >> 20, (uint64_t)f->info.capacity >> 20);
	EXPECT(most <= f->info.capacity / 4);
}

CASES(churn_cases,
	{ "S4", "a large page can always be had for a part of the pool",
	  s4_churn },
);
