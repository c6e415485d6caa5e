// SPDX-License-Identifier: GPL-2.0-only
/* The superblock of format v1, and the table of the suite's cases. */
#include "super_test.h"

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

void super_seal(struct maru_sb_disk *disk)
{
	disk->crc = cpu_to_le32(test_crc(disk, offsetof(struct maru_sb_disk, crc)));
}

struct maru_super super_sample(void)
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

bool super_same(const struct maru_super *a, const struct maru_super *b)
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
	struct maru_super in = super_sample(), out;
	struct maru_sb_disk disk;

	memset(&disk, 0xcc, sizeof(disk));
	memset(&out, 0xcc, sizeof(out));
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, UNIT, &out), MARU_SUPER_OK);
	EXPECT(super_same(&in, &out));
	in.coherent = false;
	memset(in.label, 'x', sizeof(in.label));
	in.backing_index = 2;
	maru_super_encode(&in, &disk);
	EXPECT_EQ(maru_super_decode(&disk, MEMORY, UNIT, &out), MARU_SUPER_OK);
	EXPECT(super_same(&in, &out));
}

/* A device of 1 GiB pages, and one of 4 KiB pages on which the unit is 2 MiB. */
static void alignments(void)
{
	struct maru_super in = super_sample(), out;
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
	struct maru_super in = super_sample();
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
	struct maru_super in = super_sample(), out;
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

/* What copy @n holds in a case of the choice. */
struct copy {
	u64 generation;		/* 0: no magic */
	bool damaged;
	u32 version;
	u64 pool_bytes;		/* 0: the right one */
};

static void fill(struct maru_sb_disk *disk, const struct copy *c)
{
	struct maru_super sb = super_sample();

	memset(disk, 0, sizeof(*disk));
	if (!c->generation)
		return;
	sb.generation = c->generation;
	maru_super_encode(&sb, disk);
	disk->version = cpu_to_le32(c->version);
	if (c->pool_bytes)
		disk->pool_bytes = cpu_to_le64(c->pool_bytes);
	super_seal(disk);
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
