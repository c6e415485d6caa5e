// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Format v1 of a backing: to and from the bytes on the media.
 *
 * Whatever lies on the media may be damaged, of another version, or made up.
 * Nothing is believed before its crc is right, and nothing after it before each
 * field has been held against its range: a crc keeps out accidents, not malice.
 */
#include "super.h"

#define SEGMENT_DEFAULT		BIT_ULL(30)
#define SEGMENTS_SMALL		64	/* of a pool too small for the default */

static_assert(sizeof(struct maru_sb_disk) == MARU_SB_COPY_SIZE, "format v1");
static_assert(offsetof(struct maru_sb_disk, version) == 8, "all formats");
static_assert(offsetof(struct maru_sb_disk, generation) == 16, "all formats");
static_assert(offsetof(struct maru_sb_disk, uuid) == 24, "format v1");
static_assert(offsetof(struct maru_sb_disk, label) == 40, "format v1");
static_assert(offsetof(struct maru_sb_disk, unit) == 72, "format v1");
static_assert(offsetof(struct maru_sb_disk, backing_index) == 96, "format v1");
static_assert(offsetof(struct maru_sb_disk, backing_bytes) == 104, "format v1");
static_assert(offsetof(struct maru_sb_disk, reserved) == 232, "format v1");
static_assert(offsetof(struct maru_sb_disk, crc) == MARU_SB_COPY_SIZE - 4,
	      "all formats");
static_assert(sizeof(struct maru_beat_disk) == MARU_LINE_SIZE, "format v1");
static_assert(offsetof(struct maru_beat_disk, beat) == 16, "format v1");
static_assert(offsetof(struct maru_beat_disk, crc) == MARU_LINE_SIZE - 4,
	      "format v1");
static_assert(sizeof(struct maru_stop_disk) == MARU_LINE_SIZE, "format v1");
static_assert(offsetof(struct maru_stop_disk, crc) == MARU_LINE_SIZE - 4,
	      "format v1");
static_assert(2 * MARU_SB_COPY_SIZE <= MARU_SB_BEATS, "areas overlap");
static_assert(MARU_NODES * MARU_LINE_SIZE <= MARU_SB_NONCES - MARU_SB_BEATS,
	      "areas overlap");
static_assert(MARU_NODES * MARU_LINE_SIZE <= MARU_SB_STOPS - MARU_SB_NONCES,
	      "areas overlap");
static_assert(MARU_SB_AREA ==
	      MARU_SB_STOPS + MARU_NODES * MARU_NODES * MARU_LINE_SIZE,
	      "areas overlap");
static_assert(MARU_SB_AREA <= MARU_SB_UNIT_MIN, "the area fits its unit");

/* All structs of the format end with the crc of what is before it. */
static u32 crc_before(const void *disk, const __le32 *crc)
{
	return ~crc32c(~0U, disk, (const u8 *)crc - (const u8 *)disk);
}

static bool multiple_of(u64 n, u64 power_of_two)
{
	return !(n & (power_of_two - 1));
}

void maru_super_encode(const struct maru_super *sb, struct maru_sb_disk *disk)
{
	u32 i;

	memset(disk, 0, sizeof(*disk));
	memcpy(disk->magic, MARU_SB_MAGIC, sizeof(disk->magic));
	disk->version = cpu_to_le32(MARU_SB_VERSION);
	disk->flags = cpu_to_le32(sb->coherent ? MARU_SB_COHERENT : 0);
	disk->generation = cpu_to_le64(sb->generation);
	memcpy(disk->uuid, sb->uuid, sizeof(disk->uuid));
	memcpy(disk->label, sb->label, sizeof(disk->label));
	disk->unit = cpu_to_le64(sb->unit);
	disk->segment_bytes = cpu_to_le64(sb->segment_bytes);
	disk->pool_bytes = cpu_to_le64(sb->pool_bytes);
	disk->backing_index = cpu_to_le32(sb->backing_index);
	disk->backing_count = cpu_to_le32(sb->backing_count);
	for (i = 0; i < MARU_L1_BACKINGS_MAX; i++)
		disk->backing_bytes[i] = cpu_to_le64(sb->backing_bytes[i]);
	disk->crc = cpu_to_le32(crc_before(disk, &disk->crc));
}

static void super_read(const struct maru_sb_disk *disk, struct maru_super *sb)
{
	u32 i;

	sb->generation = le64_to_cpu(disk->generation);
	memcpy(sb->uuid, disk->uuid, sizeof(sb->uuid));
	memcpy(sb->label, disk->label, sizeof(sb->label));
	sb->unit = le64_to_cpu(disk->unit);
	sb->segment_bytes = le64_to_cpu(disk->segment_bytes);
	sb->pool_bytes = le64_to_cpu(disk->pool_bytes);
	sb->backing_index = le32_to_cpu(disk->backing_index);
	sb->backing_count = le32_to_cpu(disk->backing_count);
	for (i = 0; i < MARU_L1_BACKINGS_MAX; i++)
		sb->backing_bytes[i] = le64_to_cpu(disk->backing_bytes[i]);
	sb->coherent = le32_to_cpu(disk->flags) & MARU_SB_COHERENT;
}

static bool label_is_padded(const u8 label[MARU_L1_LABEL_LEN])
{
	u32 i;

	for (i = 1; i < MARU_L1_LABEL_LEN; i++)
		if (!label[i - 1] && label[i])
			return false;
	return true;
}

/* The sizes of all backings, this one's against the memory that it is on. */
static bool backings_fit(const struct maru_super *sb, u64 memory_bytes)
{
	u64 sum = 0;
	u32 i;

	if (sb->backing_count > MARU_L1_BACKINGS_MAX ||
	    sb->backing_index >= sb->backing_count)
		return false;
	for (i = 0; i < MARU_L1_BACKINGS_MAX; i++) {
		u64 bytes = sb->backing_bytes[i];
		bool used = i < sb->backing_count;

		if (!!bytes != used ||
		    bytes > MARU_POOL_MAX || !multiple_of(bytes, sb->unit))
			return false;
		sum += bytes;	/* 16 times MARU_POOL_MAX is far from overflow */
	}
	return sum == sb->pool_bytes && sum <= MARU_POOL_MAX &&
	       sb->backing_bytes[sb->backing_index] <= memory_bytes - sb->unit;
}

static bool geometry_fits(const struct maru_super *sb, u64 memory_bytes,
			  u64 align)
{
	if (!is_power_of_2(align) || !is_power_of_2(sb->unit) ||
	    sb->unit < MARU_SB_UNIT_MIN || sb->unit < align ||
	    sb->unit > memory_bytes)
		return false;
	return backings_fit(sb, memory_bytes) &&
	       sb->segment_bytes >= MARU_SEGMENT_MIN &&
	       sb->segment_bytes <= sb->pool_bytes &&
	       multiple_of(sb->segment_bytes, MARU_SEGMENT_MIN);
}

enum maru_super_error maru_super_decode(const struct maru_sb_disk *disk,
					u64 memory_bytes, u64 align,
					struct maru_super *sb)
{
	memset(sb, 0, sizeof(*sb));
	if (memcmp(disk->magic, MARU_SB_MAGIC, sizeof(disk->magic)))
		return MARU_SUPER_NONE;
	if (le32_to_cpu(disk->crc) != crc_before(disk, &disk->crc))
		return MARU_SUPER_CRC;
	super_read(disk, sb);
	if (le32_to_cpu(disk->version) != MARU_SB_VERSION ||
	    le32_to_cpu(disk->flags) & ~MARU_SB_COHERENT ||
	    !mem_is_zero(disk->reserved, sizeof(disk->reserved)))
		return MARU_SUPER_VERSION;
	if (!sb->generation || mem_is_zero(sb->uuid, sizeof(sb->uuid)) ||
	    !label_is_padded(sb->label))
		return MARU_SUPER_FIELDS;
	if (!geometry_fits(sb, memory_bytes, align))
		return MARU_SUPER_GEOMETRY;
	return MARU_SUPER_OK;
}

/* As it was written, whatever it says: its generation can be believed. */
static bool intact(enum maru_super_error error)
{
	return error != MARU_SUPER_NONE && error != MARU_SUPER_CRC;
}

enum maru_super_error maru_super_choose(const struct maru_sb_disk copies[2],
					u64 memory_bytes, u64 align,
					struct maru_super *sb, int *which)
{
	enum maru_super_error first, second;
	struct maru_super other;

	*which = 0;
	first = maru_super_decode(&copies[0], memory_bytes, align, sb);
	second = maru_super_decode(&copies[1], memory_bytes, align, &other);
	if (!intact(first) && !intact(second))
		return first == second ? first : MARU_SUPER_CRC;
	if (intact(first) &&
	    (!intact(second) || sb->generation >= other.generation))
		return first;
	*which = 1;
	*sb = other;
	return second;
}

const char *maru_super_strerror(enum maru_super_error error)
{
	switch (error) {
	case MARU_SUPER_OK:
		return "valid";
	case MARU_SUPER_NONE:
		return "not formatted";
	case MARU_SUPER_VERSION:
		return "of a format that is not known here";
	case MARU_SUPER_CRC:
		return "damaged";
	case MARU_SUPER_FIELDS:
		return "malformed";
	case MARU_SUPER_GEOMETRY:
		return "made for a memory of another size or alignment";
	}
	return "?";
}

u64 maru_segment_default(u64 bytes)
{
	if (bytes >= SEGMENTS_SMALL * SEGMENT_DEFAULT)
		return SEGMENT_DEFAULT;
	return max_t(u64, MARU_SEGMENT_MIN,
		     round_down(bytes / SEGMENTS_SMALL, MARU_SEGMENT_MIN));
}

void maru_beat_encode(const struct maru_beat *beat, struct maru_beat_disk *disk)
{
	memset(disk, 0, sizeof(*disk));
	disk->magic = cpu_to_le32(MARU_BEAT_MAGIC);
	disk->node = cpu_to_le16(beat->node);
	disk->state = cpu_to_le16(beat->state);
	disk->incarnation = cpu_to_le32(beat->incarnation);
	disk->watchdog_ms = cpu_to_le32(beat->watchdog_ms);
	disk->beat = cpu_to_le64(beat->beat);
	memcpy(disk->machine_id, beat->machine_id, sizeof(disk->machine_id));
	memcpy(disk->boot_id, beat->boot_id, sizeof(disk->boot_id));
	disk->crc = cpu_to_le32(crc_before(disk, &disk->crc));
}

int maru_beat_decode(const struct maru_beat_disk *disk, u32 node,
		     struct maru_beat *beat)
{
	memset(beat, 0, sizeof(*beat));
	beat->node = node;
	if (mem_is_zero(disk, sizeof(*disk)))
		return 0;
	if (le32_to_cpu(disk->magic) != MARU_BEAT_MAGIC ||
	    le32_to_cpu(disk->crc) != crc_before(disk, &disk->crc) ||
	    le16_to_cpu(disk->node) != node || disk->reserved)
		return -EUCLEAN;
	beat->state = le16_to_cpu(disk->state);
	beat->incarnation = le32_to_cpu(disk->incarnation);
	if (beat->state < MARU_BEAT_RUNNING || beat->state > MARU_BEAT_STOPPED ||
	    beat->incarnation < 1 || beat->incarnation > MARU_INCARNATION_MAX)
		return -EUCLEAN;
	beat->watchdog_ms = le32_to_cpu(disk->watchdog_ms);
	beat->beat = le64_to_cpu(disk->beat);
	memcpy(beat->machine_id, disk->machine_id, sizeof(beat->machine_id));
	memcpy(beat->boot_id, disk->boot_id, sizeof(beat->boot_id));
	return 0;
}

void maru_stop_encode(struct maru_stop_disk *disk, u32 node, u32 writer,
		      u32 incarnation)
{
	memset(disk, 0, sizeof(*disk));
	disk->magic = cpu_to_le32(MARU_STOP_MAGIC);
	disk->node = cpu_to_le16(node);
	disk->writer = cpu_to_le16(writer);
	disk->incarnation = cpu_to_le32(incarnation);
	disk->crc = cpu_to_le32(crc_before(disk, &disk->crc));
}

bool maru_stop_orders(const struct maru_stop_disk *disk, u32 node, u32 writer,
		      u32 incarnation)
{
	u32 last = le32_to_cpu(disk->incarnation);

	return le32_to_cpu(disk->magic) == MARU_STOP_MAGIC &&
	       le32_to_cpu(disk->crc) == crc_before(disk, &disk->crc) &&
	       le16_to_cpu(disk->node) == node &&
	       le16_to_cpu(disk->writer) == writer &&
	       mem_is_zero(disk->reserved, sizeof(disk->reserved)) &&
	       last <= MARU_INCARNATION_MAX && incarnation <= last;
}
