// SPDX-License-Identifier: GPL-2.0-only
/* The reading calls by the rows R, P, F, N, T and Q of the contract. */

#include "keys.h"
#include "model.h"

static void read_answer(struct model *m, struct maru_l1_read *item, u32 status,
			u32 result, const struct m_object *o)
{
	item->status = status;
	item->result = result | model_fenced_flag(m);
	item->offset = o ? o->offset : 0;
	item->length = o ? o->length : 0;
	item->id = o ? o->id : 0;
	memset(item->cookie, 0, sizeof(item->cookie));
	if (!o)
		return;
	memcpy(item->cookie, o->cookie, sizeof(item->cookie));
	if (o->state == M_PRIVATE)
		item->result |= MARU_L1_R_PRIVATE;
}

/* R1 … R3, R5 */
static struct m_object *read_find(struct model *m, s32 client, s32 key,
				  bool strict, u32 *status)
{
	struct m_object *o = model_visible(m, client, key);

	*status = MARU_L1_NOT_FOUND;
	if (m->fenced)
		return NULL;
	if (model_write_any(m, client, key, false) && (strict || !o)) {
		*status = MARU_L1_NOT_READABLE;
		return NULL;
	}
	return o;
}

void model_read(struct model *m, s32 client, struct maru_l1_read *item, s32 key,
		bool strict)
{
	u32 holds = clamp_t(u32, item->holds, 1, MARU_L1_HOLDS_MAX);
	struct m_object *o = NULL;
	u32 status = MARU_L1_INVALID;

	if (key >= 0)
		o = read_find(m, client, key, strict, &status);
	if (!o) {
		read_answer(m, item, status, 0, NULL);
		return;
	}
	model_hold_add(m, client, o, holds);
	model_use(m, o);
	read_answer(m, item, MARU_L1_OK,
		    holds == item->holds ? 0 : MARU_L1_R_CLAMPED, o);
}

void model_peek(struct model *m, s32 client, struct maru_l1_read *item, s32 key)
{
	struct m_object *o = NULL;
	u32 status = MARU_L1_INVALID;
	struct m_hold *h;

	if (key >= 0)
		o = read_find(m, client, key, false, &status);
	if (!o) {
		read_answer(m, item, status, 0, NULL);
		return;
	}
	h = model_hold(m, client, o->id);
	if (h && h->count)
		read_answer(m, item, MARU_L1_OK, 0, o);
	else
		read_answer(m, item, MARU_L1_NOT_HELD, 0, NULL);
}

/* Of a key whose object is gone no more than the hash is known. */
static bool hold_is_of(struct model *m, const struct m_hold *h, s32 key)
{
	if (h->key == (u32)key)
		return true;
	return !h->count && h->key + key == KEY_TWIN + KEY_TWIN_OF &&
	       abs((int)h->key - key) == 1;
}

/* The hold that an item of RELEASE or RENEW names; @other: an id of another key. */
static struct m_hold *hold_named(struct model *m, s32 client, u64 id, s32 key,
				 u32 other, u32 *status)
{
	struct m_object *o;
	struct m_hold *h;

	*status = MARU_L1_INVALID;
	if (key == M_KEY_BAD || (key == M_KEY_NONE && !id))
		return NULL;
	if (id) {
		*status = other;
		h = model_hold(m, client, id);
		return h && key >= 0 && !hold_is_of(m, h, key) ? NULL : h;
	}
	*status = MARU_L1_NOT_FOUND;
	o = model_visible(m, client, key);
	if (!o)
		return NULL;
	*status = MARU_L1_NOT_HELD;
	return model_hold(m, client, o->id);
}

/* F1, F3, F5: a late release meets what was lost before what is held. */
void model_release(struct model *m, s32 client, struct maru_l1_release *item, s32 key)
{
	u32 n = max(item->holds, 1U), lost, live, lost_status;
	struct m_hold *h;

	item->released = 0;
	item->result = model_fenced_flag(m);
	h = hold_named(m, client, item->id, key, MARU_L1_NOT_HELD, &item->status);
	if (!h)
		return;
	lost = min(n, h->lost);
	live = h->count;
	lost_status = h->lost_status;
	h->lost -= lost;
	if (!live && !h->lost)
		model_hold_forget(m, h);
	if (!live || n == lost) {
		item->status = lost_status;
		return;
	}
	item->released = min(n - lost, live);
	if (item->released < n || n != item->holds)
		item->result |= MARU_L1_R_CLAMPED;
	model_hold_drop(m, h, item->released);
	item->status = m->fenced ? MARU_L1_STALE : MARU_L1_OK;
}

static void renew_write(struct model *m, s32 client, struct maru_l1_renew *item,
			s32 key, struct m_object *o)
{
	if (key >= 0 && o->key != (u32)key) {
		item->status = MARU_L1_NOT_FOUND;
	} else if (o->state == M_STAGED) {
		o->deadline = m->now + m->clients[client].write_lease;
		o->order = ++m->orders;
	} else {
		item->status = o->expired ? MARU_L1_EXPIRED : MARU_L1_NOT_FOUND;
	}
}

void model_renew(struct model *m, s32 client, struct maru_l1_renew *item, s32 key)
{
	struct m_object *o = item->id ? model_write_by_id(m, client, item->id) : NULL;
	struct m_hold *h;
	u32 status;

	item->status = MARU_L1_OK;
	item->result = model_fenced_flag(m);
	if (o && key != M_KEY_BAD) {
		renew_write(m, client, item, key, o);
		return;
	}
	h = hold_named(m, client, item->id, key, MARU_L1_NOT_FOUND, &status);
	if (!h)
		item->status = status;
	else if (!h->count)
		item->status = h->lost_status;
	else if (m->fenced)
		item->status = MARU_L1_STALE;
	else if (h->deadline != M_NEVER)
		model_hold_renew(m, h);
}

void model_touch(struct model *m, s32 client, struct maru_l1_touch *item, s32 key)
{
	struct m_object *o = key < 0 ? NULL : model_published(m, key);

	item->result = model_fenced_flag(m);
	item->status = key < 0 ? MARU_L1_INVALID : MARU_L1_OK;
	if (o)
		model_use(m, o);
}

static void query_object(struct model *m, s32 client, struct maru_l1_query *item,
			 const struct m_object *o)
{
	const struct m_hold *h = model_hold(m, client, o->id);

	item->state = o->state == M_PRIVATE ? MARU_L1_S_PRIVATE :
					      MARU_L1_S_PUBLISHED;
	item->my_holds = h ? h->count : 0;
	item->holders = model_holders(m, o);
	item->length = o->length;
	item->id = o->id;
	if (o->state == M_PUBLISHED && !item->holders)
		item->flags |= MARU_L1_Q_EVICTABLE;
}

void model_query(struct model *m, s32 client, struct maru_l1_query *item, s32 key,
		 u64 hint)
{
	struct m_object *o, *write, *named;

	*item = (struct maru_l1_query){
		.key_off = item->key_off, .key_len = item->key_len,
		.result = model_fenced_flag(m),
		.status = key < 0 ? MARU_L1_INVALID : MARU_L1_OK,
	};
	if (key < 0)
		return;
	o = model_visible(m, client, key);
	write = model_write_any(m, client, key, false);
	named = model_write_by_id(m, client, hint);
	if (named && named->key == (u32)key && named->state == M_STAGED)
		write = named;
	if (write)
		item->flags |= MARU_L1_Q_STAGED_HERE;
	if (o) {
		query_object(m, client, item, o);
	} else if (write) {
		item->state = MARU_L1_S_STAGED;
		item->length = write->length;
		item->id = write->id;
	}
}
