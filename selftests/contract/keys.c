// SPDX-License-Identifier: GPL-2.0-only
/* Row S1: keys of any bytes, 1 … 1,024 of them. */
#include "one.h"
#include "tables.h"

/* Publishes all, then looks that each finds itself and nothing else. */
static void each_is_its_own(struct fix *f, const struct key *k, size_t n)
{
	uint64_t *ids = ALLOC(f, n, uint64_t);

	for (size_t i = 0; i < n; i++) {
		IS(read1(f->b, k[i], 1, NULL), NOT_FOUND);
		ids[i] = publish(f, f->a, k[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct marul1_read r;

		IS(read1(f->b, k[i], 1, &r), OK);
		EXPECT_EQ(r.id, ids[i]);
		EXPECT(cookie_is(ids[i], r.cookie));
		IS(release1(f->b, k[i], ids[i], 1, NULL), OK);
	}
	ACCOUNTS(f, .published = n);
	for (size_t i = 0; i < n; i++) {
		IS(delete1(f->a, k[i], NULL), OK);
		IS(read1(f->b, k[i], 1, NULL), NOT_FOUND);
	}
	ACCOUNTS(f);
}

CASE(s1_lengths_with_nul)
{
	static const size_t lengths[] = { 1, 2, 8, 89, 141, 255, 256, 700,
					  1023, 1024 };
	uint8_t *zero = block(f, 1, MARU_L1_KEY_MAX);
	uint8_t *ones = block(f, 1, MARU_L1_KEY_MAX);
	struct key k[2 * ARRAY_SIZE(lengths)];

	/* All NUL: they differ in nothing but their length. */
	memset(ones, 0xff, MARU_L1_KEY_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		k[2 * i] = (struct key){ zero, lengths[i] };
		k[2 * i + 1] = (struct key){ ones, lengths[i] };
	}
	each_is_its_own(f, k, ARRAY_SIZE(k));
}

CASE(s1_every_byte)
{
	uint8_t *bytes = block(f, 1, 256);
	struct key *k = ALLOC(f, 256, struct key);

	for (size_t i = 0; i < 256; i++) {
		bytes[i] = i;
		k[i] = (struct key){ &bytes[i], 1 };
	}
	each_is_its_own(f, k, 256);
}

/* One byte differs, anywhere; or one is the beginning of the other. */
CASE(s1_shared_prefixes)
{
	enum { N = MARU_L1_KEY_MAX };
	uint8_t *bytes = block(f, N, N);
	uint8_t *same = block(f, 1, N);
	struct key *k = ALLOC(f, 2 * N, struct key);

	memset(same, 'm', N);
	for (size_t i = 0; i < N; i++) {
		uint8_t *b = bytes + i * N;

		memset(b, 'm', N);
		b[i] = 0;
		k[2 * i] = (struct key){ b, N };
		k[2 * i + 1] = (struct key){ same, i + 1 };
	}
	each_is_its_own(f, k, 2 * N);
}

CASES(key_cases,
	{ "S1", "keys of 1 … 1,024 NUL bytes", s1_lengths_with_nul },
	{ "S1", "keys of one byte, every one", s1_every_byte },
	{ "S1", "long keys that differ in one byte, and prefixes",
	  s1_shared_prefixes },
);
