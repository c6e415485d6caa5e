// SPDX-License-Identifier: GPL-2.0-only
/* What the model says that clients are told. */

#include "keys.h"
#include "model.h"

#define RECORD_LOST	sizeof(struct maru_l1_event)

static u32 record_bytes(s32 key)
{
	u32 len = key < 0 ? 0 : key_len(key);

	return (sizeof(struct maru_l1_event) + len + 7) / 8 * 8;
}

static void queue(struct m_client *c, const struct m_event *e, u32 bytes)
{
	if (!c->events)
		c->events = calloc(M_EVENTS, sizeof(*c->events));
	if (c->first_event + c->nr_events == M_EVENTS) {
		memmove(c->events, c->events + c->first_event,
			c->nr_events * sizeof(*c->events));
		c->first_event = 0;
	}
	c->events[c->first_event + c->nr_events++] = *e;
	c->unread += bytes;
	c->told++;
}

void model_event(struct model *m, s32 client, u32 kind, const struct m_object *o,
		 u64 value, u32 flags)
{
	struct m_client *c = &m->clients[client];
	struct m_event e = {
		.kind = kind, .value = value, .flags = flags, .group = m->group,
		.id = o ? o->id : 0, .key = o ? (s32)o->key : -1,
	};
	u32 bytes = record_bytes(e.key);

	if (!c->ring || !(c->mask & MARU_L1_EV_MASK(kind)))
		return;
	/* There is always room for LOST behind what is queued. */
	if (c->unread + bytes + RECORD_LOST <= c->ring) {
		c->lost_last = false;
		queue(c, &e, bytes);
		return;
	}
	m->counts.events_lost++;
	if (!c->lost_last) {
		e = (struct m_event){ .kind = MARU_L1_EV_LOST, .key = -1,
				      .group = m->group };
		c->lost_last = true;
		queue(c, &e, RECORD_LOST);
	}
}

void model_event_deleted(struct model *m, const struct m_object *o, s32 cause)
{
	for (s32 i = 0; i < M_CLIENTS; i++)
		if (m->clients[i].open)
			model_event(m, i, MARU_L1_EV_DELETED, o, 0,
				    i == cause ? MARU_L1_EV_SELF : 0);
}

void model_watermark(struct model *m)
{
	u64 fill = model_used(m) * 1000 / m->bytes;

	for (s32 i = 0; i < M_CLIENTS; i++) {
		struct m_client *c = &m->clients[i];
		bool above = c->ring && c->watermark && fill >= c->watermark;

		if (above && !c->above)
			model_event(m, i, MARU_L1_EV_WATERMARK, NULL, fill, 0);
		c->above = above;
	}
}

void model_subscribe(struct model *m, s32 client,
		     const struct maru_l1_subscribe *arg)
{
	struct m_client *c = &m->clients[client];

	c->ring = arg->ring_size;
	c->mask = arg->mask;
	c->watermark = arg->watermark_permille;
	c->above = false;
	c->unread = 0;
	c->first_event = 0;
	c->nr_events = 0;
	c->lost_last = false;
	model_watermark(m);
}

static bool event_is(const struct m_event *want, const struct maru_l1_event *e,
		     s32 key)
{
	return want->kind == e->kind && want->id == e->id && want->key == key &&
	       want->value == e->value && want->flags == e->flags;
}

bool model_event_take(struct model *m, s32 client, const struct maru_l1_event *e,
		      s32 key)
{
	struct m_client *c = &m->clients[client];
	struct m_event *first = c->events + c->first_event;

	for (u32 i = 0; i < c->nr_events; i++) {
		if (first[i].group != first->group)
			break;
		if (!event_is(&first[i], e, key))
			continue;
		first[i] = *first;
		c->first_event++;
		c->nr_events--;
		c->unread -= e->size;
		return true;
	}
	return false;
}
