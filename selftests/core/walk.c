// SPDX-License-Identifier: GPL-2.0-only
/* Dumps: nothing that is there all the time is missed, and views are true. */

#include "fixture.h"
#include "walk.h"

#define MANY	500

struct seen {
	u32 times[MANY];
	u32 calls;
	int answer;
};

static int note_object(const struct maru_object_view *view, void *arg)
{
	struct seen *s = arg;
	char key[16] = "";
	u32 n;

	memcpy(key, view->key, min(view->key_len, 15U));
	n = strtoul(key, NULL, 10);
	EXPECT_EQ(view->stride, PAGE);
	EXPECT_EQ(view->length, 1);
	EXPECT(n < MANY && !memcmp(view->cookie, key, view->key_len));
	s->times[n % MANY]++;
	s->calls++;
	return s->answer;
}

static void publish_n(struct fixture *f, u32 first, u32 step)
{
	char key[16];

	for (; first < MANY; first += step) {
		snprintf(key, sizeof(key), "%u", first);
		publish(A, key);
	}
}

static void delete_n(struct fixture *f, u32 first, u32 step)
{
	char key[16];

	for (; first < MANY; first += step) {
		snprintf(key, sizeof(key), "%u", first);
		EXPECT_STATUS(delete(A, key, 0), OK);
	}
}

/* Nothing changes: each object once. */
CASE(walk_quiet)
{
	struct seen s = { .answer = 0 };
	u32 i, piece = 0;

	publish_n(f, 0, 1);
	maru_walk_begin(f->pool);
	while (!maru_walk_objects(f->pool, piece, f->now, note_object, &s))
		piece++;
	EXPECT_EQ(maru_walk_objects(f->pool, piece, f->now, note_object, &s), -ENOENT);
	maru_walk_end(f->pool);
	for (i = 0; i < MANY; i++)
		EXPECT_EQ(s.times[i], 1);
	EXPECT_EQ(f->pool->directory.pinned, 0);
	/* An error of the callback ends the piece. */
	s = (struct seen){ .answer = -EMSGSIZE };
	for (piece = 0; maru_walk_objects(f->pool, piece, f->now, note_object,
					  &s) != -ENOENT; piece++)
		EXPECT(s.calls <= piece + 1);
}

/* It shrinks and grows between the pieces: what stays is seen. */
CASE(walk_churn)
{
	struct seen s = { .answer = 0 };
	u32 i, piece;

	publish_n(f, 0, 1);
	maru_walk_begin(f->pool);
	for (piece = 0; !maru_walk_objects(f->pool, piece, f->now, note_object,
					   &s); piece++) {
		if (piece == MANY / 4)
			for (i = 1; i < 10; i++)
				delete_n(f, i, 10);
		if (piece == MANY / 2)
			for (i = 1; i < 10; i++)
				publish_n(f, i, 10);
	}
	maru_walk_end(f->pool);
	for (i = 0; i < MANY; i += 10)
		EXPECT(s.times[i] >= 1);
}

/* The generation says whether the directory has changed. */
CASE(walk_generation)
{
	u64 before = maru_pool_generation(f->pool), after;

	publish(A, "k");
	after = maru_pool_generation(f->pool);
	EXPECT(after != before);
	hold(B, "k", 1);
	stage(B, "s");
	touch(A, "k");
	EXPECT_EQ(maru_pool_generation(f->pool), after);
	release(B, "k", 0, 1);
	delete(A, "k", 0);
	EXPECT(maru_pool_generation(f->pool) != after);
}

/* How an object is seen. */
static int copy_object(const struct maru_object_view *view, void *arg)
{
	*(struct maru_object_view *)arg = *view;
	return 0;
}

CASE(walk_object_view)
{
	struct maru_object_view view = { .id = 0 };
	u64 id = publish(A, "k");
	u32 piece = 0;

	hold(A, "k", 2);
	hold(B, "k", 2);
	f->now += 5 * MS;
	while (!maru_walk_objects(f->pool, piece, f->now, copy_object, &view))
		piece++;
	EXPECT_EQ(view.id, id);
	EXPECT_EQ(view.offset, peek(A, "k").offset);
	EXPECT_EQ(view.holders, 2);
	EXPECT_EQ(view.layout, f->page);
	EXPECT_EQ(view.idle, 5 * MS);
}

static int copy_hold(const struct maru_hold_view *view, void *arg)
{
	struct maru_hold_view *views = arg;

	while (views->object.id)
		views++;
	*views = *view;
	return 0;
}

/* Live holds with what is left of their lease, and lost ones. */
CASE(walk_hold_view)
{
	struct maru_hold_view views[3] = { { .count = 0 } }, *live, *lost;
	u64 id, gone;
	u32 piece = 0;

	leases(A, 100, 1000);
	gone = publish(A, "gone");
	hold(A, "gone", 3);
	pass(f, 100 * MS);
	id = publish(A, "k");
	hold(A, "k", 2);
	f->now += MS;
	while (!maru_walk_holds(A->core, piece, f->now, copy_hold, views))
		piece++;
	live = views[0].object.id == id ? &views[0] : &views[1];
	lost = views[0].object.id == id ? &views[1] : &views[0];
	EXPECT_EQ(live->count, 2);
	EXPECT_EQ(live->lost, 0);
	EXPECT_EQ(live->left, 99 * MS);
	EXPECT_EQ(live->object.stride, PAGE);
	EXPECT_EQ(lost->object.id, gone);
	EXPECT_EQ(lost->count, 0);
	EXPECT_EQ(lost->lost, 3);
	EXPECT_EQ(views[2].object.id, 0);
}

static int note_hold(const struct maru_hold_view *view, void *arg)
{
	return note_object(&view->object, arg);
}

/* Holds are given back between the pieces: those that stay are seen. */
CASE(walk_hold_churn)
{
	struct seen s = { .answer = 0 };
	char key[16];
	u32 i, piece;

	publish_n(f, 0, 1);
	for (i = 0; i < MANY; i++) {
		snprintf(key, sizeof(key), "%u", i);
		hold(B, key, 1);
	}
	maru_walk_holds_begin(B->core);
	for (piece = 0; !maru_walk_holds(B->core, piece, f->now, note_hold, &s);
	     piece++) {
		for (i = 0; piece == MANY / 4 && i < MANY; i++) {
			snprintf(key, sizeof(key), "%u", i);
			if (i % 10)
				release(B, key, 0, 1);
		}
	}
	maru_walk_holds_end(B->core);
	EXPECT_EQ(B->core->holds.pinned, 0);
	for (i = 0; i < MANY; i += 10)
		EXPECT(s.times[i] >= 1);
}

/* Layouts and segments add up to what usage says. */
CASE(walk_space, .bytes = 22 * MIB, .segment_bytes = 8 * MIB)
{
	struct maru_segment_view segment;
	struct maru_layout_view view;
	u64 free = 0, bytes = 0, used = 0;
	u32 i, owned = 0;

	publish(A, "k");
	stage(A, "s");
	reserve(A, layout(A, 3 * MIB, 0), "large", 0, 0);
	for (i = 0; !maru_walk_layout(f->pool, i, &view); i++) {
		free += view.free * view.stride;
		EXPECT(view.pages >= view.free);
	}
	EXPECT_EQ(i, f->pool->nr_layouts);
	for (i = 0; !maru_walk_segment(f->pool, i, &segment); i++) {
		EXPECT_EQ(segment.offset, bytes);
		bytes += segment.bytes;
		used += segment.used;
		owned += !!segment.owner;
	}
	EXPECT_EQ(i, 3);
	EXPECT_EQ(bytes, 22 * MIB);
	EXPECT_EQ(owned, 2);
	EXPECT_EQ(usage(A).available, free + bytes - used);
	EXPECT_EQ(maru_walk_layout(f->pool, 99, &view), -ENOENT);
	EXPECT_EQ(maru_walk_segment(f->pool, 99, &segment), -ENOENT);
}

CASES(walk_cases,
	{ "walk-quiet", "each object is seen once when nothing changes", walk_quiet },
	{ "walk-churn", "what stays is seen whatever comes and goes", walk_churn },
	{ "walk-generation", "the generation tells of each change", walk_generation },
	{ "walk-object", "an object is seen as it is", walk_object_view },
	{ "walk-hold", "holds are seen with what is left of their lease", walk_hold_view },
	{ "walk-hold-churn", "holds that stay are seen whatever is released", walk_hold_churn },
	{ "walk-space", "layouts and segments add up", walk_space });
