// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks for the tests, in debug builds only:
 *
 *	/sys/kernel/debug/maru_l1/fault_delay_ms
 *		each fault sleeps that long before it maps its page
 *	ioctl(MARU_L1_DEBUG_CORRUPT, n)
 *		plants a fault in the accounts
 */
#include <linux/capability.h>
#include <linux/debugfs.h>
#include <linux/delay.h>

#include "debug.h"

static struct dentry *dir;
static u32 fault_delay_ms;

void maru_debug_init(void)
{
	dir = debugfs_create_dir(MARU_MODULE, NULL);
	debugfs_create_u32("fault_delay_ms", 0600, dir, &fault_delay_ms);
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
