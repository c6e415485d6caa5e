// SPDX-License-Identifier: GPL-2.0-only
/* Superblocks whose crc is right and whose fields are not. */
#include "super_test.h"

/* One change to a good copy, its crc made right again. */
#define ATTACK(want, change) do {					\
	struct maru_super in_ = super_sample(), out_;			\
	struct maru_sb_disk disk;					\
	enum maru_super_error got_;					\
									\
	maru_super_encode(&in_, &disk);					\
	change;								\
	super_seal(&disk);						\
	got_ = maru_super_decode(&disk, MEMORY, UNIT, &out_);		\
	if (got_ != (want))						\
		TAP_FAIL("%s: %s", #change, maru_super_strerror(got_));	\
} while (0)
#define BAD_SIZE(field, value) \
	ATTACK(MARU_SUPER_GEOMETRY, disk.field = cpu_to_le64(value))

void attack_version(void)
{
	ATTACK(MARU_SUPER_NONE, disk.magic[7] = '1');
	ATTACK(MARU_SUPER_VERSION, disk.version = 0);
	ATTACK(MARU_SUPER_VERSION, disk.version = cpu_to_le32(2));
	ATTACK(MARU_SUPER_VERSION, disk.version = cpu_to_le32(1 << 24));
	for (int bit = 1; bit < 32; bit++)
		ATTACK(MARU_SUPER_VERSION, disk.flags |= cpu_to_le32(1U << bit));
	for (unsigned int i = 0; i < sizeof(((struct maru_sb_disk *)0)->reserved); i++)
		ATTACK(MARU_SUPER_VERSION, disk.reserved[i] = 1);
}

void attack_fields(void)
{
	ATTACK(MARU_SUPER_FIELDS, disk.generation = 0);
	ATTACK(MARU_SUPER_FIELDS, memset(disk.uuid, 0, sizeof(disk.uuid)));
	ATTACK(MARU_SUPER_FIELDS, disk.label[31] = 'x');
	ATTACK(MARU_SUPER_FIELDS, disk.label[0] = 0);
}

void attack_unit(void)
{
	static const u64 units[] = {
		0, 1, 4096, MIB, 3 * MIB, UNIT + 1, 6 * MIB, 1 << 30, 1ULL << 63,
		U64_MAX, 1ULL << 32,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(units); i++)
		BAD_SIZE(unit, units[i]);
	/* Sizes that a mask made of this unit would let pass. */
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.unit = cpu_to_le64(6 * MIB);
		disk.backing_bytes[0] = cpu_to_le64(896 * MIB);
		disk.backing_bytes[1] = cpu_to_le64(496 * MIB);
		disk.backing_bytes[2] = cpu_to_le64(104 * MIB);
		disk.pool_bytes = cpu_to_le64(1496 * MIB);
	});
}

void attack_segment(void)
{
	static const u64 sizes[] = {
		0, 1, 4096, MIB, 2 * MIB - 1, 3 * MIB, 1502 * MIB, 1ULL << 63, U64_MAX,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		BAD_SIZE(segment_bytes, sizes[i]);
	ATTACK(MARU_SUPER_OK, disk.segment_bytes = cpu_to_le64(1500 * MIB));
	ATTACK(MARU_SUPER_OK, disk.segment_bytes = cpu_to_le64(2 * MIB));
}

void attack_counts(void)
{
	static const u32 counts[] = { 0, 1, 2, 4, 16, 17, 1U << 31, U32_MAX };
	static const u32 indices[] = { 3, 16, 17, 1U << 31, U32_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++)
		ATTACK(MARU_SUPER_GEOMETRY, disk.backing_count = cpu_to_le32(counts[i]));
	for (unsigned int i = 0; i < ARRAY_SIZE(indices); i++)
		ATTACK(MARU_SUPER_GEOMETRY, disk.backing_index = cpu_to_le32(indices[i]));
	/* One more than there is room for, and all of them in use. */
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.backing_count = cpu_to_le32(MARU_L1_BACKINGS_MAX + 1);
		for (int i = 3; i < MARU_L1_BACKINGS_MAX; i++)
			disk.backing_bytes[i] = cpu_to_le64(UNIT);
		disk.pool_bytes = cpu_to_le64(1500 * MIB + 13 * UNIT);
	});
	/* Another backing's copy: 900 MiB are not on this memory. */
	ATTACK(MARU_SUPER_GEOMETRY, disk.backing_index = 0);
}

void attack_sums(void)
{
	BAD_SIZE(pool_bytes, 0);
	BAD_SIZE(pool_bytes, 1500 * MIB + 1);
	BAD_SIZE(pool_bytes, 1498 * MIB);
	BAD_SIZE(pool_bytes, U64_MAX);
	BAD_SIZE(backing_bytes[0], 0);
	BAD_SIZE(backing_bytes[0], 900 * MIB + 4096);
	BAD_SIZE(backing_bytes[0], U64_MAX);
	BAD_SIZE(backing_bytes[3], UNIT);
	BAD_SIZE(backing_bytes[15], UNIT);
	/* A sum that is right only because it overflows. */
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.backing_bytes[0] = cpu_to_le64(1ULL << 63);
		disk.backing_bytes[2] = cpu_to_le64((1ULL << 63) + 1000 * MIB);
	});
	/* A sum that is right, of more than there can be. */
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.backing_bytes[0] = cpu_to_le64(MARU_POOL_MAX);
		disk.backing_bytes[2] = cpu_to_le64(MARU_POOL_MAX);
		disk.pool_bytes = cpu_to_le64(2 * MARU_POOL_MAX + 500 * MIB);
	});
	/* Sums that are right, of parts that are not whole units. */
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.backing_bytes[0] = cpu_to_le64(900 * MIB + 4096);
		disk.backing_bytes[2] = cpu_to_le64(100 * MIB - 4096);
	});
	ATTACK(MARU_SUPER_GEOMETRY, {
		disk.backing_bytes[1] = cpu_to_le64(502 * MIB);
		disk.backing_bytes[2] = cpu_to_le64(98 * MIB);
	});
}

/* The memory that it is found on: one unit less, none at all, odd alignments. */
void attack_memory(void)
{
	struct maru_super in = super_sample(), out;
	struct maru_sb_disk disk;
	static const struct {
		u64 memory, align;
		enum maru_super_error want;
	} t[] = {
		{ MEMORY, UNIT, MARU_SUPER_OK },
		{ MEMORY + GIB, UNIT, MARU_SUPER_OK },
		{ U64_MAX, UNIT, MARU_SUPER_OK },
		{ MEMORY - 1, UNIT, MARU_SUPER_GEOMETRY },
		{ MEMORY - UNIT, UNIT, MARU_SUPER_GEOMETRY },
		{ UNIT, UNIT, MARU_SUPER_GEOMETRY },
		{ UNIT - 1, UNIT, MARU_SUPER_GEOMETRY },
		{ 0, UNIT, MARU_SUPER_GEOMETRY },
		{ MEMORY, 0, MARU_SUPER_GEOMETRY },
		{ MEMORY, 4097, MARU_SUPER_GEOMETRY },
		{ MEMORY, 2 * UNIT, MARU_SUPER_GEOMETRY },
		{ MEMORY, 1ULL << 63, MARU_SUPER_GEOMETRY },
	};

	maru_super_encode(&in, &disk);
	for (unsigned int i = 0; i < ARRAY_SIZE(t); i++)
		EXPECT_EQ(maru_super_decode(&disk, t[i].memory, t[i].align, &out),
			  t[i].want);
	in.unit = MIB;
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, 4096, &out), MARU_SUPER_GEOMETRY);
}

/*
 * Words of the geometry replaced at random by awkward values, crc right: what
 * is accepted must add up, computed here in 128 bits.
 */
static bool adds_up(const struct maru_super *sb)
{
	unsigned __int128 sum = 0;

	for (u32 i = 0; i < sb->backing_count; i++) {
		if (!sb->backing_bytes[i] || sb->backing_bytes[i] % sb->unit)
			return false;
		sum += sb->backing_bytes[i];
	}
	return sum == sb->pool_bytes && sb->unit % UNIT == 0 &&
	       sb->segment_bytes && sb->segment_bytes % (2 * MIB) == 0 &&
	       sb->segment_bytes <= sum &&
	       (unsigned __int128)sb->unit + sb->backing_bytes[sb->backing_index] <= MEMORY;
}

void attack_at_random(void)
{
	static const u64 awkward[] = {
		0, 1, UNIT, 2 * UNIT, 100 * MIB, 500 * MIB, 502 * MIB, 600 * MIB,
		GIB, 1ULL << 52, 1ULL << 63, 0ULL - UNIT, U64_MAX,
	};
	unsigned int accepted = 0;
	struct maru_super in, out;
	struct maru_sb_disk disk;

	srandom(1);
	for (int n = 0; n < 20000; n++) {
		in = super_sample();
		in.backing_count = 1 + random() % 3;
		in.backing_index = random() % 3;
		in.pool_bytes = 0;
		for (int i = 0; i < 3; i++) {
			in.backing_bytes[i] = awkward[random() % ARRAY_SIZE(awkward)];
			in.pool_bytes += in.backing_bytes[i];
		}
		if (random() % 4 == 0)
			in.unit = awkward[random() % ARRAY_SIZE(awkward)];
		if (random() % 4 == 0)
			in.segment_bytes = awkward[random() % ARRAY_SIZE(awkward)];
		maru_super_encode(&in, &disk);
		if (maru_super_decode(&disk, MEMORY, UNIT, &out) != MARU_SUPER_OK)
			continue;
		accepted++;
		EXPECT(super_same(&in, &out) && adds_up(&out));
	}
	EXPECT(accepted > 100);
}
