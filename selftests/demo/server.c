// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "breaks.h"
#include "chunk.h"
#include "server.h"

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

static void count_item(struct answer *answer, uint32_t status)
{
	if (status == MARU_L1_OK)
		answer->done++;
	else if (answer->status == MARU_L1_OK)
		answer->status = status;
}

/* ---- storing ------------------------------------------------------------- */

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

static int store(struct server *server, const struct request *request,
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

static int write_half(struct server *server, const struct request *request,
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

static int abort_half(struct server *server, struct answer *answer)
{
	struct marul1_abort item = { .id = server->write.id };
	int err;

	server->writing = false;
	err = marul1_abort(server->client, &item, 1);
	count_item(answer, item.status);
	return err;
}

/* ---- reading ------------------------------------------------------------- */

static int hold(struct server *server, const struct request *request,
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

/* The bytes of a held chunk: in the pool, that is the point. */
static const void *bytes_of(struct server *server, const struct marul1_read *read)
{
	static void *copy;
	const void *bytes = marul1_ptr(server->client, read->offset, read->length);

	if (!bytes || !(breaks("copy") || breaks("address")))
		return bytes;
	if (!copy)
		copy = malloc(CHUNK_BYTES);
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
static int verify(struct server *server, const struct request *request,
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

static int release(struct server *server, const struct request *request,
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

static int scribble(struct server *server, const struct request *request)
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

/* ---- making room --------------------------------------------------------- */

static int delete(struct server *server, const struct request *request,
		  struct answer *answer)
{
	char key[CHUNK_KEY_ROOM];
	struct marul1_delete item = {
		.key = key, .key_len = chunk_key(request->first, key),
	};
	int err = marul1_delete(server->client, 0, &item, 1);

	if (!err)
		count_item(answer, item.status);
	return err;
}

static int evict(struct server *server, const struct request *request,
		 struct answer *answer)
{
	struct maru_l1_victim victims[HOLDS_MAX];
	char keys[HOLDS_MAX * CHUNK_KEY_ROOM + MARU_L1_KEY_MAX];
	struct maru_l1_evict arg = {
		.flags = breaks("dry-run") ? MARU_L1_EVICT_DRY_RUN : 0,
		.nr_items = HOLDS_MAX,
		.items = (uintptr_t)victims,
		.keys = (uintptr_t)keys,
		.keys_len = sizeof(keys),
		.bytes = request->bytes,
	};
	int err = marul1_evict(server->client, &arg);

	if (err)
		return err;
	answer->skipped = arg.skipped;
	answer->victim = UINT32_MAX;
	for (uint32_t i = 0; i < arg.nr_items; i++) {
		uint32_t number = chunk_of_key(keys + victims[i].key_off,
					       victims[i].key_len);

		answer->done++;
		if (number < answer->victim)
			answer->victim = number;
		if (number > answer->last_victim)
			answer->last_victim = number;
	}
	return 0;
}

/* ---- all ----------------------------------------------------------------- */

static uint64_t anonymous_memory(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %llu kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib << 10;
}

static int run(struct server *server, const struct request *request,
	       struct answer *answer)
{
	bool batch = request->deed == HOLD || request->deed == VERIFY ||
		     request->deed == RELEASE;

	if (batch && request->count > HOLDS_MAX)
		return -E2BIG;
	switch (request->deed) {
	case LOOK:	 return 0;
	case STORE:	 return store(server, request, answer);
	case WRITE_HALF: return write_half(server, request, answer);
	case ABORT:	 return abort_half(server, answer);
	case COMMIT:	 return commit(server, server->number, 0, answer);
	case HOLD:	 return hold(server, request, answer);
	case VERIFY:	 return verify(server, request, answer);
	case RELEASE:	 return release(server, request, answer);
	case DELETE:	 return delete(server, request, answer);
	case EVICT:	 return evict(server, request, answer);
	case SCRIBBLE:	 return scribble(server, request);
	}
	return -EINVAL;
}

void server_do(struct server *server, const struct request *request,
	       struct answer *answer)
{
	int err;

	*answer = (struct answer) {
		.base = (uintptr_t)server->base, .length = server->length,
	};
	answer->error = run(server, request, answer);
	err = marul1_usage(server->client, &answer->own);
	if (!answer->error)
		answer->error = err;
	answer->anonymous = anonymous_memory();
}

int server_open(struct server *server, struct marul1_pool *pool)
{
	uint64_t page = breaks("page") ? CHUNK_BYTES + (2 << 20) : CHUNK_BYTES;
	int err;

	*server = (struct server) { 0 };
	err = marul1_client_open(pool, 0, &server->client);
	if (err)
		return err;
	err = marul1_layout(server->client, page, 0, &server->layout);
	if (!err)
		err = marul1_map(server->client, 0, &server->base, &server->length);
	if (err)
		server_close(server);
	return err;
}

void server_close(struct server *server)
{
	marul1_client_close(server->client);
	server->client = NULL;
}
