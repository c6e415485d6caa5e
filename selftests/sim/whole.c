// SPDX-License-Identifier: GPL-2.0-only
/* Everything: accounts, sums, bytes, and what each client sees. */

#include "sim.h"
#include "walk.h"

/* CHECK finds nothing, and has looked at every extent. */
static void accounts_check(struct world *w, s32 client)
{
	struct maru_l1_difference list[4] = {};
	union maru_call_arg arg = { .check = { .nr_items = ARRAY_SIZE(list) } };
	struct model *m = w->node.m;

	EXPECT_EQ(w, node_call(w, client, MARU_L1_CHECK, &arg, list, NULL), 0);
	if (arg.check.differences)
		sim_fail(w, "account %u of %#llx: recorded %llu, found %llu (and %llu more)",
			 list[0].account, (unsigned long long)list[0].id,
			 (unsigned long long)list[0].recorded,
			 (unsigned long long)list[0].found,
			 (unsigned long long)arg.check.differences - 1);
	EXPECT_EQ(w, arg.check.walked, m->nr_objects - model_count(m, M_RETIRED));
}

/* Invariant 1. */
static void usage_pool(struct world *w, const struct maru_l1_usage *u)
{
	struct model *m = w->node.m;
	u64 orphans = 0;

	EXPECT_EQ(w, u->total, m->bytes);
	EXPECT_EQ(w, u->used, model_used(m));
	EXPECT_EQ(w, u->used, u->staged + u->private_bytes + u->published +
			      u->zombie + u->quarantined + u->limbo + u->retired);
	EXPECT_EQ(w, u->rounding, u->total - u->used - u->available);
	EXPECT_EQ(w, u->staged, model_bytes(m, M_STAGED));
	EXPECT_EQ(w, u->private_bytes, model_bytes(m, M_PRIVATE));
	EXPECT_EQ(w, u->published, model_bytes(m, M_PUBLISHED));
	EXPECT_EQ(w, u->quarantined, model_bytes(m, M_QUARANTINE));
	EXPECT_EQ(w, u->retired, model_bytes(m, M_RETIRED));
	EXPECT_EQ(w, u->zombie + u->limbo, 0);
	EXPECT_EQ(w, u->objects, model_count(m, M_PUBLISHED));
	EXPECT_EQ(w, u->max_objects, m->max_objects);
	EXPECT_EQ(w, u->extents, m->nr_objects - model_count(m, M_RETIRED));
	for (u32 i = 0; i < m->nr_holds; i++)
		orphans += !m->clients[m->holds[i].client].open;
	EXPECT_EQ(w, u->orphan_pins, orphans);
	if (u->available > u->total - u->used)
		sim_fail(w, "more is available than is not used");
	if (w->exact)
		EXPECT_EQ(w, u->available, model_available(m));
}

static void usage_client(struct world *w, s32 client, const struct maru_l1_usage *u)
{
	struct model *m = w->node.m;
	u64 count[M_STATES] = {}, bytes[M_STATES] = {}, held = 0, holds = 0;

	for (u32 i = 0; i < m->nr_objects; i++) {
		const struct m_object *o = &m->objects[i];

		if (o->owner != client)
			continue;
		count[o->state]++;
		bytes[o->state] += model_stride(m, o);
	}
	for (u32 i = 0; i < m->nr_holds; i++) {
		if (m->holds[i].client != client)
			continue;
		held += !!m->holds[i].count;
		holds += m->holds[i].count;
	}
	EXPECT_EQ(w, u->my_staged, count[M_STAGED]);
	EXPECT_EQ(w, u->my_staged_bytes, bytes[M_STAGED]);
	EXPECT_EQ(w, u->my_private, count[M_PRIVATE]);
	EXPECT_EQ(w, u->my_private_bytes, bytes[M_PRIVATE]);
	EXPECT_EQ(w, u->my_unacked, count[M_QUARANTINE]);
	EXPECT_EQ(w, u->my_unacked_bytes, bytes[M_QUARANTINE]);
	EXPECT_EQ(w, u->my_held, held);
	EXPECT_EQ(w, u->my_holds, holds);
}

/* Netlink asks for the same in two parts. */
static void usage_parts(struct world *w, s32 client, const struct maru_l1_usage *u)
{
	struct maru_l1_usage parts = { };

	maru_pool_usage(w->node.pool, w->node.m->now, &parts);
	maru_client_usage(w->node.real[client].core, &parts);
	if (memcmp(&parts, u, sizeof(parts)))
		sim_fail(w, "the parts of the usage differ from the whole");
}

static void info_check(struct world *w)
{
	struct maru_l1_info info = { };

	maru_pool_info(w->node.pool, &info);
	EXPECT_EQ(w, info.capacity, w->node.m->bytes);
	EXPECT_EQ(w, info.max_objects, w->params.max_objects);
	EXPECT_EQ(w, info.max_client_bytes, w->params.max_client_bytes);
	EXPECT_EQ(w, info.nr_layouts, w->node.m->nr_layouts);
	EXPECT_EQ(w, info.node, w->params.node);
	EXPECT_EQ(w, info.incarnation, w->params.incarnation);
	EXPECT_EQ(w, !!(info.flags & MARU_L1_I_COHERENT), w->params.coherent);
	EXPECT_EQ(w, !!(info.flags & MARU_L1_I_FENCED), w->node.m->fenced);
}

void usage_check(struct world *w, s32 client)
{
	union maru_call_arg arg = { };

	EXPECT_EQ(w, node_call(w, client, MARU_L1_USAGE, &arg, NULL, NULL), 0);
	usage_pool(w, &arg.usage);
	usage_client(w, client, &arg.usage);
	usage_parts(w, client, &arg.usage);
	EXPECT_EQ(w, w->node.status.total, arg.usage.total);
	EXPECT_EQ(w, w->node.status.used, arg.usage.used);
	EXPECT_EQ(w, w->node.status.available, arg.usage.available);
}

/* Invariants 2 and 3: readable bytes are those of their writer. */
static void bytes_check(struct world *w)
{
	struct model *m = w->node.m;

	for (u32 i = 0; i < m->nr_objects; i++) {
		const struct m_object *o = &m->objects[i];

		if (o->state == M_PUBLISHED || o->state == M_PRIVATE)
			bytes_expect(w, o->offset, o->length, o->id);
	}
}

/* The epoch is raised when a client lost a hold, and not else. */
static void epoch_check(struct world *w, s32 client)
{
	const struct m_client *c = &w->node.m->clients[client];
	struct real *real = &w->node.real[client];
	u64 epoch = real->status.epoch;

	if ((epoch > real->epoch_seen) != (c->epoch > real->epoch_lost))
		sim_fail(w, "client %d: epoch %llu, was %llu; holds were%s lost",
			 client, (unsigned long long)epoch,
			 (unsigned long long)real->epoch_seen,
			 c->epoch > real->epoch_lost ? "" : " not");
	real->epoch_seen = epoch;
	real->epoch_lost = c->epoch;
	EXPECT_EQ(w, real->status.events, c->told);
}

void epochs_check(struct world *w)
{
	for (u32 i = 0; i < w->nr_slots; i++)
		if (w->node.slots[i] != M_NOBODY)
			epoch_check(w, w->node.slots[i]);
}

/* Every client asks for every key. */
static void keys_check(struct world *w, s32 client)
{
	u32 n = min(w->nr_keys, 64U);
	union maru_call_arg arg = { };
	struct maru_l1_query got, want;

	for (u32 key = 0; key < n; key++) {
		got = (struct maru_l1_query){ .key_len = key_len(key) };
		want = got;
		arg.batch = (struct maru_l1_batch){ .nr_items = 1,
			.keys_len = key_len(key) };
		EXPECT_EQ(w, node_call(w, client, MARU_L1_QUERY, &arg, &got,
				       (u8 *)key_bytes(key)), 0);
		model_query(w->node.m, client, &want, key, got.id);
		w->node.m->answers[MARU_L1_QUERY & 0xff][got.status]++;
		if (memcmp(&got, &want, sizeof(got)))
			sim_fail(w, "client %d asks for key %u: state %u id %#llx holds %u "
				 "holders %u flags %#x, expected %u %#llx %u %u %#x",
				 client, key, got.state, (unsigned long long)got.id,
				 got.my_holds, got.holders, got.flags, want.state,
				 (unsigned long long)want.id, want.my_holds,
				 want.holders, want.flags);
	}
}

void whole_check(struct world *w)
{
	bool accounts = false;

	node_sync(w);
	epochs_check(w);
	bytes_check(w);
	info_check(w);
	for (u32 i = 0; i < w->nr_slots; i++) {
		s32 client = w->node.slots[i];

		if (client == M_NOBODY)
			continue;
		usage_check(w, client);
		keys_check(w, client);
		if (!w->deaf)
			events_drain(w, client);
		if (!accounts && w->node.m->clients[client].writable) {
			accounts_check(w, client);
			accounts = true;
		}
	}
}
