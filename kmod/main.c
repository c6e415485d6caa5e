// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading: nothing but the order. */

#include <linux/init.h>
#include <linux/module.h>
#include <linux/workqueue.h>

#include "debug.h"
#include "netlink.h"
#include "pool.h"

struct workqueue_struct *maru_wq;

static int __init maru_init(void)
{
	int err;

	maru_wq = alloc_workqueue(MARU_MODULE, WQ_UNBOUND, 0);
	if (!maru_wq)
		return -ENOMEM;
	err = maru_pools_init();
	if (err)
		goto destroy_wq;
	err = maru_netlink_init();
	if (err)
		goto exit_pools;
	err = maru_control_init();
	if (err)
		goto exit_netlink;
	maru_debug_init();
	return 0;

exit_netlink:
	maru_netlink_exit();
exit_pools:
	maru_pools_exit();
destroy_wq:
	destroy_workqueue(maru_wq);
	return err;
}

/* No pool is attached: each holds the module. */
static void __exit maru_exit(void)
{
	maru_debug_exit();
	maru_control_exit();
	maru_netlink_exit();
	maru_pools_exit();
	/* The work that ended the last pool may still be on its last lines. */
	destroy_workqueue(maru_wq);
}

module_init(maru_init);
module_exit(maru_exit);

MODULE_DESCRIPTION("KV-cache objects in a memory pool that several hosts map");
MODULE_LICENSE("GPL");
