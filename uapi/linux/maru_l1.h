/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * maru_l1: objects of a KV cache in a memory pool that several hosts map.
 *
 * A pool is a char device, /dev/maru_l1/NAME; pools are made and ended through
 * /dev/maru_l1/control.  An open file of a pool is a *client*: it owns what it
 * stages, its private objects and its read holds, and closing it gives all of
 * them back.  Documentation/userspace-api/maru_l1.rst explains the model; this
 * file is the reference of the interface.
 *
 * General rules
 *
 * - Every argument begins with __u32 size, the size of the struct the caller
 *   was built with.  A longer struct is accepted when the bytes that the kernel
 *   does not know are zero; a shorter one when it holds all of version 1.
 * - Numbers are plain _IO(), so that a struct can grow under its number.
 *   Numbers, status values, events and flags are only ever appended.
 * - Unknown flags and non-zero reserved fields are refused with EINVAL.
 * - Fields marked "out" are ignored on the way in and written on success.
 * - A call that fails has changed nothing, in the pool or in the caller's
 *   memory.  One exception: when another thread unmaps the answer buffer during
 *   the call, EFAULT is returned and the effects stand.
 *
 * Calls fail as a whole only with
 *
 *	EINVAL	 malformed: unknown flag, reserved field not zero, size too
 *		 small, key outside of the key buffer, value out of range
 *	E2BIG	 more than MARU_L1_BATCH_MAX items or MARU_L1_KEYS_MAX bytes of
 *		 keys; a struct with unknown, non-zero fields
 *	EFAULT	 memory of the caller that cannot be read or written
 *	ENOMEM	 no kernel memory; nothing happened
 *	EACCES	 a call that changes the pool, on a file opened read-only
 *	EPERM	 CAP_SYS_ADMIN is needed
 *	ENODEV	 the pool has been detached by force
 *	ENOTTY	 unknown number
 *	EBUSY, EEXIST, ENOENT, ENOSPC, ENXIO, ESTALE, EUCLEAN, EXDEV, EOPNOTSUPP
 *		 where the call says so
 *
 * No call returns EINTR: waits are bounded and only a fatal signal ends one.
 * The interface is for 64-bit programs: offsets do not fit a 32-bit mmap.
 */
#ifndef _UAPI_LINUX_MARU_L1_H
#define _UAPI_LINUX_MARU_L1_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Limits. */
#define MARU_L1_KEY_MAX		1024		/* bytes of a key; least: 1 */
#define MARU_L1_BATCH_MAX	4096		/* items in a call */
#define MARU_L1_KEYS_MAX	(4U << 20)	/* bytes of keys in a call */
#define MARU_L1_HOLDS_MAX	128		/* holds that one item takes or gives */
#define MARU_L1_TAGS_MAX	256		/* writes of one key by one client */
#define MARU_L1_COOKIE_LEN	16		/* bytes of the opaque cookie */
#define MARU_L1_LAYOUTS_MAX	1024		/* layouts of a pool */
#define MARU_L1_ALIGN_MAX	(2U << 20)	/* alignment of a layout, bytes */
#define MARU_L1_EVENTS_MIN	(64U << 10)	/* bytes of an event ring */
#define MARU_L1_EVENTS_MAX	(16U << 20)
#define MARU_L1_NAME_LEN	32		/* pool name with its NUL */
#define MARU_L1_LABEL_LEN	32		/* pool label, NUL padded */
#define MARU_L1_BACKINGS_MAX	16		/* backings of a pool */
#define MARU_L1_LEASE_MS_MAX	(30U * 24 * 3600 * 1000)
#define MARU_L1_QUARANTINE_MS_MAX	600000

#define MARU_L1_IOC		0xBC

/* On /dev/maru_l1/control. */
#define MARU_L1_ATTACH		_IO(MARU_L1_IOC, 0x01)
#define MARU_L1_DETACH		_IO(MARU_L1_IOC, 0x02)
#define MARU_L1_GROW		_IO(MARU_L1_IOC, 0x03)

/* On /dev/maru_l1/NAME. */
#define MARU_L1_INFO		_IO(MARU_L1_IOC, 0x20)
#define MARU_L1_SETUP		_IO(MARU_L1_IOC, 0x21)
#define MARU_L1_LAYOUT		_IO(MARU_L1_IOC, 0x22)
#define MARU_L1_RESERVE_WRITE	_IO(MARU_L1_IOC, 0x23)
#define MARU_L1_COMMIT		_IO(MARU_L1_IOC, 0x24)
#define MARU_L1_ABORT		_IO(MARU_L1_IOC, 0x25)
#define MARU_L1_RESERVE_READ	_IO(MARU_L1_IOC, 0x26)
#define MARU_L1_PEEK		_IO(MARU_L1_IOC, 0x27)
#define MARU_L1_RELEASE		_IO(MARU_L1_IOC, 0x28)
#define MARU_L1_RENEW		_IO(MARU_L1_IOC, 0x29)
#define MARU_L1_DELETE		_IO(MARU_L1_IOC, 0x2a)
#define MARU_L1_TOUCH		_IO(MARU_L1_IOC, 0x2b)
#define MARU_L1_QUERY		_IO(MARU_L1_IOC, 0x2c)
#define MARU_L1_CLEAR		_IO(MARU_L1_IOC, 0x2d)
#define MARU_L1_PURGE		_IO(MARU_L1_IOC, 0x2e)
#define MARU_L1_EVICT		_IO(MARU_L1_IOC, 0x2f)
#define MARU_L1_USAGE		_IO(MARU_L1_IOC, 0x30)
#define MARU_L1_SUBSCRIBE	_IO(MARU_L1_IOC, 0x31)
#define MARU_L1_REPORT_BAD	_IO(MARU_L1_IOC, 0x32)
#define MARU_L1_STATS		_IO(MARU_L1_IOC, 0x33)
#define MARU_L1_CHECK		_IO(MARU_L1_IOC, 0x34)

/**
 * enum maru_l1_status - the answer to one item
 * @MARU_L1_OK: done
 * @MARU_L1_NOT_FOUND: no such object, staging or reservation for this client
 * @MARU_L1_NOT_HELD: this client has no (live) hold on it
 * @MARU_L1_NOT_READABLE: this client is writing the key and nothing is visible
 * @MARU_L1_NOT_WRITABLE: an object of the key is visible, or this client
 *	already stages it under this tag
 * @MARU_L1_EXPIRED: the write's lease has run out; it will never be readable
 * @MARU_L1_LOCKED: somebody holds it (delete)
 * @MARU_L1_NO_SPACE: no extent, no object slot, the client's byte limit, or
 *	MARU_L1_TAGS_MAX writes of the key
 * @MARU_L1_STALE: the node was fenced or the object vanished while held: what
 *	was read must not be trusted; the hold is gone
 * @MARU_L1_PENDING: goes on; an event will tell the end (clusters only)
 * @MARU_L1_INVALID: the item is malformed: key or length out of range
 */
enum maru_l1_status {
	MARU_L1_OK		= 0,
	MARU_L1_NOT_FOUND	= 1,
	MARU_L1_NOT_HELD	= 2,
	MARU_L1_NOT_READABLE	= 3,
	MARU_L1_NOT_WRITABLE	= 4,
	MARU_L1_EXPIRED		= 5,
	MARU_L1_LOCKED		= 6,
	MARU_L1_NO_SPACE	= 7,
	MARU_L1_STALE		= 8,
	MARU_L1_PENDING		= 9,
	MARU_L1_INVALID		= 10,
};

/* Result flags of an item, beside its status. */
#define MARU_L1_R_LOST_RACE	(1U << 0)	/* another writer was first; its object answers */
#define MARU_L1_R_PRIVATE	(1U << 1)	/* this client's private object */
#define MARU_L1_R_NEEDS_INVALIDATE (1U << 2)	/* drop cache lines before reading */
#define MARU_L1_R_CLAMPED	(1U << 3)	/* the count was out of range or more than held */
#define MARU_L1_R_CUT_OFF	(1U << 4)	/* the node has lost its cluster */
#define MARU_L1_R_FENCED	(1U << 5)	/* the node is fenced */

/*
 * Batches.  The keys of a call lie in one buffer; an item names its key by
 * offset and length.  The items array is read and written in place.
 */

/**
 * struct maru_l1_batch - the argument of all batch calls
 * @size: sizeof(struct maru_l1_batch)
 * @flags: MARU_L1_B_*, those that the call knows
 * @nr_items: 0 … MARU_L1_BATCH_MAX
 * @layout: RESERVE_WRITE: id of the layout; all others: 0
 * @items: address of an array of @nr_items of the call's item struct
 * @keys: address of the key buffer
 * @keys_len: its length in bytes, 0 … MARU_L1_KEYS_MAX
 * @reserved: 0
 *
 * Call			item			flags	access
 *
 * RESERVE_WRITE	struct maru_l1_reserve	-	write
 * COMMIT		struct maru_l1_commit	-	write
 * ABORT		struct maru_l1_abort	-	write
 * RESERVE_READ		struct maru_l1_read	STRICT	read
 * PEEK			struct maru_l1_read	-	read
 * RELEASE		struct maru_l1_release	-	read
 * RENEW		struct maru_l1_renew	-	read
 * DELETE		struct maru_l1_delete	FORCE	write
 * TOUCH		struct maru_l1_touch	-	read
 * QUERY		struct maru_l1_query	-	read
 *
 * RESERVE_WRITE, COMMIT, ABORT and DELETE are seen by other writing calls as
 * one step; the others are atomic for each item.
 */
struct maru_l1_batch {
	__u32 size;
	__u32 flags;
	__u32 nr_items;
	__u32 layout;
	__aligned_u64 items;
	__aligned_u64 keys;
	__u32 keys_len;
	__u32 reserved;
};

#define MARU_L1_B_STRICT	(1U << 0)	/* RESERVE_READ: refuse what this client stages */
#define MARU_L1_B_FORCE		(1U << 1)	/* DELETE: drop what this client has of it first */

/**
 * struct maru_l1_reserve - item of RESERVE_WRITE
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @length: bytes that will be written, 1 … the layout's size
 * @tag: tells apart several writes of one key by one client
 * @flags: MARU_L1_TEMPORARY
 * @reserved: 0
 * @status: out, enum maru_l1_status
 * @result: out, MARU_L1_R_*
 * @offset: out, where the extent begins in the pool, bytes
 * @page_size: out, the layout's size: all of it may be written
 * @id: out, the reservation, unique for ever; the object's id after a commit
 */
struct maru_l1_reserve {
	__u32 key_off;
	__u32 key_len;
	__aligned_u64 length;
	__aligned_u64 tag;
	__u32 flags;
	__u32 reserved;
	__u32 status;
	__u32 result;
	__aligned_u64 offset;
	__aligned_u64 page_size;
	__aligned_u64 id;
};

#define MARU_L1_TEMPORARY	(1U << 0)	/* becomes a private object of this client */

/**
 * struct maru_l1_commit - item of COMMIT
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @tag: as given to RESERVE_WRITE
 * @reservation: its id, or 0: whatever this client stages under key and tag.
 *	Given, the commit of a write that has expired can never publish a later
 *	write of the same name, in which another thread is still writing
 * @cookie: kept with the object; on LOST_RACE the winner's is written here
 * @holds: read holds to take in the same step, 0 … MARU_L1_HOLDS_MAX
 * @reserved: 0
 * @status: out
 * @result: out
 * @offset: out, where the object that answers lies (on LOST_RACE the winner)
 * @length: out, its length
 * @id: out, its id
 */
struct maru_l1_commit {
	__u32 key_off;
	__u32 key_len;
	__aligned_u64 tag;
	__aligned_u64 reservation;
	__u8 cookie[MARU_L1_COOKIE_LEN];
	__u32 holds;
	__u32 reserved;
	__u32 status;
	__u32 result;
	__aligned_u64 offset;
	__aligned_u64 length;
	__aligned_u64 id;
};

/**
 * struct maru_l1_abort - item of ABORT
 * @key_off: offset of the key; 0 when @id is given without a key
 * @key_len: its length; 0 when @id is given without a key
 * @tag: as given to RESERVE_WRITE; not looked at when @id is given
 * @id: reservation; 0: found by key and tag
 * @status: out
 * @result: out
 *
 * The caller says that nothing writes to the extent any more: no thread and
 * no device.  By id this also acknowledges a write that expired or was dropped
 * by force, whose extent is kept until then.
 */
struct maru_l1_abort {
	__u32 key_off;
	__u32 key_len;
	__aligned_u64 tag;
	__aligned_u64 id;
	__u32 status;
	__u32 result;
};

/**
 * struct maru_l1_read - item of RESERVE_READ and PEEK
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @holds: RESERVE_READ: holds to take, clamped to 1 … MARU_L1_HOLDS_MAX;
 *	PEEK: 0
 * @reserved: 0
 * @status: out
 * @result: out
 * @offset: out, where the object lies in the pool, bytes
 * @length: out, its length in bytes
 * @id: out, its id
 * @cookie: out, as given to COMMIT
 */
struct maru_l1_read {
	__u32 key_off;
	__u32 key_len;
	__u32 holds;
	__u32 reserved;
	__u32 status;
	__u32 result;
	__aligned_u64 offset;
	__aligned_u64 length;
	__aligned_u64 id;
	__u8 cookie[MARU_L1_COOKIE_LEN];
};

/**
 * struct maru_l1_release - item of RELEASE
 * @key_off: offset of the key; 0 when only @id is given
 * @key_len: its length; 0 when only @id is given
 * @id: object id as answered by RESERVE_READ or COMMIT; 0: the object that a
 *	RESERVE_READ of the key would answer now
 * @holds: holds to give back, clamped to 1 … what is held
 * @released: out, holds given back
 * @status: out
 * @result: out
 *
 * With both a key and an id, an id that names an object of another key is
 * answered NOT_HELD and nothing happens.
 */
struct maru_l1_release {
	__u32 key_off;
	__u32 key_len;
	__aligned_u64 id;
	__u32 holds;
	__u32 released;
	__u32 status;
	__u32 result;
};

/**
 * struct maru_l1_renew - item of RENEW
 * @key_off: offset of the key of a held object; 0 when @id is given alone
 * @key_len: its length; 0 when @id is given alone
 * @id: reservation or held object; 0: the object that a RESERVE_READ of the key
 *	would answer now
 * @status: out
 * @result: out
 */
struct maru_l1_renew {
	__u32 key_off;
	__u32 key_len;
	__aligned_u64 id;
	__u32 status;
	__u32 result;
};

/**
 * struct maru_l1_delete - item of DELETE
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @status: out
 * @result: out
 * @id: out, the object that was deleted or is locked; 0 when there was none
 */
struct maru_l1_delete {
	__u32 key_off;
	__u32 key_len;
	__u32 status;
	__u32 result;
	__aligned_u64 id;
};

/**
 * struct maru_l1_touch - item of TOUCH
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @status: out; OK also when the key is absent
 * @result: out
 */
struct maru_l1_touch {
	__u32 key_off;
	__u32 key_len;
	__u32 status;
	__u32 result;
};

/**
 * enum maru_l1_state - what QUERY found
 * @MARU_L1_S_ABSENT: nothing that this client can see or stages
 * @MARU_L1_S_STAGED: this client is writing it and nothing is visible
 * @MARU_L1_S_PRIVATE: this client's private object
 * @MARU_L1_S_PUBLISHED: in the directory
 * @MARU_L1_S_DELETING: in the directory, a delete is under way
 */
enum maru_l1_state {
	MARU_L1_S_ABSENT	= 0,
	MARU_L1_S_STAGED	= 1,
	MARU_L1_S_PRIVATE	= 2,
	MARU_L1_S_PUBLISHED	= 3,
	MARU_L1_S_DELETING	= 4,
};

/**
 * struct maru_l1_query - item of QUERY
 * @key_off: offset of the key in the key buffer
 * @key_len: its length
 * @status: out; OK also when the key is absent
 * @result: out
 * @state: out, enum maru_l1_state
 * @flags: out, MARU_L1_Q_*
 * @my_holds: out, holds of this client on it
 * @holders: out, clients of this node that hold it, orphan pins included
 * @length: out, its length in bytes
 * @id: out, its id or, staged, the reservation
 */
struct maru_l1_query {
	__u32 key_off;
	__u32 key_len;
	__u32 status;
	__u32 result;
	__u32 state;
	__u32 flags;
	__u32 my_holds;
	__u32 holders;
	__aligned_u64 length;
	__aligned_u64 id;
};

#define MARU_L1_Q_EVICTABLE	(1U << 0)	/* published and nobody holds it */
#define MARU_L1_Q_STAGED_HERE	(1U << 1)	/* this client is writing the key */

/* Single calls. */

/**
 * struct maru_l1_setup - leases of this client (SETUP)
 * @size: sizeof(struct maru_l1_setup)
 * @flags: 0
 * @read_lease_ms: life of a hold and of an idle private object; 0: none, the
 *	open file is the lease (default); most: MARU_L1_LEASE_MS_MAX
 * @write_lease_ms: life of a staging, 1 … MARU_L1_LEASE_MS_MAX
 *	(default 600,000)
 *
 * EBUSY: the client has staging, private objects or holds.
 */
struct maru_l1_setup {
	__u32 size;
	__u32 flags;
	__u32 read_lease_ms;
	__u32 write_lease_ms;
};

/**
 * struct maru_l1_layout - a size of pages (LAYOUT)
 * @size: sizeof(struct maru_l1_layout)
 * @flags: 0
 * @bytes: largest length of an object, 1 … the pool's capacity
 * @alignment: of an extent's offset: a power of two up to MARU_L1_ALIGN_MAX;
 *	0: 64, or less for smaller layouts
 * @layout: out, its id; the same pair has the same id for the pool's life
 * @stride: out, bytes that one page takes
 *
 * Needs a file open for writing.  ENOSPC: MARU_L1_LAYOUTS_MAX are in use.
 */
struct maru_l1_layout {
	__u32 size;
	__u32 flags;
	__aligned_u64 bytes;
	__u32 alignment;
	__u32 layout;
	__aligned_u64 stride;
};

/**
 * struct maru_l1_clear - give back what this client has (CLEAR)
 * @size: sizeof(struct maru_l1_clear)
 * @flags: MARU_L1_CLEAR_FORCE: also all staging, held private objects and holds
 * @staged: out, stagings dropped (each ends by ABORT of its id)
 * @private_objects: out, private objects dropped
 * @holds: out, objects on which holds were dropped
 * @reserved: 0
 */
struct maru_l1_clear {
	__u32 size;
	__u32 flags;
	__u32 staged;
	__u32 private_objects;
	__u32 holds;
	__u32 reserved;
};

#define MARU_L1_CLEAR_FORCE	(1U << 0)

/**
 * struct maru_l1_purge - delete all that nobody holds (PURGE, CAP_SYS_ADMIN)
 * @size: sizeof(struct maru_l1_purge)
 * @flags: 0
 * @deleted: out, objects deleted
 * @locked: out, objects that were held
 */
struct maru_l1_purge {
	__u32 size;
	__u32 flags;
	__aligned_u64 deleted;
	__aligned_u64 locked;
};

/**
 * struct maru_l1_victim - one object that EVICT took, or would take
 * @id: out
 * @length: out, bytes of the object
 * @key_off: out, where its key lies in the key buffer
 * @key_len: out
 */
struct maru_l1_victim {
	__aligned_u64 id;
	__aligned_u64 length;
	__u32 key_off;
	__u32 key_len;
};

/**
 * struct maru_l1_evict - delete the least recently used (EVICT)
 * @size: sizeof(struct maru_l1_evict)
 * @flags: MARU_L1_EVICT_DRY_RUN
 * @nr_items: in: room in @items, 0 … MARU_L1_BATCH_MAX, 0: no list;
 *	out: entries written
 * @target_permille: evict until at most this part of the pool is used, or 0
 * @items: address of an array of struct maru_l1_victim
 * @keys: address of a buffer for their keys
 * @keys_len: its length, at least MARU_L1_KEY_MAX when a list is asked for
 * @more: out, 1: the list is full and the goal not met: call again
 * @bytes: evict until that many bytes have become allocatable, or 0
 * @count: evict that many objects, or 0
 * @evicted: out, objects evicted
 * @evicted_bytes: out, bytes that became allocatable
 * @skipped: out, held objects that were passed over
 * @layout: with MARU_L1_EVICT_LAYOUT, else 0
 * @reserved: 0
 *
 * Exactly one of @bytes, @count and (@flags & MARU_L1_EVICT_TARGET) is given.
 * Needs a file open for writing, a dry run does not.
 *
 * With MARU_L1_EVICT_LAYOUT, @bytes is what shall be allocatable in pages of
 * @layout, what is free already included: victims of other layouts are taken
 * with their neighbours, so that their space becomes one range.  Not together
 * with a dry run.
 */
struct maru_l1_evict {
	__u32 size;
	__u32 flags;
	__u32 nr_items;
	__u32 target_permille;
	__aligned_u64 items;
	__aligned_u64 keys;
	__u32 keys_len;
	__u32 more;
	__aligned_u64 bytes;
	__aligned_u64 count;
	__aligned_u64 evicted;
	__aligned_u64 evicted_bytes;
	__aligned_u64 skipped;
	__u32 layout;
	__u32 reserved;
};

#define MARU_L1_EVICT_LAYOUT	(1U << 2)	/* @bytes in pages of @layout */
#define MARU_L1_EVICT_DRY_RUN	(1U << 0)
#define MARU_L1_EVICT_TARGET	(1U << 1)	/* down to @target_permille (0 … 1000) */

/**
 * struct maru_l1_usage - accounts of the pool and of this client (USAGE)
 * @size: sizeof(struct maru_l1_usage)
 * @flags: 0
 * @total: bytes of the pool
 * @available: bytes that this node can allocate now, free segments included
 * @used: bytes in extents that are not free: the sum of the next seven
 * @staged: bytes reserved for write
 * @private_bytes: bytes of private objects
 * @published: bytes of published objects
 * @zombie: bytes no longer in the directory but still held on this node
 * @quarantined: bytes whose writer vanished and that wait
 * @limbo: bytes that a lost node may still reach
 * @retired: bytes given up after a media error
 * @rounding: bytes lost to rounding: total - used - available
 * @objects: published objects
 * @max_objects: most extents in use at a time
 * @extents: extents in use, in any state
 * @orphan_pins: pins of closed files not yet due
 * @my_staged: this client: stagings
 * @my_staged_bytes: this client: their bytes
 * @my_private: this client: private objects
 * @my_private_bytes: this client: their bytes
 * @my_held: this client: objects that it holds
 * @my_holds: this client: holds on them
 * @my_unacked: this client: expired or dropped writes not yet acknowledged
 * @my_unacked_bytes: this client: their bytes
 *
 * All fields after @flags are out.  Bytes of an extent are its layout's stride.
 */
struct maru_l1_usage {
	__u32 size;
	__u32 flags;
	__aligned_u64 total;
	__aligned_u64 available;
	__aligned_u64 used;
	__aligned_u64 staged;
	__aligned_u64 private_bytes;
	__aligned_u64 published;
	__aligned_u64 zombie;
	__aligned_u64 quarantined;
	__aligned_u64 limbo;
	__aligned_u64 retired;
	__aligned_u64 rounding;
	__aligned_u64 objects;
	__aligned_u64 max_objects;
	__aligned_u64 extents;
	__aligned_u64 orphan_pins;
	__aligned_u64 my_staged;
	__aligned_u64 my_staged_bytes;
	__aligned_u64 my_private;
	__aligned_u64 my_private_bytes;
	__aligned_u64 my_held;
	__aligned_u64 my_holds;
	__aligned_u64 my_unacked;
	__aligned_u64 my_unacked_bytes;
};

/**
 * struct maru_l1_subscribe - events of this client (SUBSCRIBE)
 * @size: sizeof(struct maru_l1_subscribe)
 * @flags: 0
 * @mask: MARU_L1_EV_MASK(kind) of the kinds wanted; 0 ends the subscription
 * @ring_size: bytes of the ring, MARU_L1_EVENTS_MIN … MARU_L1_EVENTS_MAX, a
 *	multiple of 4096; 0 with an empty mask
 * @watermark_permille: fill at which WATERMARK is sent, 1 … 1000; 0 when
 *	not in the mask
 * @reserved: 0
 *
 * A second call replaces the first; unread events are dropped.  Events are read
 * with read(2), whole records only, without waiting: EAGAIN says that there are
 * none, EINVAL that the buffer is too small for the next one.  poll(2) waits.
 */
struct maru_l1_subscribe {
	__u32 size;
	__u32 flags;
	__u32 mask;
	__u32 ring_size;
	__u32 watermark_permille;
	__u32 reserved;
};

/**
 * enum maru_l1_event_kind - what happened
 * @MARU_L1_EV_DELETED: an object left the directory (deleted, evicted, purged)
 * @MARU_L1_EV_KEPT: a pending delete ended, the object stays (clusters only)
 * @MARU_L1_EV_HOLD_EXPIRED: a hold of this client expired
 * @MARU_L1_EV_WATERMARK: the pool's fill rose to the watermark; @value: permille
 * @MARU_L1_EV_MEDIA_ERROR: an object held by this client was given up after a
 *	media error; @value: its offset
 * @MARU_L1_EV_FENCED: this node is fenced: all holds are STALE
 * @MARU_L1_EV_LOST: records before this one did not fit: query the keys you know
 */
enum maru_l1_event_kind {
	MARU_L1_EV_DELETED	= 0,
	MARU_L1_EV_KEPT		= 1,
	MARU_L1_EV_HOLD_EXPIRED	= 2,
	MARU_L1_EV_WATERMARK	= 3,
	MARU_L1_EV_MEDIA_ERROR	= 4,
	MARU_L1_EV_FENCED	= 5,
	MARU_L1_EV_LOST		= 6,	/* always delivered */
};

#define MARU_L1_EV_MASK(kind)	(1U << (kind))
#define MARU_L1_EV_ALL		0x3fU

/**
 * struct maru_l1_event - one record of read(2)
 * @size: bytes of the record with its key, padded to a multiple of 8
 * @kind: enum maru_l1_event_kind
 * @id: object, or 0
 * @value: see the kind, else 0
 * @flags: MARU_L1_EV_SELF
 * @key_len: bytes of @key in use
 * @key: the object's key
 */
struct maru_l1_event {
	__u32 size;
	__u32 kind;
	__aligned_u64 id;
	__aligned_u64 value;
	__u32 flags;
	__u32 key_len;
	__u8 key[];
};

#define MARU_L1_EV_SELF		(1U << 0)	/* caused by a call of this client */

/**
 * struct maru_l1_report_bad - memory that cannot be read (REPORT_BAD)
 * @size: sizeof(struct maru_l1_report_bad)
 * @flags: 0
 * @offset: any byte of the bad extent, bytes in the pool
 * @id: out, the object that was there, or 0
 * @retired: out, bytes given up for good
 *
 * Needs a file open for writing.
 */
struct maru_l1_report_bad {
	__u32 size;
	__u32 flags;
	__aligned_u64 offset;
	__aligned_u64 id;
	__aligned_u64 retired;
};

/**
 * struct maru_l1_counter - how often one answer was given
 * @op: number of the call (low byte of its ioctl number)
 * @status: enum maru_l1_status
 * @count: items, since the pool was attached
 */
struct maru_l1_counter {
	__u32 op;
	__u32 status;
	__aligned_u64 count;
};

/**
 * enum maru_l1_cause - why an object was removed (netlink)
 * @MARU_L1_C_DELETED: a DELETE of its key
 * @MARU_L1_C_EVICT_BYTES: an EVICT of bytes
 * @MARU_L1_C_EVICT_LAYOUT: an EVICT that made room for pages of a layout
 * @MARU_L1_C_EVICT_TARGET: an EVICT down to a fill
 * @MARU_L1_C_EVICT_COUNT: an EVICT of a number of objects
 * @MARU_L1_C_PURGED: a PURGE
 * @MARU_L1_C_RETIRED: its memory was given up after a media error
 * @MARU_L1_C_PRIVATE: a private object ended: with its last hold, by its lease,
 *	by DELETE or CLEAR; not one that goes to quarantine when its file is closed
 */
enum maru_l1_cause {
	MARU_L1_C_DELETED	= 0,
	MARU_L1_C_EVICT_BYTES	= 1,
	MARU_L1_C_EVICT_LAYOUT	= 2,
	MARU_L1_C_EVICT_TARGET	= 3,
	MARU_L1_C_EVICT_COUNT	= 4,
	MARU_L1_C_PURGED	= 5,
	MARU_L1_C_RETIRED	= 6,
	MARU_L1_C_PRIVATE	= 7,
};

/**
 * enum maru_l1_refusal - why RESERVE_WRITE answered NO_SPACE (netlink)
 * @MARU_L1_N_SPACE: no extent is free
 * @MARU_L1_N_OBJECTS: the pool's max_objects are in use
 * @MARU_L1_N_CLIENT_BYTES: the client has its max_client_bytes
 * @MARU_L1_N_TAGS: it has MARU_L1_TAGS_MAX writes of the key
 * @MARU_L1_N_FENCED: the node is fenced
 */
enum maru_l1_refusal {
	MARU_L1_N_SPACE		= 0,
	MARU_L1_N_OBJECTS	= 1,
	MARU_L1_N_CLIENT_BYTES	= 2,
	MARU_L1_N_TAGS		= 3,
	MARU_L1_N_FENCED	= 4,
};

/**
 * struct maru_l1_stats - counters of the pool since it was attached (STATS)
 * @size: sizeof(struct maru_l1_stats)
 * @flags: 0
 * @nr_items: in: room in @items, 0 … MARU_L1_BATCH_MAX; out: entries written,
 *	those that are not 0
 * @reserved: 0
 * @items: address of an array of struct maru_l1_counter
 * @bytes_stored: out, bytes of objects published
 * @bytes_served: out, bytes of objects on which a client took its first hold
 * @lost_races: out, commits that lost
 * @evicted: out, objects evicted
 * @purged: out, objects purged
 * @expired_holds: out
 * @expired_writes: out
 * @quarantined: out, extents that went to quarantine
 * @clients: out, files open now
 */
struct maru_l1_stats {
	__u32 size;
	__u32 flags;
	__u32 nr_items;
	__u32 reserved;
	__aligned_u64 items;
	__aligned_u64 bytes_stored;
	__aligned_u64 bytes_served;
	__aligned_u64 lost_races;
	__aligned_u64 evicted;
	__aligned_u64 purged;
	__aligned_u64 expired_holds;
	__aligned_u64 expired_writes;
	__aligned_u64 quarantined;
	__aligned_u64 clients;
};

/**
 * enum maru_l1_account - what CHECK recomputes
 * @MARU_L1_A_STAGED: bytes reserved for write
 * @MARU_L1_A_PRIVATE: bytes of private objects
 * @MARU_L1_A_PUBLISHED: bytes of published objects
 * @MARU_L1_A_ZOMBIE: bytes out of the directory and still held
 * @MARU_L1_A_QUARANTINE: bytes whose writer vanished
 * @MARU_L1_A_LIMBO: bytes that a lost node may reach
 * @MARU_L1_A_RETIRED: bytes given up after a media error
 * @MARU_L1_A_FREE: bytes that can be allocated
 * @MARU_L1_A_EXTENTS: number of extents in use
 * @MARU_L1_A_OBJECTS: entries of the directory
 * @MARU_L1_A_PINS: pins on objects against the holds of all clients
 * @MARU_L1_A_ORPHANS: orphan pins
 * @MARU_L1_A_CLIENT: a client's own counts
 * @MARU_L1_A_BLOCKS: blocks in use against the runs that own them
 * @MARU_L1_A_SEGMENTS: segments owned against their blocks in use
 * @MARU_L1_A_LRU: entries of the LRU against the directory
 * @MARU_L1_A_OVERLAP: extents that share a byte, or lie outside of their run
 * @MARU_L1_A_STATE: an object whose state does not fit the list it is in
 */
enum maru_l1_account {
	MARU_L1_A_STAGED	= 0,
	MARU_L1_A_PRIVATE	= 1,
	MARU_L1_A_PUBLISHED	= 2,
	MARU_L1_A_ZOMBIE	= 3,
	MARU_L1_A_QUARANTINE	= 4,
	MARU_L1_A_LIMBO		= 5,
	MARU_L1_A_RETIRED	= 6,
	MARU_L1_A_FREE		= 7,
	MARU_L1_A_EXTENTS	= 8,
	MARU_L1_A_OBJECTS	= 9,
	MARU_L1_A_PINS		= 10,
	MARU_L1_A_ORPHANS	= 11,
	MARU_L1_A_CLIENT	= 12,
	MARU_L1_A_BLOCKS	= 13,
	MARU_L1_A_SEGMENTS	= 14,
	MARU_L1_A_LRU		= 15,
	MARU_L1_A_OVERLAP	= 16,
	MARU_L1_A_STATE		= 17,
};

/**
 * struct maru_l1_difference - an account that does not add up
 * @account: out, enum maru_l1_account
 * @reserved: out, 0
 * @id: out, the object concerned, or 0
 * @recorded: out, what the pool has written down
 * @found: out, what a walk found
 */
struct maru_l1_difference {
	__u32 account;
	__u32 reserved;
	__aligned_u64 id;
	__aligned_u64 recorded;
	__aligned_u64 found;
};

/**
 * struct maru_l1_check - recompute every account (CHECK, CAP_SYS_ADMIN)
 * @size: sizeof(struct maru_l1_check)
 * @flags: 0
 * @nr_items: in: room in @items, 0 … MARU_L1_BATCH_MAX; out: entries written
 * @reserved: 0
 * @items: address of an array of struct maru_l1_difference
 * @differences: out, how many there are, also those without room
 * @walked: out, extents looked at
 *
 * The pool is locked meanwhile: about a microsecond for each extent.
 */
struct maru_l1_check {
	__u32 size;
	__u32 flags;
	__u32 nr_items;
	__u32 reserved;
	__aligned_u64 items;
	__aligned_u64 differences;
	__aligned_u64 walked;
};

/**
 * struct maru_l1_info - what this pool is (INFO)
 * @size: sizeof(struct maru_l1_info)
 * @flags: out, MARU_L1_I_*
 * @features: out, bits for interfaces that came later; version 1: 0
 * @name: out, name of the node, NUL padded
 * @label: out, as given to format, NUL padded
 * @uuid: out
 * @capacity: out, bytes of the pool: offsets 0 … capacity - 1 can be mapped
 * @map_align: out, offset, length and address of a mapping are multiples of it
 * @segment_size: out, bytes
 * @max_objects: out
 * @max_client_bytes: out, most bytes one client may have staged and private;
 *	0: no limit
 * @quarantine_ms: out
 * @nr_segments: out
 * @nr_layouts: out, layouts in use
 * @nr_backings: out
 * @node: out, number of this node
 * @incarnation: out
 * @numa_node: out, -1: unknown
 * @reserved: out, 0
 * @backing_bytes: out, data bytes of each backing, in their order in the pool.  A
 *	mapping lies in one of them, and so does an object.
 */
struct maru_l1_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 features;
	__u8 name[MARU_L1_NAME_LEN];
	__u8 label[MARU_L1_LABEL_LEN];
	__u8 uuid[16];
	__aligned_u64 capacity;
	__aligned_u64 map_align;
	__aligned_u64 segment_size;
	__aligned_u64 max_objects;
	__aligned_u64 max_client_bytes;
	__u32 quarantine_ms;
	__u32 nr_segments;
	__u32 nr_layouts;
	__u32 nr_backings;
	__u32 node;
	__u32 incarnation;
	__s32 numa_node;
	__u32 reserved;
	__aligned_u64 backing_bytes[MARU_L1_BACKINGS_MAX];
};

#define MARU_L1_I_COHERENT	(1U << 0)	/* hosts see each other's stores by themselves */
#define MARU_L1_I_READ_ONLY	(1U << 1)	/* this file was opened read-only */
#define MARU_L1_I_FENCED	(1U << 2)
#define MARU_L1_I_DEBUG		(1U << 3)	/* a build with debug hooks: not for production */

/*
 * Mappings.  Offsets 0 … capacity - 1 map the pool, always MAP_SHARED.  At
 * MARU_L1_MMAP_STATUS lie two read-only pages: the pool's and this client's.
 */
#define MARU_L1_MMAP_STATUS	(1ULL << 62)

/**
 * struct maru_l1_pool_status - first page at MARU_L1_MMAP_STATUS
 * @total: bytes of the pool
 * @used: bytes in extents that are not free
 * @available: bytes that can be allocated
 * @state: MARU_L1_I_FENCED, or ~0 after a forced detach
 *
 * Each word is written in one piece; they are not a snapshot of one moment.
 */
struct maru_l1_pool_status {
	__aligned_u64 total;
	__aligned_u64 used;
	__aligned_u64 available;
	__aligned_u64 state;
};

/**
 * struct maru_l1_client_status - second page at MARU_L1_MMAP_STATUS
 * @epoch: raised before any hold of this client expires or goes STALE, and
 *	before its extent can be used again
 * @events: records ever queued for this client
 *
 * Take @epoch before RESERVE_READ, copy the bytes, then compare (with a read
 * barrier before the second look): the same value says that every byte was
 * read while the hold was good.  Taken later it would miss a lease that ended
 * in between.
 */
struct maru_l1_client_status {
	__aligned_u64 epoch;
	__aligned_u64 events;
};

/* The control node; its calls need CAP_SYS_ADMIN. */

/**
 * struct maru_l1_attach - make a pool of formatted memory (ATTACH)
 * @size: sizeof(struct maru_l1_attach)
 * @flags: 0
 * @fds: address of an array of @nr_fds __s32: the backings, open for reading
 *	and writing: device-dax nodes, or memfds sealed against resizing.  All the
 *	backings of one pool, in any order
 * @nr_fds: 1 … MARU_L1_BACKINGS_MAX
 * @quarantine_ms: 1 … MARU_L1_QUARANTINE_MS_MAX; 0: 2000
 * @max_objects: 0: 4 for each MiB, at least 65,536, at most 16 Mi
 * @max_client_bytes: 0: no limit
 * @name: of the node: letters, digits, '-', '_' and '.', not first a '.';
 *	NUL padded; "control" is taken
 * @machine_id: of this host, written to the node's line on the media
 * @boot_id: of this boot
 * @numa_node: of the memory, or -1
 * @reserved: 0
 *
 * Takes about two seconds: the lines of all nodes are watched first, then the
 * own one.  A fatal signal ends the wait.
 *
 * EOPNOTSUPP: a descriptor that is no such memory, or none.  EEXIST: the name is
 * taken, or "control".  EBUSY: a node that runs has the memory, or this host has it
 * attached (after a forced detach: until its last file is closed and the quarantine
 * has passed), or the same memory is given twice.  EUCLEAN: no valid superblock, or
 * lines that are damaged: format anew.  ENXIO: a backing of the pool is missing.
 * EXDEV: one is of another pool, or of an earlier shape of this one.  ENOSPC:
 * incarnations used up, or too many pools.
 */
struct maru_l1_attach {
	__u32 size;
	__u32 flags;
	__aligned_u64 fds;
	__u32 nr_fds;
	__u32 quarantine_ms;
	__aligned_u64 max_objects;
	__aligned_u64 max_client_bytes;
	__u8 name[MARU_L1_NAME_LEN];
	__u8 machine_id[16];
	__u8 boot_id[16];
	__s32 numa_node;
	__u32 reserved;
};

/**
 * struct maru_l1_grow - add a backing to an attached pool (GROW)
 * @size: sizeof(struct maru_l1_grow)
 * @flags: 0
 * @name: as given to ATTACH
 * @fd: the backing, as for ATTACH: formatted as the next one of this very pool
 *	("maru-l1ctl grow" does both)
 * @reserved: 0
 *
 * Clients go on meanwhile.  When it returns, INFO and the status page tell the new
 * size, and the new offsets can be mapped.  The limit of objects grows with the pool
 * unless one was given to ATTACH.  Takes about two seconds; a fatal signal ends the
 * wait, and nothing has changed then.
 *
 * ENOENT: no such pool.  EBUSY: the pool grows already, or the memory is in use, as
 * for ATTACH.  ENOSPC: the pool has MARU_L1_BACKINGS_MAX backings.  ESTALE: the pool
 * is fenced.  EXDEV: it is formatted, but not as the next backing of this pool.
 * EOPNOTSUPP, EUCLEAN: as for ATTACH.
 */
struct maru_l1_grow {
	__u32 size;
	__u32 flags;
	__u8 name[MARU_L1_NAME_LEN];
	__s32 fd;
	__u32 reserved;
};

/**
 * struct maru_l1_detach - end a pool (DETACH)
 * @size: sizeof(struct maru_l1_detach)
 * @flags: MARU_L1_DETACH_FORCE: revoke mappings, holds become STALE, open
 *	files answer ENODEV
 * @name: as given to ATTACH
 *
 * ENOENT: no such pool.  EBUSY: without force: files are open, mappings exist,
 * or a quarantine has not passed; also with force: it is growing, for two seconds.
 */
struct maru_l1_detach {
	__u32 size;
	__u32 flags;
	__u8 name[MARU_L1_NAME_LEN];
};

#define MARU_L1_DETACH_FORCE	(1U << 0)

#endif /* _UAPI_LINUX_MARU_L1_H */
