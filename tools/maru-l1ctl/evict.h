/* SPDX-License-Identifier: GPL-2.0-only */
/* An evict: what is wanted, and what came of it. */
#ifndef MARU_CTL_EVICT_H
#define MARU_CTL_EVICT_H

#include <json-c/json.h>
#include "key.h"
#include "pools.h"

enum evict_goal {
	GOAL_NONE,
	GOAL_BYTES,
	GOAL_PERCENT,		/* bytes as a part of the pool */
	GOAL_TO,
	GOAL_COUNT,
	GOAL_KEYS,
	GOAL_PREFIX,
};

/**
 * struct evict - one evict
 * @pool: name
 * @file: opened
 * @goal: which of the next ones counts
 * @bytes: that shall become available
 * @page_size: @bytes are wanted in pages of this size, with what is free; or 0
 * @permille: of the pool
 * @count: of objects
 * @keys: objects, or the prefix
 * @nr_keys: of @keys
 * @dry_run: nothing is changed
 * @list: @objects are wanted
 * @objects: answer, one model for each that was looked for or evicted
 * @evicted: answer, how many
 * @evicted_bytes: answer, bytes of their pages; by key: of the objects
 * @held: answer, how many were passed over
 * @absent: answer, keys without an object
 * @more: answer, evicted but not listed
 * @no_room: answer, @bytes cannot be had in pages of @page_size
 */
struct evict {
	const char *pool;
	struct pool_file file;
	enum evict_goal goal;
	uint64_t bytes;
	uint64_t page_size;
	uint32_t permille;
	uint64_t count;
	struct key *keys;
	size_t nr_keys;
	bool dry_run;
	bool list;
	struct json_object *objects;
	uint64_t evicted;
	uint64_t evicted_bytes;
	uint64_t held;
	uint64_t absent;
	uint64_t more;
	bool no_room;
};

/* By use, and by name.  Return: CTL_OK, or CTL_FAILED after saying why. */
int evict_by_goal(struct evict *evict);
int evict_by_key(struct evict *evict);

/* Adds one of @evict->objects. */
void evict_list(struct evict *evict, const void *key, size_t key_len, uint64_t size,
		const char *status);

#endif
