// SPDX-License-Identifier: GPL-2.0-only
/* The model's objects: found by walking all of them. */

#include <stdio.h>
#include "model.h"

struct model *model_new(const struct maru_pool_params *params, bool exact)
{
	struct model *m = calloc(1, sizeof(*m));

	m->bytes = params->bytes;
	m->max_objects = params->max_objects;
	m->max_client_bytes = params->max_client_bytes;
	m->quarantine_ns = params->quarantine_ns;
	m->exact = exact;
	m->layouts[M_LAYOUTS].stride = M_BLOCK;
	return m;
}

void model_free(struct model *m)
{
	for (u32 i = 0; i < M_CLIENTS; i++)
		free(m->clients[i].events);
	free(m);
}

/* M_NOBODY: there are too many that are open or not yet forgotten. */
s32 model_open(struct model *m, bool writable)
{
	for (s32 i = 0; i < M_CLIENTS; i++) {
		struct m_client *c = &m->clients[i];

		if (c->used)
			continue;
		free(c->events);
		*c = (struct m_client){
			.used = true, .open = true, .writable = writable,
			.write_lease = 600ULL * NSEC_PER_SEC,
			.quarantine_end = M_NEVER,
		};
		return i;
	}
	return M_NOBODY;
}

struct m_object *model_by_id(struct model *m, u64 id)
{
	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].id == id && m->objects[i].state != M_RETIRED)
			return &m->objects[i];
	return NULL;
}

struct m_object *model_published(struct model *m, u32 key)
{
	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].key == key &&
		    m->objects[i].state == M_PUBLISHED)
			return &m->objects[i];
	return NULL;
}

struct m_object *model_private(struct model *m, s32 client, u32 key)
{
	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].key == key && m->objects[i].owner == client &&
		    m->objects[i].state == M_PRIVATE)
			return &m->objects[i];
	return NULL;
}

struct m_object *model_visible(struct model *m, s32 client, u32 key)
{
	struct m_object *o = model_private(m, client, key);

	return o ? o : model_published(m, key);
}

struct m_object *model_add(struct model *m)
{
	struct m_object *o = &m->objects[m->nr_objects++];

	*o = (struct m_object){ .owner = M_NOBODY, .order = ++m->orders };
	return o;
}

u64 model_stride(const struct model *m, const struct m_object *o)
{
	return m->layouts[o->layout].stride;
}

/* Published objects are counted with what removes them. */
static void count_end(struct model *m, const struct m_object *o)
{
	enum maru_l1_cause cause = o->bad ? MARU_L1_C_RETIRED : MARU_L1_C_PRIVATE;

	if (o->state == M_QUARANTINE)
		maru_tally_add(&m->counts.unquarantined, model_stride(m, o));
	else if (o->state == M_PRIVATE)
		maru_tally_add(&m->counts.removed[cause], model_stride(m, o));
}

void model_quarantine(struct model *m, struct m_object *o)
{
	if (o->state != M_QUARANTINE)
		maru_tally_add(&m->counts.quarantined, model_stride(m, o));
	o->state = M_QUARANTINE;
}

void model_end(struct model *m, struct m_object *o)
{
	count_end(m, o);
	if (o->bad) {
		o->state = M_RETIRED;
		o->owner = M_NOBODY;
		o->named = false;
		return;
	}
	*o = m->objects[--m->nr_objects];
}

void model_delete_object(struct model *m, struct m_object *o, s32 client,
			 enum maru_l1_cause cause)
{
	model_event_deleted(m, o, client);
	maru_tally_add(&m->counts.removed[cause], model_stride(m, o));
	model_end(m, o);
}

void model_use(struct model *m, struct m_object *o)
{
	if (o->state == M_PUBLISHED)
		o->used = ++m->orders;
}

u64 model_bytes(const struct model *m, enum m_state state)
{
	u64 bytes = state == M_RETIRED ? m->retired : 0;

	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].state == state)
			bytes += model_stride(m, &m->objects[i]);
	return bytes;
}

u64 model_used(const struct model *m)
{
	u64 bytes = m->retired;

	for (u32 i = 0; i < m->nr_objects; i++)
		bytes += model_stride(m, &m->objects[i]);
	return bytes;
}

u32 model_count(const struct model *m, enum m_state state)
{
	u32 n = 0;

	for (u32 i = 0; i < m->nr_objects; i++)
		n += m->objects[i].state == state;
	return n;
}

u32 model_fenced_flag(const struct model *m)
{
	return m->fenced ? MARU_L1_R_FENCED : 0;
}
