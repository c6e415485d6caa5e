// SPDX-License-Identifier: GPL-2.0-only
/* Evicting the least recently used, until a goal is met. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include "evict.h"
#include "util.h"

struct room {
	struct maru_l1_victim victims[MARU_L1_BATCH_MAX];
	uint8_t keys[MARU_L1_KEYS_MAX];	/* the longest keys of a full list */
};

/* What is left of the goal; the level to go down to stays. */
static void set_goal(const struct evict *evict, struct maru_l1_evict *arg)
{
	switch (evict->goal) {
	case GOAL_TO:
		arg->flags |= MARU_L1_EVICT_TARGET;
		arg->target_permille = evict->permille;
		break;
	case GOAL_COUNT:
		arg->count = evict->count - evict->evicted;
		break;
	default:
		arg->bytes = evict->bytes;
		if (evict->page_size)
			arg->flags |= MARU_L1_EVICT_LAYOUT;
		else
			arg->bytes -= evict->evicted_bytes;
		break;
	}
}

static int call(struct evict *evict, uint32_t layout, struct room *room,
		struct maru_l1_evict *arg)
{
	int err;

	*arg = (struct maru_l1_evict){
		.flags = evict->dry_run ? MARU_L1_EVICT_DRY_RUN : 0, .layout = layout,
	};
	if (room) {
		arg->nr_items = MARU_L1_BATCH_MAX;
		arg->items = (uintptr_t)room->victims;
		arg->keys = (uintptr_t)room->keys;
		arg->keys_len = sizeof(room->keys);
	}
	set_goal(evict, arg);
	err = marul1_evict(evict->file.client, arg);
	return err ? pool_failed(evict->pool, err) : CTL_OK;
}

static void add_answer(struct evict *evict, const struct room *room,
		       const struct maru_l1_evict *arg)
{
	const struct maru_l1_victim *victim = room ? room->victims : NULL;

	for (uint32_t i = 0; i < arg->nr_items; i++, victim++)
		evict_list(evict, room->keys + victim->key_off, victim->key_len,
			   victim->length, "evicted");
	evict->evicted += arg->evicted;
	evict->evicted_bytes += arg->evicted_bytes;
	/* Each walk begins at the oldest: the last one has passed all of them. */
	evict->held = arg->skipped;
}

/* A dry run that goes on would find the same again: only the sums do. */
static int add_unlisted(struct evict *evict)
{
	uint64_t listed = evict->evicted;
	struct maru_l1_evict arg;
	int ret;

	evict->evicted = 0;
	evict->evicted_bytes = 0;
	ret = call(evict, 0, NULL, &arg);
	if (ret)
		return ret;
	add_answer(evict, NULL, &arg);
	evict->more = evict->evicted > listed ? evict->evicted - listed : 0;
	return CTL_OK;
}

static int go_on(struct evict *evict, uint32_t layout, struct room *room)
{
	struct maru_l1_evict arg;
	int ret;

	do {
		ret = call(evict, layout, room, &arg);
		if (ret)
			return ret;
		add_answer(evict, room, &arg);
		if (arg.more && evict->dry_run)
			return add_unlisted(evict);
	} while (arg.more);
	return CTL_OK;
}

/*
 * The answer does not say whether there is room for the pages now.  Asked again, a
 * goal that is met lets no object be looked at.
 */
static int make_room(struct evict *evict, struct room *room)
{
	uint64_t evicted, held;
	uint32_t layout;
	int ret;

	ret = marul1_layout(evict->file.client, evict->page_size, 0, &layout);
	if (ret == -EINVAL)
		return fail("a page of %" PRIu64 " bytes is longer than the pool",
			    evict->page_size);
	if (ret)
		return pool_failed(evict->pool, ret);
	ret = go_on(evict, layout, room);
	evicted = evict->evicted;
	held = evict->held;
	if (!ret)
		ret = go_on(evict, layout, room);
	evict->no_room = evict->evicted != evicted || evict->held;
	evict->held = evict->held ?: held;
	return ret;
}

int evict_by_goal(struct evict *evict)
{
	struct room *room = NULL;
	int ret;

	if (evict->list) {
		room = malloc(sizeof(*room));
		if (!room)
			out_of_memory();
	}
	ret = evict->page_size ? make_room(evict, room) : go_on(evict, 0, room);
	free(room);
	return ret;
}
