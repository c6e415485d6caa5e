// SPDX-License-Identifier: GPL-2.0-only
/* Beat and stop lines of format v1. */
#include "super_test.h"

static struct maru_beat sample(u32 node)
{
	struct maru_beat beat = {
		.node = node, .state = MARU_BEAT_RUNNING, .incarnation = 0x1234,
		.watchdog_ms = 8000, .beat = 0x0123456789abcdefULL,
	};

	memset(beat.machine_id, 0xa1, sizeof(beat.machine_id));
	memset(beat.boot_id, 0xb2, sizeof(beat.boot_id));
	return beat;
}

static void seal_beat(struct maru_beat_disk *disk)
{
	disk->crc = cpu_to_le32(test_crc(disk, offsetof(struct maru_beat_disk, crc)));
}

static void seal_stop(struct maru_stop_disk *disk)
{
	disk->crc = cpu_to_le32(test_crc(disk, offsetof(struct maru_stop_disk, crc)));
}

void lines_beat_round_trip(void)
{
	for (u32 node = 1; node <= MARU_NODES; node++) {
		for (u32 state = MARU_BEAT_RUNNING; state <= MARU_BEAT_STOPPED; state++) {
			struct maru_beat in = sample(node), out;
			struct maru_beat_disk disk;

			in.state = state;
			memset(&disk, 0xcc, sizeof(disk));
			memset(&out, 0xcc, sizeof(out));
			maru_beat_encode(&in, &disk);
			EXPECT_EQ(le32_to_cpu(disk.crc), test_crc(&disk, 60));
			EXPECT_EQ(maru_beat_decode(&disk, node, &out), 0);
			EXPECT_EQ(out.node, node);
			EXPECT_EQ(out.state, state);
			EXPECT_EQ(out.incarnation, in.incarnation);
			EXPECT_EQ(out.watchdog_ms, in.watchdog_ms);
			EXPECT_EQ(out.beat, in.beat);
			EXPECT(!memcmp(out.machine_id, in.machine_id, 16));
			EXPECT(!memcmp(out.boot_id, in.boot_id, 16));
		}
	}
}

void lines_beat_unwritten(void)
{
	struct maru_beat_disk disk = { 0 };
	struct maru_beat out;

	memset(&out, 0xcc, sizeof(out));
	EXPECT_EQ(maru_beat_decode(&disk, 7, &out), 0);
	EXPECT_EQ(out.node, 7);
	EXPECT_EQ(out.state, MARU_BEAT_NONE);
	EXPECT_EQ(out.incarnation, 0);
	EXPECT_EQ(out.beat, 0);
}

void lines_beat_flips(void)
{
	struct maru_beat in = sample(3), out;
	struct maru_beat_disk disk;

	maru_beat_encode(&in, &disk);
	for (unsigned int bit = 0; bit < 8 * sizeof(disk); bit++) {
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
		EXPECT_EQ(maru_beat_decode(&disk, 3, &out), -EUCLEAN);
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
	}
	EXPECT_EQ(maru_beat_decode(&disk, 3, &out), 0);
}

/* One change to a good line, its crc made right again. */
#define BEAT_ATTACK(change) do {					\
	struct maru_beat in_ = sample(3), out_;				\
	struct maru_beat_disk disk;					\
									\
	maru_beat_encode(&in_, &disk);					\
	change;								\
	seal_beat(&disk);						\
	if (maru_beat_decode(&disk, 3, &out_) != -EUCLEAN)		\
		TAP_FAIL("accepted: %s", #change);			\
} while (0)

void lines_beat_attacks(void)
{
	struct maru_beat_disk zero = { 0 };
	struct maru_beat out;

	BEAT_ATTACK(disk.magic = cpu_to_le32(MARU_STOP_MAGIC));
	BEAT_ATTACK(disk.magic = 0);
	BEAT_ATTACK(disk.node = cpu_to_le16(4));	/* a neighbour's line, copied */
	BEAT_ATTACK(disk.node = 0);
	BEAT_ATTACK(disk.node = cpu_to_le16(3 + 256));
	BEAT_ATTACK(disk.state = 0);
	BEAT_ATTACK(disk.state = cpu_to_le16(4));
	BEAT_ATTACK(disk.state = cpu_to_le16(0x0101));
	BEAT_ATTACK(disk.incarnation = 0);
	BEAT_ATTACK(disk.incarnation = cpu_to_le32(MARU_INCARNATION_MAX + 1));
	BEAT_ATTACK(disk.incarnation = cpu_to_le32(U32_MAX));
	BEAT_ATTACK(disk.reserved = cpu_to_le32(1));
	BEAT_ATTACK(disk.reserved = cpu_to_le32(1U << 31));
	seal_beat(&zero);
	EXPECT_EQ(maru_beat_decode(&zero, 3, &out), -EUCLEAN);
	memset(&zero, 0xff, sizeof(zero));
	EXPECT_EQ(maru_beat_decode(&zero, 3, &out), -EUCLEAN);
}

void lines_stop_orders(void)
{
	struct maru_stop_disk disk;

	memset(&disk, 0xcc, sizeof(disk));
	maru_stop_encode(&disk, 5, 9, 100);
	EXPECT_EQ(le32_to_cpu(disk.crc), test_crc(&disk, 60));
	EXPECT(maru_stop_orders(&disk, 5, 9, 1));
	EXPECT(maru_stop_orders(&disk, 5, 9, 99));
	EXPECT(maru_stop_orders(&disk, 5, 9, 100));
	EXPECT(!maru_stop_orders(&disk, 5, 9, 101));
	EXPECT(!maru_stop_orders(&disk, 5, 9, MARU_INCARNATION_MAX));
	EXPECT(!maru_stop_orders(&disk, 9, 5, 100));
	EXPECT(!maru_stop_orders(&disk, 6, 9, 100));
	EXPECT(!maru_stop_orders(&disk, 5, 10, 100));
	maru_stop_encode(&disk, 64, 64, MARU_INCARNATION_MAX);
	EXPECT(maru_stop_orders(&disk, 64, 64, MARU_INCARNATION_MAX));
}

void lines_stop_flips(void)
{
	struct maru_stop_disk disk;

	maru_stop_encode(&disk, 5, 9, 100);
	for (unsigned int bit = 0; bit < 8 * sizeof(disk); bit++) {
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
		EXPECT(!maru_stop_orders(&disk, 5, 9, 1));
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
	}
	EXPECT(maru_stop_orders(&disk, 5, 9, 1));
}

#define STOP_ATTACK(change) do {					\
	struct maru_stop_disk disk;					\
									\
	maru_stop_encode(&disk, 5, 9, 100);				\
	change;								\
	seal_stop(&disk);						\
	if (maru_stop_orders(&disk, 5, 9, 1))				\
		TAP_FAIL("obeyed: %s", #change);			\
} while (0)

void lines_stop_attacks(void)
{
	struct maru_stop_disk zero = { 0 };

	EXPECT(!maru_stop_orders(&zero, 5, 9, 1));
	EXPECT(!maru_stop_orders(&zero, 0, 0, 0));
	seal_stop(&zero);
	EXPECT(!maru_stop_orders(&zero, 0, 0, 0));
	STOP_ATTACK(disk.magic = cpu_to_le32(MARU_BEAT_MAGIC));
	STOP_ATTACK(disk.node = cpu_to_le16(5 + 256));
	STOP_ATTACK(disk.writer = cpu_to_le16(9 + 256));
	STOP_ATTACK(disk.incarnation = 0);
	STOP_ATTACK(disk.incarnation = cpu_to_le32(MARU_INCARNATION_MAX + 1));
	STOP_ATTACK(disk.incarnation = cpu_to_le32(U32_MAX));
	for (unsigned int i = 0; i < sizeof(zero.reserved); i++)
		STOP_ATTACK(disk.reserved[i] = 0x80);
}

/* Marks the 64 bytes of a line; false if one has an owner already. */
static bool take(u8 *area, u64 offset)
{
	if (offset % MARU_LINE_SIZE || offset + MARU_LINE_SIZE > MARU_SB_AREA)
		return false;
	if (!mem_is_zero(area + offset, MARU_LINE_SIZE))
		return false;
	memset(area + offset, 1, MARU_LINE_SIZE);
	return true;
}

void lines_places(void)
{
	u8 *area = calloc(1, MARU_SB_AREA);

	ASSERT(area);
	memset(area, 1, 2 * MARU_SB_COPY_SIZE);
	memset(area + MARU_SB_NONCES, 1, MARU_NODES * MARU_LINE_SIZE);
	for (u32 node = 1; node <= MARU_NODES; node++) {
		EXPECT(take(area, maru_beat_offset(node)));
		for (u32 writer = 1; writer <= MARU_NODES; writer++)
			EXPECT(take(area, maru_stop_offset(node, writer)));
	}
	free(area);
}
