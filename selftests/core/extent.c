// SPDX-License-Identifier: GPL-2.0-only
/*
 * The local allocator against a map of the pool in units of 32 bytes: no two
 * extents share one, each is aligned and inside of the pool (invariant 1).
 */

#include "space.h"

#define UNIT		32
#define LIVE_MAX	3000

struct shadow {
	struct fixture *f;
	u8 *map;			/* 1: in use, by UNIT */
	struct maru_object *live[LIVE_MAX];
	u32 n;
	u64 seed;
	u32 refused;
};

static u32 units(const struct maru_object *object)
{
	return DIV_ROUND_UP(object->run->layout->stride, UNIT);
}

static void shadow_add(struct shadow *s, struct maru_object *object)
{
	const struct maru_page_layout *l = object->run->layout;
	u8 *at = s->map + object->offset / UNIT;

	EXPECT_EQ(object->offset % UNIT, 0);
	EXPECT_EQ(object->offset % max(l->alignment, 1U), 0);
	ASSERT(object->offset + l->stride <= s->f->pool->params.bytes);
	EXPECT(l->stride >= l->bytes);
	EXPECT(!memchr(at, 1, units(object)));
	memset(at, 1, units(object));
	s->live[s->n++] = object;
}

static void shadow_remove(struct shadow *s)
{
	u32 i = random_next(&s->seed) % s->n;
	struct maru_object *object = s->live[i];

	s->live[i] = s->live[--s->n];
	memset(s->map + object->offset / UNIT, 0, units(object));
	extent_end(s->f, object);
}

/* Refused means that there is no free page and no room for a run of one. */
static void shadow_refused(struct shadow *s, const struct maru_page_layout *l)
{
	u32 need = DIV_ROUND_UP(l->stride, MARU_BLOCK_SIZE);
	const struct maru_pool *pool = s->f->pool;
	u32 i, length = 0, longest = 0;

	for (i = 0; i < pool->nr_blocks; i++) {
		length = test_bit(i, pool->blocks) ? 0 : length + 1;
		longest = max(longest, length);
	}
	EXPECT(longest < need);
	EXPECT(list_empty(&l->partial));
	s->refused++;
}

static const struct {
	u64 bytes;
	u32 alignment;
} mixed[] = {
	{ 32, 0 }, { 100, 0 }, { 4096, 0 }, { 5000, 4096 }, { 65537, 65536 },
	{ MIB, 0 }, { MIB + 64, 0 }, { 3 * MIB / 2, 2 * MIB }, { 17989632, 0 },
	{ 37748736, 0 },
};

CASE(extent_random, .bytes = 256 * MIB, .segment_bytes = 16 * MIB)
{
	struct maru_page_layout *layouts[ARRAY_SIZE(mixed)];
	struct shadow s = { .f = f, .seed = 41,
			    .map = calloc(256 * MIB / UNIT, 1) };
	struct maru_object *object;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(mixed); i++)
		layouts[i] = layout_make(f, mixed[i].bytes, mixed[i].alignment);
	for (i = 0; i < 20000; i++) {
		struct maru_page_layout *l;

		l = layouts[random_next(&s.seed) % ARRAY_SIZE(mixed)];
		/* Waves, so that it is at times full and at times nearly empty. */
		if (s.n && (s.n == LIVE_MAX ||
			    random_next(&s.seed) % 100 < (i / 1000 % 2 ? 55 : 40))) {
			shadow_remove(&s);
			continue;
		}
		object = extent_new(f, l);
		if (object)
			shadow_add(&s, object);
		else
			shadow_refused(&s, l);
		if (i % 1000 == 0)
			CHECK(f);
	}
	EXPECT(s.refused > 100);
	CHECK(f);
	while (s.n)
		shadow_remove(&s);
	expect_empty(f);
	free(s.map);
}

/* Freed pages are used again before a new run is made. */
CASE(extent_reuse)
{
	struct maru_page_layout *l = layout_make(f, PAGE, 0);
	struct maru_object *a = extent_new(f, l), *b = extent_new(f, l), *c;
	u64 offset = b->offset;

	extent_end(f, b);
	c = extent_new(f, l);
	EXPECT_EQ(c->offset, offset);
	EXPECT(c->run == a->run);
	extent_end(f, a);
	extent_end(f, c);
	expect_empty(f);
}

/* Space freed by one layout serves another, whatever their sizes. */
CASE(extent_serves_another)
{
	struct maru_page_layout *small = layout_make(f, MIB, 0);
	struct maru_page_layout *large = layout_make(f, 17989632, 0);
	struct maru_object *o[64];
	u32 i, round;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < 64; i++)
			o[i] = extent_new(f, small);
		EXPECT(o[63]);
		EXPECT(!extent_new(f, small));
		EXPECT(!extent_new(f, large));
		for (i = 0; i < 64; i++)
			extent_end(f, o[i]);
		expect_empty(f);
		for (i = 0; i < 3; i++)
			o[i] = extent_new(f, large);
		EXPECT(o[2]);
		EXPECT(!extent_new(f, large));
		for (i = 0; i < 3; i++)
			extent_end(f, o[i]);
		expect_empty(f);
	}
}

/* Small pages lie at one end and large ones at the other. */
CASE(extent_ends)
{
	struct maru_object *small = extent_new(f, layout_make(f, PAGE, 0));
	struct maru_object *large = extent_new(f, layout_make(f, 8 * MIB, 0));

	EXPECT_EQ(small->run->block, f->pool->nr_blocks - 1);
	EXPECT_EQ(large->run->block, 0);
	extent_end(f, small);
	extent_end(f, large);
}

static bool first_in(u32 i)
{
	return i % 3 == 0;
}

/*
 * A cache that lives on: mixed sizes, the oldest go when there is no room.  To
 * store a byte about a byte must go, however long it runs (nothing strangles).
 */
CASE(extent_churn, .bytes = 512 * MIB)
{
	static const u64 sizes[] = { MIB, 8 * MIB, 17989632, 3 * MIB };
	struct maru_page_layout *l[ARRAY_SIZE(sizes)];
	struct maru_object *ring[1024], *object;
	u64 seed = 5, stored = 0, evicted = 0;
	u32 i, head = 0, tail = 0;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		l[i] = layout_make(f, sizes[i], 0);
	for (i = 0; i < 20000; i++) {
		/* Phases that prefer one size, as when a model is changed. */
		u32 size = first_in(i) ? i / 2000 % 4 : random_next(&seed) % 4;

		while (!(object = extent_new(f, l[size]))) {
			ASSERT(head != tail);
			evicted += ring[head % 1024]->run->layout->stride;
			extent_end(f, ring[head++ % 1024]);
		}
		ring[tail++ % 1024] = object;
		stored += l[size]->stride;
		ASSERT(tail - head < 1024);
		if (i > 1000)
			EXPECT(f->pool->bytes[MARU_L1_A_QUARANTINE] > 256 * MIB);
	}
	EXPECT(evicted <= stored);
	CHECK(f);
	while (head != tail)
		extent_end(f, ring[head++ % 1024]);
	expect_empty(f);
}

CASES(extent_cases,
	{ "I1-extents", "random takes and puts of mixed layouts never overlap", extent_random },
	{ "extent-reuse", "a freed page is used again before a new run is made", extent_reuse },
	{ "extent-another", "space freed by one layout serves another", extent_serves_another },
	{ "extent-ends", "small pages do not cut up the space of large ones", extent_ends },
	{ "extent-churn", "churn of mixed sizes does not strangle the pool", extent_churn });
