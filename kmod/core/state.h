/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What a pool is made of.  One lock, maru_pool.lock, guards all of it.
 *
 * Names: an *extent* is one page of a run, with the struct maru_object that
 * describes its use, from reserve to free.  A *write* is an object that is
 * staged, or was until it expired or was dropped.
 */
#ifndef MARU_STATE_H
#define MARU_STATE_H

#include "core.h"
#include "counts.h"
#include "table.h"

#define MARU_BLOCK_SHIFT	21
#define MARU_BLOCK_SIZE		BIT_ULL(MARU_BLOCK_SHIFT)
#define MARU_LINE		64		/* least stride of pages that large */
#define MARU_STRIDE_MIN		32		/* least of all: bounds the slots of a run */
#define MARU_SLICE		1024		/* objects done under one lock hold */
#define MARU_CLAIM_AHEAD	1		/* empty segments that stay owned */
#define MARU_SPARE_HOLDS	256		/* unused holds that a client keeps */
#define MARU_LOST_MAX		65536		/* lost holds that a client's file remembers */
/* Under the lock: what is short must not make all others wait for reclaim. */
#define MARU_GFP_LOCKED		(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)
#define MARU_HOLD_COUNT_MAX	BIT(30)
#define MARU_READ_LEASE_NS	0ULL		/* none */
#define MARU_WRITE_LEASE_NS	(600ULL * NSEC_PER_SEC)
#define MARU_OBJECTS_PER_MIB	4
#define MARU_OBJECTS_MIN	65536ULL
#define MARU_OBJECTS_MAX	(16ULL << 20)
#define MARU_IDS_MAX		(BIT_ULL(40) - 1)	/* ids of one incarnation */
#define MARU_NO_DEADLINE	U64_MAX

/*
 * States of an extent; the numbers of enum maru_l1_account, so that the
 * accounts are an array by state.
 */
#define MARU_NR_STATES		(MARU_L1_A_RETIRED + 1)
#define MARU_L1_A_NONE		0xff		/* in no state: being made or freed */

/**
 * struct maru_key - a key of a call
 * @bytes: in the call's key buffer
 * @len: 1 … MARU_L1_KEY_MAX
 * @hash: of @bytes
 */
struct maru_key {
	const u8 *bytes;
	u32 len;
	u32 hash;
};

/**
 * struct maru_object - an extent in use
 * @by_key: in the directory (published), or in the owner's table of writes
 *	(staged, or expired and still named by its key) or private objects
 * @id: reservation and object id
 * @offset: of the extent in the pool
 * @length: bytes of the object
 * @run: where the extent is from
 * @link: published: LRU; staged: owner's staged; private: owner's idle or held
 *	private; quarantine: owner's unacked
 * @cookie: opaque
 * @holders: local clients that hold it, plus orphan pins
 * @key_len: bytes of @key
 * @state: enum maru_l1_account up to RETIRED
 * @flags: MARU_O_*
 * @owner: not published: the client that owns it
 * @tag: writes: the caller's tag
 * @deadline: writes and idle private objects
 * @by_id: writes: in the owner's table of writes by id
 * @last_used: published: when a client last used it
 * @key: the key
 */
struct maru_object {
	struct maru_node by_key;
	u64 id;
	u64 offset;
	u64 length;
	struct maru_run *run;
	struct list_head link;
	u8 cookie[MARU_L1_COOKIE_LEN];
	u32 holders;
	u16 key_len;
	u8 state;
	u8 flags;
	union {
		struct {
			struct maru_client *owner;
			u64 tag;
			u64 deadline;
			struct maru_node by_id;
		};
		u64 last_used;
	};
	u8 key[];
};

#define MARU_O_TEMPORARY	BIT(0)	/* commit makes it private */
#define MARU_O_EXPIRED		BIT(1)	/* a write that expired, still named by its key */
#define MARU_O_KEYED		BIT(2)	/* in a table by key */
#define MARU_O_BAD		BIT(3)	/* media error: the extent retires when it is put */

/**
 * struct maru_hold - what one client holds of one object
 * @by_id: in the client's table of holds
 * @link: in the client's leased (in order of @deadline), held (no deadline),
 *	lost (nothing live) or spare
 * @object: NULL: nothing live, only @lost
 * @id: of the object
 * @deadline: or MARU_NO_DEADLINE
 * @count: live holds
 * @lost: holds that expired or went stale and have not been released yet
 * @lost_status: what releasing them answers
 * @key_hash: of the object's key, which may be gone
 */
struct maru_hold {
	struct maru_node by_id;
	struct list_head link;
	struct maru_object *object;
	u64 id;
	u64 deadline;
	u32 count;
	u32 lost;
	u32 lost_status;
	u32 key_hash;
};

/**
 * struct maru_events - a client's event ring
 * @ring: NULL: not subscribed
 * @size: bytes of @ring
 * @mask: MARU_L1_EV_MASK() of the kinds wanted
 * @head: where the reader is, bytes since the beginning
 * @peeked: where the last peek began
 * @tail: where the next record goes; all three go on across subscriptions
 * @watermark: permille
 * @above: the fill was at the watermark when last looked at
 * @lost: the last record in the ring is LOST
 */
struct maru_events {
	u8 *ring;
	u32 size;
	u32 mask;
	u64 head;
	u64 peeked;
	u64 tail;
	u32 watermark;
	bool above;
	bool lost;
};

/**
 * struct maru_client - an open file
 * @pool: its pool
 * @link: in pool->clients, ->closing or ->closed
 * @writable: may change the pool
 * @closed: its holds are orphan pins
 * @read_lease: ns of a hold, 0: none
 * @write_lease: ns of a staging
 * @writes_by_key: staged, and expired that are still named by their key
 * @writes_by_id: staged and unacked
 * @privates: private objects by key
 * @holds: struct maru_hold by id
 * @staged: live staging in order of deadline
 * @unacked: expired and dropped writes that wait for abort or close
 * @private_idle: private objects without holds, in order of deadline
 * @private_held: private objects with holds
 * @leased: live holds with a deadline, in its order
 * @held: live holds without
 * @lost: holds of which nothing is live
 * @spare: unused holds
 * @nr_spare: how many
 * @subscriber: in pool->subscribers, when it has an event ring
 * @nr_lost: length of @lost
 * @nr_staged: tally of @staged
 * @nr_unacked: tally of @unacked
 * @nr_private: tally of @private_idle and @private_held
 * @nr_held: objects with live holds
 * @nr_holds: live holds
 * @quarantine_end: closed: when all goes
 * @due: nothing of it is due before
 * @due_index: its place in pool->due
 * @status: the page that the client maps
 * @events: its ring
 * @wake: see struct maru_client_params
 * @owner: argument of @wake
 */
struct maru_client {
	struct maru_pool *pool;
	struct list_head link;
	bool writable;
	bool closed;
	u64 read_lease;
	u64 write_lease;
	struct maru_table writes_by_key;
	struct maru_table writes_by_id;
	struct maru_table privates;
	struct maru_table holds;
	struct list_head staged;
	struct list_head unacked;
	struct list_head private_idle;
	struct list_head private_held;
	struct list_head leased;
	struct list_head held;
	struct list_head lost;
	struct list_head spare;
	u32 nr_spare;
	u32 nr_lost;
	struct list_head subscriber;
	struct maru_tally nr_staged;
	struct maru_tally nr_unacked;
	struct maru_tally nr_private;
	u64 nr_held;
	u64 nr_holds;
	u64 quarantine_end;
	u64 due;
	u32 due_index;
	struct maru_l1_client_status *status;
	struct maru_events events;
	void (*wake)(void *owner);
	void *owner;
};

/**
 * struct maru_page_layout - a size of pages
 * @id: index in pool->layouts
 * @bytes: largest object
 * @alignment: as asked for
 * @stride: bytes a page takes
 * @run_blocks: blocks of a run that keeps the loss to rounding small
 * @pages: in all runs
 * @free: of these, free
 * @partial: runs with free pages
 */
struct maru_page_layout {
	u32 id;
	u64 bytes;
	u32 alignment;
	u64 stride;
	u32 run_blocks;
	u64 pages;
	u64 free;
	struct list_head partial;
};

/**
 * struct maru_run - neighbouring blocks cut into pages of one layout
 * @link: pool->runs
 * @partial: layout->partial, when pages are free
 * @layout: NULL: one block that is retired
 * @block: first block
 * @blocks: how many
 * @pages: slots
 * @free: pages free
 * @idle: pages whose objects may be evicted: published, and nobody holds them
 * @fresh: slots from here on were never used
 * @free_head: first of the chain of used and freed slots, plus 1; 0: none
 * @slots: see MARU_SLOT_*, or the object
 */
struct maru_run {
	struct list_head link;
	struct list_head partial;
	struct maru_page_layout *layout;
	u32 block;
	u32 blocks;
	u32 pages;
	u32 free;
	u32 idle;
	u32 fresh;
	u32 free_head;
	unsigned long slots[];
};

/* Objects are at least 8-byte aligned: odd values are something else. */
#define MARU_SLOT_FREE(next)	(((unsigned long)(next) << 2) | 1)
#define MARU_SLOT_NEXT(slot)	((u32)((slot) >> 2))
#define MARU_SLOT_RETIRED	3UL

/* NULL: the page is free or retired. */
static inline struct maru_object *maru_slot_object(unsigned long slot)
{
	return slot & 1 ? NULL : (struct maru_object *)slot;
}

/**
 * struct maru_segment - what the cluster agrees on: who owns a piece of space
 * @used: blocks in runs
 * @owner: node, 0: free
 */
struct maru_segment {
	u32 used;
	u32 owner;
};

#define MARU_NR_FIRST		0x20		/* number of the first call of a pool */
#define MARU_NR_CALLS		24
#define MARU_NR_STATUS		(MARU_L1_INVALID + 1)

/**
 * struct maru_pool - one offset space
 * @evict_lock: held by the evict under way; taken before @lock
 * @lock: guards everything below
 * @params: as given; the size as it is now
 * @max_objects: most extents at a time
 * @fenced: nothing new is granted
 * @next_id: counter part of the next id
 * @due: heap of all clients, open and closed: the one with the least ->due first
 * @nr_due: how many
 * @due_room: pointers that @due can hold
 * @directory: published objects by key
 * @generation: of the directory: one more with each change
 * @lru: published objects, least recently used first, and @evict_cursor
 * @evict_cursor: place of the evict under way, which is alone
 * @last_use: latest @last_used of any object: never less towards the LRU's end
 * @clients: open
 * @closing: closed; a process that reserved is still exiting
 * @closed: closed; wait for their quarantine_end
 * @nr_clients: length of @clients
 * @subscribers: clients with an event ring
 * @nr_watermarks: of these, how many want to know of a watermark
 * @layouts: by id
 * @nr_layouts: in use
 * @runs: all
 * @blocks: bit: the block is in a run
 * @run_of: the run that a block is in, by block
 * @nr_blocks: length of the pool
 * @borders: first block of each backing but the first
 * @nr_borders: how many
 * @free_blocks: blocks in no run
 * @low: no block below it is free
 * @high: no block from it on is free
 * @segments: by index
 * @nr_segments: how many
 * @segment_blocks: blocks of a segment
 * @empty_segments: owned, no block in use
 * @bytes: strides by state
 * @free_pages: strides of free pages in runs
 * @extents: objects in any state
 * @orphan_pins: pins of closed clients
 * @counts: since the pool was made
 * @answers: items by call and status
 * @hash_key: of all key hashes
 */
struct maru_pool {
	struct mutex evict_lock;	/* taken before lock */
	struct mutex lock;		/* guards all that follows */
	struct maru_pool_params params;
	u64 max_objects;
	bool fenced;
	u64 next_id;
	struct maru_client **due;
	u32 nr_due;
	u32 due_room;
	struct maru_table directory;
	u64 generation;
	struct list_head lru;
	struct list_head evict_cursor;
	u64 last_use;
	struct list_head clients;
	struct list_head closing;
	struct list_head closed;
	u64 nr_clients;
	struct list_head subscribers;
	u64 nr_watermarks;
	struct maru_page_layout *layouts[MARU_L1_LAYOUTS_MAX];
	u32 nr_layouts;
	struct list_head runs;
	unsigned long *blocks;
	struct maru_run **run_of;
	u32 nr_blocks;
	u32 borders[MARU_L1_BACKINGS_MAX];
	u32 nr_borders;
	u32 free_blocks;
	u32 low;
	u32 high;
	struct maru_segment *segments;
	u32 nr_segments;
	u32 segment_blocks;
	u32 empty_segments;
	u64 bytes[MARU_NR_STATES];
	u64 free_pages;
	u64 extents;
	u64 orphan_pins;
	struct maru_counts counts;
	u64 answers[MARU_NR_CALLS][MARU_NR_STATUS];
	siphash_key_t hash_key;
};

#endif /* MARU_STATE_H */
