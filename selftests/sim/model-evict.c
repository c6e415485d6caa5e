// SPDX-License-Identifier: GPL-2.0-only
/* EVICT by row E1: the least recently used first, the held ones passed over. */

#include "keys.h"
#include "model.h"

struct evict {
	struct model *m;
	s32 client;
	struct maru_l1_evict *arg;
	u64 goal;
	u32 room;
	u32 listed;
	u64 keys;
	u64 *list;
};

static bool full(const struct evict *e)
{
	return e->room && (e->listed == e->room ||
			   e->arg->keys_len - e->keys < MARU_L1_KEY_MAX);
}

static enum maru_l1_cause cause_of(const struct maru_l1_evict *arg)
{
	if (arg->flags & MARU_L1_EVICT_LAYOUT)
		return MARU_L1_C_EVICT_LAYOUT;
	if (arg->flags & MARU_L1_EVICT_TARGET)
		return MARU_L1_C_EVICT_TARGET;
	return arg->count ? MARU_L1_C_EVICT_COUNT : MARU_L1_C_EVICT_BYTES;
}

static void take(struct evict *e, struct m_object *o)
{
	u64 bytes = model_stride(e->m, o);
	u64 worth = e->arg->count ? 1 : bytes;

	if (e->room)
		e->keys += key_len(o->key);
	e->list[e->listed++] = o->id;
	e->arg->evicted++;
	e->arg->evicted_bytes += bytes;
	e->goal -= min(e->goal, worth);
	if (e->arg->flags & MARU_L1_EVICT_DRY_RUN)
		return;
	model_delete_object(e->m, o, e->client, cause_of(e->arg));
}

/* All that is in the block of @o goes, or nothing. */
static bool block_may_go(struct model *m, u64 block)
{
	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].offset / M_BLOCK == block &&
		    (m->objects[i].state != M_PUBLISHED ||
		     model_holders(m, &m->objects[i])))
			return false;
	return true;
}

static struct m_object *first_in(struct model *m, u64 block)
{
	struct m_object *best = NULL;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (o->offset / M_BLOCK == block && (!best || o->offset < best->offset))
			best = o;
	}
	return best;
}

static void goal_update(struct evict *e)
{
	u64 has = model_room(e->m, e->arg->layout) *
		  e->m->layouts[e->arg->layout].stride;

	e->goal = e->arg->bytes > has ? e->arg->bytes - has : 0;
}

static void take_room(struct evict *e, struct m_object *o)
{
	u64 block = o->offset / M_BLOCK;

	if (o->layout == e->arg->layout) {
		take(e, o);
		return;
	}
	if (!block_may_go(e->m, block)) {
		e->arg->skipped++;
		return;
	}
	while (!full(e) && (o = first_in(e->m, block)))
		take(e, o);
	goal_update(e);
}

static u64 goal_of(const struct model *m, const struct maru_l1_evict *arg)
{
	u64 used = model_used(m), target;

	if (arg->bytes || arg->count)
		return arg->bytes ? arg->bytes : arg->count;
	target = m->bytes * arg->target_permille / 1000;
	return used > target ? used - target : 0;
}

u32 model_evict(struct model *m, s32 client, struct maru_l1_evict *arg, u32 room,
		u64 *list)
{
	struct evict e = { m, client, arg, .room = room, .list = list };
	bool for_layout = arg->flags & MARU_L1_EVICT_LAYOUT;
	struct m_object *o;
	u64 after = 0;

	arg->evicted = 0;
	arg->evicted_bytes = 0;
	arg->skipped = 0;
	if (for_layout)
		goal_update(&e);
	else
		e.goal = goal_of(m, arg);
	while (!m->fenced && e.goal && !full(&e) && (o = model_lru(m, after))) {
		after = o->used;
		if (model_holders(m, o))
			arg->skipped++;
		else if (for_layout)
			take_room(&e, o);
		else
			take(&e, o);
	}
	arg->more = e.goal && full(&e);
	return e.listed;
}
