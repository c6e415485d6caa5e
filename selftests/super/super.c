// SPDX-License-Identifier: GPL-2.0-only
/* The superblock of format v1, and the table of the suite's cases. */
#include "super_test.h"

#define MIB	(1ULL << 20)
#define GIB	(1ULL << 30)
#define UNIT	(2 * MIB)
#define MEMORY	(502 * MIB)

u32 test_crc(const void *p, size_t n)
{
	const u8 *b = p;
	u32 crc = ~0U;

	while (n--) {
		crc ^= *b++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static void seal(struct maru_sb_disk *disk)
{
	disk->crc = cpu_to_le32(test_crc(disk, offsetof(struct maru_sb_disk, crc)));
}

/* Backing 1 of three, on a memory of MEMORY bytes. */
static struct maru_super sample(void)
{
	struct maru_super sb = {
		.generation = 7, .unit = UNIT, .segment_bytes = 8 * MIB,
		.pool_bytes = 1500 * MIB, .backing_index = 1, .backing_count = 3,
		.backing_bytes = { 900 * MIB, 500 * MIB, 100 * MIB },
		.coherent = true,
	};

	memset(sb.uuid, 0x5a, sizeof(sb.uuid));
	memcpy(sb.label, "rack 7", 6);
	return sb;
}

static bool same(const struct maru_super *a, const struct maru_super *b)
{
	return a->generation == b->generation && a->unit == b->unit &&
	       a->segment_bytes == b->segment_bytes &&
	       a->pool_bytes == b->pool_bytes &&
	       a->backing_index == b->backing_index &&
	       a->backing_count == b->backing_count &&
	       a->coherent == b->coherent &&
	       !memcmp(a->uuid, b->uuid, sizeof(a->uuid)) &&
	       !memcmp(a->label, b->label, sizeof(a->label)) &&
	       !memcmp(a->backing_bytes, b->backing_bytes, sizeof(a->backing_bytes));
}

static void crc_is_crc32c(void)
{
	EXPECT_EQ(test_crc("123456789", 9), 0xe3069283);
	EXPECT_EQ(~crc32c(~0U, "123456789", 9), 0xe3069283);
}

static void round_trip(void)
{
	struct maru_super in = sample(), out;
	struct maru_sb_disk disk;

	memset(&disk, 0xcc, sizeof(disk));
	memset(&out, 0xcc, sizeof(out));
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, UNIT, &out), MARU_SUPER_OK);
	EXPECT(same(&in, &out));
	in.coherent = false;
	memset(in.label, 'x', sizeof(in.label));
	in.backing_index = 2;
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, UNIT, &out), MARU_SUPER_OK);
	EXPECT(same(&in, &out));
}

/* A device of 1 GiB pages, and one of 4 KiB pages on which the unit is 2 MiB. */
static void alignments(void)
{
	struct maru_super in = sample(), out;
	struct maru_sb_disk disk;

	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY + 4096, 4096, &out), MARU_SUPER_OK);
	EXPECT_EQ(maru_super_decode(&disk, 2 * GIB, GIB, &out), MARU_SUPER_GEOMETRY);
	in.unit = GIB;
	in.backing_count = 1;
	in.backing_index = 0;
	in.backing_bytes[0] = in.pool_bytes = 3 * GIB;
	in.backing_bytes[1] = in.backing_bytes[2] = 0;
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, 4 * GIB, GIB, &out), MARU_SUPER_OK);
	EXPECT_EQ(maru_super_decode(&disk, 4 * GIB, UNIT, &out), MARU_SUPER_OK);
	EXPECT_EQ(maru_super_decode(&disk, 4 * GIB - UNIT, UNIT, &out),
		  MARU_SUPER_GEOMETRY);
}

/* The bytes themselves: media outlives the compiler that wrote it. */
static void bytes_on_media(void)
{
	static const u8 head[] = {
		'M', 'A', 'R', 'U', '_', 'L', '1', 0, 1, 0, 0, 0, 1, 0, 0, 0,
		7, 0, 0, 0, 0, 0, 0, 0,
	};
	static const u8 sizes[] = {
		0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0,
		0, 0, 0xc0, 0x5d, 0, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0,
		0, 0, 0x40, 0x38, 0, 0, 0, 0,
	};
	struct maru_super in = sample();
	struct maru_sb_disk disk;
	u8 *bytes = (u8 *)&disk;

	maru_super_encode(&in, &disk);
	EXPECT(!memcmp(bytes, head, sizeof(head)));
	EXPECT_EQ(bytes[24], 0x5a);
	EXPECT(!memcmp(bytes + 40, "rack 7\0", 7));
	EXPECT(!memcmp(bytes + 72, sizes, sizeof(sizes)));
	EXPECT(mem_is_zero(bytes + 232, 4092 - 232));
	EXPECT_EQ(le32_to_cpu(disk.crc), test_crc(bytes, 4092));
}

static void flips(void)
{
	struct maru_super in = sample(), out;
	struct maru_sb_disk disk;
	enum maru_super_error want;

	maru_super_encode(&in, &disk);
	for (unsigned int bit = 0; bit < 8 * sizeof(disk); bit++) {
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
		want = bit / 8 < 8 ? MARU_SUPER_NONE : MARU_SUPER_CRC;
		if (maru_super_decode(&disk, MEMORY, UNIT, &out) != want)
			TAP_FAIL("bit %u", bit);
		((u8 *)&disk)[bit / 8] ^= 1 << bit % 8;
	}
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, UNIT, &out), MARU_SUPER_OK);
}

/* One change to a good copy, its crc made right again. */
#define ATTACK(want, change) do {					\
	struct maru_super in_ = sample(), out_;				\
	struct maru_sb_disk disk;					\
	enum maru_super_error got_;					\
									\
	maru_super_encode(&in_, &disk);					\
	change;								\
	seal(&disk);							\
	got_ = maru_super_decode(&disk, MEMORY, UNIT, &out_);		\
	if (got_ != (want))						\
		TAP_FAIL("%s: %s", #change, maru_super_strerror(got_));	\
} while (0)
#define BAD_SIZE(field, value) \
	ATTACK(MARU_SUPER_GEOMETRY, disk.field = cpu_to_le64(value))

static void attack_version(void)
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

static void attack_fields(void)
{
	ATTACK(MARU_SUPER_FIELDS, disk.generation = 0);
	ATTACK(MARU_SUPER_FIELDS, memset(disk.uuid, 0, sizeof(disk.uuid)));
	ATTACK(MARU_SUPER_FIELDS, disk.label[31] = 'x');
	ATTACK(MARU_SUPER_FIELDS, disk.label[0] = 0);
}

static void attack_unit(void)
{
	static const u64 units[] = {
		0, 1, 4096, MIB, 3 * MIB, UNIT + 1, 6 * MIB, 1 << 30, 1ULL << 63,
		U64_MAX, 1ULL << 32,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(units); i++)
		BAD_SIZE(unit, units[i]);
}

static void attack_segment(void)
{
	static const u64 sizes[] = {
		0, 1, 4096, MIB, 2 * MIB - 1, 3 * MIB, 1502 * MIB, 1ULL << 63, U64_MAX,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		BAD_SIZE(segment_bytes, sizes[i]);
	ATTACK(MARU_SUPER_OK, disk.segment_bytes = cpu_to_le64(1500 * MIB));
	ATTACK(MARU_SUPER_OK, disk.segment_bytes = cpu_to_le64(2 * MIB));
}

static void attack_counts(void)
{
	static const u32 counts[] = { 0, 1, 2, 4, 16, 17, 1U << 31, U32_MAX };
	static const u32 indices[] = { 3, 16, 17, 1U << 31, U32_MAX };

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++)
		ATTACK(MARU_SUPER_GEOMETRY, disk.backing_count = cpu_to_le32(counts[i]));
	for (unsigned int i = 0; i < ARRAY_SIZE(indices); i++)
		ATTACK(MARU_SUPER_GEOMETRY, disk.backing_index = cpu_to_le32(indices[i]));
	/* Another backing's copy: 900 MiB are not on this memory. */
	ATTACK(MARU_SUPER_GEOMETRY, disk.backing_index = 0);
}

static void attack_sums(void)
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
static void attack_memory(void)
{
	struct maru_super in = sample(), out;
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

static void attack_at_random(void)
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
		in = sample();
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
		EXPECT(same(&in, &out) && adds_up(&out));
	}
	EXPECT(accepted > 100);
}

/* What copy @n holds in a case of the choice. */
struct copy {
	u64 generation;		/* 0: no magic */
	bool damaged;
	u32 version;
	u64 pool_bytes;		/* 0: the right one */
};

static void fill(struct maru_sb_disk *disk, const struct copy *c)
{
	struct maru_super sb = sample();

	memset(disk, 0, sizeof(*disk));
	if (!c->generation)
		return;
	sb.generation = c->generation;
	maru_super_encode(&sb, disk);
	disk->version = cpu_to_le32(c->version);
	if (c->pool_bytes)
		disk->pool_bytes = cpu_to_le64(c->pool_bytes);
	seal(disk);
	if (c->damaged)
		disk->label[3] ^= 4;
}

static void choice(void)
{
	static const struct {
		struct copy copies[2];
		enum maru_super_error want;
		int which;
		u64 generation;
	} t[] = {
		{ { { 1, 0, 1, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_OK, 1, 2 },
		{ { { 3, 0, 1, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_OK, 0, 3 },
		{ { { 2, 0, 1, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_OK, 0, 2 },
		{ { { U64_MAX, 0, 1, 0 }, { 1, 0, 1, 0 } }, MARU_SUPER_OK, 0, U64_MAX },
		{ { { 1, 0, 1, 0 }, { 2, 1, 1, 0 } }, MARU_SUPER_OK, 0, 1 },
		{ { { 3, 1, 1, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_OK, 1, 2 },
		{ { { 0, 0, 1, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_OK, 1, 2 },
		{ { { 2, 0, 1, 0 }, { 0, 0, 1, 0 } }, MARU_SUPER_OK, 0, 2 },
		{ { { 0, 0, 1, 0 }, { 0, 0, 1, 0 } }, MARU_SUPER_NONE, -1, 0 },
		{ { { 1, 1, 1, 0 }, { 2, 1, 1, 0 } }, MARU_SUPER_CRC, -1, 0 },
		{ { { 0, 0, 1, 0 }, { 2, 1, 1, 0 } }, MARU_SUPER_CRC, -1, 0 },
		{ { { 1, 1, 1, 0 }, { 0, 0, 1, 0 } }, MARU_SUPER_CRC, -1, 0 },
		/* Intact and newer, but not for us: not passed over. */
		{ { { 1, 0, 1, 0 }, { 2, 0, 2, 0 } }, MARU_SUPER_VERSION, 1, 2 },
		{ { { 3, 0, 2, 0 }, { 2, 0, 1, 0 } }, MARU_SUPER_VERSION, 0, 3 },
		{ { { 1, 0, 1, 0 }, { 2, 0, 1, 42 } }, MARU_SUPER_GEOMETRY, 1, 2 },
		{ { { 3, 0, 1, 0 }, { 2, 0, 2, 0 } }, MARU_SUPER_OK, 0, 3 },
		{ { { 1, 1, 1, 0 }, { 2, 0, 1, 42 } }, MARU_SUPER_GEOMETRY, 1, 2 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(t); i++) {
		struct maru_sb_disk copies[2];
		struct maru_super out;
		int which = 42;

		fill(&copies[0], &t[i].copies[0]);
		fill(&copies[1], &t[i].copies[1]);
		if (maru_super_choose(copies, MEMORY, UNIT, &out, &which) != t[i].want)
			TAP_FAIL("case %u: another answer", i);
		if (t[i].which < 0)
			continue;
		if (which != t[i].which || out.generation != t[i].generation)
			TAP_FAIL("case %u: copy %d", i, which);
	}
}

static void segment_default(void)
{
	EXPECT_EQ(maru_segment_default(0), 2 * MIB);
	EXPECT_EQ(maru_segment_default(2 * MIB), 2 * MIB);
	EXPECT_EQ(maru_segment_default(128 * MIB), 2 * MIB);
	EXPECT_EQ(maru_segment_default(255 * MIB), 2 * MIB);
	EXPECT_EQ(maru_segment_default(256 * MIB), 4 * MIB);
	EXPECT_EQ(maru_segment_default(500 * MIB), 6 * MIB);
	EXPECT_EQ(maru_segment_default(GIB), 16 * MIB);
	EXPECT_EQ(maru_segment_default(64 * GIB - UNIT), GIB - 2 * MIB);
	EXPECT_EQ(maru_segment_default(64 * GIB), GIB);
	EXPECT_EQ(maru_segment_default(2048 * GIB), GIB);
	EXPECT_EQ(maru_segment_default(U64_MAX), GIB);
}

static void texts(void)
{
	for (int a = MARU_SUPER_OK; a <= MARU_SUPER_GEOMETRY; a++)
		for (int b = a + 1; b <= MARU_SUPER_GEOMETRY + 1; b++)
			EXPECT(strcmp(maru_super_strerror(a), maru_super_strerror(b)));
}

static const struct tap_case cases[] = {
	{ "crc", "the crc is CRC-32C", crc_is_crc32c },
	{ "round-trip", "a superblock comes back as it went", round_trip },
	{ "align", "devices of 4 KiB, 2 MiB and 1 GiB alignment", alignments },
	{ "bytes", "the bytes of format v1 are these", bytes_on_media },
	{ "flips", "every flipped bit of a copy is refused", flips },
	{ "version", "another version, flag or used reserve is refused", attack_version },
	{ "fields", "no generation, no uuid, a bad label are refused", attack_fields },
	{ "unit", "hostile unit", attack_unit },
	{ "segment", "hostile segment size", attack_segment },
	{ "counts", "hostile number and index of backings", attack_counts },
	{ "sums", "hostile sizes of backings and pool", attack_sums },
	{ "memory", "a geometry that does not fit the memory", attack_memory },
	{ "random", "what is accepted adds up", attack_at_random },
	{ "choice", "the newer intact copy counts, a damaged one gives way", choice },
	{ "default", "default size of segments", segment_default },
	{ "texts", "every error has its text", texts },
	{ "beat", "a beat line comes back as it went", lines_beat_round_trip },
	{ "beat-zero", "a line never written is no error", lines_beat_unwritten },
	{ "beat-flips", "every flipped bit of a beat line is refused", lines_beat_flips },
	{ "beat-attack", "hostile beat lines are refused", lines_beat_attacks },
	{ "stop", "a stop line stops that node's lives up to the one named", lines_stop_orders },
	{ "stop-flips", "a damaged stop line stops nobody", lines_stop_flips },
	{ "stop-attack", "hostile stop lines stop nobody", lines_stop_attacks },
	{ "places", "every line of the area has its own place", lines_places },
};

int main(int argc, char **argv)
{
	return tap_run("super", cases, ARRAY_SIZE(cases), argc, argv);
}
