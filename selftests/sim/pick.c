// SPDX-License-Identifier: GPL-2.0-only
/* What operations name: keys, and things that clients have. */

#include "sim.h"

s32 item_key(struct world *w, const struct op *it)
{
	u32 key = (it->key | (it->salt >> 8 & 0xf00)) % w->nr_keys;

	if (it->sub >= 250)
		return it->tag & 1 ? M_KEY_NONE : M_KEY_BAD;
	/* Some keys meet more often than others. */
	return it->salt & 1 && !w->lazy ? key % 4 : key;
}

u64 item_tag(const struct world *w, const struct op *it)
{
	return (it->tag | (it->salt & 0xf00)) % w->nr_tags;
}

struct m_object *pick_write(struct world *w, s32 client, u32 n)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[(i + n * 7) % m->nr_objects];

		if (o->owner == client && o->state != M_PRIVATE)
			return o;
	}
	return NULL;
}

/* One that can be committed, if there is any. */
struct m_object *pick_staged(struct world *w, s32 client, u32 n)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[(i + n * 7) % m->nr_objects];

		if (o->state == M_STAGED && (client == M_NOBODY || o->owner == client))
			return o;
	}
	return NULL;
}

struct m_hold *pick_hold(struct world *w, s32 client, u32 n)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_holds; i++) {
		struct m_hold *h = &m->holds[(i + n * 7) % m->nr_holds];

		if (client == M_NOBODY || h->client == client)
			return h;
	}
	return NULL;
}

struct m_object *pick_object(struct world *w, u32 n)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[(i + n * 7) % m->nr_objects];

		if (o->state == M_PUBLISHED || o->state == M_PRIVATE)
			return o;
	}
	return NULL;
}

struct m_object *pick_private(struct world *w, s32 client, u32 n)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[(i + n * 7) % m->nr_objects];

		if (o->state == M_PRIVATE && o->owner == client)
			return o;
	}
	return NULL;
}
