// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps from file descriptors to a pool.  Nothing is written to the memory
 * before all that can fail for want of kernel memory has been done.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "pool.h"
#include "trace.h"

static int open_parts(struct maru_dev *dev, u32 nr)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr && !err; i++)
		err = maru_part_open(dev->parts.of[i]);
	return err;
}

/*
 * The same pool, at the place and of the size that the first part says, and not
 * from before the first part was written.
 */
static bool belongs(const struct maru_super *first, const struct maru_super *super)
{
	u32 index = super->backing_index;

	return !memcmp(super->uuid, first->uuid, sizeof(first->uuid)) &&
	       index < first->backing_count &&
	       super->backing_bytes[index] == first->backing_bytes[index] &&
	       super->generation >= first->generation &&
	       super->backing_count >= first->backing_count &&
	       super->unit == first->unit && super->coherent == first->coherent &&
	       super->segment_bytes == first->segment_bytes;
}

/*
 * Puts the parts in order.  What the first one says counts: growing writes it last,
 * so that one that was interrupted has not happened.
 */
static int arrange(struct maru_dev *dev, u32 nr)
{
	struct maru_part *sorted[MARU_L1_BACKINGS_MAX] = {};
	const struct maru_super *first;
	u64 start = 0;
	u32 i;

	for (i = 0; i < nr; i++) {
		struct maru_part *part = dev->parts.of[i];
		u32 index = part->super.backing_index;

		if (sorted[index])
			return -EXDEV;
		sorted[index] = part;
	}
	if (!sorted[0])
		return -ENXIO;
	first = &sorted[0]->super;
	for (i = 0; i < MARU_L1_BACKINGS_MAX; i++) {
		if (sorted[i] && !belongs(first, &sorted[i]->super))
			return -EXDEV;
		if (!sorted[i] && i < first->backing_count)
			return -ENXIO;
	}
	guard(mutex)(&maru_devs_lock);
	for (i = 0; i < nr; i++) {
		sorted[i]->start = start;
		start += sorted[i]->bytes;
		dev->parts.of[i] = sorted[i];
		maru_part_publish(&dev->parts);
	}
	dev->super = *first;
	return 0;
}

/* For each part. */
static int each_part(struct maru_dev *dev, int (*check)(struct maru_part *part))
{
	int err = 0;
	u32 i;

	for (i = 0; i < dev->parts.nr && !err; i++)
		err = check(dev->parts.of[i]);
	return err;
}

static int make_core(struct maru_dev *dev, const struct maru_l1_attach *arg)
{
	struct maru_pool_params params = {
		.bytes = dev->parts.of[0]->bytes,
		.segment_bytes = dev->super.segment_bytes,
		.max_objects = arg->max_objects,
		.max_client_bytes = arg->max_client_bytes,
		.quarantine_ns = dev->quarantine_ns,
		.node = dev->beat.beat.node,
		.incarnation = dev->beat.beat.incarnation,
		.coherent = dev->super.coherent,
		.status = page_address(dev->status),
	};
	int err;
	u32 i;

	get_random_bytes(params.hash_key, sizeof(params.hash_key));
	err = maru_pool_create(&params, &dev->pool);
	if (err)
		return err;
	for (i = 1; i < dev->parts.nr && !err; i++)
		err = maru_pool_grow(dev->pool, dev->parts.of[i]->bytes);
	if (err)
		maru_pool_destroy(dev->pool);
	return err;
}

/* From windows on the memory to a node that beats. */
static int bring_up(struct maru_dev *dev, const struct maru_l1_attach *arg)
{
	int err;

	err = maru_beat_watch(dev, arg->machine_id, arg->boot_id);
	if (err)
		return err;
	err = make_core(dev, arg);
	if (err)
		return err;
	err = maru_mmap_init(dev);
	if (err)
		goto destroy_pool;
	err = maru_beat_prepare(dev);
	if (err)
		goto put_internal;
	err = maru_beat_claim(dev);
	if (err)
		goto stop_beat;
	err = each_part(dev, maru_part_unchanged);
	if (err) {
		maru_beat_stopped(dev);
		goto stop_beat;
	}
	maru_beat_start(dev);
	err = maru_dev_publish(dev);
	if (!err)
		return 0;

	maru_beat_stop(dev);
	cancel_work_sync(&dev->fence);
	maru_beat_stopped(dev);
	goto put_internal;

stop_beat:
	maru_beat_stop(dev);
put_internal:
	fput(dev->internal);
destroy_pool:
	maru_pool_destroy(dev->pool);
	return err;
}

static int attach(struct maru_dev *dev, const struct maru_l1_attach *arg)
{
	int err;

	err = open_parts(dev, arg->nr_fds);
	if (!err)
		err = arrange(dev, arg->nr_fds);
	if (!err)
		err = each_part(dev, maru_part_reaches_end);
	if (!err)
		err = bring_up(dev, arg);
	return err;
}

/* Their parts, or none. */
static int make_parts(struct file *const files[], u32 nr, struct maru_parts *parts)
{
	struct maru_part *part;
	u32 i;

	for (i = 0; i < nr; i++) {
		part = maru_part_new(files[i]);
		if (!IS_ERR(part)) {
			parts->of[i] = part;
			continue;
		}
		while (i--) {
			maru_part_close(parts->of[i]);
			kfree(parts->of[i]);
		}
		return PTR_ERR(part);
	}
	return 0;
}

int maru_attach(const struct maru_l1_attach *arg, struct file *const files[])
{
	struct maru_parts parts = {};
	struct maru_dev *dev;
	int err;

	err = make_parts(files, arg->nr_fds, &parts);
	if (err)
		return err;
	dev = maru_dev_new(arg, &parts);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	/* Once it has a node, anybody may detach it. */
	kref_get(&dev->ref);
	err = attach(dev, arg);
	trace_maru_attach(dev->name, dev->beat.beat.incarnation, err);
	if (err)
		maru_dev_unregister(dev);
	maru_dev_put(dev);
	return err;
}
