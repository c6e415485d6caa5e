// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks for the tests, in debug builds only:
 *
 *	/sys/kernel/debug/maru_l1/fault_delay_ms
 *		each fault sleeps that long before it maps its page
 *	/sys/kernel/debug/maru_l1/poison_at
 *		the module cannot read the byte at that offset of a superblock
 *		area, nor what it reads together with it; 4294967295: it can
 *	ioctl(MARU_L1_DEBUG_CORRUPT, n)
 *		plants a fault in the accounts
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/module.h>

#include "debug.h"

/* What "modinfo" shows: nobody shall load this build by mistake. */
MODULE_INFO(maru_debug, "Y");

static struct dentry *dir;
static u32 fault_delay_ms;
static u32 poison_at = U32_MAX;

void maru_debug_init(void)
{
	dir = debugfs_create_dir(MARU_MODULE, NULL);
	debugfs_create_u32("fault_delay_ms", 0600, dir, &fault_delay_ms);
	debugfs_create_u32("poison_at", 0600, dir, &poison_at);
}

void maru_debug_exit(void)
{
	debugfs_remove(dir);
}

void maru_debug_fault(void)
{
	u32 ms = READ_ONCE(fault_delay_ms);

	if (ms)
		msleep(ms);
}

bool maru_debug_poisoned(u32 offset, u32 len)
{
	u32 at = READ_ONCE(poison_at);

	return at >= offset && at - offset < len;
}

long maru_debug_corrupt(struct maru_file *file, unsigned long n)
{
	struct maru_dev *dev = file->dev;
	int err = -ENODEV, idx;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (n > UINT_MAX)
		return -EINVAL;
	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->gone))
		err = maru_pool_corrupt(dev->pool, n);
	srcu_read_unlock(&dev->srcu, idx);
	return err;
}
