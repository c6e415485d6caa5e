// SPDX-License-Identifier: GPL-2.0-only
/* USAGE, STATS, SUBSCRIBE and reading events. */

#include "sim.h"
#include "walk.h"

void step_usage(struct world *w, const struct op *op, s32 client)
{
	node_sync(w);
	usage_check(w, client);
	tally_call(OP_USAGE, 0);
}

static void counters_compare(struct world *w, const struct maru_l1_counter *list,
			     u32 n)
{
	struct model *m = w->node.m;
	u32 want = 0;

	for (u32 i = 0; i < n; i++)
		EXPECT_EQ(w, list[i].count, m->answers[list[i].op][list[i].status]);
	for (u32 op = 0; op < 256; op++)
		for (u32 status = 0; status <= MARU_L1_INVALID; status++)
			want += !!m->answers[op][status];
	EXPECT_EQ(w, n, want);
}

/* What a pool holds now is in the model anyway. */
static void counts_now(struct model *m)
{
	m->counts.held = 0;
	m->counts.holds = 0;
	for (u32 i = 0; i < m->nr_objects; i++)
		m->counts.held += !!model_holders(m, &m->objects[i]);
	for (u32 i = 0; i < m->nr_holds; i++)
		m->counts.holds += m->holds[i].count;
}

static void counts_compare(struct world *w, const struct maru_counts *got,
			   const struct maru_counts *want)
{
	const u64 *a = (const u64 *)got, *b = (const u64 *)want;

	for (u32 i = 0; i < sizeof(*got) / sizeof(u64); i++)
		if (a[i] != b[i])
			sim_fail(w, "word %u of struct maru_counts is %llu, expected %llu",
				 i, (unsigned long long)a[i], (unsigned long long)b[i]);
}

void step_stats(struct world *w, const struct op *op, s32 client)
{
	static struct maru_l1_counter list[256];
	union maru_call_arg arg = { .stats = { .nr_items = 256 } };
	struct model *m = w->node.m;
	struct maru_l1_stats same = { };
	struct maru_counts counts;

	node_sync(w);
	EXPECT_EQ(w, node_call(w, client, MARU_L1_STATS, &arg, list, NULL), 0);
	tally_call(OP_STATS, 0);
	counters_compare(w, list, arg.stats.nr_items);
	EXPECT_EQ(w, arg.stats.bytes_stored, m->counts.bytes_stored);
	EXPECT_EQ(w, arg.stats.lost_races, m->counts.lost_races);
	EXPECT_EQ(w, arg.stats.purged, m->counts.removed[MARU_L1_C_PURGED].count);
	/* What ends before its lease is looked at has not expired. */
	if (w->lazy)
		return;
	maru_pool_stats(w->node.pool, &same, NULL, 0, &counts);
	counts_now(m);
	counts_compare(w, &counts, &m->counts);
	EXPECT_EQ(w, arg.stats.expired_writes, m->counts.expired_writes);
	EXPECT_EQ(w, arg.stats.expired_holds, m->counts.expired_holds);
	EXPECT_EQ(w, arg.stats.quarantined, m->counts.quarantined.count);
	EXPECT_EQ(w, arg.stats.bytes_served, m->counts.bytes_served);
}

void step_subscribe(struct world *w, const struct op *op, s32 client)
{
	union maru_call_arg arg = { };
	struct maru_l1_subscribe *s = &arg.subscribe;

	if (w->lazy)
		return;
	s->mask = op->sub % 8 ? op->tag & MARU_L1_EV_ALL : 0;
	s->ring_size = s->mask ? MARU_L1_EVENTS_MIN : 0;
	if (s->mask & MARU_L1_EV_MASK(MARU_L1_EV_WATERMARK))
		s->watermark_permille = 1 + op->salt % 1000;
	node_sync(w);
	EXPECT_EQ(w, node_call(w, client, MARU_L1_SUBSCRIBE, &arg, NULL, NULL), 0);
	tally_call(OP_SUBSCRIBE, 0);
	w->node.m->group++;
	model_subscribe(w->node.m, client, s);
	model_leave(w->node.m);
}

/* Reads up to @room bytes; false: nothing more is there. */
static bool events_read(struct world *w, s32 client, u32 room)
{
	static u8 buffer[MARU_L1_EVENTS_MIN];
	struct maru_client *core = w->node.real[client].core;
	struct model *m = w->node.m;
	ssize_t bytes = maru_events_peek(core, buffer, room), at = 0;

	if (bytes < 0) {
		EXPECT_EQ(w, -bytes, EMSGSIZE);
		return true;
	}
	EXPECT_EQ(w, maru_events_ready(core), !!m->clients[client].nr_events);
	while (at < bytes) {
		const struct maru_l1_event *e = (const void *)(buffer + at);
		s32 key = e->key_len ? key_number(e->key, e->key_len) : -1;

		if (!model_event_take(m, client, e, key))
			sim_fail(w, "event kind %u id %#llx key %d of client %d was not expected",
				 e->kind, (unsigned long long)e->id, key, client);
		at += e->size;
	}
	EXPECT_EQ(w, at, bytes);
	maru_events_consume(core, bytes);
	return bytes;
}

void events_drain(struct world *w, s32 client)
{
	while (events_read(w, client, MARU_L1_EVENTS_MIN))
		;
	if (w->node.m->clients[client].nr_events)
		sim_fail(w, "client %d was not told of all", client);
}

void step_events(struct world *w, const struct op *op, s32 client)
{
	if (w->deaf)
		return;
	node_sync(w);
	tally_call(OP_EVENTS, 0);
	if (op->sub & 1)
		events_drain(w, client);
	else
		events_read(w, client, op->salt % MARU_L1_EVENTS_MIN);
}
