// SPDX-License-Identifier: GPL-2.0-only
/* RESERVE_WRITE, COMMIT and ABORT by the rows W, C and X of the contract. */

#include "model.h"

struct m_object *model_write(struct model *m, s32 client, u32 key, u64 tag,
			     bool expired)
{
	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (o->named && o->owner == client && o->key == key &&
		    o->tag == tag && o->expired == expired)
			return o;
	}
	return NULL;
}

struct m_object *model_write_any(struct model *m, s32 client, u32 key, bool expired)
{
	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (o->named && o->owner == client && o->key == key &&
		    o->expired == expired)
			return o;
	}
	return NULL;
}

struct m_object *model_write_by_id(struct model *m, s32 client, u64 id)
{
	struct m_object *o = model_by_id(m, id);

	return o && o->owner == client &&
	       (o->state == M_STAGED || o->state == M_QUARANTINE) ? o : NULL;
}

void model_write_drop(struct model *m, struct m_object *o)
{
	model_quarantine(m, o);
	o->named = false;
	o->deadline = M_NEVER;
}

static u32 writes_of(const struct model *m, s32 client, u32 key)
{
	u32 n = 0;

	for (u32 i = 0; i < m->nr_objects; i++)
		n += m->objects[i].named && m->objects[i].owner == client &&
		     m->objects[i].key == key;
	return n;
}

/* How many of the items before @i are wanted for this key, and the same tag. */
static u32 wanted_before(const struct maru_l1_reserve *items, const s32 *keys,
			 const bool *wanted, u32 i, bool same_tag)
{
	u32 n = 0;

	for (u32 j = 0; j < i; j++)
		n += wanted[j] && keys[j] == keys[i] &&
		     (!same_tag || items[j].tag == items[i].tag);
	return n;
}

static u32 reserve_status(struct model *m, s32 client, u32 layout,
			  const struct maru_l1_reserve *items, const s32 *keys,
			  const bool *wanted, u32 i)
{
	if (keys[i] < 0 || !items[i].length ||
	    items[i].length > m->layouts[layout].bytes)
		return MARU_L1_INVALID;
	if (m->fenced) {
		m->counts.refused[MARU_L1_N_FENCED]++;
		return MARU_L1_NO_SPACE;
	}
	if (model_visible(m, client, keys[i]) ||
	    model_write(m, client, keys[i], items[i].tag, false) ||
	    wanted_before(items, keys, wanted, i, true))
		return MARU_L1_NOT_WRITABLE;
	if (writes_of(m, client, keys[i]) +
	    wanted_before(items, keys, wanted, i, false) >= MARU_L1_TAGS_MAX) {
		m->counts.refused[MARU_L1_N_TAGS]++;
		return MARU_L1_NO_SPACE;
	}
	return MARU_L1_OK;
}

void model_reserve(struct model *m, s32 client, u32 layout,
		   struct maru_l1_reserve *items, const s32 *keys, u32 n,
		   bool *wanted)
{
	for (u32 i = 0; i < n; i++) {
		u32 status = reserve_status(m, client, layout, items, keys,
					    wanted, i);

		wanted[i] = status == MARU_L1_OK;
		items[i].status = status;
		items[i].result = model_fenced_flag(m);
		items[i].offset = 0;
		items[i].page_size = 0;
		items[i].id = 0;
	}
}

static u64 client_bytes(const struct model *m, s32 client)
{
	u64 bytes = 0;

	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].owner == client)
			bytes += model_stride(m, &m->objects[i]);
	return bytes;
}

static u64 extents(const struct model *m)
{
	return m->nr_objects - model_count(m, M_RETIRED);
}

int model_refusal(struct model *m, s32 client, u32 layout, u32 wanted)
{
	u64 need = wanted * m->layouts[layout].stride;

	if (extents(m) + wanted > m->max_objects)
		return MARU_L1_N_OBJECTS;
	if (m->max_client_bytes &&
	    client_bytes(m, client) + need > m->max_client_bytes)
		return MARU_L1_N_CLIENT_BYTES;
	if (model_used(m) + need > m->bytes)
		return MARU_L1_N_SPACE;
	if (m->exact && model_room(m, layout) < wanted)
		return MARU_L1_N_SPACE;
	return -1;
}

void model_stage(struct model *m, s32 client, u32 layout,
		 const struct maru_l1_reserve *item, u32 key)
{
	struct m_object *old = model_write(m, client, key, item->tag, true);
	struct m_object *o;

	if (old)
		old->named = false;
	o = model_add(m);
	o->id = item->id;
	o->offset = item->offset;
	o->length = item->length;
	o->tag = item->tag;
	o->deadline = m->now + m->clients[client].write_lease;
	o->owner = client;
	o->layout = layout;
	o->key = key;
	o->state = M_STAGED;
	o->named = true;
	o->temporary = item->flags & MARU_L1_TEMPORARY;
}

static void commit_answer(struct maru_l1_commit *item, u32 status, u32 result)
{
	item->status = status;
	item->result = result;
	item->offset = 0;
	item->length = 0;
	item->id = 0;
}

/* C4, C5 */
static u32 commit_missing(struct model *m, s32 client,
			  const struct maru_l1_commit *item, u32 key)
{
	struct m_object *o;

	if (item->reservation)
		o = model_write_by_id(m, client, item->reservation);
	else
		o = model_write(m, client, key, item->tag, true);
	return o && o->expired ? MARU_L1_EXPIRED : MARU_L1_NOT_FOUND;
}

/* It becomes what readers find. */
static void commit_show(struct model *m, struct m_object *o,
			const struct maru_l1_commit *item)
{
	u64 lease = m->clients[o->owner].read_lease;

	memcpy(o->cookie, item->cookie, sizeof(o->cookie));
	o->named = false;
	o->order = ++m->orders;
	if (o->temporary) {
		o->state = M_PRIVATE;
		o->deadline = lease ? m->now + lease : M_NEVER;
		return;
	}
	o->state = M_PUBLISHED;
	o->owner = M_NOBODY;
	o->deadline = M_NEVER;
	m->counts.bytes_stored += o->length;
	model_use(m, o);
}

static struct m_object *commit_winner(struct model *m, s32 client,
				      const struct m_object *o)
{
	return o->temporary ? model_private(m, client, o->key) :
			      model_published(m, o->key);
}

void model_commit(struct model *m, s32 client, struct maru_l1_commit *item, s32 key)
{
	u32 holds = min(item->holds, (u32)MARU_L1_HOLDS_MAX);
	struct m_object *o, *winner;
	u64 id;

	if (key < 0 || m->fenced) {
		commit_answer(item, key < 0 ? MARU_L1_INVALID : MARU_L1_STALE,
			      model_fenced_flag(m));
		return;
	}
	o = model_write(m, client, key, item->tag, false);
	if (!o || (item->reservation && o->id != item->reservation)) {
		commit_answer(item, commit_missing(m, client, item, key), 0);
		return;
	}
	commit_answer(item, MARU_L1_OK,
		      holds < item->holds ? MARU_L1_R_CLAMPED : 0);
	if (o->temporary)
		item->result |= MARU_L1_R_PRIVATE;
	winner = commit_winner(m, client, o);
	id = winner ? winner->id : o->id;
	if (winner) {
		item->result |= MARU_L1_R_LOST_RACE;
		m->counts.lost_races++;
		model_end(m, o);
		o = model_by_id(m, id);
		model_use(m, o);
	} else {
		commit_show(m, o, item);
	}
	if (holds)
		model_hold_add(m, client, o, holds);
	item->offset = o->offset;
	item->length = o->length;
	item->id = o->id;
	memcpy(item->cookie, o->cookie, sizeof(item->cookie));
}

static struct m_object *abort_find(struct model *m, s32 client,
				   struct maru_l1_abort *item, s32 key)
{
	struct m_object *o;

	item->status = MARU_L1_INVALID;
	if (key == M_KEY_BAD || (key == M_KEY_NONE && !item->id))
		return NULL;
	item->status = MARU_L1_NOT_FOUND;
	if (item->id) {
		o = model_write_by_id(m, client, item->id);
		return o && key >= 0 && o->key != (u32)key ? NULL : o;
	}
	o = model_write(m, client, key, item->tag, false);
	if (!o && model_write(m, client, key, item->tag, true))
		item->status = MARU_L1_EXPIRED;
	return o;
}

void model_abort(struct model *m, s32 client, struct maru_l1_abort *item, s32 key)
{
	struct m_object *o = abort_find(m, client, item, key);

	item->result = model_fenced_flag(m);
	if (!o)
		return;
	model_end(m, o);
	item->status = MARU_L1_OK;
}
