/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A plain, slow model of what one host answers: arrays and linear search,
 * written from the contract and the uapi header.  It knows nothing of how the
 * core works; offsets and ids, which are the core's to choose, it is told.
 */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "core.h"
#include "counts.h"

#define M_CLIENTS	96	/* open, or closed and in quarantine */
#define M_OBJECTS	8192
#define M_HOLDS		32768
#define M_EVENTS	2100	/* records of the smallest size in the ring */
#define M_LAYOUTS	MARU_L1_LAYOUTS_MAX
#define M_BLOCK		(2ULL << 20)
#define M_BLOCKS	64
#define M_NEVER		U64_MAX
#define M_NOBODY	(-1)

enum m_state {
	M_STAGED,
	M_PRIVATE,
	M_PUBLISHED,
	M_QUARANTINE,
	M_RETIRED,
	M_STATES,
};

/**
 * struct m_object - an extent that is in use
 * @owner: index of the client whose write or private object it is
 * @key: number of its key
 * @deadline: staged, private without holds
 * @order: of the deadline's latest change, which settles what is equal
 * @used: published: order of its latest use
 * @named: a write that is found by its key and tag
 * @expired: its lease ran out
 * @bad: retires instead of becoming free
 */
struct m_object {
	u64 id;
	u64 offset;
	u64 length;
	u64 tag;
	u64 deadline;
	u64 order;
	u64 used;
	s32 owner;
	u32 layout;
	u32 key;
	enum m_state state;
	bool temporary;
	bool named;
	bool expired;
	bool bad;
	u8 cookie[MARU_L1_COOKIE_LEN];
};

/**
 * struct m_hold - holds of one client on one object
 * @lost: holds that ended without the client's doing and are not released yet
 * @lost_status: what releasing those answers
 */
struct m_hold {
	u64 id;
	u64 deadline;
	u64 order;
	s32 client;
	u32 key;
	u32 count;
	u32 lost;
	u32 lost_status;
};

struct m_event {
	u64 id;
	u64 value;
	u64 group;	/* events of one group come in any order */
	u32 kind;
	u32 flags;
	s32 key;	/* -1: none */
};

/**
 * struct m_client - an open file, or what a closed one left
 * @exiting: closed, and a process that reserved on it is not gone
 * @quarantine_end: closed and settled: when all of it goes
 * @epoch: of its status page
 * @told: events ever queued
 * @ring: bytes of its ring, 0: not subscribed
 * @unread: bytes of the records in it
 * @lost_last: the last record is LOST
 */
struct m_client {
	bool used;
	bool open;
	bool writable;
	bool exiting;
	u64 read_lease;
	u64 write_lease;
	u64 quarantine_end;
	u64 epoch;
	u64 told;
	u32 ring;
	u32 mask;
	u32 watermark;
	bool above;
	u32 unread;
	bool lost_last;
	u32 first_event;
	u32 nr_events;
	struct m_event *events;
};

struct m_layout {
	u64 bytes;
	u64 stride;
	u32 alignment;
};

/**
 * struct model - the pool
 * @exact: all pages fill single blocks, so that space can be foretold
 * @retired: bytes given up where nothing was in use and the place is not known
 * @orders: counts what happens
 * @entered: time of the latest call: nothing older is due
 * @shown: bytes in use when a call last ended
 */
struct model {
	u64 bytes;
	u64 max_objects;
	u64 max_client_bytes;
	u64 quarantine_ns;
	u64 now;
	u64 orders;
	u64 entered;
	u64 group;
	u64 shown;
	u64 retired;
	bool exact;
	bool fenced;
	u32 nr_borders;
	u32 nr_layouts;
	u32 nr_objects;
	u32 nr_holds;
	struct maru_counts counts;	/* but what is held now */
	u64 answers[256][MARU_L1_INVALID + 1];
	u64 borders[MARU_L1_BACKINGS_MAX];	/* where backings after the first begin */
	struct m_layout layouts[M_LAYOUTS + 1];	/* the last: a block given up */
	struct m_client clients[M_CLIENTS];
	struct m_object objects[M_OBJECTS];
	struct m_hold holds[M_HOLDS];
};

/* Names of keys are numbers; this one is malformed. */
#define M_KEY_BAD	(-1)
#define M_KEY_NONE	(-2)

/* model.c */
struct model *model_new(const struct maru_pool_params *params, bool exact);
void model_free(struct model *m);
s32 model_open(struct model *m, bool writable);
struct m_object *model_by_id(struct model *m, u64 id);
struct m_object *model_published(struct model *m, u32 key);
struct m_object *model_private(struct model *m, s32 client, u32 key);
struct m_object *model_visible(struct model *m, s32 client, u32 key);
struct m_object *model_add(struct model *m);
/* The extent is free again, or retired. */
void model_end(struct model *m, struct m_object *o);
void model_delete_object(struct model *m, struct m_object *o, s32 client,
			 enum maru_l1_cause cause);
/* A write or private object waits from now on. */
void model_quarantine(struct model *m, struct m_object *o);
void model_use(struct model *m, struct m_object *o);
u64 model_stride(const struct model *m, const struct m_object *o);
u64 model_used(const struct model *m);
u64 model_bytes(const struct model *m, enum m_state state);
u32 model_count(const struct model *m, enum m_state state);
u32 model_fenced_flag(const struct model *m);

/* model-hold.c */
struct m_hold *model_hold(struct model *m, s32 client, u64 id);
void model_hold_add(struct model *m, s32 client, struct m_object *o, u32 n);
/* Gives back @n live ones; a private object goes with the last. */
void model_hold_drop(struct model *m, struct m_hold *h, u32 n);
void model_hold_lose(struct model *m, struct m_hold *h, u32 status);
void model_hold_forget(struct model *m, struct m_hold *h);
void model_hold_renew(struct model *m, struct m_hold *h);
/* Clients that hold it, closed ones included. */
u32 model_holders(const struct model *m, const struct m_object *o);

/* model-time.c: what a call sees at its time, and what it leaves to be seen. */
void model_enter(struct model *m);
void model_leave(struct model *m);
void model_close(struct model *m, s32 client, bool exiting);
void model_settle(struct model *m, s32 client);
bool model_client_left(const struct model *m, s32 client);

/* model-event.c */
void model_event(struct model *m, s32 client, u32 kind, const struct m_object *o,
		 u64 value, u32 flags);
void model_event_deleted(struct model *m, const struct m_object *o, s32 cause);
void model_watermark(struct model *m);
void model_subscribe(struct model *m, s32 client,
		     const struct maru_l1_subscribe *arg);
/* Whether @e is what the client must be told now; then it has been told. */
bool model_event_take(struct model *m, s32 client, const struct maru_l1_event *e,
		      s32 key);

/* model-room.c: the first three only where the model is exact. */
u64 model_room(const struct model *m, u32 layout);
u64 model_available(const struct model *m);
/* Whether @wanted pages fit whatever the allocator does: nothing is in use. */
bool model_sure_room(const struct model *m, u32 layout, u32 wanted);
/* Whether they are in one backing. */
bool model_together(const struct model *m, u64 offset, u64 bytes);
/* What lies at @offset; NULL: nothing, and @bytes are what retires. */
struct m_object *model_at(struct model *m, u64 offset, u64 *bytes);
/* Whether nothing in use is touched by @bytes at @offset. */
bool model_is_free(const struct model *m, u64 offset, u64 bytes);

/*
 * The calls.  Items come with the caller's fields; the model fills in the rest,
 * but for what only the core can know.  @keys: one for each item.
 */
/* Whether each item wants an extent; @items get the answers of those that don't. */
void model_reserve(struct model *m, s32 client, u32 layout,
		   struct maru_l1_reserve *items, const s32 *keys, u32 n,
		   bool *wanted);
/* Why @wanted items must be refused, enum maru_l1_refusal; -1: no reason is known. */
int model_refusal(struct model *m, s32 client, u32 layout, u32 wanted);
void model_stage(struct model *m, s32 client, u32 layout,
		 const struct maru_l1_reserve *item, u32 key);
struct m_object *model_write(struct model *m, s32 client, u32 key, u64 tag,
			     bool expired);
struct m_object *model_write_by_id(struct model *m, s32 client, u64 id);
struct m_object *model_write_any(struct model *m, s32 client, u32 key, bool expired);
void model_write_drop(struct model *m, struct m_object *o);
void model_commit(struct model *m, s32 client, struct maru_l1_commit *item, s32 key);
void model_abort(struct model *m, s32 client, struct maru_l1_abort *item, s32 key);

void model_read(struct model *m, s32 client, struct maru_l1_read *item, s32 key,
		bool strict);
void model_peek(struct model *m, s32 client, struct maru_l1_read *item, s32 key);
void model_release(struct model *m, s32 client, struct maru_l1_release *item, s32 key);
void model_renew(struct model *m, s32 client, struct maru_l1_renew *item, s32 key);
void model_touch(struct model *m, s32 client, struct maru_l1_touch *item, s32 key);
/* @hint: of several writes of the key the one to name. */
void model_query(struct model *m, s32 client, struct maru_l1_query *item, s32 key,
		 u64 hint);

/* @spared: another's lease is over and may not have been looked at: it is LOCKED. */
void model_delete(struct model *m, s32 client, struct maru_l1_delete *item, s32 key,
		  bool force, bool spared);
void model_clear(struct model *m, s32 client, struct maru_l1_clear *arg);
void model_purge(struct model *m, s32 client, struct maru_l1_purge *arg);
struct m_object *model_lru(struct model *m, u64 after);
/* @layout: its room is wanted, or -1; victims' ids go to @list. Return: how many. */
u32 model_evict(struct model *m, s32 client, struct maru_l1_evict *arg, u32 room,
		u64 *list);
void model_bad(struct model *m, s32 client, struct m_object *o);
void model_fence(struct model *m);

#endif
