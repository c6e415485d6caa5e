/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dumps of what is in a pool, a message of an skb at a time.
 *
 * Between two of them a dump has a reference on the maru_dev, which does not
 * keep the pool from ending, and its place in cb->ctx.  In each it enters the
 * pool anew, and ends with ENODEV when there is none any more.
 *
 * The directory and the holds of a client are walked by bucket.  A bucket that
 * does not fit is left for the next skb as a whole, so that nothing of it is
 * missed when it changes meanwhile; only one that fills an skb by itself is
 * told in pieces.
 */
#ifndef MARU_DUMP_H
#define MARU_DUMP_H

#include <linux/netlink.h>
#include <net/genetlink.h>

struct maru_dev;

#define MARU_DUMP_SKB	16384		/* least, for keys: buckets fit */

/**
 * struct maru_dump - cb->ctx
 * @dev: with a reference
 * @client: hold: whose; client: the last one that was told
 * @at: index of the next piece
 * @told: entries of piece @at that earlier skbs have
 */
struct maru_dump {
	struct maru_dev *dev;
	u64 client;
	u32 at;
	u32 told;
};

static_assert(sizeof(struct maru_dump) <=
	      sizeof_field(struct netlink_callback, ctx));

/**
 * struct maru_piece - one piece as it is being written
 * @skb: to
 * @cb: of
 * @start: length of @skb before
 * @prev_seq: of @cb before: a change that only a message taken back told of is
 *	told again
 * @seen: entries so far
 */
struct maru_piece {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	u32 start;
	u32 prev_seq;
	u32 seen;
};

/* 0; -ENOENT: behind the last; -EMSGSIZE: no room for it in what is left. */
typedef int (*maru_dump_fn)(struct sk_buff *skb, struct netlink_callback *cb);

static inline struct maru_dump *maru_dump_of(struct netlink_callback *cb)
{
	return (struct maru_dump *)cb->ctx;
}

/* Calls @next until the skb is full or nothing is left; inside of the pool. */
int maru_dump_all(struct sk_buff *skb, struct netlink_callback *cb,
		  maru_dump_fn next);
/* A message with the pool's name. NULL: no room. */
void *maru_dump_message(struct sk_buff *skb, struct netlink_callback *cb);
/* Takes it back if there is an @err, which it returns. */
int maru_dump_message_end(struct sk_buff *skb, struct netlink_callback *cb,
			  void *head, int err);
/* What has changed when @generation has: messages from now on tell it. */
void maru_dump_generation(struct netlink_callback *cb, u32 generation);
void maru_dump_piece_begin(struct maru_piece *piece, struct sk_buff *skb,
			   struct netlink_callback *cb);
/* Whether an earlier skb has the next entry of @piece. */
bool maru_dump_told(const struct maru_piece *piece);
/* After a walk that answered @err: the place of the dump. Returns @err. */
int maru_dump_piece_end(const struct maru_piece *piece, int err);

#endif /* MARU_DUMP_H */
