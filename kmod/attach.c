// SPDX-License-Identifier: GPL-2.0-only
/*
 * The steps from a file descriptor to a pool.  Nothing is written to the memory
 * before all that can fail for want of kernel memory has been done.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/file.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "pool.h"
#include "trace.h"

static int read_super(struct maru_dev *dev)
{
	enum maru_super_error error;
	struct maru_sb_disk *copies;
	int err, which;

	copies = kcalloc(2, sizeof(*copies), GFP_KERNEL);
	if (!copies)
		return -ENOMEM;
	err = maru_window_read(&dev->window, 0, copies, 2 * sizeof(*copies));
	if (!err) {
		/* The size of device-dax is not known: reach_end() tries. */
		error = maru_super_choose(copies, dev->backing.bytes ?: U64_MAX,
					  dev->backing.align, &dev->super,
					  &which);
		if (error != MARU_SUPER_OK) {
			pr_debug("%s: %s\n", dev->name,
				 maru_super_strerror(error));
			err = -EUCLEAN;
		}
	}
	kfree(copies);
	if (!err && dev->super.backing_count != 1)
		err = -EOPNOTSUPP;
	return err == -EIO ? -EUCLEAN : err;
}

/* A format that ran while this host watched the lines shows in the superblock. */
static int super_unchanged(struct maru_dev *dev)
{
	struct maru_super before = dev->super;
	int err = read_super(dev);

	if (!err && (dev->super.generation != before.generation ||
		     memcmp(dev->super.uuid, before.uuid, sizeof(before.uuid))))
		err = -EBUSY;
	dev->super = before;
	return err;
}

/* The memory must be as long as the superblock says. */
static int reach_end(struct maru_dev *dev)
{
	u64 end = dev->super.unit + dev->super.pool_bytes;
	int err = maru_backing_reaches(&dev->backing, end - PAGE_SIZE);

	return err == -ENXIO ? -EUCLEAN : err;
}

static int make_core(struct maru_dev *dev, const struct maru_l1_attach *arg)
{
	struct maru_pool_params params = {
		.bytes = dev->super.pool_bytes,
		.segment_bytes = dev->super.segment_bytes,
		.max_objects = arg->max_objects,
		.max_client_bytes = arg->max_client_bytes,
		.quarantine_ns = dev->quarantine_ns,
		.node = dev->beat.beat.node,
		.incarnation = dev->beat.beat.incarnation,
		.coherent = dev->super.coherent,
		.status = page_address(dev->status),
	};

	get_random_bytes(params.hash_key, sizeof(params.hash_key));
	return maru_pool_create(&params, &dev->pool);
}

/* From a window on the memory to a node that beats. */
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
	err = super_unchanged(dev);
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

	err = maru_window_open(&dev->window, &dev->backing);
	if (err)
		return err;
	err = read_super(dev);
	if (!err)
		err = reach_end(dev);
	if (!err)
		err = bring_up(dev, arg);
	if (err)
		maru_window_close(&dev->window);
	return err;
}

int maru_attach(const struct maru_l1_attach *arg, struct file *file)
{
	struct maru_backing backing;
	struct maru_dev *dev;
	int err;

	err = maru_backing_open(&backing, file);
	if (err)
		return err;
	dev = maru_dev_new(arg, &backing);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	/* Once it has a node, anybody may detach it. */
	kref_get(&dev->ref);
	err = attach(dev, arg);
	trace_maru_attach(dev->name, dev->beat.beat.incarnation, err);
	if (err)
		maru_dev_abort(dev);
	maru_dev_put(dev);
	return err;
}
