// SPDX-License-Identifier: GPL-2.0-only
/* Row V1: events. */
#include <poll.h>
#include "one.h"
#include "tables.h"

#define DELETED		MARU_L1_EV_MASK(MARU_L1_EV_DELETED)

static uint64_t buffer[MARU_L1_EVENTS_MAX / sizeof(uint64_t)];

/* The one record that @c has, or gets within a second. */
static const struct maru_l1_event *next_event(struct marul1_client *c)
{
	static uint64_t one[(sizeof(struct maru_l1_event) + MARU_L1_KEY_MAX) /
			    sizeof(uint64_t)];
	const struct maru_l1_event *e = (const void *)one;
	ssize_t n;

	memset(one, 0, sizeof(one));
	n = marul1_read_events(c, one, sizeof(one), 1000);
	if (n < (ssize_t)sizeof(*e) || e->size != n)
		TAP_FAIL("%zd bytes of events, the first record has %u", n,
			 e->size);
	return e;
}

static void expect_event_at(int line, const struct maru_l1_event *e,
			    uint32_t kind, uint32_t flags, struct key k,
			    uint64_t id)
{
	if (e->kind != kind || e->flags != flags || e->key_len != k.len ||
	    memcmp(e->key, k.bytes, k.len) || e->id != id)
		TAP_FAIL("line %d: event %s flags %#x id %#llx key_len %u, expected %s %#x %#llx %zu",
			 line, marul1_event_name(e->kind), e->flags,
			 (unsigned long long)e->id, e->key_len,
			 marul1_event_name(kind), flags,
			 (unsigned long long)id, k.len);
	EXPECT_EQ(e->size % 8, 0);
	EXPECT(e->size >= sizeof(*e) + k.len && e->size < sizeof(*e) + k.len + 8);
}

#define EVENT(e, kind, flags, k, id) \
	expect_event_at(__LINE__, e, MARU_L1_EV_##kind, flags, k, id)

static void no_event(struct marul1_client *c)
{
	EXPECT_EQ(marul1_read_events(c, buffer, sizeof(buffer), 0), 0);
}

static bool readable(struct marul1_client *c)
{
	struct pollfd p = { .fd = marul1_client_fd(c), .events = POLLIN };

	return poll(&p, 1, 0) == 1 && p.revents & POLLIN;
}

CASE(v1_deleted)
{
	uint64_t id;

	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_subscribe(f->b, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT(!readable(f->a));
	id = publish(f, f->a, K("v1 a key"));
	no_event(f->a);
	IS(delete1(f->a, K("v1 a key"), NULL), OK);
	EXPECT(readable(f->a));
	EXPECT(readable(f->b));
	/* To all who want it; the one who did it knows it by the flag. */
	EVENT(next_event(f->a), DELETED, MARU_L1_EV_SELF, K("v1 a key"), id);
	EVENT(next_event(f->b), DELETED, 0, K("v1 a key"), id);
	EXPECT(!readable(f->a));
	no_event(f->a);
	no_event(f->b);
}

CASE(v1_evicted_and_purged)
{
	struct maru_l1_evict dry = {
		.flags = MARU_L1_EVICT_DRY_RUN, .count = 1,
	}, e = { .count = 1 };
	struct maru_l1_purge p;
	uint64_t one = publish(f, f->a, K("v1.e")), two;

	two = publish(f, f->a, K("v1.p"));
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_subscribe(f->b, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_evict(f->b, &dry), 0);
	no_event(f->a);
	EXPECT_EQ(marul1_evict(f->b, &e), 0);
	EVENT(next_event(f->a), DELETED, 0, K("v1.e"), one);
	EVENT(next_event(f->b), DELETED, MARU_L1_EV_SELF, K("v1.e"), one);
	EXPECT_EQ(marul1_purge(f->b, &p), 0);
	EVENT(next_event(f->a), DELETED, 0, K("v1.p"), two);
	EVENT(next_event(f->b), DELETED, MARU_L1_EV_SELF, K("v1.p"), two);
	no_event(f->a);
}

/* What never was in the directory does not leave it. */
CASE(v1_only_published)
{
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	make_private(f, f->a, K("v1.private"), 0);
	IS(delete1(f->a, K("v1.private"), NULL), OK);
	stage(f, f->a, K("v1.staged"));
	IS(abort1(f->a, K("v1.staged"), 0), OK);
	stage(f, f->b, K("v1.lost"));
	publish_held(f, f->a, K("v1.lost"), 1);
	IS(commit1(f->b, K("v1.lost"), 0, 0, 1, NULL), OK, LOST_RACE);
	IS(delete1(f->b, K("v1.lost"), NULL), LOCKED);
	no_event(f->a);
	EXPECT_EQ(marul1_events_queued(f->a), 0);
	EXPECT_EQ(marul1_clear(f->a, MARU_L1_CLEAR_FORCE, NULL), 0);
}

CASE(v1_hold_expired)
{
	struct marul1_client *c = client_leased(f, SHORT_MS, 10000);
	uint32_t mask = MARU_L1_EV_MASK(MARU_L1_EV_HOLD_EXPIRED);
	uint64_t id = publish(f, f->a, K("v1.x"));

	EXPECT_EQ(marul1_subscribe(c, mask, MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT_EQ(marul1_subscribe(f->b, mask, MARU_L1_EVENTS_MIN, 0), 0);
	hold(c, K("v1.x"), 4);
	hold(f->b, K("v1.x"), 1);
	/* Told by itself, without a call that stumbles over it. */
	EVENT(next_event(c), HOLD_EXPIRED, 0, K("v1.x"), id);
	no_event(c);
	no_event(f->b);
	EXPECT_EQ(marul1_events_queued(c), 1);
	IS(release_id(f->b, id, 1, NULL), OK);
}

CASE_SMALL(v1_watermark)
{
	uint32_t mask = MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK);
	size_t n = f->info.capacity / MIB * 3 / 4;
	uint32_t mib = layout(f->a, MIB);
	struct key *k = keys(f, n, "v1w");
	const struct maru_l1_event *e;

	EXPECT_EQ(marul1_subscribe(f->b, mask, MARU_L1_EVENTS_MIN, 500), 0);
	for (size_t i = 0; i < n; i++) {
		struct maru_l1_usage u;

		IS(reserve1(f->a, mib, k[i], MIB, 0, NULL), OK);
		IS(commit1(f->a, k[i], 0, 0, 1, NULL), OK);
		u = usage(f->a);
		/* As it rises to the mark: once, not before and not again. */
		EXPECT_EQ(marul1_events_queued(f->b),
			  u.used * 1000 >= u.total * 500);
	}
	e = next_event(f->b);
	EVENT(e, WATERMARK, 0, K(""), 0);
	EXPECT(e->value >= 500 && e->value < 600);
	for (size_t i = 0; i < n; i++)
		IS(delete1(f->a, k[i], NULL), OK);
	no_event(f->b);
	/* Fallen and risen again, it is told again. */
	for (size_t i = 0; i < n; i++)
		IS(reserve1(f->a, mib, k[i], MIB, 0, NULL),
		   OK);
	EVENT(next_event(f->b), WATERMARK, 0, K(""), 0);
	for (size_t i = 0; i < n; i++)
		IS(abort1(f->a, k[i], 0), OK);
}

/* Only the kinds asked for; a second call replaces the first. */
CASE(v1_subscribe_again)
{
	publish(f, f->a, K("v1.s1"));
	publish(f, f->a, K("v1.s2"));
	publish(f, f->a, K("v1.s3"));
	no_event(f->b);
	IS(delete1(f->a, K("v1.s1"), NULL), OK);
	no_event(f->b);
	EXPECT_EQ(marul1_subscribe(f->b, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	IS(delete1(f->a, K("v1.s2"), NULL), OK);
	EXPECT(readable(f->b));
	EXPECT_EQ(marul1_subscribe(f->b,
				   MARU_L1_EV_MASK(MARU_L1_EV_FENCED),
				   MARU_L1_EVENTS_MIN, 0), 0);
	EXPECT(!readable(f->b));
	no_event(f->b);
	IS(delete1(f->a, K("v1.s3"), NULL), OK);
	no_event(f->b);
	EXPECT_EQ(marul1_subscribe(f->b, 0, 0, 0), 0);
}

CASE(v1_malformed)
{
	uint32_t mark = MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK);

	EXPECT_EQ(marul1_subscribe(f->a, 1U << 31, MARU_L1_EVENTS_MIN, 0),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN - 4096, 0),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MAX + 4096, 0),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN + 1, 0),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, DELETED, MARU_L1_EVENTS_MIN, 500),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, mark, MARU_L1_EVENTS_MIN, 0), -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, mark, MARU_L1_EVENTS_MIN, 1001),
		  -EINVAL);
	EXPECT_EQ(marul1_subscribe(f->a, 0, MARU_L1_EVENTS_MIN, 0), -EINVAL);
	EXPECT_EQ(marul1_read_events(f->a, buffer, sizeof(buffer), -1),
		  -EINVAL);
}

/* All records of @c: those of deletes in the order of @k, then what is lost. */
static size_t count_in_order(struct marul1_client *c, const struct key *k,
			     bool *lost)
{
	size_t i = 0;
	ssize_t n;

	while ((n = marul1_read_events(c, buffer, sizeof(buffer), 0)) > 0) {
		const char *p = (const char *)buffer, *end = p + n;

		while (p < end) {
			const struct maru_l1_event *e = (const void *)p;

			EXPECT(!*lost);
			if (e->kind == MARU_L1_EV_LOST) {
				*lost = true;
			} else {
				EXPECT_EQ(e->kind, MARU_L1_EV_DELETED);
				EXPECT(e->key_len == k[i].len &&
				       !memcmp(e->key, k[i].bytes, k[i].len));
				i++;
			}
			if (!e->size || e->size > (size_t)(end - p))
				return i;
			p += e->size;
		}
		EXPECT(p == end);
	}
	EXPECT_EQ(n, 0);
	return i;
}

static void publish_and_delete(struct fix *f, const struct key *k, size_t n)
{
	for (size_t i = 0; i < n; i++)
		publish(f, f->a, k[i]);
	for (size_t i = 0; i < n; i++)
		IS(delete1(f->a, k[i], NULL), OK);
}

CASE(v1_lost)
{
	enum { N = 3000 };
	struct key *k = keys(f, N, "v1.many.events");
	bool lost = false;
	size_t got;

	EXPECT_EQ(marul1_subscribe(f->b, DELETED, MARU_L1_EVENTS_MIN, 0), 0);
	for (unsigned int round = 0; round < 3; round++) {
		lost = false;
		publish_and_delete(f, k, N);
		got = count_in_order(f->b, k, &lost);
		EXPECT(lost);
		/* Most of the ring was used, and none of it twice. */
		EXPECT(got < N);
		EXPECT(got * (sizeof(struct maru_l1_event) + 24) >=
		       MARU_L1_EVENTS_MIN / 10 * 8);
		/* Told once; what comes afterwards comes whole again. */
		no_event(f->b);
		publish_and_delete(f, k, 1);
		EXPECT_EQ(next_event(f->b)->kind, MARU_L1_EV_DELETED);
	}

	/* In a ring that is large enough nothing is lost. */
	EXPECT_EQ(marul1_subscribe(f->b, DELETED, 16 * MARU_L1_EVENTS_MIN, 0),
		  0);
	publish_and_delete(f, k, N);
	lost = false;
	EXPECT_EQ(count_in_order(f->b, k, &lost), N);
	EXPECT(!lost);
}

CASES(events_cases,
	{ "V1", "deleted: to everyone, with key, id and SELF", v1_deleted },
	{ "V1", "evicted and purged objects are told", v1_evicted_and_purged },
	{ "V1", "only of what was published", v1_only_published },
	{ "V1", "an expired hold, to its client", v1_hold_expired },
	{ "V1", "the watermark, each time it is reached", v1_watermark },
	{ "V1", "a second subscription replaces the first",
	  v1_subscribe_again },
	{ "V1", "malformed subscriptions", v1_malformed },
	{ "V1", "what does not fit is told as LOST", v1_lost },
);
