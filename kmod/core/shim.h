/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The few kernel names that the core uses.  In the kernel they are the
 * kernel's; elsewhere libmarul1/shim has them, on liburcu and libc.  This is
 * the only place of the core that asks where it is built.
 */
#ifndef MARU_SHIM_H
#define MARU_SHIM_H

#ifdef __KERNEL__

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/byteorder/generic.h>
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/types.h>
#include "../compat/crc32c.h"

#else

#include "user.h"

#endif

#endif /* MARU_SHIM_H */
