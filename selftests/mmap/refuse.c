// SPDX-License-Identifier: GPL-2.0-only
/* mmap() with arguments that make no mapping of a pool. */
#include "mmap.h"

static void ranges(struct pool_under_test *p)
{
	uint64_t end = p->capacity, unit = p->unit;

	refused(p->rw, PAGE, PROT_READ, MAP_SHARED, 0, EINVAL, "a page");
	refused(p->rw, unit - PAGE, PROT_READ, MAP_SHARED, 0, EINVAL, "a page less than a unit");
	refused(p->rw, unit + PAGE, PROT_READ, MAP_SHARED, 0, EINVAL, "a page more than a unit");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, PAGE, EINVAL, "from the second page");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, unit / 2, EINVAL, "from half a unit");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, end, EINVAL, "from the end");
	refused(p->rw, 2 * unit, PROT_READ, MAP_SHARED, end - unit, EINVAL, "across the end");
	refused(p->rw, end + unit, PROT_READ, MAP_SHARED, 0, EINVAL, "more than all");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, 1ULL << 40, EINVAL, "far behind the end");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, (1ULL << 62) + unit, EINVAL,
		"behind the status page");
	refused(p->rw, unit, PROT_READ, MAP_SHARED, 0x7fffffffffe00000ULL, EINVAL,
		"at the end of 63 bits");
}

static void out_of_range(void)
{
	each_pool(ranges);
}

static void kinds(struct pool_under_test *p)
{
	refused(p->rw, p->unit, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, EINVAL, "private");
	refused(p->rw, p->unit, PROT_READ, MAP_PRIVATE, 0, EINVAL, "private, to read");
	refused(p->ro, p->unit, PROT_READ, MAP_PRIVATE, 0, EINVAL,
		"private, of a read-only file");
	refused(p->rw, p->unit, PROT_READ | PROT_EXEC, MAP_SHARED, 0, EACCES, "executable");
	refused(p->ro, p->unit, PROT_EXEC, MAP_SHARED, 0, EACCES,
		"executable, of a read-only file");
	refused(p->ro, p->unit, PROT_READ | PROT_WRITE, MAP_SHARED, 0, EACCES,
		"writable, of a read-only file");
	refused(p->ro, p->unit, PROT_WRITE, MAP_SHARED, 0, EACCES,
		"only writable, of a read-only file");
	refused(p->rw, p->unit, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, 0,
		EOPNOTSUPP, "with MAP_SYNC");
}

static void wrong_kind(void)
{
	each_pool(kinds);
}

/* An address that the unit does not divide cannot have huge pages. */
static void addresses(struct pool_under_test *p)
{
	uint8_t *room = mmap(NULL, 4 * p->unit, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint8_t *odd = (uint8_t *)(((uintptr_t)room + p->unit) & ~(p->unit - 1)) + PAGE;
	uint8_t *m;

	ASSERT(room != MAP_FAILED);
	m = mmap(odd, p->unit, PROT_READ, MAP_SHARED | MAP_FIXED, p->rw, 0);
	if (m != MAP_FAILED || errno != EINVAL)
		TAP_FAIL("%s: an odd fixed address: %p, errno %d", p->kind, m, errno);
	munmap(room, 4 * p->unit);
	/* A hint is only a hint. */
	m = mmap(odd, p->unit, PROT_READ, MAP_SHARED, p->rw, 0);
	ASSERT(m != MAP_FAILED);
	EXPECT_EQ((uintptr_t)m % p->unit, 0);
	munmap(m, p->unit);
}

static void odd_address(void)
{
	each_pool(addresses);
}

static void status(struct pool_under_test *p)
{
	uint64_t at = MARU_L1_MMAP_STATUS;

	refused(p->rw, PAGE, PROT_READ, MAP_SHARED, at, EINVAL, "one status page");
	refused(p->rw, 3 * PAGE, PROT_READ, MAP_SHARED, at, EINVAL, "three status pages");
	refused(p->rw, 2 * PAGE, PROT_READ, MAP_SHARED, at + PAGE, EINVAL,
		"from the second status page");
	refused(p->rw, 2 * PAGE, PROT_READ, MAP_SHARED, at - PAGE, EINVAL,
		"from before the status pages");
	refused(p->rw, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, at, EACCES,
		"writable status pages");
	refused(p->rw, 2 * PAGE, PROT_WRITE, MAP_SHARED, at, EACCES, "only writable ones");
	refused(p->rw, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, at, EACCES,
		"executable ones");
	refused(p->rw, 2 * PAGE, PROT_READ, MAP_PRIVATE, at, EINVAL, "private ones");
}

static void status_refused(void)
{
	each_pool(status);
}

/* All of a pool, and its last unit, can be mapped. */
static void whole(struct pool_under_test *p)
{
	uint8_t *m = map(p->rw, p->capacity, PROT_READ | PROT_WRITE, 0);

	ASSERT(m);
	EXPECT_EQ(touch_write(m + p->capacity - 1), 0);
	munmap(m, p->capacity);
	m = map(p->ro, p->unit, PROT_READ, p->capacity - p->unit);
	ASSERT(m);
	EXPECT_EQ(touch_read(m + p->unit - 1), 0);
	EXPECT_EQ(touch_write(m), SIGSEGV);
	munmap(m, p->unit);
}

static void all_of_it(void)
{
	each_pool(whole);
}

const struct tap_case refuse_cases[] = {
	{ "range", "offsets and lengths that do not fit are refused", out_of_range },
	{ "kind", "private, executable and, read-only, writable mappings are refused", wrong_kind },
	{ "address", "a fixed address that is not aligned is refused", odd_address },
	{ "status-range", "the status pages are mapped as they are or not at all", status_refused },
	{ "whole", "the whole pool can be mapped, to its last byte", all_of_it },
};
CASES(refuse_cases);
