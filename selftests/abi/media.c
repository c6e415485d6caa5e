// SPDX-License-Identifier: GPL-2.0-only
/* What lies on the media: a superblock or lines that must not be believed. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "../guest/account.h"
#include "../guest/raw.h"
#include "abi.h"

#define BYTES (8U << 20)

/* Where beat lines are decoded: any magic but zero will do for a damaged one. */

/* The medium as @spoil leaves it is refused with @want. */
static void refuse(void (*spoil)(struct medium *m), int want, const char *what)
{
	struct maru_l1_attach *arg;
	static uint8_t before[MEDIUM_UNIT];
	struct frame f;
	struct medium m;

	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == MARU_L1_ATTACH)
			ASSERT(frame_begin(&f, &calls[i], O_RDWR));
	arg = (struct maru_l1_attach *)f.arg;
	ASSERT(!medium_memfd(&m, BYTES, MEDIUM_SEALED, true));
	spoil(&m);
	memcpy(before, m.base, MEDIUM_UNIT);
	arg->fds = (uintptr_t)&m.fd;
	frame_refused(&f, want, what);
	if (memcmp(before, m.base, MEDIUM_UNIT))
		TAP_FAIL("%s: was refused and changed the media", what);
	medium_close(&m);
	frame_end(&f);
}

static void blank(struct medium *m)
{
	memset(m->base, 0, MEDIUM_UNIT);
}

static void noise(struct medium *m)
{
	uint32_t x = 1;

	for (size_t i = 0; i < MEDIUM_UNIT; i++)
		m->base[i] = (x = x * 1664525 + 1013904223) >> 24;
}

static void magic(struct medium *m)
{
	medium_super(m, 0)->magic[7] ^= 1;
	medium_seal_super(medium_super(m, 0));
}

static void crc(struct medium *m)
{
	medium_super(m, 0)->crc ^= 1;
}

static void one_bit(struct medium *m)
{
	medium_super(m, 0)->uuid[5] ^= 0x10;
}

static void unformatted(void)
{
	refuse(blank, -EUCLEAN, "memory of zeros");
	refuse(noise, -EUCLEAN, "memory of noise");
	refuse(magic, -EUCLEAN, "another magic");
	refuse(crc, -EUCLEAN, "a wrong crc");
	refuse(one_bit, -EUCLEAN, "a bit of the uuid turned");
}

/* One field of the superblock wrong, the crc right. */
#define SPOIL(name, ...)						\
	static void name(struct medium *m)				\
	{								\
		struct medium_super *sb = medium_super(m, 0);		\
									\
		__VA_ARGS__;						\
		medium_seal_super(sb);					\
	}

SPOIL(version_0, sb->version = 0)
SPOIL(version_2, sb->version = 2)
SPOIL(flag, sb->flags |= 2)
SPOIL(unit_small, sb->unit = 4096)
SPOIL(unit_odd, sb->unit = 3 << 20)
SPOIL(unit_big, sb->unit = 1ULL << 40)
SPOIL(unit_zero, sb->unit = 0)
SPOIL(segment_zero, sb->segment_bytes = 0)
SPOIL(segment_odd, sb->segment_bytes = (2 << 20) + 4096)
SPOIL(pool_zero, sb->pool_bytes = 0)
SPOIL(pool_big, sb->pool_bytes = sb->backing_bytes[0] = BYTES)
SPOIL(pool_huge, sb->pool_bytes = sb->backing_bytes[0] = UINT64_MAX)
SPOIL(pool_odd, sb->pool_bytes = sb->backing_bytes[0] = (4 << 20) + 1)
SPOIL(sum, sb->backing_bytes[0] -= 2 << 20)
SPOIL(count_0, sb->backing_count = 0)
SPOIL(count_17, sb->backing_count = 17)
SPOIL(index_1, sb->backing_index = 1)
SPOIL(reserved, sb->reserved[0] = 1)

static void geometry(void)
{
	static const struct {
		void (*spoil)(struct medium *m);
		const char *what;
	} cases[] = {
		{ version_0, "version 0" },
		{ version_2, "version 2" },
		{ flag, "an unknown flag" },
		{ unit_small, "a unit of 4 KiB" },
		{ unit_odd, "a unit of 3 MiB" },
		{ unit_big, "a unit larger than the memory" },
		{ unit_zero, "a unit of 0" },
		{ segment_zero, "segments of 0" },
		{ segment_odd, "segments of 2 MiB and a page" },
		{ pool_zero, "a pool of 0" },
		{ pool_big, "a pool that ends one unit behind the memory" },
		{ pool_huge, "a pool of 2^64 - 1" },
		{ pool_odd, "a pool of an odd size" },
		{ sum, "backings that do not add up to the pool" },
		{ count_0, "no backing" },
		{ count_17, "17 backings" },
		{ index_1, "backing 1 of 1" },
		{ reserved, "a reserved byte that is set" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		refuse(cases[i].spoil, -EUCLEAN, cases[i].what);
}

/* A medium that is accepted, is attached, seen and detached again. */
static void accept(struct medium *m, const char *label, const char *what)
{
	struct maru_l1_info info;
	int fd, ret;

	ret = medium_attach(m, ABI_FRESH, 1);
	if (ret) {
		TAP_FAIL("%s: answered %d, expected 0", what, ret);
		return;
	}
	fd = raw_open(ABI_FRESH, O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(raw_info(fd, &info), 0);
	if (strncmp((char *)info.label, label, sizeof(info.label)))
		TAP_FAIL("%s: the label is %.32s, expected %s", what, (char *)info.label, label);
	close(fd);
	EXPECT_EQ(pool_detach(ABI_FRESH, 0), 0);
}

/* The valid copy with the higher generation counts, wherever it lies. */
static void copies(void)
{
	struct medium m;

	ASSERT(!medium_memfd(&m, BYTES, MEDIUM_SEALED, true));
	*medium_super(&m, 1) = *medium_super(&m, 0);
	memcpy(medium_super(&m, 1)->label, "newer\0\0\0", 8);
	medium_super(&m, 1)->generation = 2;
	medium_seal_super(medium_super(&m, 1));
	accept(&m, "newer", "two copies, the second newer");
	medium_super(&m, 1)->crc ^= 1;
	accept(&m, "selftest", "two copies, the newer one damaged");
	medium_super(&m, 1)->crc ^= 1;
	memset(medium_super(&m, 0), 0xff, 4096);
	accept(&m, "newer", "two copies, the first one overwritten");
	medium_close(&m);
}

/*
 * Lines are made by a real attach, since their magic is not known here: each
 * attach leaves the own line STOPPED, with a higher incarnation each time.
 */
static void lines(void)
{
	struct medium_beat *beat;
	struct medium m;
	uint32_t first;

	ASSERT(!medium_memfd(&m, BYTES, MEDIUM_SEALED, true));
	beat = medium_beat(&m, 1);
	accept(&m, "selftest", "no lines");
	EXPECT(beat->magic != 0);
	EXPECT_EQ(beat->node, 1);
	EXPECT_EQ(beat->state, 3);
	first = beat->incarnation;
	EXPECT(first >= 1);
	EXPECT(!memcmp(beat->machine_id, "selftest-machine", 16));
	EXPECT(!memcmp(beat->boot_id, "selftest-boot-id", 16));
	accept(&m, "selftest", "a line of a stopped life");
	EXPECT_EQ(beat->incarnation, first + 1);

	beat->crc ^= 1;
	EXPECT_EQ(medium_attach(&m, ABI_FRESH, 1), -EUCLEAN);
	beat->crc ^= 1;
	*medium_beat(&m, 9) = *beat;
	EXPECT_EQ(medium_attach(&m, ABI_FRESH, 1), -EUCLEAN);
	memset(medium_beat(&m, 9), 0, MEDIUM_LINE);

	beat->incarnation = 0xffff;
	medium_seal_beat(beat);
	EXPECT_EQ(medium_attach(&m, ABI_FRESH, 1), -ENOSPC);
	beat->incarnation = 0xfffe;
	medium_seal_beat(beat);
	accept(&m, "selftest", "the last incarnation");
	EXPECT_EQ(medium_attach(&m, ABI_FRESH, 1), -ENOSPC);
	medium_close(&m);
}

static volatile bool beating;

/* Another host: its line goes on by one each 200 ms. */
static void *beat_line(void *arg)
{
	struct medium_beat *beat = arg;

	while (beating) {
		struct medium_beat next = *beat;

		next.beat++;
		next.state = 1;
		medium_seal_beat(&next);
		*beat = next;
		sleep_ms(200);
	}
	return NULL;
}

/* Whether a medium on which line @node runs is refused. */
static void foreign_beat(struct medium *m, unsigned int node)
{
	struct medium_beat *beat = medium_beat(m, node);
	pthread_t thread;

	*beat = *medium_beat(m, 1);
	beat->node = node;
	beating = true;
	ASSERT(!pthread_create(&thread, NULL, beat_line, beat));
	EXPECT_EQ(medium_attach(m, ABI_FRESH, 1), -EBUSY);
	beating = false;
	pthread_join(thread, NULL);
	beat->state = 3;
	medium_seal_beat(beat);
}

static void running(void)
{
	struct medium m;

	ASSERT(!medium_memfd(&m, BYTES, MEDIUM_SEALED, true));
	accept(&m, "selftest", "no lines");
	foreign_beat(&m, 1);
	foreign_beat(&m, 2);
	foreign_beat(&m, 64);
	accept(&m, "selftest", "lines that have stopped");
	medium_close(&m);
}

const struct tap_case media_cases[] = {
	{ "unformatted", "memory without a valid superblock is EUCLEAN, untouched", unformatted },
	{ "geometry", "a superblock whose fields do not fit is EUCLEAN, untouched", geometry },
	{ "copies", "the newer valid copy of the superblock counts", copies },
	{ "lines", "damaged lines are EUCLEAN, used up incarnations ENOSPC", lines },
	{ "running", "a line that runs is EBUSY, the own one too", running },
};
CASES(media_cases);
