// SPDX-License-Identifier: GPL-2.0-only
/* What time ends: leases, quarantines, closed files, lingering pools. */

#include <linux/ktime.h>
#include <linux/sched.h>

#include "notify.h"
#include "pool.h"
#include "trace.h"

/* Starts the quarantine of closed files whose processes are gone. */
static void settle(struct maru_dev *dev)
{
	struct maru_file *file, *next;
	LIST_HEAD(gone);

	mutex_lock(&maru_devs_lock);
	list_for_each_entry_safe(file, next, &dev->settling, link)
		if (!maru_file_exiting(file))
			list_move_tail(&file->link, &gone);
	mutex_unlock(&maru_devs_lock);

	list_for_each_entry_safe(file, next, &gone, link) {
		/* Not a time from before the look: the quarantine is not shorter. */
		maru_client_settle(file->client, ktime_get_ns());
		trace_maru_client_settle(dev->name, 0);
		maru_file_destroy(file);
	}
}

static void unmap_again(struct maru_dev *dev, u64 now)
{
	u64 when = READ_ONCE(dev->unmap_again);

	if (!when || now < when)
		return;
	maru_dev_unmap(dev);
	WRITE_ONCE(dev->unmap_again, 0);
}

void maru_dev_reap(struct maru_dev *dev)
{
	u64 now = ktime_get_ns();
	int slices = 0;

	settle(dev);
	unmap_again(dev, now);
	while (maru_pool_reap(dev->pool, now)) {
		slices++;
		cond_resched();
	}
	if (slices)
		trace_maru_reap(dev->name, slices);
}

void maru_reap_work(struct work_struct *work)
{
	struct maru_dev *dev = container_of(to_delayed_work(work),
					    struct maru_dev, reap);

	maru_dev_reap(dev);
	maru_notify_fill(dev);
	if (maru_dev_let_go(dev))
		maru_dev_end(dev);
	else
		queue_delayed_work(maru_wq, &dev->reap,
				   msecs_to_jiffies(MARU_REAP_MS));
}
