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
	mutex_init(&dev->beat.lock);
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
	u32 i;

	/* A fault that gave up mmap_lock may be the last to leave. */
	synchronize_srcu(&dev->srcu);
	cleanup_srcu_struct(&dev->srcu);
	put_net(read_pnet(&dev->net));
	free_percpu(dev->latencies);
	for (i = 0; i < MARU_L1_BACKINGS_MAX; i++)
		kfree(dev->parts.of[i]);
	__free_page(dev->status);
	kfree(dev);
}

void maru_dev_put(struct maru_dev *dev)
{
	kref_put(&dev->ref, dev_release);
}

/* Whether a pool has the memory of @part, twice or already. */
static bool in_use(const struct maru_part *part)
{
	const struct maru_dev *dev;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(dev, &devs, link)
		if (maru_parts_have(&dev->parts, part))
			return true;
	return false;
}

static int dev_register(struct maru_dev *dev, u32 nr)
{
	struct maru_dev *other;
	u32 i;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(other, &devs, link)
		/* Of one that was detached by force the name is free. */
		if (!READ_ONCE(other->gone) && !strcmp(other->name, dev->name))
			return -EEXIST;
	for (i = 0; i < nr; i++)
		if (in_use(dev->parts.of[i]) ||
		    maru_parts_have(&dev->parts, dev->parts.of[i]))
			return -EBUSY;
	dev->minor = ida_alloc_max(&minors, MARU_POOLS_MAX - 1, GFP_KERNEL);
	if (dev->minor < 0)
		return dev->minor;
	dev->serial = ++last_serial;
	dev->state = MARU_DEV_ATTACHING;
	list_add_tail(&dev->link, &devs);
	return 0;
}

struct maru_dev *maru_dev_new(const struct maru_l1_attach *arg,
			      const struct maru_parts *parts)
{
	struct maru_dev *dev;
	int err = -ENOMEM;
	u32 i;

	dev = dev_alloc(arg);
	if (dev) {
		for (i = 0; i < arg->nr_fds; i++) {
			dev->parts.of[i] = parts->of[i];
			dev->parts.of[i]->dev = dev;
		}
		mutex_lock(&maru_devs_lock);
		err = dev_register(dev, arg->nr_fds);
		mutex_unlock(&maru_devs_lock);
	}
	if (!err) {
		/* The control file that is being called holds the module already. */
		__module_get(THIS_MODULE);
		return dev;
	}
	for (i = 0; i < arg->nr_fds; i++) {
		maru_part_close(parts->of[i]);
		if (!dev)
			kfree(parts->of[i]);
	}
	if (dev)
		maru_dev_put(dev);
	return ERR_PTR(err);
}

void maru_dev_tell_locked(struct maru_dev *dev, bool attached)
{
	lockdep_assert_held(&maru_devs_lock);
	if (dev->told == attached)
		return;
	dev->told = attached;
	dev_changes++;
	maru_notify_attached(dev, attached);
}

void maru_dev_unregister(struct maru_dev *dev)
{
	u32 i;

	mutex_lock(&maru_devs_lock);
	list_del(&dev->link);
	maru_dev_tell_locked(dev, false);
	mutex_unlock(&maru_devs_lock);
	/* Whoever is in the list is compared by its files. */
	for (i = 0; i < MARU_L1_BACKINGS_MAX && dev->parts.of[i]; i++)
		maru_part_close(dev->parts.of[i]);
	ida_free(&minors, dev->minor);
	maru_dev_put(dev);
	module_put(THIS_MODULE);
}

static dev_t dev_devt(const struct maru_dev *dev)
{
	return MKDEV(MAJOR(first_devt), MINOR(first_devt) + dev->minor);
}

void maru_dev_hide(struct maru_dev *dev)
{
	device_destroy(class, dev_devt(dev));
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
	maru_dev_tell_locked(dev, true);
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

struct maru_dev *maru_dev_find_locked(const char *name)
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
	dev = maru_dev_find_locked(name);
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

struct maru_dev *maru_dev_grow_begin(const char *name, struct maru_part *part)
{
	struct maru_dev *dev;
	int err = 0;

	guard(mutex)(&maru_devs_lock);
	dev = maru_dev_find_locked(name);
	if (!dev)
		return ERR_PTR(-ENOENT);
	if (READ_ONCE(dev->revoked))
		err = -ESTALE;
	else if (dev->growing || in_use(part))
		err = -EBUSY;
	else if (dev->parts.nr == MARU_L1_BACKINGS_MAX)
		err = -ENOSPC;
	if (err) {
		maru_dev_put(dev);	/* the attachment has one */
		return ERR_PTR(err);
	}
	dev->growing = true;
	part->dev = dev;
	dev->parts.of[dev->parts.nr] = part;
	return dev;
}

void maru_dev_grow_end(struct maru_dev *dev, int err)
{
	guard(mutex)(&maru_devs_lock);
	if (err)
		dev->parts.of[dev->parts.nr] = NULL;
	dev->growing = false;
}
