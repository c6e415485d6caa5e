/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The items of each batch call: how one becomes a raw item of linux/maru_l1.h,
 * and how its answer comes back.
 */
#ifndef MARUL1_ITEMS_H
#define MARUL1_ITEMS_H

#include <string.h>
#include "internal.h"

/* What all items begin with, and what all raw items begin with. */
struct item_head {
	const void *key;
	size_t key_len;
};

struct raw_head {
	uint32_t key_off;
	uint32_t key_len;
};

/**
 * struct batch_op - a batch call
 * @cmd: number of the ioctl
 * @item_size: bytes of an item
 * @raw_size: bytes of a raw item
 * @in: makes the raw item; its key is placed already
 * @out: copies the answer
 * @refuse: answers an item that was not reached
 */
struct batch_op {
	unsigned long cmd;
	size_t item_size;
	size_t raw_size;
	void (*in)(const void *item, void *raw, struct raw_head key);
	void (*out)(void *item, const void *raw);
	void (*refuse)(void *item, uint32_t status);
};

#define SAME_PLACE(type, member, head) \
	(offsetof(struct type, member) == offsetof(struct head, member))

/* The part of a batch_op that only differs by name. */
#define DEFINE_BATCH_OP(name, nr, item_type, raw_type)			\
_Static_assert(SAME_PLACE(item_type, key, item_head) &&			\
	       SAME_PLACE(item_type, key_len, item_head) &&		\
	       SAME_PLACE(raw_type, key_off, raw_head) &&		\
	       SAME_PLACE(raw_type, key_len, raw_head), #name);		\
static inline void name##_refuse(void *item, uint32_t status)		\
{									\
	((struct item_type *)item)->status = status;			\
	((struct item_type *)item)->result = 0;				\
}									\
static const struct batch_op op_##name = {				\
	.cmd = nr,							\
	.item_size = sizeof(struct item_type),				\
	.raw_size = sizeof(struct raw_type),				\
	.in = name##_in,						\
	.out = name##_out,						\
	.refuse = name##_refuse,					\
}

static inline void reserve_write_in(const void *item, void *raw,
				    struct raw_head key)
{
	const struct marul1_reserve *from = item;

	*(struct maru_l1_reserve *)raw = (struct maru_l1_reserve) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.length = from->length,
		.tag = from->tag,
		.flags = from->flags,
	};
}

static inline void reserve_write_out(void *item, const void *raw)
{
	const struct maru_l1_reserve *from = raw;
	struct marul1_reserve *to = item;

	to->status = from->status;
	to->result = from->result;
	to->offset = from->offset;
	to->page_size = from->page_size;
	to->id = from->id;
}

static inline void commit_in(const void *item, void *raw, struct raw_head key)
{
	const struct marul1_commit *from = item;
	struct maru_l1_commit *to = raw;

	*to = (struct maru_l1_commit) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.tag = from->tag,
		.reservation = from->reservation,
		.holds = from->holds,
	};
	memcpy(to->cookie, from->cookie, sizeof(to->cookie));
}

static inline void commit_out(void *item, const void *raw)
{
	const struct maru_l1_commit *from = raw;
	struct marul1_commit *to = item;

	memcpy(to->cookie, from->cookie, sizeof(to->cookie));
	to->status = from->status;
	to->result = from->result;
	to->offset = from->offset;
	to->length = from->length;
	to->id = from->id;
}

static inline void abort_in(const void *item, void *raw, struct raw_head key)
{
	const struct marul1_abort *from = item;

	*(struct maru_l1_abort *)raw = (struct maru_l1_abort) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.tag = from->tag,
		.id = from->id,
	};
}

static inline void abort_out(void *item, const void *raw)
{
	const struct maru_l1_abort *from = raw;
	struct marul1_abort *to = item;

	to->status = from->status;
	to->result = from->result;
}

static inline void reserve_read_in(const void *item, void *raw,
				   struct raw_head key)
{
	const struct marul1_read *from = item;

	*(struct maru_l1_read *)raw = (struct maru_l1_read) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.holds = from->holds,
	};
}

static inline void reserve_read_out(void *item, const void *raw)
{
	const struct maru_l1_read *from = raw;
	struct marul1_read *to = item;

	to->status = from->status;
	to->result = from->result;
	to->offset = from->offset;
	to->length = from->length;
	to->id = from->id;
	memcpy(to->cookie, from->cookie, sizeof(to->cookie));
}

/* The items are those of reserve_read, so that a caller can use them for both. */
static inline void peek_in(const void *item, void *raw, struct raw_head key)
{
	*(struct maru_l1_read *)raw = (struct maru_l1_read) {
		.key_off = key.key_off,
		.key_len = key.key_len,
	};
}

static inline void peek_out(void *item, const void *raw)
{
	reserve_read_out(item, raw);
}

static inline void release_in(const void *item, void *raw, struct raw_head key)
{
	const struct marul1_release *from = item;

	*(struct maru_l1_release *)raw = (struct maru_l1_release) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.id = from->id,
		.holds = from->holds,
	};
}

static inline void release_out(void *item, const void *raw)
{
	const struct maru_l1_release *from = raw;
	struct marul1_release *to = item;

	to->released = from->released;
	to->status = from->status;
	to->result = from->result;
}

static inline void renew_in(const void *item, void *raw, struct raw_head key)
{
	const struct marul1_renew *from = item;

	*(struct maru_l1_renew *)raw = (struct maru_l1_renew) {
		.key_off = key.key_off,
		.key_len = key.key_len,
		.id = from->id,
	};
}

static inline void renew_out(void *item, const void *raw)
{
	const struct maru_l1_renew *from = raw;
	struct marul1_renew *to = item;

	to->status = from->status;
	to->result = from->result;
}

static inline void delete_in(const void *item, void *raw, struct raw_head key)
{
	*(struct maru_l1_delete *)raw = (struct maru_l1_delete) {
		.key_off = key.key_off,
		.key_len = key.key_len,
	};
}

static inline void delete_out(void *item, const void *raw)
{
	const struct maru_l1_delete *from = raw;
	struct marul1_delete *to = item;

	to->status = from->status;
	to->result = from->result;
	to->id = from->id;
}

static inline void touch_in(const void *item, void *raw, struct raw_head key)
{
	*(struct maru_l1_touch *)raw = (struct maru_l1_touch) {
		.key_off = key.key_off,
		.key_len = key.key_len,
	};
}

static inline void touch_out(void *item, const void *raw)
{
	const struct maru_l1_touch *from = raw;
	struct marul1_touch *to = item;

	to->status = from->status;
	to->result = from->result;
}

static inline void query_in(const void *item, void *raw, struct raw_head key)
{
	*(struct maru_l1_query *)raw = (struct maru_l1_query) {
		.key_off = key.key_off,
		.key_len = key.key_len,
	};
}

static inline void query_out(void *item, const void *raw)
{
	const struct maru_l1_query *from = raw;
	struct marul1_query *to = item;

	to->status = from->status;
	to->result = from->result;
	to->state = from->state;
	to->flags = from->flags;
	to->my_holds = from->my_holds;
	to->holders = from->holders;
	to->length = from->length;
	to->id = from->id;
}

DEFINE_BATCH_OP(reserve_write, MARU_L1_RESERVE_WRITE, marul1_reserve, maru_l1_reserve);
DEFINE_BATCH_OP(commit, MARU_L1_COMMIT, marul1_commit, maru_l1_commit);
DEFINE_BATCH_OP(abort, MARU_L1_ABORT, marul1_abort, maru_l1_abort);
DEFINE_BATCH_OP(reserve_read, MARU_L1_RESERVE_READ, marul1_read, maru_l1_read);
DEFINE_BATCH_OP(peek, MARU_L1_PEEK, marul1_read, maru_l1_read);
DEFINE_BATCH_OP(release, MARU_L1_RELEASE, marul1_release, maru_l1_release);
DEFINE_BATCH_OP(renew, MARU_L1_RENEW, marul1_renew, maru_l1_renew);
DEFINE_BATCH_OP(delete, MARU_L1_DELETE, marul1_delete, maru_l1_delete);
DEFINE_BATCH_OP(touch, MARU_L1_TOUCH, marul1_touch, maru_l1_touch);
DEFINE_BATCH_OP(query, MARU_L1_QUERY, marul1_query, maru_l1_query);

#endif /* MARUL1_ITEMS_H */
