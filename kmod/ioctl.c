// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the user's structs to the core's calls and back.
 *
 * One way for all calls: the argument is copied in and checked, all memory is
 * allocated, items and keys are copied in, and the places of the answer are
 * written to, with what they have.  Only then is the core called.  So EFAULT
 * and ENOMEM mean that nothing has happened.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "debug.h"
#include "notify.h"
#include "pool.h"
#include "trace.h"

/* Where a call's data is in the caller's memory. */
struct user_call {
	u8 __user *arg;
	u8 __user *items;
	u8 __user *keys;
	u32 arg_size;
};

int maru_arg_in(void *arg, u32 min, u32 full, const void __user *uarg, u32 *size)
{
	if (get_user(*size, (const u32 __user *)uarg))
		return -EFAULT;
	if (*size < min)
		return -EINVAL;
	if (*size > PAGE_SIZE)
		return -E2BIG;
	return copy_struct_from_user(arg, full, uarg, *size);
}

/* Finds memory that cannot be written, without changing any. */
static int probe_writable(u8 __user *start, size_t len)
{
	u8 __user *end = start + len;
	u8 __user *at;
	u8 byte;

	if (!access_ok(start, len))
		return -EFAULT;
	for (at = start; at < end; at = PTR_ALIGN(at + 1, PAGE_SIZE))
		if (get_user(byte, at) || put_user(byte, at))
			return -EFAULT;
	return 0;
}

static void find_buffers(const struct maru_call *call, struct user_call *user)
{
	const union maru_call_arg *arg = call->arg;
	u64 items = 0, keys = 0;

	switch (call->type->nr) {
	case _IOC_NR(MARU_L1_EVICT):
		items = arg->evict.items;
		keys = arg->evict.keys;
		break;
	case _IOC_NR(MARU_L1_STATS):
		items = arg->stats.items;
		break;
	case _IOC_NR(MARU_L1_CHECK):
		items = arg->check.items;
		break;
	default:
		items = arg->batch.items;
		keys = arg->batch.keys;
	}
	user->items = u64_to_user_ptr(items);
	user->keys = u64_to_user_ptr(keys);
}

/* Allocates the buffers of @call in one piece, which begins with the items. */
static int buffers_in(struct maru_call *call, const struct user_call *user)
{
	size_t items = array_size(call->nr_items, call->type->item_size);
	bool list = call->type->flags & MARU_CALL_LIST;

	if (!items && !call->keys_len)
		return 0;
	call->items = kvmalloc(items + call->keys_len, GFP_KERNEL_ACCOUNT |
			       (list ? __GFP_ZERO : 0));
	if (!call->items)
		return -ENOMEM;
	call->keys = call->items + items;
	if (list)
		return probe_writable(user->items, items) ?:
		       probe_writable(user->keys, call->keys_len);
	if (copy_from_user(call->items, user->items, items) ||
	    copy_from_user(call->keys, user->keys, call->keys_len))
		return -EFAULT;
	return probe_writable(user->items, items);
}

static int answer_out(const struct maru_call *call, const struct user_call *user)
{
	size_t items = array_size(call->nr_items, call->type->item_size);
	bool list = call->type->flags & MARU_CALL_LIST;

	if (copy_to_user(user->items, call->items, items))
		return -EFAULT;
	if (list && copy_to_user(user->keys, call->keys, call->keys_len))
		return -EFAULT;
	if (copy_to_user(user->arg, call->arg,
			 min(user->arg_size, call->type->arg_size)))
		return -EFAULT;
	return 0;
}

static int run(struct maru_file *file, struct maru_call *call)
{
	struct maru_dev *dev = file->dev;
	int err = -ENODEV, idx;

	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->gone)) {
		call->now = ktime_get_ns();
		err = maru_call_run(file->client, call);
	}
	srcu_read_unlock(&dev->srcu, idx);
	return err;
}

/* What a call did that monitors are told. */
static void notify(struct maru_dev *dev, const struct maru_call *call)
{
	const struct maru_l1_evict *evict = &call->arg->evict;

	if (call->type->nr == _IOC_NR(MARU_L1_EVICT) && evict->evicted &&
	    !(evict->flags & MARU_L1_EVICT_DRY_RUN))
		maru_notify_evicted(dev, evict->evicted, evict->evicted_bytes);
}

static int copy_and_run(struct maru_file *file, struct maru_call *call,
			const struct user_call *user)
{
	int err;

	err = buffers_in(call, user);
	if (!err)
		err = probe_writable(user->arg, min(user->arg_size,
						    call->type->arg_size));
	if (!err && (call->type->flags & MARU_CALL_RESERVES))
		err = maru_file_remember(file);
	if (!err)
		err = run(file, call);
	if (err)
		return err;
	notify(file->dev, call);
	return answer_out(call, user);
}

static int prepare(struct maru_file *file, struct maru_call *call,
		   struct user_call *user)
{
	const struct maru_call_type *type = call->type;
	int err;

	if ((type->flags & MARU_CALL_ADMIN) && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	err = maru_arg_in(call->arg, type->arg_min, type->arg_size, user->arg,
			  &user->arg_size);
	if (!err)
		err = maru_call_check(file->client, call);
	if (!err && type->item_size)
		find_buffers(call, user);
	return err;
}

static int call_core(struct maru_file *file, const struct maru_call_type *type,
		     void __user *uarg)
{
	struct user_call user = { .arg = uarg };
	union maru_call_arg arg = {};
	struct maru_call call = { .type = type, .arg = &arg };
	const char *pool = file->dev->name;
	int err;

	err = prepare(file, &call, &user);
	trace_maru_call_enter(pool, type->name, call.nr_items);
	if (!err)
		err = copy_and_run(file, &call, &user);
	if (trace_maru_call_exit_enabled())
		trace_maru_call_exit(pool, type->name, call.nr_items,
				     err ? 0 : maru_trace_nr_ok(&call), err);
	kvfree(call.items);
	return err;
}

void maru_dev_info(struct maru_dev *dev, struct maru_l1_info *info)
{
	u32 i;

	memset(info, 0, sizeof(*info));
	maru_pool_info(dev->pool, info);
	memcpy(info->name, dev->name, sizeof(info->name));
	memcpy(info->label, dev->super.label, sizeof(info->label));
	memcpy(info->uuid, dev->super.uuid, sizeof(info->uuid));
	info->map_align = dev->super.unit;
	info->nr_backings = maru_parts_nr(&dev->parts);
	/* A part that has just come may not be in the capacity yet. */
	for (i = 0; i < info->nr_backings && dev->parts.of[i]->start < info->capacity; i++)
		info->backing_bytes[i] = dev->parts.of[i]->bytes;
	info->nr_backings = i;
	info->numa_node = dev->numa_node;
}

static int info(struct maru_file *file, bool writable, void __user *uarg)
{
	struct maru_l1_info info = {};
	u32 size;
	int err;

	err = maru_arg_in(&info, offsetofend(struct maru_l1_info, backing_bytes),
			  sizeof(info), uarg, &size);
	if (err)
		return err;
	maru_dev_info(file->dev, &info);
	info.size = size;
	if (!writable)
		info.flags |= MARU_L1_I_READ_ONLY;
	size = min_t(u32, size, sizeof(info));
	/* A copy that fails in its middle would have written its beginning. */
	return probe_writable(uarg, size) || copy_to_user(uarg, &info, size) ?
		-EFAULT : 0;
}

static long dispatch(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct maru_file *file = filp->private_data;
	const struct maru_call_type *type;

	if (cmd != _IO(MARU_L1_IOC, _IOC_NR(cmd)))
		return -ENOTTY;
	type = maru_call_find(_IOC_NR(cmd));
	if (!type && cmd != MARU_L1_INFO && cmd != MARU_L1_DEBUG_CORRUPT)
		return -ENOTTY;
	if (READ_ONCE(file->dev->gone))
		return -ENODEV;
	if (type)
		return call_core(file, type, (void __user *)arg);
	if (cmd == MARU_L1_INFO)
		return info(file, filp->f_mode & FMODE_WRITE, (void __user *)arg);
	return maru_debug_corrupt(file, arg);
}

long maru_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct maru_file *file = filp->private_data;
	u64 begin = ktime_get_ns();
	long ret = dispatch(filp, cmd, arg);

	if (ret != -ENOTTY)
		maru_latency_record(file->dev->latencies, _IOC_NR(cmd),
				    ktime_get_ns() - begin, ret);
	return ret;
}
