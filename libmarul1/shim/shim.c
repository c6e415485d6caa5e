// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The parts of the shim that are more than a name: bit search, SipHash-2-4 and
 * crc32c.  Same values as the kernel's functions of these names.
 */
#include "user.h"

static unsigned long find_next(const unsigned long *b, unsigned long size,
			       unsigned long start, unsigned long invert)
{
	unsigned long word, base;

	if (start >= size)
		return size;
	base = rounddown(start, BITS_PER_LONG);
	word = (BITMAP_WORD(b, start) ^ invert) & (~0UL << (start - base));
	while (!word) {
		base += BITS_PER_LONG;
		if (base >= size)
			return size;
		word = BITMAP_WORD(b, base) ^ invert;
	}
	return min(size, base + __builtin_ctzl(word));
}

unsigned long find_next_bit(const unsigned long *b, unsigned long size,
			    unsigned long start)
{
	return find_next(b, size, start, 0);
}

unsigned long find_next_zero_bit(const unsigned long *b, unsigned long size,
				 unsigned long start)
{
	return find_next(b, size, start, ~0UL);
}

struct sip {
	u64 v0, v1, v2, v3;
};

static __always_inline u64 rotate_left(u64 v, unsigned int n)
{
	return v << n | v >> (64 - n);
}

static __always_inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v2 += s->v3;
	s->v1 = rotate_left(s->v1, 13) ^ s->v0;
	s->v3 = rotate_left(s->v3, 16) ^ s->v2;
	s->v0 = rotate_left(s->v0, 32);
	s->v2 += s->v1;
	s->v0 += s->v3;
	s->v1 = rotate_left(s->v1, 17) ^ s->v2;
	s->v3 = rotate_left(s->v3, 21) ^ s->v0;
	s->v2 = rotate_left(s->v2, 32);
}

static __always_inline void sip_word(struct sip *s, u64 word)
{
	s->v3 ^= word;
	sip_round(s);
	sip_round(s);
	s->v0 ^= word;
}

static __always_inline u64 load_le64(const u8 *p)
{
	u64 word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* SipHash-2-4 (Aumasson and Bernstein, 2012). */
u64 siphash(const void *p, size_t n, const siphash_key_t *key)
{
	/* "somepseudorandomlygeneratedbytes" */
	struct sip s = {
		.v0 = key->key[0] ^ 0x736f6d6570736575ULL,
		.v1 = key->key[1] ^ 0x646f72616e646f6dULL,
		.v2 = key->key[0] ^ 0x6c7967656e657261ULL,
		.v3 = key->key[1] ^ 0x7465646279746573ULL,
	};
	const u8 *b = p, *end = b + (n & ~(size_t)7);
	u64 last = 0;

	for (; b < end; b += 8)
		sip_word(&s, load_le64(b));
	memcpy(&last, b, n & 7);
	sip_word(&s, le64toh(last) | (u64)n << 56);

	s.v2 ^= 0xff;
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

/*
 * Remainders of all half bytes by the reversed Castagnoli polynomial.  Only
 * superblocks and lines are summed: small beats fast here.
 */
static const u32 crc_half[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
	0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

u32 crc32c(u32 crc, const void *p, size_t n)
{
	const u8 *b = p;

	for (; n; n--, b++) {
		crc ^= *b;
		crc = crc >> 4 ^ crc_half[crc & 15];
		crc = crc >> 4 ^ crc_half[crc & 15];
	}
	return crc;
}
