/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libmarul1: the userspace side of maru_l1.
 *
 * A context carries logging.  A pool is one CXL memory pool, opened by URI:
 *
 *	device:NAME or device:/dev/maru_l1/NAME	a pool of the kernel module
 *	embedded:SIZE[,OPTION=N...]		the same core in this process over
 *		a sealed memfd; SIZE with K, M, G or T; options max_objects,
 *		quarantine_ms, max_client_bytes, coherent (0|1)
 *
 * A client owns what it stages, its private objects and its read holds; closing
 * it gives all of them back.  On the device engine a client is one open file.
 *
 * Functions return 0 or a negative errno for the call, and answer every item in
 * its status field (enum maru_l1_status) and result field (MARU_L1_R_*).  All
 * functions may be called from any thread, also on one client at a time.  The
 * caller keeps a client open while other threads are in a call on it.
 * Nothing is printed, no signal handler is set, descriptors are O_CLOEXEC.
 *
 * After fork() a child must not use clients of its parent: calls return
 * -EOWNERDEAD there.  libmarul1.3 has the table "what to do on each status" and
 * the rules for DMA.
 */
#ifndef LIBMARUL1_H
#define LIBMARUL1_H

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/maru_l1.h>

#ifdef __cplusplus
extern "C" {
#endif

struct marul1_ctx;
struct marul1_pool;
struct marul1_client;

/* ---- context ---------------------------------------------------------- */

/* @priority is that of syslog(3); the hook must not call back into the library. */
typedef void (*marul1_log_fn)(void *arg, int priority, const char *fmt,
			      va_list args);

/**
 * marul1_new - make a context
 * @ctx: answer; the caller owns one reference
 * Return: 0 or -ENOMEM.
 */
int marul1_new(struct marul1_ctx **ctx);
struct marul1_ctx *marul1_ref(struct marul1_ctx *ctx);
struct marul1_ctx *marul1_unref(struct marul1_ctx *ctx);	/* returns NULL; NULL is fine */
void marul1_set_log_fn(struct marul1_ctx *ctx, marul1_log_fn fn, void *arg);

const char *marul1_version(void);
const char *marul1_status_name(unsigned int status);	/* "OK", "NOT_FOUND" …, "?" */
const char *marul1_status_string(unsigned int status);	/* a sentence */
const char *marul1_event_name(unsigned int kind);
const char *marul1_account_name(unsigned int account);

/* ---- pool ------------------------------------------------------------- */

/**
 * marul1_open - open a pool
 * @ctx: context; the pool takes a reference
 * @uri: see above
 * @pool: answer; the caller owns one reference
 *
 * Return: 0; -EINVAL malformed URI; -ENOENT no such pool; -EACCES; -ENODEV the
 * module is not loaded, or the pool is gone; -ENOMEM.
 */
int marul1_open(struct marul1_ctx *ctx, const char *uri,
		struct marul1_pool **pool);
struct marul1_pool *marul1_pool_ref(struct marul1_pool *pool);
/* The last reference ends an embedded pool with all its objects. Returns NULL. */
struct marul1_pool *marul1_pool_unref(struct marul1_pool *pool);

/* ---- client ----------------------------------------------------------- */

#define MARUL1_RDONLY	(1U << 0)	/* look up, hold and map read-only */

/**
 * marul1_client_open - open a client of a pool
 * @pool: the client takes a reference
 * @flags: MARUL1_RDONLY
 * @client: answer
 */
int marul1_client_open(struct marul1_pool *pool, unsigned int flags,
		       struct marul1_client **client);
/* Gives back all that the client owns, also its mapping.  NULL is fine. */
void marul1_client_close(struct marul1_client *client);
/* The client's descriptor: poll(2) it for events; -1 in a forked child. */
int marul1_client_fd(struct marul1_client *client);
int marul1_info(struct marul1_client *client, struct maru_l1_info *info);
/* Leases in ms; see struct maru_l1_setup. */
int marul1_set_leases(struct marul1_client *client, uint32_t read_ms,
		      uint32_t write_ms);
/**
 * marul1_layout - id of a size of pages
 * @alignment: power of two, or 0
 * @layout: answer; the same pair gives the same id
 */
int marul1_layout(struct marul1_client *client, uint64_t bytes,
		  uint32_t alignment, uint32_t *layout);

/* ---- batches: arrays of items, each answered in place ----------------- */

struct marul1_reserve {
	const void *key;
	size_t key_len;
	uint64_t length;		/* bytes that will be written */
	uint64_t tag;
	uint32_t flags;			/* MARU_L1_TEMPORARY */
	/* answer */
	uint32_t status;
	uint32_t result;
	uint64_t offset;		/* in the pool: marul1_ptr() */
	uint64_t page_size;
	uint64_t id;			/* reservation, later the object */
};

struct marul1_commit {
	const void *key;
	size_t key_len;
	uint64_t tag;
	uint64_t reservation;		/* its id: only this very write; or 0 */
	uint32_t holds;			/* 0 … MARU_L1_HOLDS_MAX */
	uint8_t cookie[MARU_L1_COOKIE_LEN];	/* in; answer: the winner's */
	/* answer */
	uint32_t status;
	uint32_t result;
	uint64_t offset;
	uint64_t length;
	uint64_t id;
};

struct marul1_abort {
	const void *key;		/* NULL with an id */
	size_t key_len;
	uint64_t tag;
	uint64_t id;			/* 0: by key and tag */
	/* answer */
	uint32_t status;
	uint32_t result;
};

struct marul1_read {
	const void *key;
	size_t key_len;
	uint32_t holds;			/* reserve_read: 1 … MARU_L1_HOLDS_MAX */
	/* answer */
	uint32_t status;
	uint32_t result;
	uint64_t offset;
	uint64_t length;
	uint64_t id;
	uint8_t cookie[MARU_L1_COOKIE_LEN];
};

struct marul1_release {
	const void *key;		/* may be NULL with an id */
	size_t key_len;
	uint64_t id;			/* 0: what reserve_read would answer now */
	uint32_t holds;
	/* answer */
	uint32_t released;
	uint32_t status;
	uint32_t result;
};

struct marul1_renew {
	const void *key;
	size_t key_len;
	uint64_t id;			/* reservation or held object, or 0 */
	/* answer */
	uint32_t status;
	uint32_t result;
};

struct marul1_delete {
	const void *key;
	size_t key_len;
	/* answer */
	uint32_t status;
	uint32_t result;
	uint64_t id;
};

struct marul1_touch {
	const void *key;
	size_t key_len;
	/* answer */
	uint32_t status;
	uint32_t result;
};

struct marul1_query {
	const void *key;
	size_t key_len;
	/* answer */
	uint32_t status;
	uint32_t result;
	uint32_t state;			/* enum maru_l1_state */
	uint32_t flags;			/* MARU_L1_Q_* */
	uint32_t my_holds;
	uint32_t holders;
	uint64_t length;
	uint64_t id;
};

/*
 * @n is 0 … MARU_L1_BATCH_MAX for reserve_write, commit and abort (-E2BIG
 * above); the others take any number and go in parts.  When a later part fails
 * as a whole the earlier ones have happened, and the items not reached have
 * status MARU_L1_INVALID with no effect.
 */
int marul1_reserve_write(struct marul1_client *client, uint32_t layout,
			 struct marul1_reserve *items, size_t n);
/*
 * Any number of items, in parts; when a later part answers NO_SPACE or fails,
 * the earlier ones are aborted and their OK items answer NO_SPACE too.  Items
 * not reached answer NO_SPACE, or INVALID when the call failed.  Should even the
 * abort fail, what is still reserved keeps its OK and an errno is returned.
 */
int marul1_reserve_write_many(struct marul1_client *client, uint32_t layout,
			      struct marul1_reserve *items, size_t n);
int marul1_commit(struct marul1_client *client, struct marul1_commit *items,
		  size_t n);
int marul1_abort(struct marul1_client *client, struct marul1_abort *items,
		 size_t n);
/* @flags: MARU_L1_B_STRICT */
int marul1_reserve_read(struct marul1_client *client, unsigned int flags,
			struct marul1_read *items, size_t n);
int marul1_peek(struct marul1_client *client, struct marul1_read *items,
		size_t n);
int marul1_release(struct marul1_client *client, struct marul1_release *items,
		   size_t n);
int marul1_renew(struct marul1_client *client, struct marul1_renew *items,
		 size_t n);
/* @flags: MARU_L1_B_FORCE */
int marul1_delete(struct marul1_client *client, unsigned int flags,
		  struct marul1_delete *items, size_t n);
int marul1_touch(struct marul1_client *client, struct marul1_touch *items,
		 size_t n);
int marul1_query(struct marul1_client *client, struct marul1_query *items,
		 size_t n);

/* ---- single calls: as in linux/maru_l1.h, @size is filled in here ------ */

int marul1_clear(struct marul1_client *client, unsigned int flags,
		 struct maru_l1_clear *answer);		/* answer may be NULL */
int marul1_purge(struct marul1_client *client, struct maru_l1_purge *answer);
/* @evict's items and keys are user buffers or 0 (no list). */
int marul1_evict(struct marul1_client *client, struct maru_l1_evict *evict);
int marul1_report_bad(struct marul1_client *client, uint64_t offset,
		      struct maru_l1_report_bad *answer);
int marul1_stats(struct marul1_client *client, struct maru_l1_stats *stats);
int marul1_check(struct marul1_client *client, struct maru_l1_check *check);
/* All accounts: one system call. */
int marul1_usage(struct marul1_client *client, struct maru_l1_usage *usage);

/* ---- without a system call -------------------------------------------- */

/* Bytes total, used, available, from the status page. Any may be NULL. */
void marul1_space(struct marul1_client *client, uint64_t *total,
		  uint64_t *used, uint64_t *available);
/*
 * Validity of reads: e = marul1_epoch() before the reserve_read, use the bytes,
 * then marul1_valid(client, e): true says that every byte was read while all
 * holds were good.  False: some hold of the client ended; ask release or peek.
 */
uint64_t marul1_epoch(struct marul1_client *client);
bool marul1_valid(struct marul1_client *client, uint64_t epoch);
/* Events ever queued for this client. */
uint64_t marul1_events_queued(struct marul1_client *client);

/* ---- mapping ---------------------------------------------------------- */

#define MARUL1_POPULATE	(1U << 0)	/* fault all pages in now */

/**
 * marul1_map - map the whole pool at one address
 * @flags: MARUL1_POPULATE
 *
 * Address space is set aside up front, so that a pool that grows stays one
 * range.  Mapped once a client; a second call answers the same address, and maps
 * what the pool has grown by: marul1_space() tells that it has.  The
 * mapping is read-only for a MARUL1_RDONLY client and ends with
 * marul1_client_close(): see "close versus munmap" in libmarul1.3.
 * Return: 0, -ENOMEM, -ENODEV; -ENOSPC: the pool has grown beyond the address space
 * set aside (twice its size at the first call): what is mapped stays, the rest needs
 * a new client.
 */
int marul1_map(struct marul1_client *client, unsigned int flags, void **base,
	       uint64_t *length);
/* NULL: not mapped, or @length bytes at @offset are not in the pool. */
void *marul1_ptr(struct marul1_client *client, uint64_t offset, uint64_t length);
/* -ENOENT: not in the mapping. */
int marul1_offset(struct marul1_client *client, const void *ptr,
		  uint64_t *offset);
/**
 * marul1_range - the mapping in pieces that drivers can register
 * @max: most bytes of a piece, rounded down to a multiple of 2 MiB; 0: 64 GiB
 * @index: 0, 1 … until -ENOENT
 *
 * -EINVAL: not mapped, or @max is too small.
 */
int marul1_range(struct marul1_client *client, uint64_t max, size_t index,
		 void **addr, uint64_t *length);

/**
 * marul1_sigbus - what a SIGBUS was about
 * @info: as the handler got it
 * @offset: answer, only with 0: the piece of the pool that has bad memory in it
 * @length: of that piece: a page of the mapping, which may be 2 MiB or more
 *
 * For a handler, which is the program's own: it may be called there, in any
 * thread; it takes no lock and makes no system call.  A thread that gets
 * BUS_MCEERR_AR was reading the bad memory: it jumps out of the handler and gives
 * the offset of the object that it read to marul1_report_bad().  BUS_MCEERR_AO
 * asks for nothing.  libmarul1.3 has an example.
 * Return: 0: a media error; -ENODEV: the pool was detached by force or fenced, its
 * mapping is gone; -ENOENT: not in the mapping of this client.
 */
int marul1_sigbus(struct marul1_client *client, const siginfo_t *info,
		  uint64_t *offset, uint64_t *length);

/* ---- events ----------------------------------------------------------- */

/* @mask of MARU_L1_EV_MASK(); see struct maru_l1_subscribe. */
int marul1_subscribe(struct marul1_client *client, uint32_t mask,
		     uint32_t ring_size, uint32_t watermark_permille);
/**
 * marul1_read_events - take whole records
 * @buf: 8-byte aligned, at least sizeof(struct maru_l1_event) + 1024
 * @timeout_ms: how long to wait for the first; 0: not at all; -1 is refused
 * Return: bytes of records (walk them by their size field), 0: none came in
 * time, or a negative errno.
 */
ssize_t marul1_read_events(struct marul1_client *client, void *buf,
			   size_t len, int timeout_ms);

/* ---- conveniences ----------------------------------------------------- */

/**
 * marul1_put - store one object: reserve, copy, commit
 * @cookie: MARU_L1_COOKIE_LEN bytes, or NULL
 * Return: 0 also when an object of that key was there first; -ENOSPC;
 * -EBUSY (this client already stages it); -EINVAL; -ETIMEDOUT (the lease ended
 * while copying); -ESTALE (the node is fenced); or the call's errno.
 */
int marul1_put(struct marul1_client *client, uint32_t layout, const void *key,
	       size_t key_len, const void *data, uint64_t length,
	       const void *cookie);
/**
 * marul1_get - copy one object out: hold, copy, check, release
 * @length: in: room in @buf; answer: the object's length
 * @cookie: MARU_L1_COOKIE_LEN bytes, or NULL
 * Return: 0; -ENOENT; -EMSGSIZE (@length says how much is needed);
 * -ESTALE (the hold ended while copying); or the call's errno.
 */
int marul1_get(struct marul1_client *client, const void *key, size_t key_len,
	       void *buf, uint64_t *length, void *cookie);

#ifdef __cplusplus
}
#endif
#endif /* LIBMARUL1_H */
