// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include "keys.h"

#define SPECIAL		6	/* keys that do not tell their number */
#define NAME		9	/* bytes of "key-NNNN/" */

static u8 bytes[KEYS][MARU_L1_KEY_MAX];
static u32 lens[KEYS];

static void special_set(u32 key, const void *from, u32 len)
{
	memcpy(bytes[key], from, len);
	lens[key] = len;
}

void keys_make(void)
{
	siphash_key_t hash_key;

	memcpy(&hash_key, SIM_HASH_KEY, sizeof(hash_key));
	for (u32 i = 0; i < KEYS; i++) {
		lens[i] = i % 16 ? NAME + i * 7 % 40 : 90 + i % 60;
		memset(bytes[i], 'x', MARU_L1_KEY_MAX);
		memcpy(bytes[i], "key-", 4);
		for (u32 digit = 7, n = i; digit > 3; digit--, n /= 10)
			bytes[i][digit] = '0' + n % 10;
		bytes[i][NAME - 1] = '/';
	}
	special_set(0, "", 1);
	special_set(KEY_TWIN, "twin-030b50", 11);
	special_set(KEY_TWIN_OF, "twin-0108d1", 11);
	if ((u32)siphash(bytes[KEY_TWIN], 11, &hash_key) !=
	    (u32)siphash(bytes[KEY_TWIN_OF], 11, &hash_key))
		abort();
	/* The longest, one that differs in its last byte, and one of nothing but x. */
	lens[1] = MARU_L1_KEY_MAX;
	memcpy(bytes[4], bytes[1], MARU_L1_KEY_MAX);
	lens[4] = MARU_L1_KEY_MAX;
	bytes[4][MARU_L1_KEY_MAX - 1] = 'y';
	special_set(5, "xx", 2);
}

u32 key_len(u32 key)
{
	return lens[key];
}

const u8 *key_bytes(u32 key)
{
	return bytes[key];
}

static bool key_is(u32 key, const u8 *from, u32 len)
{
	return lens[key] == len && !memcmp(bytes[key], from, len);
}

s32 key_number(const u8 *from, u32 len)
{
	u32 n = 0;

	for (u32 i = 0; i < SPECIAL; i++)
		if (key_is(i, from, len))
			return i;
	if (len < NAME)
		return -1;
	for (u32 digit = 4; digit < 8; digit++)
		n = n * 10 + from[digit] - '0';
	return n < KEYS && key_is(n, from, len) ? (s32)n : -1;
}
