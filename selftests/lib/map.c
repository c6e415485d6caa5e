// SPDX-License-Identifier: GPL-2.0-only
/* The mapping: addresses, offsets, pieces, growth and protection. */
#include "fake.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define GIB	(1ULL << 30)

static void not_mapped(void)
{
	struct lib l;
	uint64_t n;
	void *p;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	EXPECT(!marul1_ptr(l.client, 0, 1));
	EXPECT_EQ(marul1_offset(l.client, &l, &n), -ENOENT);
	EXPECT_EQ(marul1_offset(l.client, NULL, &n), -ENOENT);
	EXPECT_EQ(marul1_range(l.client, 0, 0, &p, &n), -EINVAL);
	EXPECT_EQ(marul1_map(l.client, ~MARUL1_POPULATE, &p, &n), -EINVAL);
	EXPECT(!marul1_ptr(l.client, 0, 1));
	lib_close(&l);
}

static void one_mapping(void)
{
	uint64_t length = 0;
	void *base = NULL, *again = NULL;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:6M", 0));
	ASSERT(!marul1_map(l.client, 0, &base, &length));
	EXPECT_EQ(length, 6 << 20);
	EXPECT_EQ((uintptr_t)base % (2 << 20), 0);
	EXPECT_EQ(marul1_map(l.client, MARUL1_POPULATE, &again, NULL), 0);
	EXPECT(again == base);
	memset(base, 0x5a, length);
	lib_close(&l);
}

static void arithmetic(void)
{
	const uint64_t end = 6 << 20;
	uint64_t offset = 0;
	struct lib l;
	uint8_t *base;
	void *p;

	ASSERT(!lib_open(&l, "embedded:6M", 0));
	ASSERT(!marul1_map(l.client, 0, &p, NULL));
	base = p;
	EXPECT(marul1_ptr(l.client, 0, end) == base);
	EXPECT(marul1_ptr(l.client, end - 1, 1) == base + end - 1);
	EXPECT(marul1_ptr(l.client, end, 0) == base + end);
	EXPECT(!marul1_ptr(l.client, end, 1));
	EXPECT(!marul1_ptr(l.client, 0, end + 1));
	EXPECT(!marul1_ptr(l.client, 1, end));
	EXPECT(!marul1_ptr(l.client, end + 1, 0));
	EXPECT(!marul1_ptr(l.client, UINT64_MAX, 1));
	EXPECT(!marul1_ptr(l.client, 1, UINT64_MAX));
	EXPECT(!marul1_ptr(l.client, UINT64_MAX, UINT64_MAX));

	EXPECT_EQ(marul1_offset(l.client, base, &offset), 0);
	EXPECT_EQ(offset, 0);
	EXPECT_EQ(marul1_offset(l.client, base + end - 1, &offset), 0);
	EXPECT_EQ(offset, end - 1);
	EXPECT_EQ(marul1_offset(l.client, base + end, &offset), -ENOENT);
	EXPECT_EQ(marul1_offset(l.client, base - 1, &offset), -ENOENT);
	EXPECT_EQ(marul1_offset(l.client, NULL, &offset), -ENOENT);
	EXPECT_EQ(marul1_offset(l.client, (void *)UINTPTR_MAX, &offset), -ENOENT);
	EXPECT_EQ(offset, end - 1);
	lib_close(&l);
}

/* Every byte in exactly one piece, no piece over @max, the end is ENOENT. */
static void check_pieces(uint64_t max, uint64_t expected_max, uint64_t length)
{
	uint64_t sum = 0, piece = 0;
	size_t i = 0;
	void *addr;
	int err;

	while (!(err = marul1_range(&fake_client, max, i, &addr, &piece))) {
		EXPECT((uint8_t *)addr == fake_client.base + sum);
		EXPECT(piece && piece <= expected_max);
		sum += piece;
		i++;
	}
	EXPECT_EQ(err, -ENOENT);
	EXPECT_EQ(sum, length);
	EXPECT_EQ(i, (length + expected_max - 1) / expected_max);
	EXPECT_EQ(marul1_range(&fake_client, max, SIZE_MAX, &addr, &piece), -ENOENT);
}

/* 604 of them once failed: drivers refuse 512 GiB in one piece. */
static void pieces(void)
{
	const uint64_t length = 1000 * GIB + (2 << 20);
	uint64_t n;
	void *p;

	ASSERT(fake_start());
	fake.parts[0] = length;
	ASSERT(!marul1_map(&fake_client, 0, NULL, NULL));
	check_pieces(0, 64 * GIB, length);
	check_pieces(64 * GIB, 64 * GIB, length);
	check_pieces(100 * GIB + 4095, 100 * GIB, length);
	check_pieces(UINT64_MAX, length, length);
	EXPECT_EQ(marul1_range(&fake_client, 1, 0, &p, &n), -EINVAL);
	EXPECT_EQ(marul1_range(&fake_client, (2 << 20) - 1, 0, &p, &n), -EINVAL);
	marul1_unmap(&fake_client);
}

/* A driver pins one mapping at a time, and each backing is one. */
static void pieces_of_parts(void)
{
	static const uint64_t expected[] = {
		64 * GIB, 6 * GIB, 2 << 20, 64 * GIB, 64 * GIB,
	};
	uint64_t start = 0, n;
	void *p;

	ASSERT(fake_start());
	fake.parts[0] = 70 * GIB;
	fake.parts[1] = 2 << 20;
	fake.parts[2] = 128 * GIB;
	ASSERT(!marul1_map(&fake_client, 0, NULL, NULL));
	EXPECT_EQ(fake.nr_mapped, 3);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		ASSERT(!marul1_range(&fake_client, 0, i, &p, &n));
		EXPECT_EQ(n, expected[i]);
		EXPECT((uint8_t *)p == fake_client.base + start);
		start += n;
	}
	EXPECT_EQ(marul1_range(&fake_client, 0, ARRAY_SIZE(expected), &p, &n), -ENOENT);
	marul1_unmap(&fake_client);
}

static void growth(void)
{
	void *base, *again;
	uint64_t length;

	ASSERT(fake_start());
	fake.parts[0] = 4 * GIB;
	ASSERT(!marul1_map(&fake_client, 0, &base, &length));
	EXPECT_EQ(length, 4 * GIB);
	EXPECT_EQ(fake.mapped_length, 4 * GIB);
	EXPECT(!marul1_ptr(&fake_client, 5 * GIB, 1));
	fake.parts[1] = 3 * GIB;
	ASSERT(!marul1_map(&fake_client, 0, &again, &length));
	EXPECT(again == base);
	EXPECT_EQ(length, 7 * GIB);
	EXPECT_EQ(fake.mapped_from, 4 * GIB);
	EXPECT_EQ(fake.mapped_length, 3 * GIB);
	EXPECT(marul1_ptr(&fake_client, 5 * GIB, 1));
	ASSERT(!marul1_map(&fake_client, 0, &again, &length));
	EXPECT_EQ(fake.nr_mapped, 2);
	marul1_unmap(&fake_client);
}

/* Of a part that does not fit nothing is mapped; what was mapped stays. */
static void growth_beyond(void)
{
	void *base, *again = NULL;
	uint64_t length = 1;

	ASSERT(fake_start());
	fake.parts[0] = 4 * GIB;
	ASSERT(!marul1_map(&fake_client, 0, &base, NULL));
	fake.parts[1] = 3 * GIB;
	fake.parts[2] = 100 * GIB;
	EXPECT_EQ(marul1_map(&fake_client, 0, &again, &length), -ENOSPC);
	EXPECT(!again && length == 1);
	EXPECT(marul1_ptr(&fake_client, 0, 7 * GIB) == base);
	EXPECT(!marul1_ptr(&fake_client, 7 * GIB, 1));
	EXPECT_EQ(fake.nr_mapped, 2);
	marul1_unmap(&fake_client);
}

static void impossible_pools(void)
{
	void *base;
	uint64_t length;

	ASSERT(fake_start());
	EXPECT_EQ(marul1_map(&fake_client, 0, &base, &length), -ENOMEM);
	fake.parts[0] = UINT64_MAX & ~(uint64_t)((2 << 20) - 1);
	EXPECT_EQ(marul1_map(&fake_client, 0, &base, &length), -ENOMEM);
	fake.parts[0] = 1ULL << 46;
	EXPECT_EQ(marul1_map(&fake_client, 0, &base, &length) &&
		  fake_client.reserved, 0);
	marul1_unmap(&fake_client);
}

static sigjmp_buf after_fault;

static void on_fault(int sig)
{
	siglongjmp(after_fault, sig);
}

static bool write_faults(volatile uint8_t *p)
{
	struct sigaction act = { .sa_handler = on_fault }, before;
	bool faulted = true;

	sigaction(SIGSEGV, &act, &before);
	if (!sigsetjmp(after_fault, 1)) {
		*p = 1;
		faulted = false;
	}
	sigaction(SIGSEGV, &before, NULL);
	return faulted;
}

/* As on the device: the mapping of a read-only client cannot be made writable. */
static void read_only(void)
{
	struct marul1_client *reader;
	uint32_t layout;
	uint64_t length;
	struct lib l;
	void *base;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_layout(l.client, 64, 0, &layout));
	ASSERT(!lib_put(l.client, layout, "k", "text", 5));
	ASSERT(!marul1_client_open(l.pool, MARUL1_RDONLY, &reader));
	ASSERT(!marul1_map(reader, MARUL1_POPULATE, &base, &length));
	EXPECT(write_faults(base));
	EXPECT(mprotect(base, length, PROT_READ | PROT_WRITE) < 0 && errno == EACCES);
	EXPECT(write_faults(base));
	EXPECT_EQ(lib_put(reader, layout, "other", "x", 1), -EACCES);
	EXPECT_EQ(marul1_client_open(l.pool, 2, &reader), -EINVAL);
	marul1_client_close(reader);
	EXPECT(!write_faults(marul1_ptr(l.client, 0, 1)));
	lib_close(&l);
}

/* Two clients see one memory; it ends with the last of pool and clients. */
static void shared_by_clients(void)
{
	struct marul1_client *other;
	uint8_t *a, *b;
	struct lib l;
	void *p;

	ASSERT(!lib_open(&l, "embedded:4M", 0));
	ASSERT(!marul1_client_open(l.pool, 0, &other));
	l.pool = marul1_pool_unref(l.pool);
	ASSERT(!marul1_map(l.client, 0, &p, NULL));
	a = p;
	ASSERT(!marul1_map(other, 0, &p, NULL));
	b = p;
	EXPECT(a != b);
	a[12345] = 77;
	EXPECT_EQ(b[12345], 77);
	marul1_client_close(l.client);
	l.client = NULL;
	EXPECT_EQ(b[12345], 77);
	marul1_client_close(other);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "map-none", "without a mapping there are no addresses", not_mapped },
	{ "map-once", "a second call answers the same address", one_mapping },
	{ "map-bounds", "no offset, length or pointer gets past the ends", arithmetic },
	{ "map-pieces", "pieces cover the pool, none over 64 GiB", pieces },
	{ "map-pieces-parts", "no piece goes over a border of parts", pieces_of_parts },
	{ "map-growth", "a pool that grows stays one range", growth },
	{ "map-growth-beyond", "growth beyond what is set aside is ENOSPC, the rest stays",
	  growth_beyond },
	{ "map-impossible", "sizes that no address space has are ENOMEM", impossible_pools },
	{ "map-readonly", "a read-only client cannot write, nor mprotect", read_only },
	{ "map-shared", "clients map the same memory", shared_by_clients },
};

int main(int argc, char **argv)
{
	int rc = tap_run("lib-map", cases, ARRAY_SIZE(cases), argc, argv);

	fake_end();
	return rc;
}
