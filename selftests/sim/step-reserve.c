// SPDX-License-Identifier: GPL-2.0-only
/* RESERVE_WRITE: its items share the space, so it is answered as a whole. */

#include "batch.h"

/* Reserves that succeeded: what the core chose is right, and is taken over. */
static void reserve_take(struct world *w, s32 client, u32 layout,
			 struct maru_l1_reserve *want,
			 const struct maru_l1_reserve *got, s32 key)
{
	const struct m_layout *l = &w->node.m->layouts[layout];
	u64 align = max((u64)l->alignment, (u64)(l->stride % 64 ? 32 : 64));

	if (got->offset % align || got->offset + l->stride > w->node.m->bytes ||
	    !model_together(w->node.m, got->offset, l->stride) ||
	    !model_is_free(w->node.m, got->offset, l->stride))
		sim_fail(w, "extent %#llx of layout %u is not free",
			 (unsigned long long)got->offset, layout);
	node_id_given(w, got->id);
	want->page_size = l->bytes;
	want->offset = got->offset;
	want->id = got->id;
	model_stage(w->node.m, client, layout, want, key);
	bytes_write(w, got->offset, l->stride, got->id);
}

/* W6: all that are wanted, or none. */
static void reserve_answers(struct world *w, s32 client, u32 layout,
			    struct maru_l1_reserve *want,
			    const struct maru_l1_reserve *got,
			    const bool *wanted, u32 n)
{
	u32 nr_wanted = 0, taken = 0;
	int refusal;

	for (u32 i = 0; i < n; i++) {
		nr_wanted += wanted[i];
		taken += wanted[i] && got[i].status == MARU_L1_OK;
	}
	if (!nr_wanted)
		return;
	refusal = model_refusal(w->node.m, client, layout, nr_wanted);
	if (taken ? refusal >= 0 :
	    refusal < 0 && (w->exact || model_sure_room(w->node.m, layout, nr_wanted)))
		sim_fail(w, "%u of %u wanted extents were given; refusal %d",
			 taken, nr_wanted, refusal);
	if (!taken)
		w->node.m->counts.refused[max(refusal, (int)MARU_L1_N_SPACE)] += nr_wanted;
	for (u32 i = 0; i < n; i++) {
		if (!wanted[i])
			continue;
		if (taken)
			reserve_take(w, client, layout, &want[i], &got[i],
				     batch.keys[i]);
		else
			want[i].status = MARU_L1_NO_SPACE;
	}
}

static void fill_reserve(struct world *w, const struct op *it, u64 bytes,
			 struct maru_l1_reserve *item)
{
	item->tag = item_tag(w, it);
	/* Mostly by key, so that those of one kind meet. */
	if (it->sub % 4 ? !((it->key >> 2) % 3) : it->sub % 8)
		item->flags = MARU_L1_TEMPORARY;
	switch (it->amount) {
	case 0:
		item->length = 0;
		break;
	case 1:
		item->length = bytes + 1;
		break;
	default:
		item->length = it->amount & 1 ? bytes : 1 + it->salt % bytes;
	}
}

/* Another write of a key that is being written, to meet it at the commit. */
static void fill_rival(struct world *w, s32 client, const struct op *it,
		       struct maru_l1_reserve *item, s32 *key)
{
	struct m_object *o;

	o = pick_staged(w, it->sub & 1 ? client : M_NOBODY, it->which);
	if (!o)
		return;
	*key = o->key;
	item->tag = o->tag + (o->owner == client);
	item->flags = o->temporary ? MARU_L1_TEMPORARY : 0;
}

void step_reserve(struct world *w, const struct op *op, s32 client)
{
	struct maru_l1_reserve *got = (void *)batch.got, *want = (void *)batch.want;
	u32 layout = w->pages[op->which % w->nr_pages], at = 0;
	union maru_call_arg arg = { };
	struct model *m = w->node.m;
	bool wanted[ITEMS_MAX];
	int err;

	batch.n = items_wanted(w, op);
	memset(got, 0, batch.n * sizeof(*got));
	for (u32 i = 0; i < batch.n; i++) {
		struct op it = op_item(op, i);

		batch.keys[i] = item_key(w, &it);
		fill_reserve(w, &it, m->layouts[layout].bytes, &got[i]);
		if (it.sub >= 160 && it.sub < 216)
			fill_rival(w, client, &it, &got[i], &batch.keys[i]);
		key_place(&batch, &got[i].key_off, batch.keys[i], &at);
	}
	memcpy(want, got, batch.n * sizeof(*got));
	arg.batch = (struct maru_l1_batch){ .size = sizeof(arg.batch),
		.layout = layout, .nr_items = batch.n, .keys_len = at };
	err = node_call(w, client, MARU_L1_RESERVE_WRITE, &arg, got, batch.bytes);
	tally_call(OP_RESERVE, err);
	if (err == -EACCES && !m->clients[client].writable)
		return;
	EXPECT_EQ(w, err, 0);
	model_enter(m);
	model_reserve(m, client, layout, want, batch.keys, batch.n, wanted);
	reserve_answers(w, client, layout, want, got, wanted, batch.n);
	for (u32 i = 0; i < batch.n; i++)
		item_compare(w, OP_RESERVE, &batch, i, client);
	model_leave(m);
}
