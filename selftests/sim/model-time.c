// SPDX-License-Identifier: GPL-2.0-only
/* What time does in the model: leases and quarantines end, one after another. */

#include "model.h"

/* The earliest deadline of those that are over; ties: who came first. */
static bool earlier(u64 deadline, u64 order, u64 *best, u64 *best_order)
{
	if (deadline > *best || (deadline == *best && order >= *best_order))
		return false;
	*best = deadline;
	*best_order = order;
	return true;
}

static bool expire_object(struct model *m)
{
	u64 best = m->now, order = M_NEVER;
	struct m_object *found = NULL;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if ((o->state == M_STAGED || o->state == M_PRIVATE) &&
		    earlier(o->deadline, o->order, &best, &order))
			found = o;
	}
	if (!found)
		return false;
	if (found->state == M_PRIVATE) {
		model_end(m, found);
		return true;
	}
	model_quarantine(m, found);
	found->expired = true;
	m->counts.expired_writes++;
	return true;
}

static bool expire_hold(struct model *m)
{
	u64 best = m->now, order = M_NEVER;
	struct m_hold *found = NULL;

	for (u32 i = 0; i < m->nr_holds; i++) {
		struct m_hold *h = &m->holds[i];

		if (h->count && m->clients[h->client].open &&
		    earlier(h->deadline, h->order, &best, &order))
			found = h;
	}
	if (!found)
		return false;
	model_event(m, found->client, MARU_L1_EV_HOLD_EXPIRED,
		    model_by_id(m, found->id), 0, 0);
	m->counts.expired_holds++;
	model_hold_lose(m, found, MARU_L1_NOT_HELD);
	return true;
}

/* All that client @i left goes, and it is forgotten. */
static void sweep(struct model *m, s32 client)
{
	u32 i;

	for (i = 0; i < m->nr_objects;) {
		struct m_object *o = &m->objects[i];

		if (o->owner == client && o->state == M_QUARANTINE)
			model_end(m, o);
		else
			i++;
	}
	for (i = 0; i < m->nr_holds;) {
		if (m->holds[i].client == client)
			model_hold_forget(m, &m->holds[i]);
		else
			i++;
	}
	m->clients[client].used = false;
}

void model_enter(struct model *m)
{
	m->group++;
	if (m->now == m->entered)
		return;
	m->entered = m->now;
	while (expire_object(m))
		;
	while (expire_hold(m))
		;
	for (s32 i = 0; i < M_CLIENTS; i++)
		if (m->clients[i].used && !m->clients[i].open &&
		    m->clients[i].quarantine_end <= m->now)
			sweep(m, i);
}

void model_leave(struct model *m)
{
	u64 used = model_used(m);

	if (used == m->shown)
		return;
	m->shown = used;
	model_watermark(m);
}

bool model_client_left(const struct model *m, s32 client)
{
	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].owner == client)
			return true;
	for (u32 i = 0; i < m->nr_holds; i++)
		if (m->holds[i].client == client)
			return true;
	return false;
}

static void close_objects(struct model *m, s32 client)
{
	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (o->owner != client)
			continue;
		model_quarantine(m, o);
		o->named = false;
		o->deadline = M_NEVER;
	}
}

/* Holds on what was private mean nothing any more; the others are orphan pins. */
static void close_holds(struct model *m, s32 client)
{
	for (u32 i = 0; i < m->nr_holds;) {
		struct m_hold *h = &m->holds[i];
		struct m_object *o;

		if (h->client != client) {
			i++;
			continue;
		}
		h->deadline = M_NEVER;
		h->lost = 0;
		o = model_by_id(m, h->id);
		if (!h->count || !o || o->state != M_PUBLISHED)
			model_hold_forget(m, h);
		else
			i++;
	}
}

void model_settle(struct model *m, s32 client)
{
	m->clients[client].exiting = false;
	m->clients[client].quarantine_end = m->now + m->quarantine_ns;
}

void model_close(struct model *m, s32 client, bool exiting)
{
	struct m_client *c = &m->clients[client];

	c->open = false;
	c->ring = 0;
	c->nr_events = 0;
	c->unread = 0;
	close_objects(m, client);
	close_holds(m, client);
	if (!model_client_left(m, client))
		c->used = false;
	else if (exiting)
		c->exiting = true;
	else
		model_settle(m, client);
}
