// SPDX-License-Identifier: GPL-2.0-only
/*
 * What lies on the media: superblocks, beat and stop lines.  A wrong crc ends
 * everything early, so the first byte says what to mend before it is read.
 */

#include "fuzz.h"
#include "super.h"

#define MEND_FIRST	BIT(0)
#define MEND_SECOND	BIT(1)
#define FITTING		BIT(2)	/* start from an intact superblock */

static const struct maru_super fitting = {
	.generation = 3, .uuid = { 1 }, .unit = MARU_SB_UNIT_MIN,
	.segment_bytes = MARU_SEGMENT_MIN, .pool_bytes = 62ULL << 20,
	.backing_count = 1, .backing_bytes = { 62ULL << 20 },
};

static void mend(struct maru_sb_disk *disk)
{
	memcpy(disk->magic, MARU_SB_MAGIC, sizeof(disk->magic));
	disk->crc = cpu_to_le32(crc32c(~0U, disk, offsetof(struct maru_sb_disk, crc)));
	/* Whichever way the sum is ended: an intact copy says it. */
	struct maru_sb_disk intact;

	maru_super_encode(&fitting, &intact);
	if (le32_to_cpu(intact.crc) !=
	    crc32c(~0U, &intact, offsetof(struct maru_sb_disk, crc)))
		disk->crc = cpu_to_le32(~le32_to_cpu(disk->crc));
}

/* A superblock that was accepted is one that attach can build upon. */
static void super_expect(const struct maru_super *sb, u64 memory_bytes, u64 align)
{
	u64 sum = 0;

	FUZZ_EXPECT(sb->generation);
	FUZZ_EXPECT(is_power_of_2(sb->unit) && sb->unit >= MARU_SB_UNIT_MIN);
	FUZZ_EXPECT(sb->unit % align == 0);
	FUZZ_EXPECT(sb->segment_bytes && sb->segment_bytes % MARU_SEGMENT_MIN == 0);
	FUZZ_EXPECT(sb->backing_count && sb->backing_count <= MARU_L1_BACKINGS_MAX);
	FUZZ_EXPECT(sb->backing_index < sb->backing_count);
	for (u32 i = 0; i < sb->backing_count; i++) {
		FUZZ_EXPECT(sb->backing_bytes[i] &&
			    sb->backing_bytes[i] % sb->unit == 0);
		FUZZ_EXPECT(!check_add_overflow(sum, sb->backing_bytes[i], &sum));
	}
	FUZZ_EXPECT(sum == sb->pool_bytes && sum <= MARU_POOL_MAX);
	FUZZ_EXPECT(sb->unit + sb->backing_bytes[sb->backing_index] <= memory_bytes);
}

/* What is decoded is encoded as it was. */
static void super_round(const struct maru_super *sb, const struct maru_sb_disk *disk)
{
	struct maru_sb_disk again;

	maru_super_encode(sb, &again);
	FUZZ_EXPECT(!memcmp(&again, disk, sizeof(again)));
}

static void supers(const struct maru_sb_disk *copies, u64 memory_bytes, u64 align)
{
	enum maru_super_error error[2], chosen;
	struct maru_super sb[2], best;
	int which = -1;

	for (int i = 0; i < 2; i++) {
		error[i] = maru_super_decode(&copies[i], memory_bytes, align, &sb[i]);
		FUZZ_EXPECT(maru_super_strerror(error[i]));
		if (error[i])
			continue;
		super_expect(&sb[i], memory_bytes, align);
		super_round(&sb[i], &copies[i]);
	}
	chosen = maru_super_choose(copies, memory_bytes, align, &best, &which);
	if (chosen)
		return;
	FUZZ_EXPECT((which == 0 || which == 1) && !error[which]);
	FUZZ_EXPECT(!memcmp(&best, &sb[which], sizeof(best)));
	if (!error[!which])
		FUZZ_EXPECT(sb[!which].generation <= best.generation);
}

static void lines(const uint8_t *bytes)
{
	struct maru_beat_disk beat_disk, beat_again;
	struct maru_stop_disk stop_disk, stop_again;
	u32 node = 1 + bytes[0] % MARU_NODES, writer = 1 + bytes[1] % MARU_NODES;
	struct maru_beat beat;

	memcpy(&beat_disk, bytes, sizeof(beat_disk));
	if (!maru_beat_decode(&beat_disk, node, &beat) && beat.state) {
		maru_beat_encode(&beat, &beat_again);
		FUZZ_EXPECT(!memcmp(&beat_again, &beat_disk, sizeof(beat_disk)));
		FUZZ_EXPECT(beat.node == node && beat.state <= MARU_BEAT_STOPPED);
	}
	memcpy(&stop_disk, bytes, sizeof(stop_disk));
	if (maru_stop_orders(&stop_disk, node, writer, bytes[2])) {
		maru_stop_encode(&stop_again, node, writer,
				 le32_to_cpu(stop_disk.incarnation));
		FUZZ_EXPECT(!memcmp(&stop_again, &stop_disk, sizeof(stop_disk)));
		FUZZ_EXPECT(le32_to_cpu(stop_disk.incarnation) >= bytes[2]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct maru_sb_disk copies[2];
	static uint8_t buffer[sizeof(copies)];
	uint8_t what = size ? bytes[0] : 0;
	u64 align = size > 1 && bytes[1] & 1 ? 4096 : 2ULL << 20;

	if (size < 2 + MARU_LINE_SIZE)
		return 0;
	lines(bytes + 2);
	memset(copies, 0, sizeof(copies));
	if (what & FITTING)
		for (int i = 0; i < 2; i++)
			maru_super_encode(&fitting, &copies[i]);
	memcpy(buffer, copies, sizeof(buffer));
	/* Short inputs reach the fields of both copies. */
	for (size_t i = 0; i < size - 2 && i < sizeof(buffer); i++) {
		size_t at = i / 2 + i % 2 * sizeof(copies[0]);

		buffer[at] ^= bytes[2 + i];
	}
	memcpy(copies, buffer, sizeof(copies));
	if (what & MEND_FIRST)
		mend(&copies[0]);
	if (what & MEND_SECOND)
		mend(&copies[1]);
	supers(copies, 64ULL << 20, align);
	return 0;
}
