/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The core as its shells see it: the module, the embedded engine of libmarul1,
 * the simulator and the tests.
 *
 * The core is logic only.  It reads no clock (time is an argument, in ns of a
 * monotonic clock), does no I/O and waits for nothing but its own lock and
 * memory.  A shell copies a call in, runs it with maru_call_run(), copies the
 * answer out, and calls maru_pool_reap() at least twice a second.
 */
#ifndef MARU_CORE_H
#define MARU_CORE_H

#include "shim.h"
#include <linux/maru_l1.h>

struct maru_pool;
struct maru_client;
struct maru_call;

/**
 * struct maru_pool_params - what a pool is made with
 * @bytes: data bytes, a multiple of MARU_BLOCK_SIZE, at least one block
 * @segment_bytes: 0: default for @bytes; else a multiple of MARU_BLOCK_SIZE
 * @max_objects: 0: default for @bytes
 * @max_client_bytes: 0: no limit
 * @quarantine_ns: how long an extent waits when its writer vanished
 * @node: number of this node, 1 … 255 in ids
 * @incarnation: of this node, 1 … 65535
 * @coherent: whether hosts see each other's stores
 * @hash_key: 16 random bytes
 * @status: pool status page, written by the core; outlives the pool
 */
struct maru_pool_params {
	u64 bytes;
	u64 segment_bytes;
	u64 max_objects;
	u64 max_client_bytes;
	u64 quarantine_ns;
	u32 node;
	u32 incarnation;
	bool coherent;
	u8 hash_key[16];
	struct maru_l1_pool_status *status;
};

/* Return: 0, -EINVAL or -ENOMEM. */
int maru_pool_create(const struct maru_pool_params *params,
		     struct maru_pool **pool);
/* All clients must have been closed; what waits in quarantine is dropped. */
void maru_pool_destroy(struct maru_pool *pool);
/*
 * Adds @bytes (of one more backing, a multiple of MARU_BLOCK_SIZE) at the end.
 * One at a time.  Return: 0, -EINVAL, -ENOMEM, or -ENOSPC when there are
 * MARU_L1_BACKINGS_MAX backings.
 */
int maru_pool_grow(struct maru_pool *pool, u64 bytes);
/*
 * The same in two steps: only the first can fail, and changes nothing.  No other
 * growth of the pool is in between.  maru_growth_free() in the end in any case.
 */
struct maru_growth;
int maru_growth_new(struct maru_pool *pool, u64 bytes, struct maru_growth **growth);
void maru_growth_apply(struct maru_pool *pool, struct maru_growth *growth);
void maru_growth_free(struct maru_growth *growth);
/* Whether closed clients still have something in quarantine. */
bool maru_pool_settled(struct maru_pool *pool);
/*
 * Ends what is due at @now: expired leases, passed quarantines.  One slice of
 * bounded length.  Return: true when more is due, call again.
 */
bool maru_pool_reap(struct maru_pool *pool, u64 now);
/*
 * Fences the pool for good: nothing new is granted, and releasing a hold answers
 * STALE.  The holds stay as pins until then, so that nothing below a reader that
 * has not let go is used again.
 */
void maru_pool_fence(struct maru_pool *pool, u64 now);
/* Fills in what the core knows of @info. */
void maru_pool_info(struct maru_pool *pool, struct maru_l1_info *info);

/**
 * struct maru_client_params - what a client is made with
 * @writable: may change the pool
 * @status: client status page, written by the core; outlives the client
 * @wake: called when an event was queued while the ring was empty; under the
 *	pool lock, must not block nor call the core; may be NULL
 * @owner: argument of @wake
 */
struct maru_client_params {
	bool writable;
	struct maru_l1_client_status *status;
	void (*wake)(void *owner);
	void *owner;
};

int maru_client_open(struct maru_pool *pool,
		     const struct maru_client_params *params,
		     struct maru_client **client);
/*
 * Ends a client: unreachable in one step, then its staging and private objects
 * go to quarantine and its holds become orphan pins, in slices.  Nobody may be
 * in a call on it.
 *
 * @exiting: a process that reserved on it has not yet gone.  Quarantine then
 * begins only with maru_client_settle(), which must follow; without it @client
 * is gone when this returns.  A client that leaves nothing is gone too: the
 * answer says whether maru_client_settle() must follow.
 */
bool maru_client_close(struct maru_client *client, u64 now, bool exiting);
void maru_client_settle(struct maru_client *client, u64 now);

/* Rules of a call, for the shell that copies it in and out. */
#define MARU_CALL_WRITE		BIT(0)	/* needs a writable client */
#define MARU_CALL_ADMIN		BIT(1)	/* needs CAP_SYS_ADMIN */
#define MARU_CALL_BATCH		BIT(2)	/* items in and out, keys in */
#define MARU_CALL_LIST		BIT(3)	/* items (and keys) are only written */
#define MARU_CALL_RESERVES	BIT(4)	/* the caller's process will write to extents */

/**
 * struct maru_call_type - one call of the interface
 * @nr: its number: _IOC_NR() of the ioctl
 * @flags: MARU_CALL_*
 * @arg_size: sizeof the argument; the smallest accepted is @arg_min
 * @arg_min: offsetofend() of the last field of version 1
 * @item_size: sizeof one item, 0: no items
 * @name: for traces
 * @run: the core's own function: see maru_call_run()
 */
struct maru_call_type {
	u8 nr;
	u32 flags;
	u32 arg_size;
	u32 arg_min;
	u32 item_size;
	const char *name;
	int (*run)(struct maru_client *client, struct maru_call *call);
};

/* Large enough for every argument. */
union maru_call_arg {
	u32 size;
	struct maru_l1_batch batch;
	struct maru_l1_setup setup;
	struct maru_l1_layout layout;
	struct maru_l1_clear clear;
	struct maru_l1_purge purge;
	struct maru_l1_evict evict;
	struct maru_l1_usage usage;
	struct maru_l1_subscribe subscribe;
	struct maru_l1_report_bad report_bad;
	struct maru_l1_stats stats;
	struct maru_l1_check check;
};

/**
 * struct maru_call - a call in flight
 * @type: from maru_call_find()
 * @arg: copied in, the rest zero; written on success
 * @items: array of @nr_items items
 * @keys: key buffer of @keys_len bytes
 * @nr_items: BATCH: as in @arg; LIST: room; after the call: entries written
 * @keys_len: BATCH: as in @arg; LIST: room; after the call: bytes written
 * @now: ns
 */
struct maru_call {
	const struct maru_call_type *type;
	union maru_call_arg *arg;
	void *items;
	u8 *keys;
	u32 nr_items;
	u32 keys_len;
	u64 now;
};

/* NULL: not a call of the core. */
const struct maru_call_type *maru_call_find(unsigned int nr);
/*
 * Checks the argument before anything is copied for it: flags, reserved fields,
 * counts.  Fills in call->nr_items and call->keys_len from the argument, which
 * the shell then provides; buffers of LIST calls come zeroed.
 * Return: 0, -EINVAL, -E2BIG, or -EACCES when the client may not.
 */
int maru_call_check(struct maru_client *client, struct maru_call *call);
/* Return: 0 or a negative errno of uapi/linux/maru_l1.h; then nothing happened. */
int maru_call_run(struct maru_client *client, struct maru_call *call);

/*
 * Events.  One reader at a time; the shell serialises them.
 * peek copies whole records without taking them and returns their bytes;
 * consume takes the first @bytes, as peek returned them.
 * -EMSGSIZE: @len is too small for the first record.
 */
ssize_t maru_events_peek(struct maru_client *client, void *buf, size_t len);
void maru_events_consume(struct maru_client *client, size_t bytes);
bool maru_events_ready(struct maru_client *client);

#ifdef MARU_DEBUG
/*
 * Plants fault @n in the accounts for the check to find: 0 a pin without a hold
 * (on the least recently used object), 1 free bytes that are none, 2 a block in
 * use by nobody.  With MARU_CORRUPT_UNDO: takes it back.  -EINVAL: no such.
 */
#define MARU_CORRUPT_UNDO	0x80
int maru_pool_corrupt(struct maru_pool *pool, unsigned int n);
#endif

#endif /* MARU_CORE_H */
