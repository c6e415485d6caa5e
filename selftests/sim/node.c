// SPDX-License-Identifier: GPL-2.0-only
/* A node: the core's pool and clients beside the model's. */

#include <stdarg.h>
#include "sim.h"

#define COUNTER_BITS	40

struct seen seen;

void sim_fail(struct world *w, const char *fmt, ...)
{
	int n = snprintf(w->why, sizeof(w->why), "operation %llu: ",
			 (unsigned long long)w->op_nr);
	va_list args;

	va_start(args, fmt);
	vsnprintf(w->why + n, sizeof(w->why) - n, fmt, args);
	va_end(args);
	longjmp(w->failed, 1);
}

/* What no pool can be made with. */
static void params_refused(struct world *w)
{
	struct maru_pool_params wrong[6];
	struct maru_pool *pool;

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		wrong[i] = w->params;
	wrong[0].bytes++;
	wrong[1].bytes = 0;
	wrong[2].segment_bytes = M_BLOCK / 2;
	wrong[3].max_objects = U64_MAX;
	wrong[4].node = 0;
	wrong[5].incarnation = 1 << 16;
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_EQ(w, maru_pool_create(&wrong[i], &pool), -EINVAL);
}

void node_open(struct world *w)
{
	struct node *node = &w->node;

	w->params.status = &node->status;
	memcpy(w->params.hash_key, SIM_HASH_KEY, sizeof(w->params.hash_key));
	params_refused(w);
	node->m = model_new(&w->params, w->exact);
	EXPECT_EQ(w, maru_pool_create(&w->params, &node->pool), 0);
	node->m->now = 1000 * MS;
	for (u32 i = 0; i < SLOTS; i++)
		node->slots[i] = M_NOBODY;
}

bool node_client_open(struct world *w, u32 slot, bool writable)
{
	struct node *node = &w->node;
	s32 client = model_open(node->m, writable);
	struct maru_client_params params = { .writable = writable };
	struct real *real;

	if (client == M_NOBODY)
		return false;
	real = &node->real[client];
	*real = (struct real){};
	params.status = &real->status;
	EXPECT_EQ(w, maru_client_open(node->pool, &params, &real->core), 0);
	node->slots[slot] = client;
	return true;
}

void node_client_close(struct world *w, s32 client, bool exiting)
{
	struct node *node = &w->node;
	bool settle;

	node_sync(w);
	settle = maru_client_close(node->real[client].core, node->m->now, exiting);
	model_close(node->m, client, exiting);
	model_leave(node->m);
	if (settle != node->m->clients[client].exiting)
		sim_fail(w, "close of client %d: settle %d, expected %d", client,
			 settle, node->m->clients[client].exiting);
	if (!settle)
		node->real[client].core = NULL;
	for (u32 i = 0; i < SLOTS; i++)
		if (node->slots[i] == client)
			node->slots[i] = M_NOBODY;
}

void node_sync(struct world *w)
{
	struct node *node = &w->node;

	while (maru_pool_reap(node->pool, node->m->now))
		;
	model_enter(node->m);
	model_leave(node->m);
}

int node_call(struct world *w, s32 client, u32 nr, union maru_call_arg *arg,
	      void *items, u8 *keys)
{
	struct node *node = &w->node;
	struct maru_client *core = node->real[client].core;
	struct maru_call call = {
		.type = maru_call_find(_IOC_NR(nr)), .arg = arg,
		.items = items, .keys = keys, .now = node->m->now,
	};
	int err = maru_call_check(core, &call);

	return err ? err : maru_call_run(core, &call);
}

void node_id_given(struct world *w, u64 id)
{
	struct node *node = &w->node;
	u64 counter = id & (BIT_ULL(COUNTER_BITS) - 1);
	u64 word = counter / 8;

	if (id >> COUNTER_BITS !=
	    ((u64)w->params.node << 16 | w->params.incarnation))
		sim_fail(w, "id %#llx is of another node", (unsigned long long)id);
	if (word >= node->given_room) {
		u64 room = word + 4096;

		if (counter > w->steps + 2 * ITEMS_MAX)
			sim_fail(w, "id %#llx is out of all order",
				 (unsigned long long)id);
		node->given = realloc(node->given, room);
		memset(node->given + node->given_room, 0, room - node->given_room);
		node->given_room = room;
	}
	if (node->given[word] & BIT(counter % 8))
		sim_fail(w, "id %#llx is given twice", (unsigned long long)id);
	node->given[word] |= BIT(counter % 8);
	node->ids[node->nr_ids++ % IDS] = id;
}

u64 node_id_known(struct world *w, u32 which)
{
	u32 n = min(w->node.nr_ids, (u32)IDS);

	/* One that there never was, now and then. */
	if (!n || which % 16 == 15)
		return BIT_ULL(56) + which;
	return w->node.ids[which % n];
}
