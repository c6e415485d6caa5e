// SPDX-License-Identifier: GPL-2.0-only
/* The event ring, as its one reader sees it. */

#include "fixture.h"

#define RING		MARU_L1_EVENTS_MIN
#define LOST_BYTES	sizeof(struct maru_l1_event)
#define DELETED		MARU_L1_EV_MASK(MARU_L1_EV_DELETED)

static u32 key_len_of(u64 id)
{
	return 1 + id * 37 % MARU_L1_KEY_MAX;
}

/* An object as far as an event needs one. */
static void send(struct user *u, u64 id)
{
	struct maru_object *o = calloc(1, sizeof(*o) + key_len_of(id));

	o->id = id;
	o->key_len = key_len_of(id);
	memset(o->key, id, o->key_len);
	maru_event_send(u->core, MARU_L1_EV_DELETED, o, id * 3, 0);
	free(o);
}

/* Takes what is there, at most @len bytes; copies it to @buf. */
static ssize_t take(struct user *u, void *buf, size_t len)
{
	ssize_t n = maru_events_peek(u->core, buf, len);

	if (n > 0)
		maru_events_consume(u->core, n);
	return n;
}

/* What the reader has seen: ids below @next; @gap: the last record was LOST. */
struct seen {
	u64 next;
	u32 lost;
	bool gap;
};

static bool record_is_whole(const struct maru_l1_event *e)
{
	u32 i, wrong = 0, padded = e->size - sizeof(*e);

	for (i = 0; i < padded && padded < MARU_L1_KEY_MAX + 8; i++)
		wrong += e->key[i] != (i < e->key_len ? (u8)e->id : 0);
	return !wrong && e->size == round_up(sizeof(*e) + e->key_len, 8) &&
	       e->value == 3 * e->id && e->key_len == key_len_of(e->id);
}

/* Walks @n bytes: ids in order; one is left out after a LOST, and only then. */
static void see(struct seen *s, const u8 *buf, ssize_t n)
{
	while (n > 0) {
		const struct maru_l1_event *e = (const void *)buf;

		ASSERT(e->size >= sizeof(*e) && e->size <= (size_t)n);
		buf += e->size;
		n -= e->size;
		if (e->kind == MARU_L1_EV_LOST) {
			EXPECT_EQ(e->size, LOST_BYTES);
			EXPECT(!s->gap);
			s->gap = true;
			s->lost++;
			continue;
		}
		EXPECT(record_is_whole(e));
		EXPECT(s->gap ? e->id > s->next : e->id == s->next);
		s->gap = false;
		s->next = e->id + 1;
	}
	EXPECT_EQ(n, 0);
}

/* Many times around, read in bits and pieces. */
CASE(event_wrap)
{
	struct seen s = { .next = 1 };
	u64 sent = 1, seed = 3;
	u8 *buf = malloc(RING);
	u32 round;

	subscribe(A, DELETED, RING);
	for (round = 0; round < 3000; round++) {
		u32 n = random_next(&seed) % 12;

		while (n--)
			send(A, sent++);
		see(&s, buf, take(A, buf, 1100 + random_next(&seed) % 12000));
		while (sent - s.next > 40)
			see(&s, buf, take(A, buf, RING));
	}
	see(&s, buf, take(A, buf, RING));
	EXPECT_EQ(s.next, sent);
	EXPECT_EQ(s.lost, 0);
	EXPECT_EQ(take(A, buf, RING), 0);
	EXPECT(!maru_events_ready(A->core));
	EXPECT(A->core->events.tail > 20 * RING);
	EXPECT_EQ(A->status.events, sent - 1);
	free(buf);
}

/* Where records did not fit one LOST lies, and nowhere else. */
CASE(event_lost_once)
{
	struct seen s = { .next = 1 };
	u8 *buf = malloc(RING);
	u64 sent = 1;
	u32 round, i;

	subscribe(A, DELETED, RING);
	for (round = 0; round < 50; round++) {
		u32 lost = s.lost;

		for (i = 0; i < 300; i++)
			send(A, sent++);
		EXPECT(A->core->events.tail - A->core->events.head <= RING);
		see(&s, buf, take(A, buf, RING));
		EXPECT(s.lost > lost);
		EXPECT(s.gap == (s.next < sent));
		EXPECT_EQ(take(A, buf, RING), 0);
		/* Afterwards it goes on as new. */
		lost = s.lost;
		for (i = 0; i < 20; i++)
			send(A, sent++);
		see(&s, buf, take(A, buf, RING));
		EXPECT_EQ(s.next, sent);
		EXPECT_EQ(s.lost, lost);
	}
	free(buf);
}

/* Filled to the last byte that a record may have: LOST still fits. */
CASE(event_room_for_lost)
{
	static const struct maru_object *none;
	u8 *buf = malloc(RING);
	u32 i, n = RING / LOST_BYTES;

	subscribe(A, MARU_L1_EV_MASK(MARU_L1_EV_FENCED), RING);
	for (i = 0; i < n - 1; i++)
		maru_event_send(A->core, MARU_L1_EV_FENCED, none, 0, 0);
	EXPECT(!A->core->events.lost);
	for (i = 0; i < 3; i++)
		maru_event_send(A->core, MARU_L1_EV_FENCED, none, 0, 0);
	EXPECT(A->core->events.lost);
	EXPECT_EQ(A->status.events, n);
	EXPECT_EQ(take(A, buf, RING), RING);
	EXPECT_EQ(((struct maru_l1_event *)(buf + RING - LOST_BYTES))->kind,
		  MARU_L1_EV_LOST);
	free(buf);
}

/* A peek takes nothing; consume takes what was peeked at, not what came since. */
CASE(event_peek)
{
	struct seen s = { .next = 1 }, again = { .next = 1 };
	u8 buf[8192];
	ssize_t n;

	subscribe(A, DELETED, RING);
	send(A, 1);
	n = maru_events_peek(A->core, buf, sizeof(buf));
	see(&s, buf, n);
	send(A, 2);
	EXPECT_EQ(maru_events_peek(A->core, buf, n), n);
	see(&again, buf, n);
	maru_events_consume(A->core, n);
	EXPECT(maru_events_ready(A->core));
	see(&s, buf, take(A, buf, sizeof(buf)));
	EXPECT_EQ(s.next, 3);
	EXPECT(!maru_events_ready(A->core));
}

/* A buffer too small for the first record says so, and nothing is lost. */
CASE(event_small_buffer)
{
	struct seen s = { .next = 5 };
	ssize_t size = round_up(sizeof(struct maru_l1_event) + key_len_of(5), 8);
	u8 buf[2048];

	subscribe(A, DELETED, RING);
	EXPECT_EQ(take(A, buf, 0), 0);
	send(A, 5);
	EXPECT_EQ(take(A, buf, 0), -EMSGSIZE);
	EXPECT_EQ(take(A, buf, size - 1), -EMSGSIZE);
	EXPECT_EQ(take(A, buf, size), size);
	see(&s, buf, size);
	EXPECT_EQ(s.next, 6);
}

/* A subscription between peek and consume: the new one loses nothing. */
CASE(event_resubscribe)
{
	struct seen s = { .next = 2 };
	u8 buf[8192];
	ssize_t n;

	subscribe(A, DELETED, RING);
	send(A, 1);
	n = maru_events_peek(A->core, buf, sizeof(buf));
	EXPECT(n > 0);
	subscribe(A, DELETED, 2 * RING);
	EXPECT(!maru_events_ready(A->core));
	maru_events_consume(A->core, n);
	EXPECT(!maru_events_ready(A->core));
	send(A, 2);
	EXPECT(maru_events_ready(A->core));
	see(&s, buf, take(A, buf, sizeof(buf)));
	EXPECT_EQ(s.next, 3);
}

/* The same with the subscription ended meanwhile. */
CASE(event_unsubscribe)
{
	u8 buf[8192];
	ssize_t n;

	subscribe(A, DELETED, RING);
	send(A, 1);
	n = maru_events_peek(A->core, buf, sizeof(buf));
	subscribe(A, 0, 0);
	maru_events_consume(A->core, n);
	EXPECT(!maru_events_ready(A->core));
	send(A, 2);
	EXPECT(!maru_events_ready(A->core));
	EXPECT_EQ(take(A, buf, sizeof(buf)), 0);
}

/* The reader is woken when the ring was empty, and only then. */
CASE(event_wake)
{
	u8 buf[8192];

	send(A, 1);
	EXPECT_EQ(A->woken, 0);
	subscribe(A, DELETED, RING);
	send(A, 1);
	send(A, 2);
	EXPECT_EQ(A->woken, 1);
	take(A, buf, sizeof(buf));
	send(A, 3);
	EXPECT_EQ(A->woken, 2);
}

/* Only what was asked for, and who did it is told. */
CASE(event_deleted)
{
	u32 size = sizeof(struct maru_l1_event) + 8;
	const struct maru_l1_event *e;
	u64 buf[64], id = publish(A, "k");

	subscribe(A, DELETED, RING);
	subscribe(B, MARU_L1_EV_MASK(MARU_L1_EV_FENCED), RING);
	EXPECT_STATUS(delete(A, "k", 0), OK);
	publish(B, "k");
	EXPECT_STATUS(delete(B, "k", 0), OK);
	EXPECT_EQ(take(A, buf, sizeof(buf)), 2 * size);
	e = (void *)buf;
	EXPECT_EQ(e->id, id);
	EXPECT_EQ(e->flags, MARU_L1_EV_SELF);
	EXPECT_EQ(e->key_len, 1);
	EXPECT_EQ(*((u8 *)buf + sizeof(*e)), 'k');
	e = (void *)((u8 *)buf + size);
	EXPECT(e->id > id);
	EXPECT_EQ(e->flags, 0);
	EXPECT_EQ(take(B, buf, sizeof(buf)), 0);
}

static void watermark(struct user *u, u32 permille)
{
	union maru_call_arg arg = { .subscribe = {
		.mask = MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK),
		.ring_size = RING, .watermark_permille = permille,
	} };

	EXPECT_EQ(call_single(u, MARU_L1_SUBSCRIBE, &arg, NULL, NULL), 0);
}

/* Told once when the fill rises to the mark, again after it fell below. */
CASE(event_watermark, .bytes = 20 * MIB)
{
	u32 mib2 = layout(A, 2 * MIB, 0);
	struct maru_l1_event e[4];
	u32 i;

	watermark(A, 300);
	for (i = 0; i < 2; i++) {
		EXPECT_STATUS(reserve(A, mib2, "1", 0, 0).status, OK);
		EXPECT_STATUS(reserve(A, mib2, "2", 0, 0).status, OK);
		EXPECT_EQ(take(A, e, sizeof(e)), 0);
		EXPECT_STATUS(reserve(A, mib2, "3", 0, 0).status, OK);
		EXPECT_STATUS(reserve(A, mib2, "4", 0, 0).status, OK);
		EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
		EXPECT_EQ(e[0].kind, MARU_L1_EV_WATERMARK);
		EXPECT_EQ(e[0].value, 300);
		/* One that subscribes above the mark is told at once. */
		watermark(B, 400);
		EXPECT_EQ(take(B, e, sizeof(e)), sizeof(*e));
		EXPECT_EQ(e[0].value, 400);
		EXPECT_EQ(take(A, e, sizeof(e)), 0);
		EXPECT_STATUS(abort_key(A, "1", 0), OK);
		EXPECT_STATUS(abort_key(A, "2", 0), OK);
		EXPECT_STATUS(abort_key(A, "3", 0), OK);
		EXPECT_STATUS(abort_key(A, "4", 0), OK);
	}
}

/* Stages pages until @n are; names tell them apart. */
static void fill(struct fixture *f, u32 from, u32 n)
{
	char key[16];

	for (; from < n; from++) {
		snprintf(key, sizeof(key), "%u", from);
		EXPECT_STATUS(reserve(B, f->page, key, 0, 0).status, OK);
	}
}

static void unfill(struct fixture *f, u32 page)
{
	char key[16];

	snprintf(key, sizeof(key), "%u", page);
	EXPECT_STATUS(abort_key(B, key, 0), OK);
}

/* One page below the mark is below it; falling to the mark is not falling below. */
CASE(event_watermark_border, .bytes = 4 * MIB)
{
	const u32 all = 4 * MIB / PAGE, half = all / 2;
	struct maru_l1_event e[4];

	watermark(A, 500);
	fill(f, 0, half - 1);
	EXPECT_EQ(take(A, e, sizeof(e)), 0);
	fill(f, half - 1, half + 1);
	EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(e[0].value, 500);
	unfill(f, half);
	fill(f, half, half + 1);
	EXPECT_EQ(take(A, e, sizeof(e)), 0);
	unfill(f, half);
	unfill(f, half - 1);
	EXPECT_EQ(take(A, e, sizeof(e)), 0);
	fill(f, half - 1, half);
	EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(e[0].value, 500);

	/* The last page of a pool without rounding is 1000. */
	watermark(A, 1000);
	fill(f, half, all - 1);
	EXPECT_EQ(take(A, e, sizeof(e)), 0);
	fill(f, all - 1, all);
	EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(e[0].value, 1000);
}

/* A pool that grows is less full: the mark must be reached anew. */
CASE(event_watermark_grow, .bytes = 4 * MIB)
{
	const u32 half = 2 * MIB / PAGE;
	struct maru_l1_event e[4];

	watermark(A, 500);
	fill(f, 0, half);
	EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(maru_pool_grow(f->pool, 4 * MIB), 0);
	fill(f, half, 2 * half - 1);
	EXPECT_EQ(take(A, e, sizeof(e)), 0);
	fill(f, 2 * half - 1, 2 * half);
	EXPECT_EQ(take(A, e, sizeof(e)), sizeof(*e));
	EXPECT_EQ(e[0].value, 500);
}

CASES(event_cases,
	{ "event-wrap", "records come whole and in order, many times around", event_wrap },
	{ "event-lost", "each gap of an overflow is told exactly once", event_lost_once },
	{ "event-room", "LOST fits also when not one record more does", event_room_for_lost },
	{ "event-peek", "peek takes nothing, consume only what was peeked at", event_peek },
	{ "event-small", "a buffer too small for a record is -EMSGSIZE", event_small_buffer },
	{ "event-resubscribe", "a new subscription under a reader loses nothing", event_resubscribe },
	{ "event-unsubscribe", "a subscription that ends under a reader is silent", event_unsubscribe },
	{ "event-wake", "the reader is woken when the ring was empty", event_wake },
	{ "event-deleted", "deletions are told to those who asked, with their cause", event_deleted },
	{ "event-watermark", "the watermark is told when the fill rises to it", event_watermark },
	{ "event-border", "V1 one page below the watermark is below it", event_watermark_border },
	{ "event-grow", "V1 a pool that has grown must fill anew to the watermark",
	  event_watermark_grow });
