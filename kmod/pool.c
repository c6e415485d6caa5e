// SPDX-License-Identifier: GPL-2.0-only
/* The attached pools: their list, nodes, states and end. */

#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/gfp.h>
#include <linux/idr.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>

#include "notify.h"
#include "pool.h"
#include "trace.h"

/* Guards the list and what struct maru_dev says is under it. */
DEFINE_MUTEX(maru_devs_lock);
static LIST_HEAD(devs);
static u64 last_serial, last_client;
static u32 dev_changes;
static DEFINE_IDA(minors);

static dev_t first_devt;
static struct class *class;
static struct cdev cdev;

static char *devnode(const struct device *dev, umode_t *mode)
{
	if (mode)
		*mode = 0660;
	return kasprintf(GFP_KERNEL, MARU_MODULE "/%s", dev_name(dev));
}

int maru_pools_init(void)
{
	int err;

	err = alloc_chrdev_region(&first_devt, 0, MARU_POOLS_MAX, MARU_MODULE);
	if (err)
		return err;
	class = class_create(MARU_MODULE);
	if (IS_ERR(class)) {
		err = PTR_ERR(class);
		goto unregister_region;
	}
	class->devnode = devnode;
	cdev_init(&cdev, &maru_file_fops);
	cdev.owner = THIS_MODULE;
	err = cdev_add(&cdev, first_devt, MARU_POOLS_MAX);
	if (err)
		goto destroy_class;
	return 0;

destroy_class:
	class_destroy(class);
unregister_region:
	unregister_chrdev_region(first_devt, MARU_POOLS_MAX);
	return err;
}

void maru_pools_exit(void)
{
	cdev_del(&cdev);
	class_destroy(class);
	unregister_chrdev_region(first_devt, MARU_POOLS_MAX);
	ida_destroy(&minors);
}

static struct maru_dev *dev_alloc(const struct maru_l1_attach *arg)
{
	u32 quarantine_ms = arg->quarantine_ms ?: MARU_QUARANTINE_MS;
	struct maru_dev *dev;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	dev->status = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!dev->status)
		goto free_dev;
	if (init_srcu_struct(&dev->srcu))
		goto free_status;
	dev->latencies = alloc_percpu(struct maru_latencies);
	if (!dev->latencies)
		goto cleanup_srcu;
	write_pnet(&dev->net, get_net(current->nsproxy->net_ns));
	kref_init(&dev->ref);
	INIT_LIST_HEAD(&dev->files);
	INIT_LIST_HEAD(&dev->settling);
	INIT_DELAYED_WORK(&dev->reap, maru_reap_work);
	INIT_WORK(&dev->fence, maru_fence_work);
	memcpy(dev->name, arg->name, sizeof(dev->name));
	dev->numa_node = arg->numa_node;
	dev->quarantine_ns = (u64)quarantine_ms * NSEC_PER_MSEC;
	return dev;

cleanup_srcu:
	cleanup_srcu_struct(&dev->srcu);
free_status:
	__free_page(dev->status);
free_dev:
	kfree(dev);
	return NULL;
}

static void dev_release(struct kref *ref)
{
	struct maru_dev *dev = container_of(ref, struct maru_dev, ref);

	/* A fault that gave up mmap_lock may be the last to leave. */
	synchronize_srcu(&dev->srcu);
	cleanup_srcu_struct(&dev->srcu);
	put_net(read_pnet(&dev->net));
	free_percpu(dev->latencies);
	__free_page(dev->status);
	kfree(dev);
}

void maru_dev_put(struct maru_dev *dev)
{
	kref_put(&dev->ref, dev_release);
}

static int dev_register(struct maru_dev *dev)
{
	struct maru_dev *other;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(other, &devs, link) {
		/* Of one that was detached by force the name is free. */
		if (!READ_ONCE(other->gone) && !strcmp(other->name, dev->name))
			return -EEXIST;
		if (maru_backing_same(&other->backing, &dev->backing))
			return -EBUSY;
	}
	dev->minor = ida_alloc_max(&minors, MARU_POOLS_MAX - 1, GFP_KERNEL);
	if (dev->minor < 0)
		return dev->minor;
	dev->serial = ++last_serial;
	dev->state = MARU_DEV_ATTACHING;
	list_add_tail(&dev->link, &devs);
	return 0;
}

struct maru_dev *maru_dev_new(const struct maru_l1_attach *arg,
			      struct maru_backing *backing)
{
	struct maru_dev *dev;
	int err;

	dev = dev_alloc(arg);
	if (!dev) {
		maru_backing_close(backing);
		return ERR_PTR(-ENOMEM);
	}
	dev->backing = *backing;
	mutex_lock(&maru_devs_lock);
	err = dev_register(dev);
	mutex_unlock(&maru_devs_lock);
	if (err) {
		maru_backing_close(&dev->backing);
		maru_dev_put(dev);
		return ERR_PTR(err);
	}
	/* The control file that is being called holds the module already. */
	__module_get(THIS_MODULE);
	return dev;
}

/* In the order in which it happens: the next pool of the name comes later. */
static void dev_tell(struct maru_dev *dev, bool attached)
{
	lockdep_assert_held(&maru_devs_lock);
	if (dev->told == attached)
		return;
	dev->told = attached;
	dev_changes++;
	maru_notify_attached(dev, attached);
}

/* The last steps of ending and aborting: memory and name are free again. */
static void dev_unregister(struct maru_dev *dev)
{
	mutex_lock(&maru_devs_lock);
	list_del(&dev->link);
	dev_tell(dev, false);
	mutex_unlock(&maru_devs_lock);
	/* Whoever is in the list is compared by its files. */
	maru_backing_close(&dev->backing);
	ida_free(&minors, dev->minor);
	maru_dev_put(dev);
	module_put(THIS_MODULE);
}

void maru_dev_abort(struct maru_dev *dev)
{
	dev_unregister(dev);
}

static dev_t dev_devt(const struct maru_dev *dev)
{
	return MKDEV(MAJOR(first_devt), MINOR(first_devt) + dev->minor);
}

int maru_dev_publish(struct maru_dev *dev)
{
	struct device *node;

	/* Under the lock: whoever sees the node finds the pool open. */
	guard(mutex)(&maru_devs_lock);
	node = device_create(class, NULL, dev_devt(dev), dev, "%s", dev->name);
	if (IS_ERR(node))
		return PTR_ERR(node);
	dev->state = MARU_DEV_ATTACHED;
	dev_tell(dev, true);
	queue_delayed_work(maru_wq, &dev->reap, msecs_to_jiffies(MARU_REAP_MS));
	return 0;
}

struct maru_dev *maru_dev_open(dev_t devt, struct maru_file *file)
{
	struct maru_dev *dev;

	guard(mutex)(&maru_devs_lock);
	list_for_each_entry(dev, &devs, link) {
		if (dev->state != MARU_DEV_ATTACHED || dev_devt(dev) != devt)
			continue;
		kref_get(&dev->ref);
		file->id = ++last_client;
		list_add_tail(&file->link, &dev->files);
		return dev;
	}
	return ERR_PTR(-ENODEV);
}

void maru_dev_close(struct maru_dev *dev, struct maru_file *file, bool settle)
{
	guard(mutex)(&maru_devs_lock);
	dev->last_close = ktime_get_ns();
	if (settle)
		list_move_tail(&file->link, &dev->settling);
	else
		list_del(&file->link);
}

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
	maru_window_close(&dev->window);
	/* No file is open and no work runs: a dump is what may be in the pool. */
	WRITE_ONCE(dev->gone, true);
	synchronize_srcu(&dev->srcu);
	maru_pool_destroy(dev->pool);
	dev->pool = NULL;
	fput(dev->internal);
	trace_maru_end(dev->name, dev->revoked);
	dev_unregister(dev);
}

/* With a reference for the caller. */
static struct maru_dev *dev_find(const char *name)
{
	struct maru_dev *dev;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(dev, &devs, link) {
		if (dev->state == MARU_DEV_ATTACHED && !strcmp(dev->name, name)) {
			kref_get(&dev->ref);
			return dev;
		}
	}
	return NULL;
}

static bool dev_seen(const struct maru_dev *dev, const struct net *net)
{
	return dev->state == MARU_DEV_ATTACHED &&
	       (net_eq(net, &init_net) || net_eq(net, read_pnet(&dev->net)));
}

struct maru_dev *maru_dev_find(struct net *net, const char *name)
{
	struct maru_dev *dev;

	guard(mutex)(&maru_devs_lock);
	dev = dev_find(name);
	if (dev && !dev_seen(dev, net)) {
		maru_dev_put(dev);	/* the attachment has one */
		dev = NULL;
	}
	return dev;
}

struct maru_dev *maru_dev_next(struct net *net, u64 serial, u32 *changes)
{
	struct maru_dev *dev;

	guard(mutex)(&maru_devs_lock);
	*changes = dev_changes * 2 + 1;
	list_for_each_entry(dev, &devs, link) {
		if (dev->serial > serial && dev_seen(dev, net)) {
			kref_get(&dev->ref);
			return dev;
		}
	}
	return NULL;
}

/* What is due is not in the way of a detach. */
static void reap_now(const char *name)
{
	struct maru_dev *dev;

	mutex_lock(&maru_devs_lock);
	dev = dev_find(name);
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
	dev = dev_find(name);
	if (!dev)
		return ERR_PTR(-ENOENT);
	/* One reference to the internal file is the pool's own. */
	if (!force && (!dev_idle(dev) || file_count(dev->internal) > 1)) {
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

	device_destroy(class, dev_devt(dev));
	if (force) {
		maru_dev_fence(dev, true);
		mutex_lock(&maru_devs_lock);
		dev->state = MARU_DEV_LINGERING;
		dev_tell(dev, false);
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
