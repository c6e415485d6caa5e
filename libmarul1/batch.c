// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Batches.  The items of libmarul1.h point to their keys; those of
 * linux/maru_l1.h, raw ones here, name them by place in one key buffer.  One
 * driver turns the former into the latter and the answers back.
 */
#include "internal.h"
#include "items.h"

#include <stdlib.h>
#include <string.h>

/* Raw items and keys of small batches lie here, without an allocation. */
#define STACK_ROOM	4096

#define always_inline	inline __attribute__((always_inline))

/*
 * Bytes of keys that the core will look at: it refuses a longer key by its
 * length.  At most MARU_L1_BATCH_MAX * MARU_L1_KEY_MAX, which is
 * MARU_L1_KEYS_MAX.
 */
static always_inline int keys_size(const struct batch_op *op, const void *items,
				   size_t n, uint32_t *size)
{
	const uint8_t *item = items;
	uint32_t sum = 0;

	for (; n; n--, item += op->item_size) {
		const struct item_head *head = (const void *)item;

		if (head->key_len > MARU_L1_KEY_MAX)
			continue;
		if (head->key_len && !head->key)
			return -EFAULT;
		sum += head->key_len;
	}
	*size = sum;
	return 0;
}

static always_inline void encode(const struct batch_op *op, const void *items,
				 size_t n, void *raws, uint8_t *keys)
{
	const uint8_t *item = items;
	uint8_t *raw = raws;
	uint32_t off = 0;

	for (; n; n--, item += op->item_size, raw += op->raw_size) {
		const struct item_head *head = (const void *)item;
		struct raw_head key = { 0 };

		if (head->key_len > MARU_L1_KEY_MAX) {
			key.key_len = head->key_len < UINT32_MAX ?
				      head->key_len : UINT32_MAX;
		} else if (head->key_len) {
			key.key_off = off;
			key.key_len = head->key_len;
			memcpy(keys + off, head->key, head->key_len);
			off += head->key_len;
		}
		op->in(item, raw, key);
	}
}

static always_inline void decode(const struct batch_op *op, void *items,
				 size_t n, const void *raws)
{
	const uint8_t *raw = raws;
	uint8_t *item = items;

	for (; n; n--, item += op->item_size, raw += op->raw_size)
		op->out(item, raw);
}

/*
 * Inlined for each @op, which makes plain loops of it.  @n is at most
 * MARU_L1_BATCH_MAX.
 */
static always_inline int run_batch(struct marul1_client *client,
				   const struct batch_op *op, uint32_t flags,
				   uint32_t layout, void *items, size_t n)
{
	struct maru_l1_batch arg = {
		.size = sizeof(arg),
		.flags = flags,
		.nr_items = n,
		.layout = layout,
	};
	uint64_t stack[STACK_ROOM / sizeof(uint64_t)];
	size_t raw_bytes = n * op->raw_size;
	void *room = stack;
	int err;

	err = keys_size(op, items, n, &arg.keys_len);
	if (err)
		return err;
	if (raw_bytes + arg.keys_len > sizeof(stack)) {
		room = malloc(raw_bytes + arg.keys_len);
		if (!room)
			return -ENOMEM;
	}
	arg.items = (uintptr_t)room;
	arg.keys = arg.items + raw_bytes;
	encode(op, items, n, room, (uint8_t *)room + raw_bytes);
	err = marul1_call(client, op->cmd, &arg);
	if (!err)
		decode(op, items, n, room);
	if (room != stack)
		free(room);
	return err;
}

/* A batch that other writers see as one step cannot go in parts. */
static always_inline int run_whole(struct marul1_client *client,
				   const struct batch_op *op, uint32_t layout,
				   void *items, size_t n)
{
	if (n > MARU_L1_BATCH_MAX)
		return -E2BIG;
	return run_batch(client, op, 0, layout, items, n);
}

static always_inline int run_parts(struct marul1_client *client,
				   const struct batch_op *op, uint32_t flags,
				   void *items, size_t n)
{
	bool whole = n <= MARU_L1_BATCH_MAX;
	uint8_t *item = items;
	int err;

	while (true) {
		size_t part = n < MARU_L1_BATCH_MAX ? n : MARU_L1_BATCH_MAX;

		err = run_batch(client, op, flags, 0, item, part);
		if (err || part == n)
			break;
		item += part * op->item_size;
		n -= part;
	}
	/* A call that was not split leaves its items alone when it fails. */
	if (err && !whole)
		for (; n; n--, item += op->item_size)
			op->refuse(item, MARU_L1_INVALID);
	return err;
}

int marul1_reserve_write(struct marul1_client *client, uint32_t layout,
			 struct marul1_reserve *items, size_t n)
{
	return run_whole(client, &op_reserve_write, layout, items, n);
}

int marul1_commit(struct marul1_client *client, struct marul1_commit *items,
		  size_t n)
{
	return run_whole(client, &op_commit, 0, items, n);
}

int marul1_abort(struct marul1_client *client, struct marul1_abort *items,
		 size_t n)
{
	return run_whole(client, &op_abort, 0, items, n);
}

int marul1_reserve_read(struct marul1_client *client, unsigned int flags,
			struct marul1_read *items, size_t n)
{
	return run_parts(client, &op_reserve_read, flags, items, n);
}

int marul1_peek(struct marul1_client *client, struct marul1_read *items,
		size_t n)
{
	return run_parts(client, &op_peek, 0, items, n);
}

int marul1_release(struct marul1_client *client, struct marul1_release *items,
		   size_t n)
{
	return run_parts(client, &op_release, 0, items, n);
}

int marul1_renew(struct marul1_client *client, struct marul1_renew *items,
		 size_t n)
{
	return run_parts(client, &op_renew, 0, items, n);
}

int marul1_delete(struct marul1_client *client, unsigned int flags,
		  struct marul1_delete *items, size_t n)
{
	return run_parts(client, &op_delete, flags, items, n);
}

int marul1_touch(struct marul1_client *client, struct marul1_touch *items,
		 size_t n)
{
	return run_parts(client, &op_touch, 0, items, n);
}

int marul1_query(struct marul1_client *client, struct marul1_query *items,
		 size_t n)
{
	return run_parts(client, &op_query, 0, items, n);
}
