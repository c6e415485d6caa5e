// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory of the superblock area goes bad, below the module's own mapping.
 * What the module does when its reads fail, the suite lifetime shows: here no
 * read fails, because the memory is not really bad.
 */
#include "hwpoison.h"

#define BEAT_MS 200

static bool fenced(struct pool_under_test *p)
{
	struct maru_l1_info info = { 0 };

	EXPECT_EQ(marul1_info(p->writer, &info), 0);
	return info.flags & MARU_L1_I_FENCED;
}

static uint64_t beats(struct pool_under_test *p, const uint8_t *area)
{
	return ((const volatile struct medium_beat *)(area + MEDIUM_BEATS))->beat;
}

/* The module has the page pinned, and goes on using it. */
static void area(struct pool_under_test *p)
{
	uint8_t *m = mmap(NULL, MEDIUM_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, p->medium.fd, 0);

	ASSERT(m != MAP_FAILED);
	EXPECT_EQ(poison(m), 0);
	EXPECT_EQ(bus.signals, 1);
	EXPECT_EQ(bus.code, BUS_MCEERR_AR);
	/* Of the backing, not of the pool. */
	EXPECT_EQ(bus.err, -ENOENT);
	for (int i = 0; i < 2; i++) {
		uint64_t before = beats(p, m);

		sleep_ms(3 * BEAT_MS);
		EXPECT(beats(p, m) > before);
	}
	munmap(m, MEDIUM_UNIT);
	EXPECT(!fenced(p));
	EXPECT(put(p, "later") != ~0ULL);
	EXPECT(whole(p, "later"));
}

static void area_bad(void)
{
	NEEDS_POISON();
	each_pool(area);
}

const struct tap_case super_cases[] = {
	{ "M1", "a bad page of the superblock area costs neither the kernel nor the pool",
	  area_bad },
};
CASES(super_cases);
