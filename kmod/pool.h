/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's own objects: who holds what, for how long, and in which order
 * locks are taken.
 *
 * Objects
 *
 *	struct maru_dev		an attached pool: its node, its parts, the core's pool
 *	struct maru_part	a part of its memory: the backing, the window on the
 *				superblock area, the wrapped vm_ops
 *	struct maru_file	an open file of it: the core's client
 *	dev->internal		one anonymous file for each pool, whose owner is
 *				this module: what a mapping holds
 *	backing->door		the module's own open file of the backing: what
 *				the data mappings have as vm_file
 *
 * Life of a maru_dev
 *
 *	maru_attach() makes it ATTACHING: name, minor and memory are taken, and
 *	nobody can open it yet.  maru_dev_publish() makes the node, ATTACHED.
 *
 *	A detach needs: no open file, no mapping, nothing in quarantine.  It
 *	goes to ENDING, the node is removed, maru_dev_end() takes all down.
 *
 *	A forced detach goes to ENDING too, removes the node, then revokes:
 *	calls answer ENODEV, faults SIGBUS, holds are STALE.  Then it is
 *	LINGERING: the name is free, the memory is not.  When the last file has
 *	been closed for the length of the quarantine and nothing waits any more,
 *	reap.c ends it.
 *
 *	A node that must stop (beat.c) is fenced in the same way, but stays
 *	ATTACHED: calls answer, with the flag FENCED and nothing granted.  On the
 *	media it says FENCED until nothing is left of what it gave out, then
 *	STOPPED, and no more.
 *
 *	maru_dev_end() says STOPPED on the media, waits for what a dump does in
 *	the core's pool, destroys that, gives window, backing and door back.  The
 *	struct itself stays as long as a revoked mapping needs its vm_ops and its
 *	SRCU, or a dump its place.
 *
 * References on a maru_dev (kref_get(), maru_dev_put())
 *
 *	the attachment		from maru_dev_new() to maru_dev_end()
 *	each open file		from open to release()
 *	attach and detach	while they use it
 *	a netlink dump		from its start to its end; the pool may end in
 *				between (maru_dev_enter())
 *	dev->internal		until its release(): after the attachment has
 *				dropped it and the last mapping is gone
 *
 * References on the module
 *
 *	the attachment (rmmod is refused while a pool is attached or lingers),
 *	and through the VFS each open file, dev->internal and the door.  A
 *	mapping holds dev->internal: the data mappings take it in mmap and
 *	vm_ops->open and fput() it in vm_ops->close, the status mapping has it as
 *	its vm_file.  No mapping holds the client's file, so that release() comes
 *	with the last close, whatever is still mapped.
 *
 * Growing (grow.c) adds a part to an ATTACHED pool, one at a time (dev->growing);
 * a detach, forced or not, is refused for the two seconds that it takes.  A fence may
 * come at any moment: what it revokes, no part that comes later can map.
 *
 * A closed file whose processes are still exiting (its client could not start
 * the quarantine) stays in dev->settling, out of reach, until reap.c finds them
 * gone.
 *
 * Lock order
 *
 *	maru_devs_lock		list of pools, states, open and settling files
 *	 ├ the core's pool mutex
 *	 │  └ file->wait.lock	an event wakes pollers
 *	 └ file->pids_lock
 *
 *	file->read_lock		readers of events, one at a time
 *	 └ mmap_lock, SRCU
 *
 *	mmap_lock
 *	 └ dev->srcu		faults; nothing of the pool is locked there
 *
 *	dev->srcu
 *	 ├ maru_devs_lock	dumps of clients and holds
 *	 └ the core's pool mutex
 *
 *	dev->beat.lock		the beat against a growth; nothing is locked inside
 *
 * dev->srcu is read-held around each call of the core, each piece of a dump and
 * each fault.  Neither
 * copies to or from user memory there, so synchronize_srcu() in revoke.c waits
 * for work of bounded length only; it is called with no lock held.
 */
#ifndef MARU_POOL_H
#define MARU_POOL_H

#include <linux/fs.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/srcu.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include "beat.h"
#include "core/core.h"
#include "core/super.h"
#include "latency.h"
#include "part.h"

#define MARU_MODULE		"maru_l1"
#define MARU_POOLS_MAX		256		/* minors */
#define MARU_NODE		1		/* number of this node, standalone */
#define MARU_QUARANTINE_MS	2000		/* default */
#define MARU_REAP_MS		100
#define MARU_UNMAP_AGAIN_MS	100

enum maru_dev_state {
	MARU_DEV_ATTACHING,
	MARU_DEV_ATTACHED,
	MARU_DEV_ENDING,
	MARU_DEV_LINGERING,
};

/**
 * struct maru_dev - an attached pool
 * @ref: see above
 * @serial: order of attaching, unique while the module is loaded
 * @net: the network namespace it was attached from, with a reference
 * @link: in the list of pools, under maru_devs_lock
 * @state: under maru_devs_lock
 * @files: open files, under maru_devs_lock
 * @settling: closed files whose processes are still exiting, likewise
 * @client_changes: files shown to dumps or no longer shown, likewise
 * @told: monitors know of it, likewise
 * @last_close: ns, when the last file was closed; under maru_devs_lock
 * @pool: the core's; from attach to end
 * @super: what the first part's superblock says
 * @parts: the memory
 * @growing: a part is being added; under maru_devs_lock
 * @beat: this node's own line on the media
 * @internal: what mappings hold
 * @status: pool status page, mapped by clients
 * @srcu: faults and calls against revoking
 * @revoked: faults answer SIGBUS, for good
 * @gone: calls answer ENODEV, for good
 * @unmap_again: ns, when revoking unmaps a second time; 0: no more
 * @reap: ends leases, quarantines, and a lingering pool
 * @fence: the beat has found that this node must stop
 * @name: of the node
 * @minor: of the node
 * @numa_node: of the memory, -1: unknown
 * @quarantine_ns: how long an extent waits when its writer vanished
 * @fill_step: hundreds of permille that were full when last looked at; reap
 * @latencies: of calls
 */
struct maru_dev {
	struct kref ref;
	u64 serial;
	possible_net_t net;

	struct list_head link;
	enum maru_dev_state state;
	struct list_head files;
	struct list_head settling;
	u32 client_changes;
	bool told;
	u64 last_close;

	struct maru_pool *pool;
	struct maru_super super;
	struct maru_parts parts;
	bool growing;
	struct maru_pulse beat;
	struct file *internal;
	struct page *status;

	struct srcu_struct srcu;
	bool revoked;
	bool gone;
	u64 unmap_again;

	struct delayed_work reap;
	struct work_struct fence;

	char name[MARU_L1_NAME_LEN];
	int minor;
	int numa_node;
	u64 quarantine_ns;
	u32 fill_step;
	struct maru_latencies __percpu *latencies;
};

/**
 * struct maru_file - an open file: a client
 * @link: in dev->files, then perhaps in dev->settling
 * @dev: its pool
 * @client: the core's
 * @status: client status page, mapped by the client
 * @wait: pollers
 * @read_lock: one reader of events at a time
 * @pids_lock: guards @pids
 * @pids: struct maru_pid: the processes that reserved here
 * @id: unique while the module is loaded, in order of opening
 * @shown: dumps may look at @client, under maru_devs_lock
 * @writable: opened for writing
 * @opener: the process that opened it
 * @comm: its name then
 */
struct maru_file {
	struct list_head link;
	struct maru_dev *dev;
	struct maru_client *client;
	struct page *status;
	wait_queue_head_t wait;
	struct mutex read_lock;		/* peek and consume of events */
	spinlock_t pids_lock;		/* pids */
	struct list_head pids;
	u64 id;
	bool shown;
	bool writable;
	struct pid *opener;
	char comm[TASK_COMM_LEN];
};

extern struct mutex maru_devs_lock;
extern struct workqueue_struct *maru_wq;

/* pool.c */
int maru_pools_init(void);
void maru_pools_exit(void);
/*
 * A pool in state ATTACHING; owns @parts from now on, on failure too.
 * -EEXIST, -EBUSY, -ENOSPC, -ENOMEM.
 */
struct maru_dev *maru_dev_new(const struct maru_l1_attach *arg,
			      const struct maru_parts *parts);
/* Out of the list: memory and name are free again. */
void maru_dev_unregister(struct maru_dev *dev);
int maru_dev_publish(struct maru_dev *dev);
/* Removes the node. */
void maru_dev_hide(struct maru_dev *dev);
/* Monitors, in the order in which it happens: the next pool of the name comes later. */
void maru_dev_tell_locked(struct maru_dev *dev, bool attached);
/* The attached pool of that name, with a reference; NULL: none. */
struct maru_dev *maru_dev_find_locked(const char *name);
/*
 * The pool that @part is to be added to, with a reference: @part is in its next
 * slot.  -ENOENT; -ESTALE: it is fenced; -EBUSY: it grows, or the memory is in use;
 * -ENOSPC: it has all the parts it can have.
 */
struct maru_dev *maru_dev_grow_begin(const char *name, struct maru_part *part);
/* @err: the part was not added, and is the caller's again. */
void maru_dev_grow_end(struct maru_dev *dev, int err);
/* With a reference, and @file among its files; -ENODEV: no such, or not any more. */
struct maru_dev *maru_dev_open(dev_t devt, struct maru_file *file);
/*
 * @file is no longer open.  @settle: the pool has it from now on, else it is the
 * caller's to destroy.
 */
void maru_dev_close(struct maru_dev *dev, struct maru_file *file, bool settle);
void maru_dev_put(struct maru_dev *dev);
/* The attached pool of that name, if @net sees it; with a reference. NULL: none. */
struct maru_dev *maru_dev_find(struct net *net, const char *name);
/*
 * The attached pool that follows @serial, likewise.  @changes: a number that is
 * another one, and never 0, when pools came or went.
 */
struct maru_dev *maru_dev_next(struct net *net, u64 serial, u32 *changes);

/*
 * Around each use of dev->pool by those who have no open file.  False: there is
 * none any more.
 */
static inline bool maru_dev_enter(struct maru_dev *dev, int *idx)
{
	*idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->gone))
		return true;
	srcu_read_unlock(&dev->srcu, *idx);
	return false;
}

static inline void maru_dev_leave(struct maru_dev *dev, int idx)
{
	srcu_read_unlock(&dev->srcu, idx);
}

/* file.c */
extern const struct file_operations maru_file_fops;
void maru_file_destroy(struct maru_file *file);
/* The calling process will write to extents of @file: 0, -ENOMEM. */
int maru_file_remember(struct maru_file *file);
/* Whether a process that reserved on @file has begun to exit and is not gone. */
bool maru_file_exiting(struct maru_file *file);

/* ioctl.c */
/* All but what depends on an open file. */
void maru_dev_info(struct maru_dev *dev, struct maru_l1_info *info);
long maru_file_ioctl(struct file *file, unsigned int cmd, unsigned long arg);
/* Copies an argument in: 0, -EINVAL, -E2BIG, -EFAULT. @size: as the user said. */
int maru_arg_in(void *arg, u32 min, u32 full, const void __user *uarg, u32 *size);

/* mmap.c */
int maru_file_mmap(struct file *file, struct vm_area_struct *vma);
unsigned long maru_file_area(struct file *file, unsigned long addr,
			     unsigned long len, unsigned long pgoff,
			     unsigned long flags);
/* Wraps the vm_ops of all parts and makes the internal file. */
int maru_mmap_init(struct maru_dev *dev);
/* Wraps the vm_ops of one. */
void maru_mmap_part(struct maru_part *part);

/* revoke.c */
/* No fault maps anything any more, and nothing is mapped. */
void maru_dev_revoke(struct maru_dev *dev);
void maru_dev_unmap(struct maru_dev *dev);
/* Revokes, and makes all holds STALE. */
void maru_dev_fence(struct maru_dev *dev, bool gone);
void maru_fence_work(struct work_struct *work);

/* reap.c */
void maru_reap_work(struct work_struct *work);
/* Ends what is due now. */
void maru_dev_reap(struct maru_dev *dev);

/* attach.c: @files: as many as arg->nr_fds says */
int maru_attach(const struct maru_l1_attach *arg, struct file *const files[]);

/* detach.c */
int maru_detach(const char *name, bool force);
/* Ends a pool in state ENDING. */
void maru_dev_end(struct maru_dev *dev);
/*
 * Nothing is left of what a fenced pool gave out: it says STOPPED to the other
 * nodes.  True: it was lingering, and is the caller's to end.
 */
bool maru_dev_let_go(struct maru_dev *dev);

/* grow.c */
int maru_grow(const struct maru_l1_grow *arg, struct file *file);

/* control.c */
int maru_control_init(void);
void maru_control_exit(void);

#endif /* MARU_POOL_H */
