// SPDX-License-Identifier: GPL-2.0-only
/* The ends of a pool: asked for, forced, and when nothing is left of it. */

#include <linux/device.h>
#include <linux/file.h>
#include <linux/ktime.h>

#include "pool.h"
#include "trace.h"

/* Nobody holds anything of it, and nothing waits. */
static bool dev_idle(struct maru_dev *dev)
{
	lockdep_assert_held(&maru_devs_lock);
	return list_empty(&dev->files) && list_empty(&dev->settling) &&
	       maru_pool_settled(dev->pool);
}

/* Of a revoked pool: a device may still write to what its last file mapped. */
static bool dev_over(struct maru_dev *dev)
{
	return dev_idle(dev) && !READ_ONCE(dev->unmap_again) &&
	       (!dev->last_close ||
		ktime_get_ns() >= dev->last_close + dev->quarantine_ns);
}

bool maru_dev_let_go(struct maru_dev *dev)
{
	guard(mutex)(&maru_devs_lock);
	if (READ_ONCE(dev->beat.say) == MARU_BEAT_RUNNING || !dev_over(dev))
		return false;
	if (dev->state != MARU_DEV_LINGERING) {
		/* Fenced, and nothing is left: other nodes may know. */
		WRITE_ONCE(dev->beat.say, MARU_BEAT_STOPPED);
		return false;
	}
	dev->state = MARU_DEV_ENDING;
	return true;
}

void maru_dev_end(struct maru_dev *dev)
{
	maru_beat_stop(dev);
	cancel_work_sync(&dev->fence);
	maru_beat_stopped(dev);
	/* No file is open and no work runs: a dump is what may be in the pool. */
	WRITE_ONCE(dev->gone, true);
	synchronize_srcu(&dev->srcu);
	maru_pool_destroy(dev->pool);
	dev->pool = NULL;
	fput(dev->internal);
	trace_maru_end(dev->name, dev->revoked);
	maru_dev_unregister(dev);
}

/* What is due is not in the way of a detach. */
static void reap_now(const char *name)
{
	struct maru_dev *dev;

	mutex_lock(&maru_devs_lock);
	dev = maru_dev_find_locked(name);
	mutex_unlock(&maru_devs_lock);
	if (!dev)
		return;
	flush_delayed_work(&dev->reap);
	maru_dev_put(dev);
}

static struct maru_dev *start_ending(const char *name, bool force)
{
	struct maru_dev *dev;

	guard(mutex)(&maru_devs_lock);
	dev = maru_dev_find_locked(name);
	if (!dev)
		return ERR_PTR(-ENOENT);
	/*
	 * One reference to the internal file is the pool's own.  To grow takes a
	 * second, and gives up at a fatal signal.
	 */
	if (dev->growing ||
	    (!force && (!dev_idle(dev) || file_count(dev->internal) > 1))) {
		/* Not the last: the attachment has one. */
		maru_dev_put(dev);
		return ERR_PTR(-EBUSY);
	}
	dev->state = MARU_DEV_ENDING;
	return dev;
}

int maru_detach(const char *name, bool force)
{
	struct maru_dev *dev;
	bool over = true;

	reap_now(name);
	dev = start_ending(name, force);
	trace_maru_detach(name, PTR_ERR_OR_ZERO(dev));
	if (IS_ERR(dev))
		return PTR_ERR(dev);

	maru_dev_hide(dev);
	if (force) {
		maru_dev_fence(dev, true);
		mutex_lock(&maru_devs_lock);
		dev->state = MARU_DEV_LINGERING;
		maru_dev_tell_locked(dev, false);
		mutex_unlock(&maru_devs_lock);
		over = maru_dev_let_go(dev);
	}
	if (over) {
		cancel_delayed_work_sync(&dev->reap);
		maru_dev_end(dev);
	}
	maru_dev_put(dev);
	return 0;
}
