// SPDX-License-Identifier: GPL-2.0-only
/* Time, and what comes and goes with it: clients, leases, layouts, backings. */

#include "sim.h"

#define GROW_BLOCKS	4

/* The very moment at which some lease ends, or now. */
static u64 some_deadline(const struct model *m, u32 n)
{
	u64 deadline = M_NEVER;

	if (m->nr_objects && n & 1)
		deadline = m->objects[n % m->nr_objects].deadline;
	else if (m->nr_holds)
		deadline = m->holds[n % m->nr_holds].deadline;
	return deadline == M_NEVER ? m->now : max(deadline, m->now);
}

/* When the last of the writes ends. */
static u64 last_deadline(const struct model *m)
{
	u64 last = m->now;

	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].state == M_STAGED)
			last = max(last, m->objects[i].deadline);
	return last;
}

/* A crowd gathers, then leaves at once. */
static u64 crowd_time(const struct model *m, const struct op *op)
{
	if (op->sub >= 32)
		return m->now + op->sub;
	return op->sub & 1 ? last_deadline(m) : m->now + 700000 * MS;
}

void step_time(struct world *w, const struct op *op)
{
	struct model *m = w->node.m;
	u64 ns = op->time % 1000 * MS / 12;

	/* Most steps are short, some end every lease that there is. */
	if (op->sub < 6)
		ns = 700000 * MS;
	else if (op->sub < 40)
		ns *= 10;
	if (w->lazy)
		m->now = crowd_time(m, op);
	else if (op->sub % 8 == 7)
		m->now = some_deadline(m, op->salt);
	else
		m->now += ns;
	if (!w->lazy && op->sub & 1)
		node_sync(w);
	tally_call(OP_TIME, 0);
}

/* Dies, and another comes in its place. */
void step_kill(struct world *w, const struct op *op, s32 client)
{
	u32 slot = op->client % w->nr_slots;

	if (client != M_NOBODY) {
		seen.kills++;
		node_client_close(w, client, op->sub & 1);
	}
	if ((op->sub & 2 || w->lazy) && node_client_open(w, slot, op->tag % 8) &&
	    op->sub & 4)
		step_setup(w, op, w->node.slots[slot]);
	tally_call(OP_KILL, 0);
}

void step_settle(struct world *w, const struct op *op)
{
	struct model *m = w->node.m;

	tally_call(OP_SETTLE, 0);
	for (u32 i = 0; i < M_CLIENTS; i++) {
		s32 client = (i + op->which) % M_CLIENTS;

		if (!m->clients[client].used || !m->clients[client].exiting)
			continue;
		node_sync(w);
		maru_client_settle(w->node.real[client].core, m->now);
		w->node.real[client].core = NULL;
		model_settle(m, client);
		return;
	}
}

void step_grow(struct world *w, const struct op *op)
{
	u64 bytes = (1 + op->amount % GROW_BLOCKS) * M_BLOCK;
	struct model *m = w->node.m;
	int err;

	if (m->bytes + bytes > M_BLOCKS * M_BLOCK)
		return;
	node_sync(w);
	err = maru_pool_grow(w->node.pool, bytes);
	tally_call(OP_GROW, err);
	if (err == -ENOSPC)
		return;
	EXPECT_EQ(w, err, 0);
	m->borders[m->nr_borders++] = m->bytes;
	m->bytes += bytes;
	model_leave(m);
}

/* A device goes on writing where its client once reserved. */
void step_store(struct world *w, const struct op *op)
{
	struct model *m = w->node.m;

	node_sync(w);
	tally_call(OP_STORE, 0);
	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[(i + op->salt) % m->nr_objects];

		if (o->state != M_STAGED && o->state != M_QUARANTINE)
			continue;
		bytes_write(w, o->offset, model_stride(m, o), o->id);
		return;
	}
}

void step_fence(struct world *w, const struct op *op)
{
	/* A fence is for good: not before much has been tried without. */
	if (w->fenced_at || op->sub % 8 || w->steps < CHECK_STEPS / 2)
		return;
	node_sync(w);
	maru_pool_fence(w->node.pool, w->node.m->now);
	w->node.m->group++;
	model_fence(w->node.m);
	model_leave(w->node.m);
	EXPECT_EQ(w, w->node.status.state, MARU_L1_I_FENCED);
	w->fenced_at = w->op_nr;
	tally_call(OP_FENCE, 0);
}

static bool client_has(struct world *w, s32 client)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++)
		if (m->objects[i].owner == client &&
		    m->objects[i].state != M_QUARANTINE)
			return true;
	for (u32 i = 0; i < m->nr_holds; i++)
		if (m->holds[i].client == client && m->holds[i].count)
			return true;
	return false;
}

void step_setup(struct world *w, const struct op *op, s32 client)
{
	struct m_client *c = &w->node.m->clients[client];
	union maru_call_arg arg = { .setup = {
		.read_lease_ms = op->sub & 1 ? 1 + op->time % 200 : 0,
		.write_lease_ms = 1 + op->salt % 300,
	} };
	int err;

	node_sync(w);
	err = node_call(w, client, MARU_L1_SETUP, &arg, NULL, NULL);
	tally_call(OP_SETUP, err);
	EXPECT_EQ(w, err, client_has(w, client) ? -EBUSY : 0);
	if (err)
		return;
	c->read_lease = arg.setup.read_lease_ms * MS;
	c->write_lease = arg.setup.write_lease_ms * MS;
}

static u64 stride_of(u64 bytes, u32 alignment)
{
	u64 least = max((u64)alignment, bytes > 32 ? 64ULL : 32ULL);

	return (bytes + least - 1) / least * least;
}

static u32 layout_find(const struct model *m, u64 bytes, u32 alignment)
{
	u32 i;

	for (i = 0; i < m->nr_layouts; i++)
		if (m->layouts[i].bytes == bytes &&
		    m->layouts[i].alignment == alignment)
			break;
	return i;
}

static int layout_get(struct world *w, s32 client, u64 bytes, u32 alignment)
{
	union maru_call_arg arg = {
		.layout = { .bytes = bytes, .alignment = alignment },
	};
	struct model *m = w->node.m;
	u32 at = layout_find(m, bytes, alignment);
	u64 stride = stride_of(bytes, alignment);
	int err, want = 0;

	if (at == m->nr_layouts && stride > m->bytes)
		want = -EINVAL;
	else if (at == M_LAYOUTS)
		want = -ENOSPC;
	node_sync(w);
	err = node_call(w, client, MARU_L1_LAYOUT, &arg, NULL, NULL);
	tally_call(OP_LAYOUT, err);
	if (err == -EACCES && !m->clients[client].writable)
		return err;
	EXPECT_EQ(w, err, want);
	if (err)
		return err;
	EXPECT_EQ(w, arg.layout.layout, at);
	EXPECT_EQ(w, arg.layout.stride, stride);
	if (at == m->nr_layouts)
		m->layouts[m->nr_layouts++] = (struct m_layout){
			.bytes = bytes, .alignment = alignment, .stride = stride };
	return 0;
}

void layout_add(struct world *w, u64 bytes, u32 alignment)
{
	EXPECT_EQ(w, layout_get(w, w->node.slots[0], bytes, alignment), 0);
	w->pages[w->nr_pages++] = layout_find(w->node.m, bytes, alignment);
}

/* Now and then so many that there is no room for more. */
void step_layout(struct world *w, const struct op *op, s32 client)
{
	u32 n = op->sub < 8 ? 2 * M_LAYOUTS : 1, i;

	for (i = 0; i < n; i++) {
		u64 bytes = 1 + (op->time + i * 37ULL) % (3 * w->node.m->bytes / 2);
		int err = layout_get(w, client, bytes, op->tag & 1 ? 4096 : 0);

		if (err == -EACCES)
			break;
	}
}
