// SPDX-License-Identifier: GPL-2.0-only
/* Calls with items: made of an operation, run, and compared item by item. */

#include "batch.h"

struct call {
	u32 nr;
	u32 size;
	u32 status;
	/* The item's fields, but for the key, which @key may change. */
	void (*fill)(struct world *w, s32 client, const struct op *it,
		     void *item, s32 *key);
	void (*answer)(struct world *w, s32 client, const struct batch *b,
		       u32 i, void *want);
};

#define TRACED	4	/* items of a call that a trace shows */

struct batch batch;

static void fill_commit(struct world *w, s32 client, const struct op *it,
			void *item, s32 *key)
{
	struct maru_l1_commit *commit = item;
	struct m_object *o = it->sub < 192 ? pick_staged(w, client, it->which) :
					     pick_write(w, client, it->which);

	commit->tag = item_tag(w, it);
	commit->holds = it->amount % 8 < 4 ? 0 : it->amount % 8 < 6 ? 1 : it->amount * 2;
	if (o && it->sub < 216) {
		*key = o->key;
		commit->tag = o->tag;
		commit->reservation = it->sub & 1 ? o->id : 0;
	} else if (it->sub % 8 == 7) {
		commit->reservation = node_id_known(w, it->which);
	}
	memcpy(commit->cookie, &it->salt, sizeof(it->salt));
	memcpy(commit->cookie + 8, &w->steps, sizeof(w->steps));
}

static void answer_commit(struct world *w, s32 client, const struct batch *b,
			  u32 i, void *want)
{
	struct maru_l1_commit *item = want;

	model_commit(w->node.m, client, item, b->keys[i]);
	/* What was found committed is whole. */
	if (item->status == MARU_L1_OK)
		bytes_expect(w, item->offset, item->length, item->id);
}

static void fill_abort(struct world *w, s32 client, const struct op *it,
		       void *item, s32 *key)
{
	struct maru_l1_abort *abort = item;
	struct m_object *o = pick_write(w, client, it->which);

	abort->tag = item_tag(w, it);
	if (o && it->sub < 216) {
		*key = it->sub & 2 ? (s32)o->key : M_KEY_NONE;
		abort->tag = o->tag;
		abort->id = it->sub & 2 && it->sub % 16 ? 0 : o->id;
	} else if (it->sub & 1) {
		abort->id = node_id_known(w, it->which);
	}
}

static void answer_abort(struct world *w, s32 client, const struct batch *b,
			 u32 i, void *want)
{
	model_abort(w->node.m, client, want, b->keys[i]);
}

static void fill_read(struct world *w, s32 client, const struct op *it,
		      void *item, s32 *key)
{
	struct maru_l1_read *read = item;
	struct m_object *o = it->sub & 1 ? pick_private(w, client, it->which) :
					   pick_object(w, it->which);

	read->holds = it->amount < 128 ? 1 : it->amount % 2 ? it->amount : it->amount % 4;
	if (o && it->sub < 128)
		*key = o->key;
}

static void answer_read(struct world *w, s32 client, const struct batch *b,
			u32 i, void *want)
{
	struct maru_l1_read *item = want;

	model_read(w->node.m, client, item, b->keys[i],
		   b->flags & MARU_L1_B_STRICT);
	if (item->status == MARU_L1_OK)
		bytes_expect(w, item->offset, item->length, item->id);
}

static void fill_peek(struct world *w, s32 client, const struct op *it,
		      void *item, s32 *key)
{
	struct m_hold *h = pick_hold(w, client, it->which);

	if (h && it->sub < 160)
		*key = h->key;
}

static void answer_peek(struct world *w, s32 client, const struct batch *b,
			u32 i, void *want)
{
	struct maru_l1_read *item = want;

	model_peek(w->node.m, client, item, b->keys[i]);
	if (item->status == MARU_L1_OK)
		bytes_expect(w, item->offset, item->length, item->id);
}

static void fill_release(struct world *w, s32 client, const struct op *it,
			 void *item, s32 *key)
{
	struct maru_l1_release *release = item;
	struct m_hold *h = pick_hold(w, client, it->which);

	release->holds = it->amount < 64 ? 1 : it->amount < 192 ? 128 : it->amount - 192;
	if (h && it->sub < 216) {
		*key = it->sub & 2 ? (s32)h->key : M_KEY_NONE;
		release->id = it->sub & 2 && it->sub & 1 ? 0 : h->id;
	} else if (it->sub & 1) {
		release->id = node_id_known(w, it->which);
	}
}

/* Until it is given back, what was read does not change. */
static void answer_release(struct world *w, s32 client, const struct batch *b,
			   u32 i, void *want)
{
	const struct maru_l1_release *item = want;
	struct model *m = w->node.m;
	struct m_hold *h = item->id ? model_hold(m, client, item->id) : NULL;
	struct m_object *o = h && h->count ? model_by_id(m, h->id) : NULL;

	if (o)
		bytes_expect(w, o->offset, o->length, o->id);
	model_release(m, client, want, b->keys[i]);
}

static void fill_renew(struct world *w, s32 client, const struct op *it,
		       void *item, s32 *key)
{
	struct maru_l1_renew *renew = item;
	struct m_hold *h = pick_hold(w, client, it->which);
	struct m_object *o = pick_write(w, client, it->which);

	if (h && it->sub < 108) {
		*key = it->sub & 2 ? (s32)h->key : M_KEY_NONE;
		renew->id = it->sub & 2 && it->sub & 1 ? 0 : h->id;
	} else if (o && it->sub < 216) {
		*key = it->sub & 2 ? (s32)o->key : M_KEY_NONE;
		renew->id = o->id;
	} else if (it->sub & 1) {
		renew->id = node_id_known(w, it->which);
	}
}

static void answer_renew(struct world *w, s32 client, const struct batch *b,
			 u32 i, void *want)
{
	model_renew(w->node.m, client, want, b->keys[i]);
}

static void fill_delete(struct world *w, s32 client, const struct op *it,
			void *item, s32 *key)
{
	struct m_object *o = pick_object(w, it->which);

	if (o && it->sub < 100)
		*key = o->key;
}

/* The lease of the only one who holds it may be over and not looked at yet. */
static void answer_delete(struct world *w, s32 client, const struct batch *b,
			  u32 i, void *want)
{
	const struct maru_l1_delete *got = (const void *)b->got;

	model_delete(w->node.m, client, want, b->keys[i],
		     b->flags & MARU_L1_B_FORCE,
		     w->lazy && got[i].status == MARU_L1_LOCKED);
}

static void fill_key(struct world *w, s32 client, const struct op *it,
		     void *item, s32 *key)
{
	if (it->sub & 1)
		fill_delete(w, client, it, item, key);
}

static void answer_touch(struct world *w, s32 client, const struct batch *b,
			 u32 i, void *want)
{
	model_touch(w->node.m, client, want, b->keys[i]);
}

static void answer_query(struct world *w, s32 client, const struct batch *b,
			 u32 i, void *want)
{
	const struct maru_l1_query *got = (const void *)b->got;
	struct maru_l1_query *item = want;

	model_query(w->node.m, client, item, b->keys[i], got[i].id);
	if (!w->lazy || got[i].holders <= item->holders)
		return;
	item->holders = got[i].holders;
	item->flags &= ~MARU_L1_Q_EVICTABLE;
}

#define CALL(_NR, _item, _fill, _answer) {				\
	.nr = MARU_L1_##_NR, .size = sizeof(struct maru_l1_##_item),	\
	.status = offsetof(struct maru_l1_##_item, status),		\
	.fill = fill_##_fill, .answer = answer_##_answer }

static const struct call calls[NR_BATCH_OPS] = {
	[OP_RESERVE]	= { .nr = MARU_L1_RESERVE_WRITE,
			    .size = sizeof(struct maru_l1_reserve),
			    .status = offsetof(struct maru_l1_reserve, status) },
	[OP_COMMIT]	= CALL(COMMIT, commit, commit, commit),
	[OP_ABORT]	= CALL(ABORT, abort, abort, abort),
	[OP_READ]	= CALL(RESERVE_READ, read, read, read),
	[OP_PEEK]	= CALL(PEEK, read, peek, peek),
	[OP_RELEASE]	= CALL(RELEASE, release, release, release),
	[OP_RENEW]	= CALL(RENEW, renew, renew, renew),
	[OP_DELETE]	= CALL(DELETE, delete, delete, delete),
	[OP_TOUCH]	= CALL(TOUCH, touch, key, touch),
	[OP_QUERY]	= CALL(QUERY, query, key, query),
};

u32 items_wanted(const struct world *w, const struct op *op)
{
	if (w->lazy)
		return op->n < 8 ? op->n + 1 : ITEMS_MAX - op->n % 8;
	if (op->n < 176)
		return 1;
	return op->n < 240 ? 1 + op->n % 4 : op->n == 255 ? 0 : op->n % 16;
}

void key_place(struct batch *b, u32 *head, s32 key, u32 *at)
{
	head[0] = *at;
	head[1] = 0;
	if (key == M_KEY_BAD)
		head[1] = MARU_L1_KEY_MAX + 1;
	if (key < 0)
		return;
	head[1] = key_len(key);
	memcpy(b->bytes + *at, key_bytes(key), head[1]);
	*at += head[1];
}

static void tally_answer(enum kind kind, struct model *m, u32 nr, const u32 *status)
{
	seen.answers[kind][status[0] % (MARU_L1_INVALID + 1)][status[1] & 63]++;
	seen.full += status[0] == MARU_L1_NO_SPACE;
	m->answers[nr & 0xff][status[0] % (MARU_L1_INVALID + 1)]++;
}

static void hex(const u8 *bytes, u32 n, char *text)
{
	for (u32 i = 0; i < n; i++)
		text += sprintf(text, i % 8 ? "%02x" : " %02x", bytes[i]);
}

static void item_print(struct world *w, enum kind kind, s32 client, s32 key,
		       const u8 *item, u32 size)
{
	char text[4 * ITEM_MAX];

	hex(item, size, text);
	printf("%llu %s client %d key %d:%s\n", (unsigned long long)w->op_nr,
	       op_name(kind), client, key, text);
}

void item_compare(struct world *w, enum kind kind, const struct batch *b, u32 i,
		  s32 client)
{
	const struct call *call = &calls[kind];
	const u8 *got = b->got + i * call->size, *want = b->want + i * call->size;
	char texts[2][4 * ITEM_MAX];

	tally_answer(kind, w->node.m, call->nr, (const u32 *)(got + call->status));
	w->steps++;
	if (w->trace && i < TRACED)
		item_print(w, kind, client, b->keys[i], got, call->size);
	if (!memcmp(got, want, call->size))
		return;
	hex(got, call->size, texts[0]);
	hex(want, call->size, texts[1]);
	sim_fail(w, "%s of client %d, item %u, key %d: status %u result %#x, "
		 "expected %u %#x\n# got %s\n# want%s",
		 op_name(kind), client, i, b->keys[i],
		 *(const u32 *)(got + call->status),
		 *(const u32 *)(got + call->status + 4),
		 *(const u32 *)(want + call->status),
		 *(const u32 *)(want + call->status + 4), texts[0], texts[1]);
}

static u32 batch_flags(enum kind kind, const struct op *op)
{
	if (kind == OP_READ && op->time % 4 == 0)
		return MARU_L1_B_STRICT;
	if (kind == OP_DELETE && op->time % 4 == 0)
		return MARU_L1_B_FORCE;
	return 0;
}

void step_batch(struct world *w, enum kind kind, const struct op *op, s32 client)
{
	const struct call *call = &calls[kind];
	union maru_call_arg arg = { };
	struct batch *b = &batch;
	u32 at = 0;
	int err;

	b->n = items_wanted(w, op);
	b->flags = batch_flags(kind, op);
	memset(b->got, 0, b->n * call->size);
	for (u32 i = 0; i < b->n; i++) {
		struct op it = op_item(op, i);

		b->keys[i] = item_key(w, &it);
		call->fill(w, client, &it, b->got + i * call->size, &b->keys[i]);
		key_place(b, (u32 *)(b->got + i * call->size), b->keys[i], &at);
	}
	memcpy(b->want, b->got, b->n * call->size);
	arg.batch = (struct maru_l1_batch){ .size = sizeof(arg.batch),
		.flags = b->flags, .nr_items = b->n, .keys_len = at };
	err = node_call(w, client, call->nr, &arg, b->got, b->bytes);
	tally_call(kind, err);
	if (err == -EACCES && !w->node.m->clients[client].writable)
		return;
	EXPECT_EQ(w, err, 0);
	model_enter(w->node.m);
	for (u32 i = 0; i < b->n; i++) {
		call->answer(w, client, b, i, b->want + i * call->size);
		item_compare(w, kind, b, i, client);
	}
	model_leave(w->node.m);
}
