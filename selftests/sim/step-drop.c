// SPDX-License-Identifier: GPL-2.0-only
/* CLEAR, PURGE, EVICT and REPORT_BAD. */

#include "sim.h"

#define VICTIMS		64
#define BAD_PART	4	/* of the pool at most a quarter is reported */

void tally_call(enum kind kind, int err)
{
	seen.calls[kind][-err]++;
}

void step_clear(struct world *w, const struct op *op, s32 client)
{
	union maru_call_arg arg = { };
	struct maru_l1_clear want;

	arg.clear.flags = op->sub & 1 ? MARU_L1_CLEAR_FORCE : 0;
	want = arg.clear;
	node_sync(w);
	EXPECT_EQ(w, node_call(w, client, MARU_L1_CLEAR, &arg, NULL, NULL), 0);
	model_clear(w->node.m, client, &want);
	model_leave(w->node.m);
	tally_call(OP_CLEAR, 0);
	EXPECT_EQ(w, arg.clear.staged, want.staged);
	EXPECT_EQ(w, arg.clear.private_objects, want.private_objects);
	EXPECT_EQ(w, arg.clear.holds, want.holds);
}

void step_purge(struct world *w, const struct op *op, s32 client)
{
	union maru_call_arg arg = { };
	struct maru_l1_purge want;
	int err;

	if (w->deaf)
		return;
	node_sync(w);
	/* The order of the events is not said: none may be lost for lack of room. */
	for (u32 i = 0; i < w->nr_slots; i++)
		if (w->node.slots[i] != M_NOBODY)
			events_drain(w, w->node.slots[i]);
	err = node_call(w, client, MARU_L1_PURGE, &arg, NULL, NULL);
	tally_call(OP_PURGE, err);
	if (err == -EACCES && !w->node.m->clients[client].writable)
		return;
	EXPECT_EQ(w, err, 0);
	model_purge(w->node.m, client, &want);
	model_leave(w->node.m);
	EXPECT_EQ(w, arg.purge.deleted, want.deleted);
	EXPECT_EQ(w, arg.purge.locked, want.locked);
}

/* What an operation asks an EVICT for. */
static void evict_arg(struct world *w, const struct op *op,
		      struct maru_l1_evict *arg)
{
	u32 layout = w->pages[op->which % w->nr_pages];

	arg->flags = op->sub & 1 ? MARU_L1_EVICT_DRY_RUN : 0;
	switch (op->amount % 8) {
	case 0:
	case 1:
		arg->flags |= MARU_L1_EVICT_TARGET;
		arg->target_permille = op->time % 1001;
		break;
	case 2:
	case 3:
		if (w->exact) {
			arg->flags = MARU_L1_EVICT_LAYOUT;
			arg->layout = layout;
		}
		arg->bytes = 1 + op->time % w->node.m->bytes / 2;
		break;
	default:
		arg->count = 1 + op->time % 4;
	}
	if (op->n & 1) {
		arg->nr_items = 1 + op->n % VICTIMS;
		arg->keys_len = MARU_L1_KEY_MAX * (1 + op->salt % 3);
	}
}

static void victims_compare(struct world *w, const struct maru_l1_evict *arg,
			    const struct maru_l1_victim *victims, const u8 *keys,
			    const u64 *ids, u32 n)
{
	EXPECT_EQ(w, arg->nr_items, n);
	for (u32 i = 0; i < n; i++) {
		s32 key = key_number(keys + victims[i].key_off, victims[i].key_len);

		EXPECT_EQ(w, victims[i].id, ids[i]);
		if (key < 0)
			sim_fail(w, "victim %u has a key of nobody", i);
	}
}

void step_evict(struct world *w, const struct op *op, s32 client)
{
	static u64 ids[M_OBJECTS];
	static struct maru_l1_victim victims[VICTIMS];
	static u8 keys[4 * MARU_L1_KEY_MAX];
	union maru_call_arg arg = { };
	struct maru_l1_evict want;
	u32 n, room;
	int err;

	evict_arg(w, op, &arg.evict);
	room = arg.evict.nr_items;
	want = arg.evict;
	node_sync(w);
	err = node_call(w, client, MARU_L1_EVICT, &arg, victims, keys);
	tally_call(OP_EVICT, err);
	if (err == -EACCES && !w->node.m->clients[client].writable)
		return;
	EXPECT_EQ(w, err, 0);
	n = model_evict(w->node.m, client, &want, room, ids);
	model_leave(w->node.m);
	EXPECT_EQ(w, arg.evict.evicted, want.evicted);
	EXPECT_EQ(w, arg.evict.evicted_bytes, want.evicted_bytes);
	EXPECT_EQ(w, arg.evict.skipped, want.skipped);
	EXPECT_EQ(w, arg.evict.more, want.more);
	victims_compare(w, &arg.evict, victims, keys, ids, room ? n : 0);
}

static u64 bad_offset(struct world *w, const struct op *op)
{
	struct model *m = w->node.m;
	const struct m_object *o;

	if (op->sub % 8 == 0)
		return m->bytes + op->salt;
	/* Enough is bad already: the same again. */
	if (m->nr_objects && (op->sub % 8 < 5 || w->bad > m->bytes / BAD_PART)) {
		o = &m->objects[op->salt % m->nr_objects];
		if (w->bad <= m->bytes / BAD_PART || o->state == M_RETIRED)
			return o->offset + op->amount;
	}
	return w->bad > m->bytes / BAD_PART ? m->bytes : op->salt % m->bytes;
}

/* Where nothing is in use: a page, or a whole block, retires. */
static void bad_nothing(struct world *w, const struct maru_l1_report_bad *arg,
			u64 bytes)
{
	struct model *m = w->node.m;
	struct m_object *o;
	u64 page = bytes ? arg->offset % M_BLOCK / bytes * bytes : 0;

	EXPECT_EQ(w, arg->id, 0);
	if (!w->exact) {
		m->retired += arg->retired;
		return;
	}
	EXPECT_EQ(w, arg->retired, bytes);
	if (!bytes)
		return;
	o = model_add(m);
	o->state = M_RETIRED;
	o->offset = arg->offset / M_BLOCK * M_BLOCK + page;
	o->layout = M_LAYOUTS;
	for (u32 i = 0; i < m->nr_objects - 1; i++)
		if (m->objects[i].offset / M_BLOCK == arg->offset / M_BLOCK)
			o->layout = m->objects[i].layout;
}

void step_bad(struct world *w, const struct op *op, s32 client)
{
	union maru_call_arg arg = { .report_bad = { .offset = bad_offset(w, op) } };
	struct maru_l1_report_bad *bad = &arg.report_bad;
	struct model *m = w->node.m;
	struct m_object *o;
	u64 bytes = 0;
	int err;

	node_sync(w);
	err = node_call(w, client, MARU_L1_REPORT_BAD, &arg, NULL, NULL);
	tally_call(OP_BAD, err);
	if (err == -EACCES && !m->clients[client].writable)
		return;
	EXPECT_EQ(w, err, bad->offset < m->bytes ? 0 : -EINVAL);
	if (err)
		return;
	w->bad += bad->retired;
	o = model_at(m, bad->offset, &bytes);
	if (!o) {
		bad_nothing(w, bad, bytes);
	} else if (o->state == M_RETIRED) {
		EXPECT_EQ(w, bad->retired, 0);
	} else {
		EXPECT_EQ(w, bad->id, o->id);
		EXPECT_EQ(w, bad->retired, model_stride(m, o));
		model_bad(m, client, o);
	}
	model_leave(m);
}
