// SPDX-License-Identifier: GPL-2.0-only
/* /dev/maru_l1/control: makes pools, adds to them and ends them. */

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
	return 0;
}

/* The files of @arg->fds, with references. */
static int get_files(const struct maru_l1_attach *arg, struct file *files[])
{
	s32 fds[MARU_L1_BACKINGS_MAX];
	u32 i;

	if (copy_from_user(fds, u64_to_user_ptr(arg->fds),
			   array_size(arg->nr_fds, sizeof(fds[0]))))
		return -EFAULT;
	for (i = 0; i < arg->nr_fds; i++) {
		files[i] = fget(fds[i]);
		if (!files[i])
			return -EOPNOTSUPP;
	}
	return 0;
}

static int control_attach(void __user *uarg)
{
	struct file *files[MARU_L1_BACKINGS_MAX] = {};
	struct maru_l1_attach arg = {};
	u32 size, i;
	int err;

	err = maru_arg_in(&arg, offsetofend(struct maru_l1_attach, reserved),
			  sizeof(arg), uarg, &size);
	if (!err)
		err = attach_check(&arg);
	if (err)
		return err;
	err = get_files(&arg, files);
	if (!err)
		err = maru_attach(&arg, files);
	for (i = 0; i < arg.nr_fds && files[i]; i++)
		fput(files[i]);
	return err;
}

static int control_grow(void __user *uarg)
{
	struct maru_l1_grow arg = {};
	struct file *file;
	u32 size;
	int err;

	err = maru_arg_in(&arg, offsetofend(struct maru_l1_grow, reserved),
			  sizeof(arg), uarg, &size);
	if (err)
		return err;
	if (arg.flags || arg.reserved || !name_is_padded(arg.name))
		return -EINVAL;
	file = fget(arg.fd);
	if (!file)
		return -EOPNOTSUPP;
	err = maru_grow(&arg, file);
	fput(file);
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

	if (cmd != MARU_L1_ATTACH && cmd != MARU_L1_DETACH && cmd != MARU_L1_GROW)
		return -ENOTTY;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	switch (cmd) {
	case MARU_L1_ATTACH:
		return control_attach(uarg);
	case MARU_L1_GROW:
		return control_grow(uarg);
	default:
		return control_detach(uarg);
	}
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
