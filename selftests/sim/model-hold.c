// SPDX-License-Identifier: GPL-2.0-only
/* The model's holds. */

#include "model.h"

struct m_hold *model_hold(struct model *m, s32 client, u64 id)
{
	for (u32 i = 0; i < m->nr_holds; i++)
		if (m->holds[i].id == id && m->holds[i].client == client)
			return &m->holds[i];
	return NULL;
}

void model_hold_renew(struct model *m, struct m_hold *h)
{
	u64 lease = m->clients[h->client].read_lease;

	h->deadline = lease ? m->now + lease : M_NEVER;
	h->order = ++m->orders;
}

void model_hold_add(struct model *m, s32 client, struct m_object *o, u32 n)
{
	struct m_hold *h = model_hold(m, client, o->id);

	if (!h) {
		h = &m->holds[m->nr_holds++];
		*h = (struct m_hold){ .id = o->id, .client = client, .key = o->key };
	}
	if (!h->count)
		m->counts.bytes_served += o->length;
	h->count += n;
	model_hold_renew(m, h);
	if (o->state == M_PRIVATE)
		o->deadline = M_NEVER;
}

void model_hold_forget(struct model *m, struct m_hold *h)
{
	*h = m->holds[--m->nr_holds];
}

/* No live hold is left: what a private object lives by. */
static void unpinned(struct model *m, struct m_hold *h)
{
	struct m_object *o = model_by_id(m, h->id);

	if (o && o->state == M_PRIVATE)
		model_end(m, o);
}

void model_hold_drop(struct model *m, struct m_hold *h, u32 n)
{
	h->count -= n;
	if (h->count)
		return;
	unpinned(m, h);
	h->deadline = M_NEVER;
	if (!h->lost || !m->clients[h->client].open)
		model_hold_forget(m, h);
}

void model_hold_lose(struct model *m, struct m_hold *h, u32 status)
{
	m->clients[h->client].epoch++;
	h->lost += h->count;
	h->lost_status = status;
	model_hold_drop(m, h, h->count);
}

u32 model_holders(const struct model *m, const struct m_object *o)
{
	u32 n = 0;

	for (u32 i = 0; i < m->nr_holds; i++)
		n += m->holds[i].id == o->id && m->holds[i].count;
	return n;
}
