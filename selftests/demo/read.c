// SPDX-License-Identifier: GPL-2.0-only
/* Servers reading chunks, where they lie. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "breaks.h"
#include "chunk.h"
#include "deeds.h"

struct keys {
	char text[HOLDS_MAX][CHUNK_KEY_ROOM];
	size_t length[HOLDS_MAX];
};

static void keys_make(struct keys *keys, const struct request *request)
{
	uint32_t first = request->first;

	if (breaks("wrong-key") && request->deed == HOLD && first == 0)
		first++;
	for (uint32_t i = 0; i < request->count; i++)
		keys->length[i] = chunk_key(first + i, keys->text[i]);
}

int deed_hold(struct server *server, const struct request *request,
	      struct answer *answer)
{
	struct marul1_read reads[HOLDS_MAX] = { 0 };
	struct keys keys;
	int err;

	keys_make(&keys, request);
	for (uint32_t i = 0; i < request->count; i++)
		reads[i] = (struct marul1_read) {
			.key = keys.text[i], .key_len = keys.length[i], .holds = 1,
		};
	err = marul1_reserve_read(server->client, 0, reads, request->count);
	for (uint32_t i = 0; i < request->count && !err; i++)
		count_item(answer, reads[i].status);
	return err;
}

/*
 * The bytes of a held chunk: in the pool, that is the point.  One that copies
 * keeps its copies, as a cache in front of a remote pool does.
 */
static const void *bytes_of(struct server *server, const struct marul1_read *read)
{
	const void *bytes = marul1_ptr(server->client, read->offset, read->length);
	void *copy;

	if (!bytes || !(breaks("copy") || breaks("address")))
		return bytes;
	copy = malloc(read->length);
	return copy ? memcpy(copy, bytes, read->length) : NULL;
}

static int verify_one(struct server *server, uint32_t number,
		      const struct marul1_read *read, struct answer *answer)
{
	const void *bytes = bytes_of(server, read);
	uint64_t at = (uintptr_t)bytes;
	uint8_t cookie[MARU_L1_COOKIE_LEN];

	if (!bytes)
		return -EFAULT;
	if (breaks("copy"))
		at = (uintptr_t)marul1_ptr(server->client, read->offset, read->length);
	if (!answer->low || at < answer->low)
		answer->low = at;
	if (at + read->length > answer->high)
		answer->high = at + read->length;
	chunk_cookie(number, chunk_sum(bytes, read->length), cookie);
	if (read->length == CHUNK_BYTES &&
	    !memcmp(cookie, read->cookie, sizeof(cookie)))
		answer->done++;
	return 0;
}

/* Held objects say where they are without another hold: peek. */
int deed_verify(struct server *server, const struct request *request,
		struct answer *answer)
{
	struct marul1_read reads[HOLDS_MAX] = { 0 };
	struct keys keys;
	int err;

	keys_make(&keys, request);
	for (uint32_t i = 0; i < request->count; i++)
		reads[i] = (struct marul1_read) {
			.key = keys.text[i], .key_len = keys.length[i],
		};
	err = marul1_peek(server->client, reads, request->count);
	for (uint32_t i = 0; i < request->count && !err; i++) {
		if (reads[i].status == MARU_L1_OK)
			err = verify_one(server, request->first + i, &reads[i], answer);
		else
			count_item(answer, reads[i].status);
	}
	return err;
}

int deed_release(struct server *server, const struct request *request,
		 struct answer *answer)
{
	struct marul1_release items[HOLDS_MAX] = { 0 };
	struct keys keys;
	int err;

	keys_make(&keys, request);
	for (uint32_t i = 0; i < request->count; i++)
		items[i] = (struct marul1_release) {
			.key = keys.text[i], .key_len = keys.length[i], .holds = 1,
		};
	err = marul1_release(server->client, items, request->count);
	for (uint32_t i = 0; i < request->count && !err; i++)
		count_item(answer, items[i].status);
	return err;
}

int deed_scribble(struct server *server, const struct request *request)
{
	char key[CHUNK_KEY_ROOM];
	struct marul1_read read = {
		.key = key, .key_len = chunk_key(request->first, key),
	};
	uint8_t *bytes;
	int err = marul1_peek(server->client, &read, 1);

	if (err)
		return err;
	bytes = marul1_ptr(server->client, read.offset, read.length);
	if (!bytes)
		return -EFAULT;
	bytes[read.length / 2] ^= 0x10;
	return 0;
}
