// SPDX-License-Identifier: GPL-2.0-only
/* Segments, what rounding costs, and memory given up. */

#include "space.h"

/* 8 segments; a page of half a segment each: owned as used, given back. */
CASE(segment_owned, .bytes = 64 * MIB, .segment_bytes = 8 * MIB)
{
	struct maru_page_layout *l = layout_make(f, 4 * MIB, 0);
	struct maru_object *o[16];
	u32 i;

	EXPECT_EQ(owned_segments(f->pool), 0);
	for (i = 0; i < 16; i++) {
		o[i] = extent_new(f, l);
		EXPECT_EQ(owned_segments(f->pool), i / 2 + 1);
	}
	CHECK(f);
	for (i = 0; i < 16; i++) {
		extent_end(f, o[i]);
		/* The first empty one is kept for the next claim. */
		EXPECT_EQ(owned_segments(f->pool), min(8 - (i + 1) / 2 + 1, 8U));
		EXPECT_EQ(f->pool->empty_segments, i ? 1 : 0);
	}
	CHECK(f);
	/* It is used before any other: still one. */
	o[0] = extent_new(f, l);
	EXPECT(owned_segments(f->pool) <= 2);
	extent_end(f, o[0]);
	expect_empty(f);
}

/* A page larger than a segment lies across neighbours; the last is shorter. */
CASE(segment_across, .bytes = 22 * MIB, .segment_bytes = 8 * MIB)
{
	struct maru_page_layout *l = layout_make(f, 20 * MIB, 0);
	struct maru_object *object = extent_new(f, l);

	EXPECT_EQ(f->pool->nr_segments, 3);
	EXPECT_EQ(owned_segments(f->pool), 3);
	EXPECT_EQ(f->pool->segments[2].used, 2);
	CHECK(f);
	extent_end(f, object);
	expect_empty(f);
}

/* What a run of @bytes pages loses, in 1/1000 of a percent. */
static u64 run_loss(struct fixture *f, u64 bytes)
{
	struct maru_page_layout *l = layout_make(f, bytes, 0);
	u64 run = (u64)l->run_blocks << MARU_BLOCK_SHIFT;

	return run % l->stride * 100000 / run;
}

/* The limits of the design: 3 % from 16 MiB on, 6 % from 1 MiB on. */
CASE(rounding_of_runs, .bytes = 64ULL << 30)
{
	u64 seed = 17;
	u32 i;

	EXPECT(run_loss(f, 17989632) <= 3000);
	EXPECT_EQ(run_loss(f, 37748736), 0);
	/* Just over the limit with one page in 9 blocks: it must not settle there. */
	EXPECT(run_loss(f, 18306240) <= 3000);
	for (i = 0; i < 400; i++) {
		EXPECT(run_loss(f, 16 * MIB + random_next(&seed) % (64 * MIB)) <= 3000);
		EXPECT(run_loss(f, MIB + random_next(&seed) % (15 * MIB)) <= 6000);
	}
}

/* The same from outside: a full pool has lost no more to rounding. */
CASE(rounding_of_pool, .bytes = 16ULL << 30)
{
	static const struct {
		u64 bytes, percent;
	} pages[] = { { 17989632, 3 }, { 37748736, 3 }, { 10485760, 6 },
		      { MIB + 64, 6 }, { 3 * MIB + 4096, 6 } };
	struct maru_object **o = calloc(20000, sizeof(*o));
	struct maru_l1_usage now;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		struct maru_page_layout *l = layout_make(f, pages[i].bytes, 0);

		for (n = 0; n < 20000 && (o[n] = extent_new(f, l)); n++)
			;
		now = usage(A);
		EXPECT_EQ(now.used, n * l->stride);
		/* Blocks too few for one more page count as lost, too. */
		EXPECT(now.available < l->stride);
		EXPECT((now.total - now.used) * 100 <=
		       now.total * pages[i].percent);
		while (n)
			extent_end(f, o[--n]);
		expect_empty(f);
	}
	free(o);
}

static u64 report_bad(struct user *u, u64 offset, u64 *id)
{
	union maru_call_arg arg = { .report_bad = { .offset = offset } };

	EXPECT_EQ(call_single(u, MARU_L1_REPORT_BAD, &arg, NULL, NULL), 0);
	*id = arg.report_bad.id;
	return arg.report_bad.retired;
}

/* Takes all pages there are of @l; whether one of them holds @offset. */
static bool handed_out(struct fixture *f, struct maru_page_layout *l, u64 offset)
{
	struct maru_object **o = calloc(32768, sizeof(*o));
	bool found = false;
	u32 n = 0;

	while ((o[n] = extent_new(f, l))) {
		found |= offset - o[n]->offset < l->stride;
		n++;
	}
	CHECK(f);
	while (n)
		extent_end(f, o[--n]);
	free(o);
	return found;
}

/* M1: memory given up is never handed out again, wherever it was. */
CASE(retire_free, .bytes = 8 * MIB)
{
	struct maru_page_layout *l = layout_make(f, PAGE, 0);
	u64 id, block = 2 * MIB + 5, page;

	EXPECT_EQ(report_bad(A, block, &id), MARU_BLOCK_SIZE);
	EXPECT_EQ(id, 0);
	EXPECT_EQ(report_bad(A, block, &id), 0);
	EXPECT(!handed_out(f, l, block));
	publish(A, "keeps the run");
	/* A page never used, with others never used before it. */
	page = 8 * MIB - PAGE - 1;
	EXPECT(handed_out(f, l, page));
	EXPECT_EQ(report_bad(A, page, &id), PAGE);
	EXPECT_EQ(report_bad(A, page, &id), 0);
	CHECK(f);
	EXPECT(!handed_out(f, l, page));
	EXPECT_EQ(usage(A).retired, MARU_BLOCK_SIZE + PAGE);
	EXPECT_STATUS(delete(A, "keeps the run", 0), OK);
}

/* Freed pages are chained: one in the middle, then the first. */
CASE(retire_chained, .bytes = 2 * MIB)
{
	struct maru_page_layout *l = layout_make(f, PAGE, 0);
	struct maru_object *o[5];
	u64 id, middle, first;
	u32 i;

	for (i = 0; i < 5; i++)
		o[i] = extent_new(f, l);
	middle = o[2]->offset;
	first = o[3]->offset;
	for (i = 1; i < 4; i++)
		extent_end(f, o[i]);
	EXPECT_EQ(report_bad(A, middle, &id), PAGE);
	EXPECT_EQ(report_bad(A, first, &id), PAGE);
	CHECK(f);
	EXPECT(!handed_out(f, l, middle));
	EXPECT(!handed_out(f, l, first));
	EXPECT_EQ(l->stride * 509, maru_pool_available(f->pool) + PAGE);
	extent_end(f, o[0]);
	extent_end(f, o[4]);
}

/* The last free page of a run goes: the run has none any more. */
CASE(retire_last, .bytes = 2 * MIB)
{
	struct maru_page_layout *l = layout_make(f, MIB, 0);
	struct maru_object *object = extent_new(f, l);
	u64 id;

	EXPECT_EQ(report_bad(A, MIB, &id), MIB);
	EXPECT(!extent_new(f, l));
	extent_end(f, object);
	EXPECT_EQ(report_bad(A, 0, &id), MIB);
	EXPECT(!extent_new(f, l));
}

/* Objects in each state: retired when their extent is put, and not before. */
CASE(retire_used, .bytes = 2 * MIB)
{
	struct maru_page_layout *l = layout_make(f, PAGE, 0);
	struct maru_l1_release r;
	u64 id, published, held, private_held, staged;

	published = publish(A, "published");
	held = publish(A, "held");
	hold(B, "held", 2);
	private_held = make_private(A, "private", 1);
	staged = stage(A, "staged");
	for (u64 offset = 0; offset < 4 * PAGE; offset += PAGE)
		EXPECT_EQ(report_bad(B, offset, &id), PAGE);
	EXPECT_STATUS(reserve_read(A, "published", 1).status, NOT_FOUND);
	EXPECT_STATUS(release(A, "", published, 1).status, NOT_HELD);
	r = release(B, "", held, 2);
	EXPECT_STATUS(r.status, STALE);
	EXPECT_EQ(r.released, 0);
	EXPECT_STATUS(release(A, "", private_held, 1).status, STALE);
	EXPECT_STATUS(commit(A, "staged", 0, 0).status, NOT_FOUND);
	EXPECT_EQ(usage(A).quarantined, PAGE);
	EXPECT_EQ(usage(A).retired, 3 * PAGE);
	EXPECT_STATUS(abort_id(A, staged), OK);
	EXPECT_EQ(usage(A).retired, 4 * PAGE);
	CHECK(f);
	EXPECT(!handed_out(f, l, 3 * PAGE));
}

CASES(segment_cases,
	{ "segment-owned", "a segment is owned while used, and one ahead", segment_owned },
	{ "segment-across", "a page may lie across segments, the last one shorter", segment_across },
	{ "rounding-run", "a run loses at most 3 % or 6 %", rounding_of_runs },
	{ "rounding-pool", "a full pool has lost at most 3 % or 6 %", rounding_of_pool },
	{ "M1-free", "free memory that was given up is never handed out", retire_free },
	{ "M1-chained", "freed pages are given up wherever they are chained", retire_chained },
	{ "M1-last", "a run whose free pages were all given up has none", retire_last },
	{ "M1-used", "what lay in bad memory is gone in each state, its holds STALE", retire_used });
