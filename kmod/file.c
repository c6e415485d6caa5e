// SPDX-License-Identifier: GPL-2.0-only
/* An open file of a pool: a client of the core, its events, its end. */

#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "core/walk.h"
#include "notify.h"
#include "pool.h"
#include "trace.h"

#define EVENTS_AT_ONCE	(64U << 10)	/* most bytes of one read() */

/* A process that reserved here, and so may have devices that write. */
struct maru_pid {
	struct list_head link;
	struct pid *pid;
};

enum process_state { PROCESS_RUNS, PROCESS_EXITS, PROCESS_GONE };

/*
 * A process exits from the moment on that all of it must (exit_group, a fatal
 * signal, its last thread's end): single threads come and go.  It is gone when no
 * thread is left that could still have files open: exit_files() comes before
 * exit_state is set.
 */
static enum process_state process_state(struct pid *pid)
{
	struct task_struct *process, *thread;

	guard(rcu)();
	process = pid_task(pid, PIDTYPE_TGID);
	if (!process)
		return PROCESS_GONE;
	for_each_thread(process, thread) {
		if (READ_ONCE(thread->exit_state))
			continue;
		return READ_ONCE(process->signal->flags) & SIGNAL_GROUP_EXIT ?
			PROCESS_EXITS : PROCESS_RUNS;
	}
	return PROCESS_GONE;
}

bool maru_file_exiting(struct maru_file *file)
{
	const struct maru_pid *entry;
	bool exiting = false;

	spin_lock(&file->pids_lock);
	list_for_each_entry(entry, &file->pids, link)
		exiting |= process_state(entry->pid) == PROCESS_EXITS;
	spin_unlock(&file->pids_lock);
	return exiting;
}

static bool pid_known(struct maru_file *file, const struct pid *pid)
{
	const struct maru_pid *entry;

	lockdep_assert_held(&file->pids_lock);
	list_for_each_entry(entry, &file->pids, link)
		if (entry->pid == pid)
			return true;
	return false;
}

static void pids_free(struct list_head *pids)
{
	struct maru_pid *entry, *next;

	list_for_each_entry_safe(entry, next, pids, link) {
		put_pid(entry->pid);
		kfree(entry);
	}
}

int maru_file_remember(struct maru_file *file)
{
	struct maru_pid *entry, *next, *fresh;
	struct pid *pid = task_tgid(current);
	LIST_HEAD(gone);

	scoped_guard(spinlock, &file->pids_lock)
		if (pid_known(file, pid))
			return 0;

	fresh = kmalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	fresh->pid = get_pid(pid);
	spin_lock(&file->pids_lock);
	/* A new one: those that have gone make room, so that the list stays short. */
	list_for_each_entry_safe(entry, next, &file->pids, link)
		if (process_state(entry->pid) == PROCESS_GONE)
			list_move(&entry->link, &gone);
	list_add(&fresh->link, pid_known(file, pid) ? &gone : &file->pids);
	spin_unlock(&file->pids_lock);
	pids_free(&gone);
	return 0;
}

static struct maru_file *file_alloc(void)
{
	struct maru_file *file;

	file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);
	if (!file)
		return NULL;
	file->status = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!file->status) {
		kfree(file);
		return NULL;
	}
	init_waitqueue_head(&file->wait);
	mutex_init(&file->read_lock);
	spin_lock_init(&file->pids_lock);
	INIT_LIST_HEAD(&file->pids);
	file->opener = get_pid(task_tgid(current));
	get_task_comm(file->comm, current->group_leader);
	return file;
}

/* The client is gone; a mapping may keep the status page. */
void maru_file_destroy(struct maru_file *file)
{
	pids_free(&file->pids);
	put_pid(file->opener);
	__free_page(file->status);
	mutex_destroy(&file->read_lock);
	kfree(file);
}

static void wake(void *owner)
{
	struct maru_file *file = owner;

	wake_up_interruptible_poll(&file->wait, EPOLLIN | EPOLLRDNORM);
}

/* Dumps may look at it: from when the core knows it until that forgets it. */
static void file_show(struct maru_file *file, bool shown)
{
	guard(mutex)(&maru_devs_lock);
	file->shown = shown;
	file->dev->client_changes++;
}

static int file_open(struct inode *inode, struct file *filp)
{
	struct maru_client_params params = {
		.writable = filp->f_mode & FMODE_WRITE,
		.wake = wake,
	};
	struct maru_file *file;
	struct maru_dev *dev;
	int err;

	file = file_alloc();
	if (!file)
		return -ENOMEM;
	dev = maru_dev_open(inode->i_rdev, file);
	if (IS_ERR(dev)) {
		err = PTR_ERR(dev);
		goto destroy;
	}
	file->dev = dev;
	file->writable = params.writable;
	params.status = page_address(file->status);
	params.owner = file;
	err = maru_client_open(dev->pool, &params, &file->client);
	if (err)
		goto close;
	trace_maru_client_open(dev->name, params.writable);
	filp->private_data = file;
	file_show(file, true);
	return nonseekable_open(inode, filp);

close:
	maru_dev_close(dev, file, false);
	maru_dev_put(dev);
destroy:
	maru_file_destroy(file);
	return err;
}

/* Any task may be the one that lets go last: @current says nothing here. */
static int file_release(struct inode *inode, struct file *filp)
{
	struct maru_file *file = filp->private_data;
	struct maru_dev *dev = file->dev;
	struct maru_l1_usage left = {};
	bool settle;

	file_show(file, false);
	maru_client_usage(file->client, &left);
	settle = maru_client_close(file->client, ktime_get_ns(),
				   maru_file_exiting(file));
	trace_maru_client_close(dev->name, settle);
	if (!READ_ONCE(dev->gone))
		maru_notify_gone(dev, file->id, &left);
	maru_dev_close(dev, file, settle);
	if (!settle)
		maru_file_destroy(file);
	maru_dev_put(dev);
	return 0;
}

static __poll_t file_poll(struct file *filp, poll_table *wait)
{
	struct maru_file *file = filp->private_data;
	struct maru_dev *dev = file->dev;
	__poll_t mask = 0;
	int idx;

	poll_wait(filp, &file->wait, wait);
	idx = srcu_read_lock(&dev->srcu);
	if (READ_ONCE(dev->gone))
		mask = EPOLLHUP | EPOLLERR;
	else if (maru_events_ready(file->client))
		mask = EPOLLIN | EPOLLRDNORM;
	srcu_read_unlock(&dev->srcu, idx);
	return mask;
}

static ssize_t events_peek(struct maru_file *file, void *buf, size_t len)
{
	struct maru_dev *dev = file->dev;
	ssize_t n = -ENODEV;
	int idx;

	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->gone))
		n = maru_events_peek(file->client, buf, len);
	srcu_read_unlock(&dev->srcu, idx);
	if (n == -EMSGSIZE)
		return -EINVAL;
	return n ?: -EAGAIN;
}

/* Whole records, as many as fit.  Never waits: that is what poll(2) is for. */
static ssize_t file_read(struct file *filp, char __user *ubuf, size_t len,
			 loff_t *pos)
{
	struct maru_file *file = filp->private_data;
	ssize_t n;
	void *buf;

	len = min_t(size_t, len, EVENTS_AT_ONCE);
	if (!len)
		return -EINVAL;
	buf = kvmalloc(len, GFP_KERNEL_ACCOUNT);
	if (!buf)
		return -ENOMEM;
	n = -EINTR;
	if (mutex_lock_killable(&file->read_lock))
		goto free;
	n = events_peek(file, buf, len);
	if (n > 0 && copy_to_user(ubuf, buf, n))
		n = -EFAULT;
	if (n > 0)
		maru_events_consume(file->client, n);
	mutex_unlock(&file->read_lock);
free:
	kvfree(buf);
	return n;
}

const struct file_operations maru_file_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.read = file_read,
	.poll = file_poll,
	.unlocked_ioctl = maru_file_ioctl,
	.mmap = maru_file_mmap,
	.get_unmapped_area = maru_file_area,
};
