// SPDX-License-Identifier: GPL-2.0-only
/*
 * Taking a pool away from those who use it.
 *
 * First the flags, then a grace period, then the page tables.  A call or fault
 * either began after the flag was set and sees it, or began before and is over
 * when synchronize_srcu() returns: without that a fault in flight would map its
 * page after the unmap, and it would stay.
 *
 * This stops the CPUs, not a device for which the pages were pinned before, so
 * revoking alone frees nothing.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/srcu.h>

#include "pool.h"
#include "trace.h"

void maru_dev_unmap(struct maru_dev *dev)
{
	u32 nr = maru_parts_nr(&dev->parts), i;

	for (i = 0; i < nr; i++)
		unmap_mapping_range(dev->parts.of[i]->backing.file->f_mapping,
				    dev->super.unit, 0, 1);
}

void maru_dev_revoke(struct maru_dev *dev)
{
	WRITE_ONCE(dev->revoked, true);
	/* Pairs with srcu_read_lock() around each fault and each call. */
	synchronize_srcu(&dev->srcu);
	maru_dev_unmap(dev);
	/* Final on device-dax.  Shared memory is to be unmapped once more. */
	if (file_count(dev->internal) > 1)
		WRITE_ONCE(dev->unmap_again, ktime_get_ns() +
			   MARU_UNMAP_AGAIN_MS * NSEC_PER_MSEC);
	trace_maru_revoke(dev->name, dev->gone);
}

static void wake_clients(struct maru_dev *dev)
{
	struct maru_file *file;

	mutex_lock(&maru_devs_lock);
	list_for_each_entry(file, &dev->files, link)
		wake_up_interruptible_poll(&file->wait, EPOLLHUP | EPOLLERR);
	mutex_unlock(&maru_devs_lock);
}

void maru_dev_fence(struct maru_dev *dev, bool gone)
{
	struct maru_l1_pool_status *status = page_address(dev->status);

	if (gone)
		WRITE_ONCE(dev->gone, true);
	/* First: it ends the long calls that revoking waits for. */
	maru_pool_fence(dev->pool, ktime_get_ns());
	maru_dev_revoke(dev);
	WRITE_ONCE(dev->beat.say, MARU_BEAT_FENCED);
	if (gone) {
		WRITE_ONCE(status->state, ~0ULL);
		wake_clients(dev);
	}
	trace_maru_fence(dev->name, gone);
}

void maru_fence_work(struct work_struct *work)
{
	maru_dev_fence(container_of(work, struct maru_dev, fence), false);
}
