// SPDX-License-Identifier: GPL-2.0-only
/* How things go: rows D, L, E and M of the contract, and the fence. */

#include "model.h"

static bool drop_holds(struct model *m, s32 client, struct m_object *o)
{
	struct m_hold *h = model_hold(m, client, o->id);

	if (!h || !h->count)
		return false;
	m->clients[client].epoch++;
	model_hold_drop(m, h, h->count);
	return true;
}

/* D5 */
static bool drop_own(struct model *m, s32 client, u32 key)
{
	struct m_object *o;
	bool dropped = false;

	while ((o = model_write_any(m, client, key, false))) {
		model_write_drop(m, o);
		dropped = true;
	}
	o = model_private(m, client, key);
	if (o) {
		if (!drop_holds(m, client, o))
			model_end(m, o);
		dropped = true;
	}
	o = model_published(m, key);
	if (o)
		drop_holds(m, client, o);
	return dropped;
}

/* D4b */
static bool forget_expired(struct model *m, s32 client, u32 key)
{
	struct m_object *o;
	bool found = false;

	while ((o = model_write_any(m, client, key, true))) {
		o->named = false;
		found = true;
	}
	return found;
}

void model_delete(struct model *m, s32 client, struct maru_l1_delete *item, s32 key,
		  bool force, bool spared)
{
	struct m_object *o;
	bool dropped = false;

	item->id = 0;
	item->result = model_fenced_flag(m);
	item->status = key < 0 ? MARU_L1_INVALID : MARU_L1_LOCKED;
	if (key < 0 || m->fenced)
		return;
	if (force)
		dropped = drop_own(m, client, key);
	else if (model_write_any(m, client, key, false))
		return;
	o = model_visible(m, client, key);
	if (!o) {
		dropped |= forget_expired(m, client, key);
		item->status = dropped ? MARU_L1_OK : MARU_L1_NOT_FOUND;
		return;
	}
	item->id = o->id;
	if (model_holders(m, o) || (spared && o->state == M_PUBLISHED))
		return;
	item->status = MARU_L1_OK;
	if (o->state == M_PRIVATE)
		model_end(m, o);
	else
		model_delete_object(m, o, client, MARU_L1_C_DELETED);
}

static bool clear_object(struct model *m, s32 client, struct maru_l1_clear *arg,
			 u32 i)
{
	struct m_object *o = &m->objects[i];
	bool force = arg->flags & MARU_L1_CLEAR_FORCE;

	if (o->owner != client)
		return false;
	if (o->state == M_PRIVATE && (force || !model_holders(m, o))) {
		arg->private_objects++;
		if (drop_holds(m, client, o))
			arg->holds++;
		else
			model_end(m, o);
		return true;
	}
	if (o->state != M_STAGED || !force)
		return false;
	arg->staged++;
	model_write_drop(m, o);
	return true;
}

void model_clear(struct model *m, s32 client, struct maru_l1_clear *arg)
{
	u32 i;

	arg->staged = 0;
	arg->private_objects = 0;
	arg->holds = 0;
	for (i = 0; i < m->nr_objects;)
		i = clear_object(m, client, arg, i) ? 0 : i + 1;
	if (!(arg->flags & MARU_L1_CLEAR_FORCE))
		return;
	for (i = 0; i < m->nr_holds;) {
		struct m_hold *h = &m->holds[i];

		if (h->client != client || !h->count) {
			i++;
			continue;
		}
		arg->holds++;
		m->clients[client].epoch++;
		model_hold_drop(m, h, h->count);
		i = 0;
	}
}

void model_purge(struct model *m, s32 client, struct maru_l1_purge *arg)
{
	arg->deleted = 0;
	arg->locked = 0;
	for (u32 i = 0; !m->fenced && i < m->nr_objects;) {
		struct m_object *o = &m->objects[i];

		if (o->state != M_PUBLISHED) {
			i++;
		} else if (model_holders(m, o)) {
			arg->locked++;
			i++;
		} else {
			model_delete_object(m, o, client, MARU_L1_C_PURGED);
			arg->deleted++;
		}
	}
}

/* The published object that was used next after @after. */
struct m_object *model_lru(struct model *m, u64 after)
{
	struct m_object *best = NULL;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (o->state == M_PUBLISHED && o->used > after &&
		    (!best || o->used < best->used))
			best = o;
	}
	return best;
}

/* M1: everybody who holds it is told, and his holds are STALE. */
static void bad_holds(struct model *m, u64 id)
{
	for (u32 i = 0; i < m->nr_holds;) {
		struct m_hold *h = &m->holds[i];
		struct m_object *o = model_by_id(m, id);

		if (h->id != id || !h->count) {
			i++;
			continue;
		}
		if (m->clients[h->client].open) {
			model_event(m, h->client, MARU_L1_EV_MEDIA_ERROR, o,
				    o->offset, 0);
			model_hold_lose(m, h, MARU_L1_STALE);
			i++;
		} else {
			model_hold_forget(m, h);
		}
	}
}

void model_bad(struct model *m, s32 client, struct m_object *o)
{
	u64 id = o->id;

	o->bad = true;
	switch (o->state) {
	case M_PUBLISHED:
		model_event_deleted(m, o, client);
		maru_tally_add(&m->counts.removed[MARU_L1_C_RETIRED],
			       model_stride(m, o));
		bad_holds(m, id);
		model_end(m, model_by_id(m, id));
		break;
	case M_PRIVATE:
		bad_holds(m, id);
		o = model_by_id(m, id);
		if (o)
			model_end(m, o);
		break;
	case M_STAGED:
		model_write_drop(m, o);
		break;
	default:
		break;
	}
}

void model_fence(struct model *m)
{
	if (m->fenced)
		return;
	m->fenced = true;
	for (s32 i = 0; i < M_CLIENTS; i++) {
		if (!m->clients[i].open)
			continue;
		m->clients[i].epoch++;
		model_event(m, i, MARU_L1_EV_FENCED, NULL, 0, 0);
	}
}
