// SPDX-License-Identifier: GPL-2.0-only
#include <endian.h>
#include <stdio.h>
#include <string.h>
#include "chunk.h"

#define MODEL	"Qwen/Qwen3-8B@bf16@tp1@256"
#define ODD	0x9e3779b97f4a7c15ULL

size_t chunk_key(uint32_t number, char key[CHUNK_KEY_ROOM])
{
	return snprintf(key, CHUNK_KEY_ROOM, MODEL "/document-%05u/chunk-%u",
			document_of(number), chunk_in_document(number));
}

uint32_t chunk_of_key(const char *key, size_t length)
{
	char text[CHUNK_KEY_ROOM], again[CHUNK_KEY_ROOM];
	unsigned int document, chunk;
	uint32_t number;

	if (length >= sizeof(text))
		return UINT32_MAX;
	memcpy(text, key, length);
	text[length] = '\0';
	if (sscanf(text, MODEL "/document-%5u/chunk-%1u", &document, &chunk) != 2 ||
	    !document)
		return UINT32_MAX;
	number = document_first(document) + chunk - 1;
	chunk_key(number, again);
	return strcmp(text, again) ? UINT32_MAX : number;
}

/*
 * Both are cheap under emulation too: a multiplication a word.  A step of the
 * sum is a bijection of what was before, so no single change is ever lost.
 */
static uint64_t word_of(uint64_t seed, size_t i)
{
	uint64_t word = (seed + i) * ODD;

	return word ^ word >> 32;
}

static uint64_t sum_step(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * ODD;
	return sum ^ sum >> 29;
}

uint64_t chunk_write(uint32_t number, void *to, size_t bytes)
{
	uint64_t seed = (uint64_t)(number + 1) << 32;
	uint64_t *words = to;
	uint64_t sum = bytes;

	for (size_t i = 0; i < bytes / sizeof(*words); i++) {
		words[i] = word_of(seed, i);
		sum = sum_step(sum, word_of(seed, i));
	}
	return sum;
}

uint64_t chunk_sum(const void *from, size_t bytes)
{
	const uint64_t *words = from;
	uint64_t sum = bytes;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		sum = sum_step(sum, words[i]);
	return sum;
}

void chunk_cookie(uint32_t number, uint64_t sum, uint8_t cookie[16])
{
	uint64_t parts[2] = { htole64(sum), htole64(number) };

	memcpy(cookie, parts, sizeof(parts));
}
