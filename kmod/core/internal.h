/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the files of the core offer each other.
 *
 * Every function needs maru_pool.lock held unless it says otherwise.  Memory
 * that a call needs is allocated before the first change.
 */
#ifndef MARU_INTERNAL_H
#define MARU_INTERNAL_H

#include "state.h"

/* pool.c */
/* Those that were not asked for follow from the size. */
void maru_pool_default_limits(struct maru_pool *pool);
u64 maru_pool_new_id(struct maru_pool *pool);
u64 maru_pool_used(const struct maru_pool *pool);
u64 maru_pool_available(const struct maru_pool *pool);
void maru_pool_publish_space(struct maru_pool *pool);
/* Takes the lock and ends what is due. */
void maru_pool_enter(struct maru_pool *pool, u64 now);
/* Tells the space to the status page and drops the lock. */
void maru_pool_leave(struct maru_pool *pool);
/* Drops and takes the lock so that others get their turn. */
void maru_pool_breathe(struct maru_pool *pool);

/* call.c */
#define MARU_ITEM_KEY_NONE	1	/* no key: by id */
/* 0, MARU_ITEM_KEY_NONE, or -EINVAL: the item is INVALID. No lock needed. */
int maru_item_key(struct maru_client *client, struct maru_call *call,
		  const void *item, struct maru_key *key);
/* Counts the answers, then as maru_pool_leave(). */
void maru_call_leave(struct maru_pool *pool, struct maru_call *call);

/* object.c */
struct maru_object *maru_object_new(const struct maru_key *key, u64 length);
/* The extent has been put, no table has it. */
void maru_object_free(struct maru_object *object);
void maru_object_set_state(struct maru_pool *pool, struct maru_object *object,
			   u8 state);
/* Puts the extent and frees the object. */
void maru_object_end(struct maru_pool *pool, struct maru_object *object);
bool maru_object_is(const struct maru_object *object, const struct maru_key *key);
struct maru_object *maru_find_published(struct maru_pool *pool,
					const struct maru_key *key);
/* Ends it when its lease is over, and finds nothing then. */
struct maru_object *maru_find_private(struct maru_client *client,
				      const struct maru_key *key, u64 now);
/* What a reserve_read of @client answers: its private object, else published. */
struct maru_object *maru_find_visible(struct maru_client *client,
				      const struct maru_key *key, u64 now);
void maru_object_publish(struct maru_pool *pool, struct maru_object *object,
			 u64 now);
/* Out of the directory; the object is in no list and its state is NONE. */
void maru_object_unpublish(struct maru_pool *pool, struct maru_object *object);
/* @client may be NULL. */
void maru_object_delete(struct maru_pool *pool, struct maru_object *object,
			struct maru_client *client, enum maru_l1_cause cause);
/* Counts that @object, which still has its extent, goes. */
void maru_object_removed(struct maru_pool *pool, const struct maru_object *object,
			 enum maru_l1_cause cause);
/* When a use at @now counts: not before the latest one. */
u64 maru_use_time(struct maru_pool *pool, u64 now);
void maru_object_use(struct maru_pool *pool, struct maru_object *object, u64 now);
void maru_private_add(struct maru_client *client, struct maru_object *object,
		      u64 now);
void maru_private_end(struct maru_client *client, struct maru_object *object);
void maru_private_quarantine(struct maru_client *client,
			     struct maru_object *object);
void maru_pin(struct maru_pool *pool, struct maru_object *object);
/* May end @object. */
void maru_unpin(struct maru_pool *pool, struct maru_object *object);

/* layout.c */
int maru_layout_get(struct maru_pool *pool, u64 bytes, u32 alignment,
		    struct maru_page_layout **layout);

/* segment.c */
int maru_segments_init(struct maru_pool *pool);
void maru_segments_destroy(struct maru_pool *pool);
u32 maru_backing_end(const struct maru_pool *pool, u32 at);
/* @count free blocks; -ENOSPC. They are then in use, their segments owned. */
int maru_blocks_take(struct maru_pool *pool, u32 count, u32 *first);
/* These very blocks, which are free. */
void maru_blocks_take_at(struct maru_pool *pool, u32 first, u32 count);
void maru_blocks_put(struct maru_pool *pool, u32 first, u32 count);
/* Length of the longest free range, at most @limit. */
u32 maru_blocks_longest(struct maru_pool *pool, u32 limit);

/* extent.c */
/* 0, -ENOSPC or -ENOMEM. */
int maru_extent_take(struct maru_pool *pool, struct maru_page_layout *layout,
		     struct maru_object *object);
void maru_extent_put(struct maru_pool *pool, struct maru_object *object);
/* Retires a free page; returns the bytes. */
u64 maru_extent_retire(struct maru_pool *pool, struct maru_run *run, u32 page);
/* Retires a free block. 0 or -ENOMEM. */
int maru_block_retire(struct maru_pool *pool, u32 block);
u32 maru_run_page(const struct maru_run *run, u64 offset);
void maru_runs_destroy(struct maru_pool *pool);

static inline u64 maru_run_offset(const struct maru_run *run, u32 page)
{
	return ((u64)run->block << MARU_BLOCK_SHIFT) + page * run->layout->stride;
}

/* write.c */
struct maru_object *maru_write_find(struct maru_client *client,
				    const struct maru_key *key, u64 tag,
				    bool expired);
struct maru_object *maru_write_by_id(struct maru_client *client, u64 id);
/* Whether @client has as many writes of @key as it may, live or expired. */
bool maru_write_full(struct maru_client *client, const struct maru_key *key);
/* Any write of @key, whatever its tag. */
struct maru_object *maru_write_any(struct maru_client *client,
				   const struct maru_key *key, bool expired);
/* Into and out of the owner's table by key. */
void maru_write_name(struct maru_client *client, struct maru_object *write);
void maru_write_unname(struct maru_object *write);
/* A named object with an extent begins its lease. */
void maru_write_stage(struct maru_client *client, struct maru_object *write,
		      u64 now);
void maru_write_renew(struct maru_object *write, u64 now);
/* In quarantine, owned by @client, not named by a key. */
void maru_write_adopt(struct maru_client *client, struct maru_object *object);
/* Any live write of @key; ends the leases of those that are over. */
struct maru_object *maru_write_live(struct maru_client *client,
				    const struct maru_key *key, u64 now);
/* Out of the owner's tables and lists; its state stays. */
void maru_write_unlink(struct maru_object *write);
/* The lease is over: quarantine until acknowledged. */
void maru_write_expire(struct maru_object *write);
/* Quarantine, and no longer named by its key. */
void maru_write_drop(struct maru_object *write);
/* Ends the lease when it is over; then the write is no longer live. */
bool maru_write_check(struct maru_object *write, u64 now);

/* hold.c */
struct maru_hold *maru_hold_find(struct maru_client *client, u64 id);
/*
 * Takes the lock, as maru_pool_enter(), with @n unused holds on @stock.
 * Without memory -ENOMEM and no lock.
 */
int maru_hold_stock(struct maru_client *client, u32 n, u64 now,
		    struct list_head *stock);
void maru_hold_unstock(struct maru_client *client, struct list_head *stock);
/* Adds @n holds; false: the count is at its end. */
bool maru_hold_add(struct maru_client *client, struct maru_object *object,
		   u32 n, u64 now, struct list_head *stock);
/* A fresh deadline. */
void maru_hold_renew(struct maru_client *client, struct maru_hold *hold, u64 now);
/* Gives back @n live holds; may end the object and @hold. */
void maru_hold_drop(struct maru_client *client, struct maru_hold *hold, u32 n);
/* All live holds become lost; releasing them answers @status. */
void maru_hold_lose(struct maru_client *client, struct maru_hold *hold,
		    u32 status);
void maru_hold_forget(struct maru_client *client, struct maru_hold *hold);
/* Loses the hold when its lease is over; false: nothing live. */
bool maru_hold_check(struct maru_client *client, struct maru_hold *hold, u64 now);

/* due.c */
/* Nothing is due of a new client. 0 or -ENOMEM. */
int maru_due_add(struct maru_pool *pool, struct maru_client *client);
void maru_due_remove(struct maru_client *client);
/* Something of @client is due at @deadline. */
void maru_due_sooner(struct maru_client *client, u64 deadline);
/* Nothing of @client is due before @deadline. */
void maru_due_set(struct maru_client *client, u64 deadline);

static inline bool maru_due_by(const struct maru_pool *pool, u64 now)
{
	return pool->nr_due && pool->due[0]->due <= now;
}

/* lease.c */
/* One slice; true: more is due. */
bool maru_reap(struct maru_pool *pool, u64 now);

/* event.c */
void maru_event_send(struct maru_client *client, u32 kind,
		     const struct maru_object *object, u64 value, u32 flags);
void maru_event_deleted(struct maru_pool *pool, const struct maru_object *object,
			const struct maru_client *cause);
void maru_events_watermark(struct maru_pool *pool);
void maru_events_end(struct maru_client *client);

/* client.c */
void maru_client_epoch(struct maru_client *client);
/* Ends up to @budget of what a closed client left; returns what is left of it. */
u32 maru_client_sweep(struct maru_client *client, u32 budget);
bool maru_client_empty(const struct maru_client *client);
/* Frees a closed client that has nothing left. */
void maru_client_free(struct maru_client *client);

/* The calls. */
int maru_call_setup(struct maru_client *client, struct maru_call *call);
int maru_call_layout(struct maru_client *client, struct maru_call *call);
int maru_call_reserve_write(struct maru_client *client, struct maru_call *call);
int maru_call_commit(struct maru_client *client, struct maru_call *call);
int maru_call_abort(struct maru_client *client, struct maru_call *call);
int maru_call_reserve_read(struct maru_client *client, struct maru_call *call);
int maru_call_peek(struct maru_client *client, struct maru_call *call);
int maru_call_release(struct maru_client *client, struct maru_call *call);
int maru_call_renew(struct maru_client *client, struct maru_call *call);
int maru_call_delete(struct maru_client *client, struct maru_call *call);
int maru_call_touch(struct maru_client *client, struct maru_call *call);
int maru_call_query(struct maru_client *client, struct maru_call *call);
int maru_call_clear(struct maru_client *client, struct maru_call *call);
int maru_call_purge(struct maru_client *client, struct maru_call *call);
int maru_call_evict(struct maru_client *client, struct maru_call *call);
int maru_call_usage(struct maru_client *client, struct maru_call *call);
int maru_call_subscribe(struct maru_client *client, struct maru_call *call);
int maru_call_report_bad(struct maru_client *client, struct maru_call *call);
int maru_call_stats(struct maru_client *client, struct maru_call *call);
int maru_call_check_accounts(struct maru_client *client, struct maru_call *call);

#endif /* MARU_INTERNAL_H */
