/* SPDX-License-Identifier: GPL-2.0-only */
/* Hooks of a debug build (make MARU_DEBUG=1); nothing of them is in another. */
#ifndef MARU_DEBUG_H
#define MARU_DEBUG_H

#include <linux/errno.h>

#include "pool.h"

/* On a pool's node, CAP_SYS_ADMIN: plants fault @arg for CHECK to find. */
#define MARU_L1_DEBUG_CORRUPT	_IO(MARU_L1_IOC, 0xf0)

#ifdef MARU_DEBUG
void maru_debug_init(void);
void maru_debug_exit(void);
/* Widens the window between a fault's look at the flag and its mapping. */
void maru_debug_fault(void);
/* Whether reading these bytes of a superblock area shall fail as if they were bad. */
bool maru_debug_poisoned(u32 offset, u32 len);
long maru_debug_corrupt(struct maru_file *file, unsigned long n);
#else
static inline void maru_debug_init(void)
{
}

static inline void maru_debug_exit(void)
{
}

static inline void maru_debug_fault(void)
{
}

static inline bool maru_debug_poisoned(u32 offset, u32 len)
{
	return false;
}

static inline long maru_debug_corrupt(struct maru_file *file, unsigned long n)
{
	return -ENOTTY;
}
#endif

#endif /* MARU_DEBUG_H */
