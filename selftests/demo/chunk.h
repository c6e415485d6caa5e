/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the demo stores: chunks of KV cache, numbered from 0.  Three make a
 * document.  Their bytes follow from their number, and the cookie of each
 * carries a checksum and the number.
 */
#ifndef DEMO_CHUNK_H
#define DEMO_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Qwen3-8B, bf16: 256 tokens x 36 layers x (K, V) x 8 heads x 128 x 2 bytes. */
#define CHUNK_BYTES		(256ULL * 36 * 2 * 8 * 128 * 2)
#define DOCUMENT_CHUNKS		3
#define CHUNK_KEY_ROOM		80

static inline uint32_t document_of(uint32_t number)
{
	return number / DOCUMENT_CHUNKS + 1;
}

/* Which of the document's chunks it is: 1 … DOCUMENT_CHUNKS. */
static inline uint32_t chunk_in_document(uint32_t number)
{
	return number % DOCUMENT_CHUNKS + 1;
}

/* Number of the first chunk of @document. */
static inline uint32_t document_first(uint32_t document)
{
	return (document - 1) * DOCUMENT_CHUNKS;
}

/* Return: length of the key. */
size_t chunk_key(uint32_t number, char key[CHUNK_KEY_ROOM]);
/* Return: number of the chunk of that key; UINT32_MAX: none of ours. */
uint32_t chunk_of_key(const char *key, size_t length);
/* Writes the first @bytes of a chunk. Return: their checksum. */
uint64_t chunk_write(uint32_t number, void *to, size_t bytes);
uint64_t chunk_sum(const void *from, size_t bytes);
void chunk_cookie(uint32_t number, uint64_t sum, uint8_t cookie[16]);

#endif
