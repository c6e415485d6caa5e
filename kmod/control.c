// SPDX-License-Identifier: GPL-2.0-only
/* /dev/maru_l1/control: makes pools and ends them. */

#include <linux/capability.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "pool.h"

/* NUL-terminated, and nothing behind. */
static bool name_is_padded(const u8 *name)
{
	size_t len = strnlen(name, MARU_L1_NAME_LEN);

	return len && len < MARU_L1_NAME_LEN &&
	       mem_is_zero(name + len, MARU_L1_NAME_LEN - len);
}

static bool name_is_valid(const u8 *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return name_is_padded(name) && name[0] != '.' &&
	       strspn(name, allowed) == strlen(name);
}

static int attach_check(const struct maru_l1_attach *arg)
{
	if (arg->flags || arg->reserved || !name_is_valid(arg->name) ||
	    !arg->nr_fds || arg->nr_fds > MARU_L1_BACKINGS_MAX ||
	    arg->quarantine_ms > MARU_L1_QUARANTINE_MS_MAX ||
	    arg->numa_node < NUMA_NO_NODE || arg->numa_node >= MAX_NUMNODES)
		return -EINVAL;
	if (!strcmp(arg->name, "control"))
		return -EEXIST;
	/* Format v1 has room for more; one is what this version can map. */
	return arg->nr_fds > 1 ? -EOPNOTSUPP : 0;
}

static int control_attach(void __user *uarg)
{
	struct maru_l1_attach arg = {};
	struct file *backing;
	s32 fd;
	u32 size;
	int err;

	err = maru_arg_in(&arg, offsetofend(struct maru_l1_attach, reserved),
			  sizeof(arg), uarg, &size);
	if (!err)
		err = attach_check(&arg);
	if (err)
		return err;
	if (get_user(fd, (s32 __user *)u64_to_user_ptr(arg.fds)))
		return -EFAULT;
	backing = fget(fd);
	if (!backing)
		return -EOPNOTSUPP;
	err = maru_attach(&arg, backing);
	fput(backing);
	return err;
}

static int control_detach(void __user *uarg)
{
	struct maru_l1_detach arg = {};
	u32 size;
	int err;

	err = maru_arg_in(&arg, offsetofend(struct maru_l1_detach, name),
			  sizeof(arg), uarg, &size);
	if (err)
		return err;
	if (arg.flags & ~MARU_L1_DETACH_FORCE || !name_is_padded(arg.name))
		return -EINVAL;
	return maru_detach(arg.name, arg.flags & MARU_L1_DETACH_FORCE);
}

static long control_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;

	if (cmd != MARU_L1_ATTACH && cmd != MARU_L1_DETACH)
		return -ENOTTY;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return cmd == MARU_L1_ATTACH ? control_attach(uarg) :
				       control_detach(uarg);
}

static const struct file_operations control_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = control_ioctl,
};

static struct miscdevice control = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = MARU_MODULE,
	.nodename = MARU_MODULE "/control",
	.mode = 0600,
	.fops = &control_fops,
};

int maru_control_init(void)
{
	return misc_register(&control);
}

void maru_control_exit(void)
{
	misc_deregister(&control);
}
