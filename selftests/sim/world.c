// SPDX-License-Identifier: GPL-2.0-only
/* Worlds, and programs that run in them. */

#include "sim.h"

#define KIB		1024ULL
#define FENCED_OPS	500
#define TAGS_MANY	4096

enum flavour {
	EXACT,		/* pages that fill blocks */
	MIXED,		/* sizes of models, which do not */
	LIMITS,		/* few objects, few bytes a client */
	TAGS,		/* many writes of a key */
	CROWD,		/* leases end by the thousand */
	NR_FLAVOURS,
};

static const u64 exact_pages[] = {
	2048 * KIB, 1024 * KIB, 512 * KIB, 256 * KIB, 128 * KIB, 680 * KIB,
	2048 * KIB - 100, 500 * KIB + 1,
};

static const u64 mixed_pages[] = {
	3072 * KIB, 700 * KIB, 5120 * KIB, 100 * KIB, 64 * KIB, 17989632,
	1536 * KIB, 10485760, 2048 * KIB, 33,
};

static enum flavour flavour_of(const struct record *record)
{
	u8 at = record->bytes[0];

	if (at < 112)
		return EXACT;
	if (at < 176)
		return MIXED;
	if (at < 247)
		return LIMITS;
	return at < 250 ? TAGS : CROWD;
}

static bool is_deaf(const struct record *record)
{
	return record->bytes[13] % 64 == 0;
}

enum pace world_pace(const struct record *record)
{
	if (flavour_of(record) == CROWD)
		return PACE_CROWD;
	return is_deaf(record) || flavour_of(record) == TAGS ? PACE_LONG :
								PACE_USUAL;
}

static void world_size(struct world *w, const u8 *bytes, enum flavour flavour)
{
	u32 blocks = 1 + bytes[1] % 10;

	if (flavour == MIXED)
		blocks = 10 + bytes[1] % 30;
	else if (flavour == TAGS)
		blocks = 40;
	else if (flavour == CROWD)
		blocks = 16;
	w->params = (struct maru_pool_params){
		.bytes = blocks * M_BLOCK,
		.segment_bytes = bytes[2] % 2 ? (1 + bytes[2] % 4) * M_BLOCK : 0,
		.max_objects = 7000,
		.quarantine_ns = (1 + bytes[3] % 200) * MS,
		.node = 1 + bytes[4] % 64,
		.incarnation = 1 + bytes[5],
		.coherent = bytes[4] & 128,
	};
	if (flavour != LIMITS)
		return;
	w->params.max_objects = 4 + bytes[6] % 24;
	w->params.max_client_bytes = bytes[7] % 3 ? (1 + bytes[7] % 8) * M_BLOCK / 2 : 0;
}

static void world_shape(struct world *w, const u8 *bytes, enum flavour flavour)
{
	w->exact = flavour != MIXED;
	w->lazy = flavour == CROWD;
	w->nr_slots = 2 + bytes[8] % (SLOTS - 1);
	w->nr_keys = 3 + bytes[9] % 60;
	w->nr_tags = 1 + bytes[10] % 4;
	if (flavour == TAGS) {
		/* One client, or space is short before tags are. */
		w->nr_slots = 1;
		w->nr_keys = 2;
		w->nr_tags = TAGS_MANY;
	} else if (flavour == CROWD) {
		w->nr_slots = 3;
		w->nr_keys = 1500;
	}
}

static void world_pages(struct world *w, const u8 *bytes, enum flavour flavour)
{
	u32 n = 1 + bytes[11] % 4;

	if (flavour == TAGS || flavour == CROWD) {
		layout_add(w, flavour == TAGS ? 128 * KIB : 4 * KIB, 0);
		return;
	}
	for (u32 i = 0; i < n; i++) {
		u32 at = bytes[12 + i % 4] + i;
		u64 page = flavour == MIXED ?
			   mixed_pages[at % ARRAY_SIZE(mixed_pages)] :
			   exact_pages[at % ARRAY_SIZE(exact_pages)];

		layout_add(w, page, at & 128 && flavour != MIXED ? 4096 : 0);
	}
}

/* Of all clients, so that there is something to end. */
static void crowd_leases(struct world *w, const u8 *bytes)
{
	const struct op op = { .sub = 1, .time = bytes[6], .salt = bytes[7] };

	for (u32 i = 0; i < w->nr_slots; i++)
		step_setup(w, &op, w->node.slots[i]);
}

static void deaf_subscribe(struct world *w)
{
	const struct op op = { .sub = 1, .tag = MARU_L1_EV_ALL };

	for (u32 i = 0; i < w->nr_slots; i++)
		step_subscribe(w, &op, w->node.slots[i]);
}

void world_open(struct world *w, const struct record *record)
{
	enum flavour flavour = flavour_of(record);

	world_size(w, record->bytes, flavour);
	world_shape(w, record->bytes, flavour);
	w->deaf = is_deaf(record);
	/* Long keys fill a ring. */
	if (w->deaf && !w->lazy)
		w->nr_keys = 5;
	node_open(w);
	for (u32 i = 0; i < w->nr_slots; i++)
		node_client_open(w, i, !i || record->bytes[i] % 8);
	world_pages(w, record->bytes, flavour);
	if (w->lazy)
		crowd_leases(w, record->bytes);
	else if (w->deaf)
		deaf_subscribe(w);
}

/* Invariant 9: all that clients had is gone, once. */
static void world_settle(struct world *w)
{
	struct node *node = &w->node;
	struct model *m = node->m;

	for (s32 i = 0; i < M_CLIENTS; i++) {
		if (m->clients[i].used && m->clients[i].open)
			node_client_close(w, i, false);
		if (m->clients[i].used && m->clients[i].exiting) {
			maru_client_settle(node->real[i].core, m->now);
			model_settle(m, i);
		}
	}
	m->now += m->quarantine_ns;
	node_sync(w);
	if (!maru_pool_settled(node->pool))
		sim_fail(w, "something waits after the quarantine");
	EXPECT_EQ(w, m->nr_holds, 0);
	EXPECT_EQ(w, m->nr_objects - model_count(m, M_RETIRED),
		  model_count(m, M_PUBLISHED));
	if (!node_client_open(w, 0, true))
		sim_fail(w, "no client can be opened");
	whole_check(w);
	node_client_close(w, node->slots[0], false);
}

void world_close(struct world *w)
{
	world_settle(w);
	seen.expiries += w->node.m->counts.expired_holds +
			 w->node.m->counts.expired_writes;
	maru_pool_destroy(w->node.pool);
	model_free(w->node.m);
	free(w->node.given);
}

typedef void (*step_fn)(struct world *w, const struct op *op, s32 client);

static const step_fn steps[NR_OPS] = {
	[OP_RESERVE] = step_reserve,
	[OP_CLEAR] = step_clear,
	[OP_PURGE] = step_purge,
	[OP_EVICT] = step_evict,
	[OP_USAGE] = step_usage,
	[OP_SUBSCRIBE] = step_subscribe,
	[OP_EVENTS] = step_events,
	[OP_BAD] = step_bad,
	[OP_STATS] = step_stats,
	[OP_SETUP] = step_setup,
	[OP_LAYOUT] = step_layout,
	[OP_MALFORMED] = step_malformed,
};

/* Operations that need no client. */
static bool alone(struct world *w, enum kind kind, const struct op *op, s32 client)
{
	switch (kind) {
	case OP_TIME:
		step_time(w, op);
		return true;
	case OP_KILL:
		step_kill(w, op, client);
		return true;
	case OP_SETTLE:
		step_settle(w, op);
		return true;
	case OP_GROW:
		step_grow(w, op);
		return true;
	case OP_STORE:
		step_store(w, op);
		return true;
	case OP_FENCE:
		step_fence(w, op);
		return true;
	default:
		return false;
	}
}

/* Where much shall gather, what takes all away is rare. */
static bool lives_on(const struct world *w, enum kind kind, const struct op *op)
{
	bool tags = w->nr_tags == TAGS_MANY;

	if (!w->lazy && !w->deaf && !tags)
		return false;
	switch (kind) {
	case OP_COMMIT:
		return tags && op->salt % 256;
	case OP_DELETE:
		return tags && op->salt % 16;
	case OP_ABORT:
		return tags && op->salt % 4;
	case OP_CLEAR:
	case OP_PURGE:
	case OP_EVICT:
		return (w->lazy || tags) && op->salt % 8;
	case OP_KILL:
	case OP_SUBSCRIBE:
	case OP_FENCE:
		return op->salt % (w->lazy ? 8 : 64);
	default:
		return false;
	}
}

/*
 * Most operations that need something are done by a client that has it.
 * M_NOBODY: the file of that slot is not open.
 */
static s32 client_for(struct world *w, enum kind kind, const struct op *op)
{
	s32 client = w->node.slots[op->client % w->nr_slots], has = M_NOBODY;
	struct m_object *o;
	struct m_hold *h;

	if (op->salt % 4 == 0)
		return client;
	if (kind == OP_COMMIT || kind == OP_ABORT) {
		o = pick_staged(w, M_NOBODY, op->which);
		has = o ? o->owner : M_NOBODY;
	} else if (kind == OP_RELEASE || kind == OP_PEEK || kind == OP_RENEW) {
		h = pick_hold(w, M_NOBODY, op->which);
		has = h ? h->client : M_NOBODY;
	}
	return has != M_NOBODY && w->node.m->clients[has].open ? has : client;
}

static void world_step(struct world *w, const struct op *op)
{
	enum kind kind = op_kind(op);
	s32 client = client_for(w, kind, op);
	u64 before = w->steps;

	/* The model's arrays are no limit of the core. */
	if (w->node.m->nr_objects > M_OBJECTS - 2 * ITEMS_MAX ||
	    w->node.m->nr_holds > M_HOLDS - 2 * ITEMS_MAX)
		return;
	if (w->trace && kind >= NR_BATCH_OPS)
		printf("%llu %s client %d n %u sub %u time %u\n",
		       (unsigned long long)w->op_nr, op_name(kind), client,
		       op->n, op->sub, op->time);
	if (lives_on(w, kind, op)) {
		w->steps++;
		return;
	}
	if (!alone(w, kind, op, client)) {
		/* Where a client died, the next one to come opens the file. */
		if (client == M_NOBODY)
			node_client_open(w, op->client % w->nr_slots, op->tag % 8);
		else if (steps[kind])
			steps[kind](w, op, client);
		else
			step_batch(w, kind, op, client);
	}
	if (w->steps == before)
		w->steps++;
	if (!w->lazy)
		epochs_check(w);
	if (w->steps - w->checked >= CHECK_STEPS) {
		whole_check(w);
		w->checked = w->steps;
	}
}

bool world_run(struct world *w, const struct record *program, u64 n)
{
	if (setjmp(w->failed))
		return false;
	world_open(w, program);
	for (w->op_nr = 1; w->op_nr < n; w->op_nr++) {
		struct op op;

		memcpy(&op, &program[w->op_nr], sizeof(op));
		world_step(w, &op);
		/* A fence is for good: what comes long after it says little. */
		if (w->fenced_at && w->op_nr > w->fenced_at + FENCED_OPS)
			break;
	}
	w->deaf = false;
	whole_check(w);
	world_close(w);
	return true;
}
