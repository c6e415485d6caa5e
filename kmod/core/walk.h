/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Looking through a pool piece by piece, for dumps.  The lock is taken for each
 * piece only.  What is there from the beginning to the end of a walk is seen; an
 * object may be seen twice when the directory grows meanwhile.
 */
#ifndef MARU_WALK_H
#define MARU_WALK_H

#include "core.h"
#include "counts.h"

/**
 * struct maru_object_view - an object as it is under the lock
 * @id: of the object
 * @offset: in the pool
 * @length: bytes
 * @stride: bytes its extent takes
 * @idle: ns since it was last used
 * @key: valid inside of the callback only
 * @cookie: likewise
 * @key_len: bytes
 * @layout: id
 * @holders: clients that hold it, orphan pins included
 */
struct maru_object_view {
	u64 id;
	u64 offset;
	u64 length;
	u64 stride;
	u64 idle;
	const u8 *key;
	const u8 *cookie;
	u32 key_len;
	u32 layout;
	u32 holders;
};

/* Return: 0, or a negative errno that ends the walk of this piece. */
typedef int (*maru_object_fn)(const struct maru_object_view *view, void *arg);

/**
 * struct maru_hold_view - what a client holds of an object
 * @object: @key, @cookie and sizes are empty when nothing of it is live
 * @count: live holds
 * @lost: holds that expired or went stale, not yet released
 * @left: ns until the lease ends; U64_MAX: none
 */
struct maru_hold_view {
	struct maru_object_view object;
	u32 count;
	u32 lost;
	u64 left;
};

typedef int (*maru_hold_fn)(const struct maru_hold_view *view, void *arg);

struct maru_layout_view {
	u64 bytes;
	u64 stride;
	u64 pages;
	u64 free;
	u32 alignment;
};

struct maru_segment_view {
	u64 offset;
	u64 bytes;
	u64 used;
	u32 owner;
};

/*
 * The published objects of piece @index of the directory, all of them or, when
 * @fn fails, some.  A walk takes 0, 1, 2 … between maru_walk_begin() and
 * maru_walk_end().  Return: 0, -ENOENT behind the last piece, or @fn's.
 */
void maru_walk_begin(struct maru_pool *pool);
void maru_walk_end(struct maru_pool *pool);
int maru_walk_objects(struct maru_pool *pool, u32 index, u64 now,
		      maru_object_fn fn, void *arg);
/* The same for the holds of @client, which the caller keeps open. */
void maru_walk_holds_begin(struct maru_client *client);
void maru_walk_holds_end(struct maru_client *client);
int maru_walk_holds(struct maru_client *client, u32 index, u64 now,
		    maru_hold_fn fn, void *arg);
/* Return: 0, or -ENOENT behind the last. */
int maru_walk_layout(struct maru_pool *pool, u32 index,
		     struct maru_layout_view *view);
int maru_walk_segment(struct maru_pool *pool, u32 index,
		      struct maru_segment_view *view);
/* Changes whenever an object enters or leaves the directory. */
u64 maru_pool_generation(struct maru_pool *pool);
/* The pool's part of @usage. */
void maru_pool_usage(struct maru_pool *pool, u64 now,
		     struct maru_l1_usage *usage);
void maru_client_usage(struct maru_client *client, struct maru_l1_usage *usage);
/* Return: entries of @counters written, at most @room.  @counts may be NULL. */
u32 maru_pool_stats(struct maru_pool *pool, struct maru_l1_stats *stats,
		    struct maru_l1_counter *counters, u32 room,
		    struct maru_counts *counts);

#endif /* MARU_WALK_H */
