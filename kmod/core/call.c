// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The table of calls, and what they all have in common. */

#include "internal.h"

#define CALL(_nr, _flags, _member, _last, _item, _run) {		\
	.nr = (_nr) & 0xff,						\
	.flags = (_flags),						\
	.arg_size = sizeof(((union maru_call_arg *)0)->_member),	\
	.arg_min = offsetof(union maru_call_arg, _member) +		\
		   offsetofend(__typeof__(((union maru_call_arg *)0)->_member), _last), \
	.item_size = (_item),						\
	.name = #_run,							\
	.run = maru_call_##_run,					\
}

#define BATCH(_nr, _flags, _item, _run) \
	CALL(_nr, MARU_CALL_BATCH | (_flags), batch, reserved, \
	     sizeof(struct _item), _run)

static const struct maru_call_type calls[] = {
	CALL(MARU_L1_SETUP, 0, setup, write_lease_ms, 0, setup),
	CALL(MARU_L1_LAYOUT, MARU_CALL_WRITE, layout, stride, 0, layout),
	BATCH(MARU_L1_RESERVE_WRITE, MARU_CALL_WRITE | MARU_CALL_RESERVES,
	      maru_l1_reserve, reserve_write),
	BATCH(MARU_L1_COMMIT, MARU_CALL_WRITE, maru_l1_commit, commit),
	BATCH(MARU_L1_ABORT, MARU_CALL_WRITE, maru_l1_abort, abort),
	BATCH(MARU_L1_RESERVE_READ, 0, maru_l1_read, reserve_read),
	BATCH(MARU_L1_PEEK, 0, maru_l1_read, peek),
	BATCH(MARU_L1_RELEASE, 0, maru_l1_release, release),
	BATCH(MARU_L1_RENEW, 0, maru_l1_renew, renew),
	BATCH(MARU_L1_DELETE, MARU_CALL_WRITE, maru_l1_delete, delete),
	BATCH(MARU_L1_TOUCH, 0, maru_l1_touch, touch),
	BATCH(MARU_L1_QUERY, 0, maru_l1_query, query),
	CALL(MARU_L1_CLEAR, 0, clear, reserved, 0, clear),
	CALL(MARU_L1_PURGE, MARU_CALL_WRITE | MARU_CALL_ADMIN, purge, locked, 0,
	     purge),
	CALL(MARU_L1_EVICT, MARU_CALL_LIST, evict, reserved,
	     sizeof(struct maru_l1_victim), evict),
	CALL(MARU_L1_USAGE, 0, usage, my_unacked_bytes, 0, usage),
	CALL(MARU_L1_SUBSCRIBE, 0, subscribe, reserved, 0, subscribe),
	CALL(MARU_L1_REPORT_BAD, MARU_CALL_WRITE, report_bad, retired, 0,
	     report_bad),
	CALL(MARU_L1_STATS, MARU_CALL_LIST, stats, clients,
	     sizeof(struct maru_l1_counter), stats),
	CALL(MARU_L1_CHECK, MARU_CALL_LIST | MARU_CALL_ADMIN, check, walked,
	     sizeof(struct maru_l1_difference), check_accounts),
};

const struct maru_call_type *maru_call_find(unsigned int nr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static u32 batch_flags(u8 nr)
{
	switch (nr) {
	case MARU_L1_RESERVE_READ & 0xff:
		return MARU_L1_B_STRICT;
	case MARU_L1_DELETE & 0xff:
		return MARU_L1_B_FORCE;
	default:
		return 0;
	}
}

static int batch_check(struct maru_call *call)
{
	const struct maru_l1_batch *batch = &call->arg->batch;
	bool layout = call->type->nr == (MARU_L1_RESERVE_WRITE & 0xff);

	if (batch->flags & ~batch_flags(call->type->nr) || batch->reserved ||
	    (batch->layout && !layout))
		return -EINVAL;
	call->nr_items = batch->nr_items;
	call->keys_len = batch->keys_len;
	return 0;
}

static int list_check(struct maru_client *client, struct maru_call *call)
{
	const union maru_call_arg *arg = call->arg;

	switch (call->type->nr) {
	case MARU_L1_EVICT & 0xff:
		if (!(arg->evict.flags & MARU_L1_EVICT_DRY_RUN) &&
		    !client->writable)
			return -EACCES;
		call->nr_items = arg->evict.nr_items;
		call->keys_len = arg->evict.keys_len;
		if (call->nr_items ? call->keys_len < MARU_L1_KEY_MAX :
				     call->keys_len)
			return -EINVAL;
		return 0;
	case MARU_L1_STATS & 0xff:
		if (arg->stats.flags || arg->stats.reserved)
			return -EINVAL;
		call->nr_items = arg->stats.nr_items;
		return 0;
	default:
		if (arg->check.flags || arg->check.reserved)
			return -EINVAL;
		call->nr_items = arg->check.nr_items;
		return 0;
	}
}

int maru_call_check(struct maru_client *client, struct maru_call *call)
{
	int err = 0;

	call->nr_items = 0;
	call->keys_len = 0;
	if ((call->type->flags & MARU_CALL_WRITE) && !client->writable)
		return -EACCES;
	if (call->type->flags & MARU_CALL_BATCH)
		err = batch_check(call);
	else if (call->type->flags & MARU_CALL_LIST)
		err = list_check(client, call);
	if (err)
		return err;
	if (call->nr_items > MARU_L1_BATCH_MAX ||
	    call->keys_len > MARU_L1_KEYS_MAX)
		return -E2BIG;
	return 0;
}

/* How all items of a batch begin. */
struct item_head {
	u32 key_off;
	u32 key_len;
};

static int item_check(const struct maru_call *call, const void *item)
{
	const struct item_head *head = item;

	/* Impossible lengths are answered INVALID; their range is not looked at. */
	if (head->key_len && head->key_len <= MARU_L1_KEY_MAX &&
	    (head->key_off > call->keys_len ||
	     head->key_len > call->keys_len - head->key_off))
		return -EINVAL;

	switch (call->type->nr) {
	case MARU_L1_RESERVE_WRITE & 0xff: {
		const struct maru_l1_reserve *reserve = item;

		return reserve->flags & ~MARU_L1_TEMPORARY || reserve->reserved ?
			-EINVAL : 0;
	}
	case MARU_L1_COMMIT & 0xff:
		return ((const struct maru_l1_commit *)item)->reserved ?
			-EINVAL : 0;
	case MARU_L1_RESERVE_READ & 0xff:
		return ((const struct maru_l1_read *)item)->reserved ?
			-EINVAL : 0;
	case MARU_L1_PEEK & 0xff: {
		const struct maru_l1_read *peek = item;

		return peek->holds || peek->reserved ? -EINVAL : 0;
	}
	default:
		return 0;
	}
}

int maru_call_run(struct maru_client *client, struct maru_call *call)
{
	const u8 *items = call->items;
	int err;
	u32 i;

	if (call->type->flags & MARU_CALL_BATCH) {
		for (i = 0; i < call->nr_items; i++) {
			err = item_check(call, items + i * call->type->item_size);
			if (err)
				return err;
		}
	}
	return call->type->run(client, call);
}

int maru_item_key(struct maru_client *client, struct maru_call *call,
		  const void *item, struct maru_key *key)
{
	const struct item_head *head = item;

	if (!head->key_len)
		return MARU_ITEM_KEY_NONE;
	if (head->key_len > MARU_L1_KEY_MAX)
		return -EINVAL;
	key->bytes = call->keys + head->key_off;
	key->len = head->key_len;
	key->hash = siphash(key->bytes, key->len, &client->pool->hash_key);
	return 0;
}

static u32 status_offset(u8 nr)
{
	switch (nr) {
	case MARU_L1_RESERVE_WRITE & 0xff:
		return offsetof(struct maru_l1_reserve, status);
	case MARU_L1_COMMIT & 0xff:
		return offsetof(struct maru_l1_commit, status);
	case MARU_L1_ABORT & 0xff:
		return offsetof(struct maru_l1_abort, status);
	case MARU_L1_RESERVE_READ & 0xff:
	case MARU_L1_PEEK & 0xff:
		return offsetof(struct maru_l1_read, status);
	case MARU_L1_RELEASE & 0xff:
		return offsetof(struct maru_l1_release, status);
	case MARU_L1_RENEW & 0xff:
		return offsetof(struct maru_l1_renew, status);
	default:	/* delete, touch, query: right after the key */
		return offsetof(struct maru_l1_delete, status);
	}
}

void maru_call_leave(struct maru_pool *pool, struct maru_call *call)
{
	u64 *answers = pool->answers[call->type->nr - MARU_NR_FIRST];
	u32 at = status_offset(call->type->nr);
	const u8 *items = call->items;
	u32 i;

	for (i = 0; i < call->nr_items; i++, at += call->type->item_size)
		answers[*(const u32 *)(items + at)]++;
	maru_pool_leave(pool);
}
