// SPDX-License-Identifier: GPL-2.0-only
/* Row S3: how much of a pool filled with one layout is lost to rounding. */
#include "one.h"
#include "tables.h"

static const struct kind {
	uint64_t bytes;
	unsigned int percent;
} kinds[] = {
	{ 37748736, 3 }, { 33554432, 3 }, { 17989632, 3 }, { 16777216, 3 },
	{ 83886080, 3 }, { 23456789, 3 }, { 31457281, 3 }, { 18306240, 3 },
	{ 10485760, 6 }, { 2097153, 6 }, { 3145729, 6 }, { 1048576, 6 },
	{ 1400001, 6 }, { 5242881, 6 }, { 8388609, 6 }, { 2097152, 6 },
};

/* Reserves until the pool is full. Return: how many. */
static size_t fill(struct marul1_client *c, uint32_t id, uint64_t length,
		   const struct key *k, size_t most)
{
	size_t n = 0;

	while (n < most && reserve1(c, id, k[n], length, 0, NULL) ==
	       ANSWER(MARU_L1_OK, 0))
		n++;
	return n;
}

static void expect_loss(struct fix *f, const struct key *k, size_t most,
			const struct kind *kind)
{
	uint64_t total = f->before.available, lost;
	uint32_t id = layout(f->a, kind->bytes);
	size_t n = fill(f->a, id, kind->bytes, k, most);
	struct maru_l1_usage u = usage(f->a);

	sums_at(__FILE__, __LINE__, &u);
	EXPECT(n < most);
	EXPECT_EQ(u.my_staged, n);
	/* What is too short for one more page is nobody's fault. */
	lost = total - n * kind->bytes;
	lost = lost > kind->bytes ? lost - kind->bytes : 0;
	if (lost * 100 > total * kind->percent)
		TAP_FAIL("%llu B: %zu pages, %.2f %% lost",
			 (unsigned long long)kind->bytes, n,
			 100.0 * lost / total);
	if (u.rounding * 100 > total * kind->percent)
		TAP_FAIL("%llu B: %.2f %% reported as rounding",
			 (unsigned long long)kind->bytes,
			 100.0 * u.rounding / total);
	for (size_t i = 0; i < n; i++)
		IS(abort1(f->a, k[i], 0), OK);
	EXPECT_EQ(usage(f->a).available, total);
	EXPECT_EQ(usage(f->a).rounding, f->before.rounding);
}

CASE(s3_loss)
{
	size_t most = f->info.capacity / 1048576 + 1;
	struct key *k = keys(f, most, "s3");

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		expect_loss(f, k, most, &kinds[i]);
}

/* Space that one layout frees serves the next, over and over. */
CASE(s3_one_after_the_other)
{
	size_t most = f->info.capacity / 16777216 + 1, first[8];
	struct key *k = keys(f, most, "s3n");

	for (unsigned int round = 0; round < 3; round++) {
		for (size_t i = 0; i < 8; i++) {
			uint32_t id = layout(f->a, kinds[i].bytes);
			size_t n = fill(f->a, id, kinds[i].bytes, k, most);

			if (!round)
				first[i] = n;
			EXPECT_EQ(n, first[i]);
			for (size_t j = 0; j < n; j++)
				IS(abort1(f->a, k[j], 0), OK);
		}
	}
	ACCOUNTS(f);
}

CASES(rounding_cases,
	{ "S3", "3 % of pages from 16 MiB, 6 % from 1 MiB at most", s3_loss },
	{ "S3", "each layout finds all the space again",
	  s3_one_after_the_other },
);
