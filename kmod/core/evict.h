/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* An evict under way: the walk is in evict.c, room for one layout in room.c. */
#ifndef MARU_EVICT_H
#define MARU_EVICT_H

#include "internal.h"

/**
 * struct maru_evict - an evict under way
 * @client: whose call it is
 * @call: the call
 * @arg: its argument
 * @layout: room for pages of this one is wanted, or NULL
 * @goal: bytes or objects still wanted
 * @by_count: objects are
 * @latest: when any object was last used before the walk
 * @listed: victims in the answer's list
 * @keys_used: bytes of their keys
 */
struct maru_evict {
	struct maru_client *client;
	struct maru_call *call;
	struct maru_l1_evict *arg;
	struct maru_page_layout *layout;
	u64 goal;
	bool by_count;
	u64 latest;
	u32 listed;
	u32 keys_used;
};

/* The list has no room for one more victim. */
bool maru_evict_full(const struct maru_evict *e);
void maru_evict_one(struct maru_evict *e, struct maru_object *object);
/* Finds the layout and what of the goal is missing; -EINVAL: no such layout. */
int maru_evict_layout(struct maru_evict *e);
/* Evicts @object with as many neighbours as a page needs, or nothing. */
void maru_evict_range(struct maru_evict *e, struct maru_object *object);

#endif /* MARU_EVICT_H */
