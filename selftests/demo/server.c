// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include "breaks.h"
#include "chunk.h"
#include "deeds.h"

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
		.bytes = request->count * CHUNK_BYTES,
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

static int anonymous_memory(uint64_t *bytes)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib;
	int err = -ENODATA;
	char line[128];

	if (!file)
		return -errno;
	while (err && fgets(line, sizeof(line), file))
		if (sscanf(line, "RssAnon: %llu kB", &kib) == 1)
			err = 0;
	fclose(file);
	if (!err)
		*bytes = kib << 10;
	return err;
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
	case STORE:	 return deed_store(server, request, answer);
	case WRITE_HALF: return deed_write_half(server, request, answer);
	case ABORT:	 return deed_abort(server, answer);
	case COMMIT:	 return deed_commit(server, answer);
	case HOLD:	 return deed_hold(server, request, answer);
	case VERIFY:	 return deed_verify(server, request, answer);
	case RELEASE:	 return deed_release(server, request, answer);
	case DELETE:	 return delete(server, request, answer);
	case EVICT:	 return evict(server, request, answer);
	case SCRIBBLE:	 return deed_scribble(server, request);
	}
	return -EINVAL;
}

void server_do(struct server *server, const struct request *request,
	       struct answer *answer)
{
	*answer = (struct answer) {
		.base = (uintptr_t)server->base, .length = server->length,
	};
	answer->error = run(server, request, answer);
	if (!answer->error)
		answer->error = marul1_usage(server->client, &answer->own);
	if (!answer->error)
		answer->error = anonymous_memory(&answer->anonymous);
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
