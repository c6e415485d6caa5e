// SPDX-License-Identifier: GPL-2.0-only
/* Row S2: pages of very different sizes together in one pool. */
#include "one.h"
#include "payload.h"
#include "tables.h"

static const struct kind {
	uint64_t bytes;
	size_t n;
} kinds[] = {
	{ 32, 1000 },
	{ PAGE, 100 },
	{ 17989632, 6 },	/* an MLA model of 61 layers */
	{ 37748736, 3 },	/* Qwen3-8B at 256 tokens */
};

enum { TOTAL = 1000 + 100 + 6 + 3 };

struct extent {
	uint64_t offset, bytes;
	size_t number;
};

static int by_offset(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Both ends of each page, so that any overlap of two shows. */
static void mark(struct marul1_client *c, const struct extent *e)
{
	uint8_t *p = marul1_ptr(c, e->offset, e->bytes);

	ASSERT(p);
	for (size_t i = 0; i < 8; i++) {
		p[i] = e->number >> (8 * i);
		p[e->bytes - 1 - i] = e->number >> (8 * i);
	}
}

static void expect_marked(struct marul1_client *c, const struct extent *e)
{
	const uint8_t *p = marul1_ptr(c, e->offset, e->bytes);

	ASSERT(p);
	for (size_t i = 0; i < 8; i++) {
		EXPECT_EQ(p[i], (uint8_t)(e->number >> (8 * i)));
		EXPECT_EQ(p[e->bytes - 1 - i],
			  (uint8_t)(e->number >> (8 * i)));
	}
}

/* Publishes page @n of its kind and enters it at @e. */
static void put_one(struct fix *f, struct key k, const struct kind *kind,
		    struct extent *e, size_t number)
{
	struct marul1_reserve r = { 0 };

	IS(reserve1(f->a, layout(f->a, kind->bytes), k, kind->bytes, 0, &r),
	   OK);
	EXPECT_EQ(r.page_size, kind->bytes);
	EXPECT_EQ(r.offset % (kind->bytes < 64 ? kind->bytes : 64), 0);
	*e = (struct extent){ r.offset, kind->bytes, number };
	mark(f->a, e);
	IS(commit1(f->a, k, 0, 0, r.id, NULL), OK);
}

CASE(s2_together)
{
	struct extent *e = ALLOC(f, TOTAL, struct extent);
	struct key *k = keys(f, TOTAL, "s2");
	size_t n = 0, left[ARRAY_SIZE(kinds)];
	uint64_t bytes = 0;

	ASSERT(map_pool(f->a) && map_pool(f->b));
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		left[i] = kinds[i].n;
	/* In turn, so that they lie between each other. */
	for (size_t i = 0; n < TOTAL; i = (i + 1) % ARRAY_SIZE(kinds)) {
		if (!left[i])
			continue;
		left[i]--;
		put_one(f, k[n], &kinds[i], &e[n], n);
		bytes += kinds[i].bytes;
		n++;
	}
	EXPECT_EQ(usage(f->a).published, f->before.published + bytes);
	EXPECT_EQ(usage(f->a).objects, f->before.objects + TOTAL);
	for (size_t i = 0; i < TOTAL; i++) {
		struct marul1_read r;

		IS(read1(f->b, k[i], 1, &r), OK);
		EXPECT_EQ(r.offset, e[i].offset);
		EXPECT_EQ(r.length, e[i].bytes);
		expect_marked(f->b, &e[i]);
		IS(release_id(f->b, r.id, 1, NULL), OK);
	}
	qsort(e, TOTAL, sizeof(*e), by_offset);
	for (size_t i = 1; i < TOTAL; i++)
		EXPECT(e[i].offset >= e[i - 1].offset + e[i - 1].bytes);
	EXPECT(e[TOTAL - 1].offset + e[TOTAL - 1].bytes <= f->info.capacity);
	CHECK(f);
}

/* A large object, every byte of it. */
CASE(s2_whole_page)
{
	enum { BYTES = 37748736 };
	struct payload p = { 1, 2, 3, 4 }, q;
	struct marul1_reserve w;
	struct marul1_read r;

	ASSERT(map_pool(f->a) && map_pool(f->b));
	IS(reserve1(f->a, layout(f->a, BYTES), K("s2w"), BYTES, 0, &w), OK);
	p.id = w.id;
	payload_write(marul1_ptr(f->a, w.offset, BYTES), BYTES, &p);
	IS(commit1(f->a, K("s2w"), 0, 0, w.id, NULL), OK);
	IS(read1(f->b, K("s2w"), 1, &r), OK);
	EXPECT_EQ(r.length, BYTES);
	EXPECT(payload_read(marul1_ptr(f->b, r.offset, BYTES), BYTES, &q));
	EXPECT(!memcmp(&p, &q, sizeof(p)));
	IS(release_id(f->b, r.id, 1, NULL), OK);
}

/* Objects shorter than their page, down to one byte. */
CASE(s2_short_objects)
{
	uint32_t id = layout(f->a, 17989632);
	const uint64_t lengths[] = { 1, 63, 64, 4097, 17989631, 17989632 };
	struct key *k = keys(f, ARRAY_SIZE(lengths), "s2s");

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct marul1_read r;

		IS(reserve1(f->a, id, k[i], lengths[i], 0, NULL), OK);
		IS(commit1(f->a, k[i], 0, 0, 1, NULL), OK);
		IS(read1(f->b, k[i], 1, &r), OK);
		EXPECT_EQ(r.length, lengths[i]);
		IS(release_id(f->b, r.id, 1, NULL), OK);
	}
	EXPECT(usage(f->a).published - f->before.published >=
	       ARRAY_SIZE(lengths) * 17989632);
}

CASE(s2_put_and_get)
{
	uint32_t id = layout(f->a, 100000);
	uint8_t *in = block(f, 1, 100000), *out = block(f, 1, 100000);
	uint8_t cookie[MARU_L1_COOKIE_LEN], back[MARU_L1_COOKIE_LEN];
	uint64_t length = 50000;

	payload_write(in, 100000, &(struct payload){ 5, 6, 7, 8 });
	cookie_of(99, cookie);
	EXPECT_EQ(marul1_put(f->a, id, "s2p", 3, in, 99999, cookie), 0);
	EXPECT_EQ(marul1_put(f->b, id, "s2p", 3, in, 5, cookie), 0);
	EXPECT_EQ(marul1_get(f->b, "s2p", 3, out, &length, back), -EMSGSIZE);
	EXPECT_EQ(length, 99999);
	EXPECT_EQ(marul1_get(f->b, "s2p", 3, out, &length, back), 0);
	EXPECT_EQ(length, 99999);
	EXPECT(!memcmp(in, out, 99999));
	EXPECT(!memcmp(cookie, back, sizeof(back)));
	EXPECT_EQ(marul1_get(f->b, "s2q", 3, out, &length, NULL), -ENOENT);
	EXPECT_EQ(marul1_put(f->b, id, "s2q", 3, in, 0, NULL), -EINVAL);
	EXPECT_EQ(marul1_put(f->b, id, "s2q", 3, in, 100001, NULL), -EINVAL);
	IS(reserve1(f->a, id, K("s2r"), 1, 0, NULL), OK);
	EXPECT_EQ(marul1_put(f->a, id, "s2r", 3, in, 100, NULL), -EBUSY);
	IS(abort1(f->a, K("s2r"), 0), OK);
	MINE(f->a);
	MINE(f->b);
	IS(delete1(f->a, K("s2p"), NULL), OK);
	ACCOUNTS(f);
}

CASES(size_cases,
	{ "S2", "32 B, 4 KiB, 17,989,632 B and 37,748,736 B together",
	  s2_together },
	{ "S2", "a large page, every byte", s2_whole_page },
	{ "S2", "objects shorter than their page", s2_short_objects },
	{ "S2", "put and get", s2_put_and_get },
);
