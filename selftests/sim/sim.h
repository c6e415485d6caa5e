/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The simulator: programs of calls by several clients, run on the core and on
 * the model, and compared after each step.  A step is one item of a call, or a
 * call without items.
 *
 * A program is a list of 16-byte records: the first says what world it runs in,
 * each other one is an operation.  Records mean something in any state, so that
 * a program with some of them left out is a program too: seeds make them, the
 * fuzzer changes them, and a failing one is cut down by leaving out.
 *
 * A world has one node: its pool, its clients, its clock.  More nodes would be
 * more of struct node, with a bus between them as one more source of steps.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include <setjmp.h>
#include <stdio.h>
#include "keys.h"
#include "model.h"

#define MS		(1000ULL * 1000)
#define SLOTS		8
#define PAGES_MAX	8	/* layouts that a world reserves from */
#define ITEMS_MAX	64
#define CHECK_STEPS	1000
#define GRAIN_SHIFT	15	/* of the shadow of the pool's bytes */
#define IDS		32

enum kind {
	OP_RESERVE,
	OP_COMMIT,
	OP_ABORT,
	OP_READ,
	OP_PEEK,
	OP_RELEASE,
	OP_RENEW,
	OP_DELETE,
	OP_TOUCH,
	OP_QUERY,
	NR_BATCH_OPS,
	OP_CLEAR = NR_BATCH_OPS,
	OP_PURGE,
	OP_EVICT,
	OP_USAGE,
	OP_SUBSCRIBE,
	OP_EVENTS,
	OP_BAD,
	OP_STATS,
	OP_SETUP,
	OP_LAYOUT,
	OP_TIME,
	OP_KILL,
	OP_SETTLE,
	OP_GROW,
	OP_STORE,
	OP_FENCE,
	OP_MALFORMED,
	NR_OPS,
};

/* A record. Fields are small numbers that are taken modulo what there is. */
struct op {
	u8 kind;
	u8 client;
	u8 n;
	u8 key;
	u8 tag;
	u8 sub;
	u8 which;
	u8 amount;
	u32 time;
	u32 salt;
};

struct record {
	u8 bytes[16];
};

/* A client of the core with what its shell has. */
struct real {
	struct maru_client *core;
	struct maru_l1_client_status status;
	u64 epoch_lost;		/* the model's @epoch when last compared */
	u64 epoch_seen;
};

/**
 * struct node - a host
 * @slots: the clients that operations name, by index of the model; M_NOBODY: none
 * @shadow: who wrote last, by grain of the pool
 * @ids: some that were given out, for operations to name
 * @given: bit: that counter of an id was given out
 */
struct node {
	struct maru_pool *pool;
	struct maru_l1_pool_status status;
	struct model *m;
	struct real real[M_CLIENTS];
	s32 slots[SLOTS];
	u64 shadow[(M_BLOCKS * M_BLOCK) >> GRAIN_SHIFT];
	u64 ids[IDS];
	u32 nr_ids;
	u8 *given;
	u64 given_room;
};

/**
 * struct world - what a program runs in
 * @bad: bytes reported so far
 * @fenced_at: operation that fenced the pool
 * @lazy: leases end by the thousand and are not looked at at once
 * @deaf: nobody reads events, until the end
 * @pages: layouts that it reserves from
 */
struct world {
	struct node node;
	struct maru_pool_params params;
	u32 nr_slots;
	u32 nr_keys;
	u32 nr_tags;
	u32 nr_pages;
	u32 pages[PAGES_MAX];
	bool lazy;
	bool deaf;
	bool exact;
	bool trace;
	u64 steps;
	u64 checked;
	u64 op_nr;
	u64 bad;
	u64 fenced_at;
	jmp_buf failed;
	char why[2000];
};

/* What all worlds of a run saw. */
struct seen {
	u64 answers[NR_BATCH_OPS][MARU_L1_INVALID + 1][64];	/* by status, result */
	u64 calls[NR_OPS][200];					/* by errno */
	u64 steps;
	u64 kills;
	u64 expiries;
	u64 full;
};

extern struct seen seen;

_Noreturn __attribute__((format(printf, 2, 3)))
void sim_fail(struct world *w, const char *fmt, ...);
#define EXPECT_EQ(w, a, b) do {						\
	unsigned long long ex_a = (a), ex_b = (b);			\
	if (ex_a != ex_b)						\
		sim_fail(w, "%s is %#llx, expected %s = %#llx",		\
			 #a, ex_a, #b, ex_b);				\
} while (0)

/* op.c */
u64 sim_mix(u64 a, u64 b);
/* Record @nr of the program of @seed. */
struct record sim_record(u64 seed, u64 nr);
enum kind op_kind(const struct op *op);
const char *op_name(enum kind kind);
/* Of item @i of a batch. */
struct op op_item(const struct op *op, u32 i);

/* world.c */
enum pace {
	PACE_USUAL,
	PACE_CROWD,	/* each operation is many steps */
	PACE_LONG,	/* what it is for takes long */
};

enum pace world_pace(const struct record *record);
void world_open(struct world *w, const struct record *record);
void world_close(struct world *w);
/* Runs a program; false: w->why. After that the world is not to be used. */
bool world_run(struct world *w, const struct record *program, u64 n);

/* node.c */
void node_open(struct world *w);
bool node_client_open(struct world *w, u32 slot, bool writable);
void node_client_close(struct world *w, s32 client, bool exiting);
/* All that is due ends, on both sides. */
void node_sync(struct world *w);
/* The answer of the core; @keys and @items as struct maru_call wants them. */
int node_call(struct world *w, s32 client, u32 nr, union maru_call_arg *arg,
	      void *items, u8 *keys);
/* A new id: unique, of this node. */
void node_id_given(struct world *w, u64 id);
u64 node_id_known(struct world *w, u32 which);

/* bytes.c */
void bytes_write(struct world *w, u64 offset, u64 bytes, u64 id);
/* Nobody but @id has written there. */
void bytes_expect(struct world *w, u64 offset, u64 bytes, u64 id);

/* whole.c */
void whole_check(struct world *w);
void epochs_check(struct world *w);
void usage_check(struct world *w, s32 client);

/* step-*.c */
void step_batch(struct world *w, enum kind kind, const struct op *op, s32 client);
void step_reserve(struct world *w, const struct op *op, s32 client);
s32 item_key(struct world *w, const struct op *it);
u64 item_tag(const struct world *w, const struct op *it);
/* Some thing of @client, or of any client if that is M_NOBODY. */
struct m_object *pick_write(struct world *w, s32 client, u32 n);
struct m_object *pick_staged(struct world *w, s32 client, u32 n);
struct m_object *pick_private(struct world *w, s32 client, u32 n);
struct m_object *pick_object(struct world *w, u32 n);
struct m_hold *pick_hold(struct world *w, s32 client, u32 n);
void tally_call(enum kind kind, int err);
void step_clear(struct world *w, const struct op *op, s32 client);
void step_purge(struct world *w, const struct op *op, s32 client);
void step_evict(struct world *w, const struct op *op, s32 client);
void step_bad(struct world *w, const struct op *op, s32 client);
void step_usage(struct world *w, const struct op *op, s32 client);
void step_stats(struct world *w, const struct op *op, s32 client);
void step_setup(struct world *w, const struct op *op, s32 client);
void step_layout(struct world *w, const struct op *op, s32 client);
void step_subscribe(struct world *w, const struct op *op, s32 client);
void step_events(struct world *w, const struct op *op, s32 client);
void events_drain(struct world *w, s32 client);
void step_malformed(struct world *w, const struct op *op, s32 client);
void step_time(struct world *w, const struct op *op);
void step_kill(struct world *w, const struct op *op, s32 client);
void step_settle(struct world *w, const struct op *op);
void step_grow(struct world *w, const struct op *op);
void step_store(struct world *w, const struct op *op);
void step_fence(struct world *w, const struct op *op);
/* Any layout of @bytes; the world reserves from it. */
void layout_add(struct world *w, u64 bytes, u32 alignment);

/* pairs.c */
bool pairs_complete(const char *file, u64 least);

/* shrink.c */
u64 shrink(struct record *program, u64 n);

#endif
