// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmap: in a kernel with the module, as root.  MARU_DAX names a device-dax node
 * whose content may be lost and that no pool uses.
 */
#include "mmap.h"

struct pool_under_test pools[2] = {
	{ .name = "mmap-device", .kind = "device" },
	{ .name = "mmap-memfd", .kind = "memfd" },
};

void each_pool(void (*test)(struct pool_under_test *p))
{
	for (size_t i = 0; i < ARRAY_SIZE(pools); i++)
		if (pools[i].medium.base)
			test(&pools[i]);
}

uint8_t *map(int fd, size_t len, int prot, uint64_t offset)
{
	uint8_t *m = mmap(NULL, len, prot, MAP_SHARED, fd, offset);

	if (m != MAP_FAILED)
		return m;
	TAP_FAIL("mmap of %zu bytes at %#llx: %s", len, (unsigned long long)offset,
		 strerror(errno));
	return NULL;
}

void refused(int fd, size_t len, int prot, int flags, uint64_t offset, int want,
	     const char *what)
{
	void *m = mmap(NULL, len, prot, flags, fd, offset);

	if (m == MAP_FAILED && errno == want)
		return;
	TAP_FAIL("%s: %s, expected errno %d", what,
		 m == MAP_FAILED ? strerror(errno) : "mapped", want);
	if (m != MAP_FAILED)
		munmap(m, len);
}

static bool pool_begin(struct pool_under_test *p)
{
	struct maru_l1_info info;
	int ret;

	if (!strcmp(p->kind, "device"))
		ret = medium_dax(&p->medium, getenv("MARU_DAX"));
	else
		ret = medium_memfd(&p->medium, 256 << 20, MEDIUM_SEALED, true);
	ret = ret ?: medium_attach(&p->medium, p->name, 20);
	if (ret) {
		printf("# the %s pool cannot be attached: %s\n", p->kind, strerror(-ret));
		return false;
	}
	p->rw = raw_open(p->name, O_RDWR | O_CLOEXEC);
	p->ro = raw_open(p->name, O_RDONLY | O_CLOEXEC);
	if (p->rw < 0 || p->ro < 0 || raw_info(p->rw, &info) ||
	    raw_layout(p->rw, PAGE, &p->layout))
		return false;
	p->capacity = info.capacity;
	p->unit = info.map_align;
	return true;
}

/* The last object is looked for in the memory when the pool is gone. */
static void after_detach(struct pool_under_test *p)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	uint8_t *m = map(p->rw, p->capacity, PROT_READ | PROT_WRITE, 0), *bare;

	ASSERT(m);
	ASSERT(raw_reserve(p->rw, p->layout, "last", PAGE, 0, &reserve) == MARU_L1_OK);
	for (size_t i = 0; i < PAGE; i++)
		m[reserve.offset + i] = i * 3;
	ASSERT(raw_commit(p->rw, "last", 0, &commit) == MARU_L1_OK);
	munmap(m, p->capacity);
	close(p->rw);
	close(p->ro);
	EXPECT_EQ(pool_detach(p->name, 0), 0);
	bare = mmap(NULL, p->medium.bytes, PROT_READ, MAP_SHARED, p->medium.fd, 0);
	ASSERT(bare != MAP_FAILED);
	for (size_t i = 0; i < PAGE; i++)
		EXPECT_EQ(bare[p->unit + commit.offset + i], (uint8_t)(i * 3));
	munmap(bare, p->medium.bytes);
	medium_close(&p->medium);
}

static void detached(void)
{
	each_pool(after_detach);
}

static struct tap_case cases[32];

static size_t add(size_t nr, const struct tap_case *more, size_t nr_more)
{
	memcpy(cases + nr, more, nr_more * sizeof(*more));
	return nr + nr_more;
}

int main(int argc, char **argv)
{
	static const struct tap_case end = {
		"end", "an object lies at its offset in the bare memory after the detach", detached,
	};
	size_t nr = 0;

	nr = add(nr, refuse_cases, nr_refuse_cases);
	nr = add(nr, guard_cases, nr_guard_cases);
	nr = add(nr, fault_cases, nr_fault_cases);
	nr = add(nr, device_cases, nr_device_cases);
	nr = add(nr, &end, 1);
	if (!pool_begin(&pools[0]) || !pool_begin(&pools[1])) {
		printf("mmap: 0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	return tap_run("mmap", cases, nr, argc, argv);
}
