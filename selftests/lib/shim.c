// SPDX-License-Identifier: GPL-2.0-only
/* The kernel names of libmarul1/shim: the values must be the kernel's. */
#include "user.h"
#include "../tap.h"

/* The reference's: key 00 01 … 0f, message 00 01 … of 0 to 63 bytes. */
static const u64 sip_vectors[64] = {
	0x726fdb47dd0e0e31ULL, 0x74f839c593dc67fdULL, 0x0d6c8009d9a94f5aULL,
	0x85676696d7fb7e2dULL, 0xcf2794e0277187b7ULL, 0x18765564cd99a68dULL,
	0xcbc9466e58fee3ceULL, 0xab0200f58b01d137ULL, 0x93f5f5799a932462ULL,
	0x9e0082df0ba9e4b0ULL, 0x7a5dbbc594ddb9f3ULL, 0xf4b32f46226bada7ULL,
	0x751e8fbc860ee5fbULL, 0x14ea5627c0843d90ULL, 0xf723ca908e7af2eeULL,
	0xa129ca6149be45e5ULL, 0x3f2acc7f57c29bdbULL, 0x699ae9f52cbe4794ULL,
	0x4bc1b3f0968dd39cULL, 0xbb6dc91da77961bdULL, 0xbed65cf21aa2ee98ULL,
	0xd0f2cbb02e3b67c7ULL, 0x93536795e3a33e88ULL, 0xa80c038ccd5ccec8ULL,
	0xb8ad50c6f649af94ULL, 0xbce192de8a85b8eaULL, 0x17d835b85bbb15f3ULL,
	0x2f2e6163076bcfadULL, 0xde4daaaca71dc9a5ULL, 0xa6a2506687956571ULL,
	0xad87a3535c49ef28ULL, 0x32d892fad841c342ULL, 0x7127512f72f27cceULL,
	0xa7f32346f95978e3ULL, 0x12e0b01abb051238ULL, 0x15e034d40fa197aeULL,
	0x314dffbe0815a3b4ULL, 0x027990f029623981ULL, 0xcadcd4e59ef40c4dULL,
	0x9abfd8766a33735cULL, 0x0e3ea96b5304a7d0ULL, 0xad0c42d6fc585992ULL,
	0x187306c89bc215a9ULL, 0xd4a60abcf3792b95ULL, 0xf935451de4f21df2ULL,
	0xa9538f0419755787ULL, 0xdb9acddff56ca510ULL, 0xd06c98cd5c0975ebULL,
	0xe612a3cb9ecba951ULL, 0xc766e62cfcadaf96ULL, 0xee64435a9752fe72ULL,
	0xa192d576b245165aULL, 0x0a8787bf8ecb74b2ULL, 0x81b3e73d20b49b6fULL,
	0x7fa8220ba3b2eceaULL, 0x245731c13ca42499ULL, 0xb78dbfaf3a8d83bdULL,
	0xea1ad565322a1a0bULL, 0x60e61c23a3795013ULL, 0x6606d7e446282b93ULL,
	0x6ca4ecb15c5f91e1ULL, 0x9f626da15c9625f3ULL, 0xe51b38608ef25f57ULL,
	0x958a324ceb064572ULL,
};

static siphash_key_t sip_key(void)
{
	siphash_key_t key;
	u8 bytes[16];

	for (int i = 0; i < 16; i++)
		bytes[i] = i;
	memcpy(&key, bytes, sizeof(key));
	key.key[0] = le64toh(key.key[0]);
	key.key[1] = le64toh(key.key[1]);
	return key;
}

static void siphash_vectors(void)
{
	siphash_key_t key = sip_key();
	u8 message[64];

	for (int i = 0; i < 64; i++)
		message[i] = i;
	for (int i = 0; i < 64; i++)
		EXPECT_EQ(siphash(message, i, &key), sip_vectors[i]);
}

/* Keys lie anywhere in the key buffer. */
static void siphash_unaligned(void)
{
	siphash_key_t key = sip_key();
	u8 room[64 + 8];

	for (int shift = 0; shift < 8; shift++) {
		for (int i = 0; i < 64; i++)
			room[shift + i] = i;
		EXPECT_EQ(siphash(room + shift, 63, &key), sip_vectors[63]);
	}
}

static void crc_vectors(void)
{
	static const u8 zeros[32];
	u8 ones[32], up[32];
	u32 crc;

	EXPECT_EQ(~crc32c(~0U, "123456789", 9), 0xe3069283U);
	/* RFC 3720, B.4 */
	memset(ones, 0xff, sizeof(ones));
	for (int i = 0; i < 32; i++)
		up[i] = i;
	EXPECT_EQ(~crc32c(~0U, zeros, 32), 0x8a9136aaU);
	EXPECT_EQ(~crc32c(~0U, ones, 32), 0x62a8ab43U);
	EXPECT_EQ(~crc32c(~0U, up, 32), 0x46dd794eU);
	/* In two steps, and nothing: a seed goes through as it is. */
	crc = crc32c(~0U, "1234", 4);
	EXPECT_EQ(~crc32c(crc, "56789", 5), 0xe3069283U);
	EXPECT_EQ(crc32c(0x12345678, "", 0), 0x12345678);
}

static unsigned long slow_next(const unsigned long *b, unsigned long size,
			       unsigned long start, bool value)
{
	for (; start < size; start++)
		if (test_bit(start, b) == value)
			return start;
	return size;
}

static void bit_search(void)
{
	static const unsigned long sizes[] = { 0, 1, 63, 64, 65, 127, 128, 190 };
	unsigned long b[3] = { 0 };

	for (int round = 0; round < 64; round++) {
		bitmap_set(b, (round * 7) % 180, round % 11);
		bitmap_clear(b, (round * 13) % 180, round % 5);
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
			for (unsigned long at = 0; at <= sizes[s] + 1; at++) {
				unsigned long n = sizes[s];

				EXPECT_EQ(find_next_bit(b, n, at),
					  at < n ? slow_next(b, n, at, true) : n);
				EXPECT_EQ(find_next_zero_bit(b, n, at),
					  at < n ? slow_next(b, n, at, false) : n);
			}
	}
}

static const struct tap_case cases[] = {
	{ "siphash", "SipHash-2-4 gives the reference's 64 vectors", siphash_vectors },
	{ "siphash-unaligned", "SipHash-2-4 does not depend on alignment", siphash_unaligned },
	{ "crc32c", "crc32c gives the published vectors", crc_vectors },
	{ "bits", "bit search agrees with a bit by bit walk", bit_search },
};

int main(int argc, char **argv)
{
	return tap_run("lib-shim", cases, ARRAY_SIZE(cases), argc, argv);
}
