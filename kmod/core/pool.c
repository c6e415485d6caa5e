// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A pool: made, locked, described, ended. */

#include "internal.h"
#include "super.h"

static u64 default_max_objects(u64 bytes)
{
	u64 n = (bytes >> 20) * MARU_OBJECTS_PER_MIB;

	return min(max(n, MARU_OBJECTS_MIN), MARU_OBJECTS_MAX);
}

void maru_pool_default_limits(struct maru_pool *pool)
{
	pool->max_objects = pool->params.max_objects ?:
			    default_max_objects(pool->params.bytes);
}

static int params_complete(struct maru_pool_params *params)
{
	if (!params->bytes || params->bytes % MARU_BLOCK_SIZE ||
	    params->bytes >> MARU_BLOCK_SHIFT > S32_MAX)
		return -EINVAL;
	if (!params->segment_bytes)
		params->segment_bytes = maru_segment_default(params->bytes);
	if (params->segment_bytes % MARU_BLOCK_SIZE ||
	    params->segment_bytes >> MARU_BLOCK_SHIFT > S32_MAX)
		return -EINVAL;
	if (params->max_objects > MARU_OBJECTS_MAX)
		return -EINVAL;
	if (!params->node || params->node > U8_MAX || !params->incarnation ||
	    params->incarnation > U16_MAX || !params->status)
		return -EINVAL;
	return 0;
}

static void pool_init(struct maru_pool *pool,
		      const struct maru_pool_params *params)
{
	mutex_init(&pool->evict_lock);
	mutex_init(&pool->lock);
	pool->params = *params;
	maru_pool_default_limits(pool);
	memcpy(&pool->hash_key, params->hash_key, sizeof(pool->hash_key));
	INIT_LIST_HEAD(&pool->lru);
	INIT_LIST_HEAD(&pool->evict_cursor);
	INIT_LIST_HEAD(&pool->clients);
	INIT_LIST_HEAD(&pool->subscribers);
	INIT_LIST_HEAD(&pool->closing);
	INIT_LIST_HEAD(&pool->closed);
	INIT_LIST_HEAD(&pool->runs);
}

int maru_pool_create(const struct maru_pool_params *params,
		     struct maru_pool **answer)
{
	struct maru_pool_params complete = *params;
	struct maru_pool *pool;
	int err;

	err = params_complete(&complete);
	if (err)
		return err;
	pool = kvzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return -ENOMEM;
	pool_init(pool, &complete);
	err = maru_table_init(&pool->directory);
	if (err)
		goto free_pool;
	err = maru_segments_init(pool);
	if (err)
		goto free_directory;
	maru_pool_publish_space(pool);
	*answer = pool;
	return 0;

free_directory:
	maru_table_destroy(&pool->directory);
free_pool:
	mutex_destroy(&pool->lock);
	mutex_destroy(&pool->evict_lock);
	kvfree(pool);
	return err;
}

static void clients_destroy(struct list_head *clients)
{
	struct maru_client *client, *next;

	list_for_each_entry_safe(client, next, clients, link) {
		maru_client_sweep(client, U32_MAX);
		maru_client_free(client);
	}
}

void maru_pool_destroy(struct maru_pool *pool)
{
	struct maru_object *object, *next;
	u32 i = 0;

	mutex_lock(&pool->lock);
	WARN_ON_ONCE(!list_empty(&pool->clients) || !list_empty(&pool->closing));
	clients_destroy(&pool->closed);
	list_for_each_entry_safe(object, next, &pool->lru, link) {
		maru_object_unpublish(pool, object);
		maru_object_end(pool, object);
		if (++i % MARU_SLICE == 0)
			cond_resched();
	}
	WARN_ON_ONCE(pool->extents || pool->orphan_pins);
	mutex_unlock(&pool->lock);

	maru_runs_destroy(pool);
	for (i = 0; i < pool->nr_layouts; i++)
		kfree(pool->layouts[i]);
	maru_segments_destroy(pool);
	kvfree(pool->due);
	maru_table_destroy(&pool->directory);
	mutex_destroy(&pool->lock);
	mutex_destroy(&pool->evict_lock);
	kvfree(pool);
}

u64 maru_pool_new_id(struct maru_pool *pool)
{
	return (u64)pool->params.node << 56 |
	       (u64)pool->params.incarnation << 40 | ++pool->next_id;
}

u64 maru_pool_used(const struct maru_pool *pool)
{
	u64 used = 0;
	unsigned int i;

	for (i = 0; i < MARU_NR_STATES; i++)
		used += pool->bytes[i];
	return used;
}

u64 maru_pool_available(const struct maru_pool *pool)
{
	return ((u64)pool->free_blocks << MARU_BLOCK_SHIFT) + pool->free_pages;
}

void maru_pool_publish_space(struct maru_pool *pool)
{
	struct maru_l1_pool_status *status = pool->params.status;
	u64 used = maru_pool_used(pool);

	WRITE_ONCE(status->total, pool->params.bytes);
	WRITE_ONCE(status->available, maru_pool_available(pool));
	if (READ_ONCE(status->used) != used) {
		WRITE_ONCE(status->used, used);
		maru_events_watermark(pool);
	}
}

void maru_pool_enter(struct maru_pool *pool, u64 now)
{
	mutex_lock(&pool->lock);
	if (unlikely(maru_due_by(pool, now)))
		maru_reap(pool, now);
}

void maru_pool_leave(struct maru_pool *pool)
{
	maru_pool_publish_space(pool);
	mutex_unlock(&pool->lock);
}

void maru_pool_breathe(struct maru_pool *pool)
{
	maru_pool_leave(pool);
	cond_resched();
	mutex_lock(&pool->lock);
}

bool maru_pool_settled(struct maru_pool *pool)
{
	bool settled;

	mutex_lock(&pool->lock);
	settled = list_empty(&pool->closing) && list_empty(&pool->closed);
	mutex_unlock(&pool->lock);
	return settled;
}

void maru_pool_fence(struct maru_pool *pool, u64 now)
{
	struct maru_client *client;

	maru_pool_enter(pool, now);
	if (!pool->fenced) {
		pool->fenced = true;
		WRITE_ONCE(pool->params.status->state, MARU_L1_I_FENCED);
		list_for_each_entry(client, &pool->clients, link) {
			maru_client_epoch(client);
			maru_event_send(client, MARU_L1_EV_FENCED, NULL, 0, 0);
		}
	}
	maru_pool_leave(pool);
}

void maru_pool_info(struct maru_pool *pool, struct maru_l1_info *info)
{
	const struct maru_pool_params *params = &pool->params;

	mutex_lock(&pool->lock);
	info->capacity = params->bytes;
	info->segment_size = params->segment_bytes;
	info->max_objects = pool->max_objects;
	info->max_client_bytes = params->max_client_bytes;
	info->quarantine_ms = params->quarantine_ns / NSEC_PER_MSEC;
	info->nr_segments = pool->nr_segments;
	info->nr_layouts = pool->nr_layouts;
	info->node = params->node;
	info->incarnation = params->incarnation;
	info->flags = 0;
	if (params->coherent)
		info->flags |= MARU_L1_I_COHERENT;
	if (pool->fenced)
		info->flags |= MARU_L1_I_FENCED;
#ifdef MARU_DEBUG
	info->flags |= MARU_L1_I_DEBUG;
#endif
	mutex_unlock(&pool->lock);
}
