// SPDX-License-Identifier: GPL-2.0-only
/* Servers storing chunks, whole or by half. */
#include <errno.h>
#include "breaks.h"
#include "chunk.h"
#include "deeds.h"

static int begin_store(struct server *server, uint32_t number,
		       struct marul1_reserve *write, struct answer *answer)
{
	char key[CHUNK_KEY_ROOM];
	int err;

	*write = (struct marul1_reserve) {
		.key = key, .key_len = chunk_key(number, key),
		.length = CHUNK_BYTES,
	};
	err = marul1_reserve_write(server->client, server->layout, write, 1);
	write->key = NULL;
	answer->page_size = write->page_size;
	if (!err && write->status != MARU_L1_OK)
		count_item(answer, write->status);
	return err;
}

static int commit(struct server *server, uint32_t number, uint64_t sum,
		  struct answer *answer)
{
	char key[CHUNK_KEY_ROOM];
	struct marul1_commit commit = {
		.key = key, .key_len = chunk_key(number, key),
	};
	int err;

	if (breaks("cookie") && number == 4)
		sum++;
	chunk_cookie(number, sum, commit.cookie);
	err = marul1_commit(server->client, &commit, 1);
	if (!err)
		count_item(answer, commit.status);
	return err;
}

static int store_one(struct server *server, uint32_t number,
		     struct answer *answer)
{
	struct marul1_reserve write;
	uint64_t sum;
	uint8_t *to;
	int err = begin_store(server, number, &write, answer);

	if (err || write.status != MARU_L1_OK)
		return err;
	to = marul1_ptr(server->client, write.offset, write.length);
	if (!to)
		return -EFAULT;
	sum = chunk_write(number, to, write.length);
	if (breaks("bytes") && number == 7)
		to[CHUNK_BYTES - 1] ^= 1;
	return commit(server, number, sum, answer);
}

int deed_store(struct server *server, const struct request *request,
	       struct answer *answer)
{
	int err = 0;

	for (uint32_t i = 0; i < request->count && !err; i++) {
		if (breaks("lost-chunk") && request->first + i == 5)
			continue;
		err = store_one(server, request->first + i, answer);
		if (answer->status != MARU_L1_OK)
			break;
	}
	return err;
}

int deed_write_half(struct server *server, const struct request *request,
		    struct answer *answer)
{
	int err = begin_store(server, request->first, &server->write, answer);

	if (err || server->write.status != MARU_L1_OK)
		return err;
	server->number = request->first;
	server->writing = true;
	server_write_on(server);
	answer->done = 1;
	return 0;
}

bool server_write_on(struct server *server)
{
	void *to;

	if (!server->writing)
		return false;
	to = marul1_ptr(server->client, server->write.offset, CHUNK_BYTES / 2);
	if (to)
		chunk_write(server->number, to, CHUNK_BYTES / 2);
	return to;
}

int deed_abort(struct server *server, struct answer *answer)
{
	struct marul1_abort item = { .id = server->write.id };
	int err;

	server->writing = false;
	err = marul1_abort(server->client, &item, 1);
	count_item(answer, item.status);
	return err;
}

int deed_commit(struct server *server, struct answer *answer)
{
	server->writing = false;
	return commit(server, server->number, 0, answer);
}
