// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include "payload.h"

#define WORDS	(sizeof(struct payload) / sizeof(uint64_t))

static uint64_t mix(const struct payload *p)
{
	uint64_t h = p->key * 0x9e3779b97f4a7c15ULL ^ p->writer << 40 ^
		     p->sequence * 0xbf58476d1ce4e5b9ULL ^ p->id;

	return h ^ h >> 29;
}

void payload_write(void *at, size_t n, const struct payload *p)
{
	volatile uint64_t *word = at;
	uint64_t h = mix(p);

	/* Until the end the header names nobody. */
	for (size_t i = 0; i < WORDS; i++)
		word[i] = UINT64_MAX;
	for (size_t i = WORDS; i < n / sizeof(*word); i++)
		word[i] = h + i * 0x94d049bb133111ebULL;
	word[0] = p->key;
	word[1] = p->writer;
	word[2] = p->sequence;
	word[3] = p->id;
}

bool payload_read(const void *at, size_t n, struct payload *p)
{
	const uint64_t *word = at;
	uint64_t h, wrong = 0;

	memcpy(p, at, sizeof(*p));
	h = mix(p);
	for (size_t i = WORDS; i < n / sizeof(*word); i++)
		wrong |= word[i] ^ (h + i * 0x94d049bb133111ebULL);
	return !wrong;
}
