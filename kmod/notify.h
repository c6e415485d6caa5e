/* SPDX-License-Identifier: GPL-2.0-only */
/* What monitors are told; see Documentation/netlink/specs/maru_l1.yaml. */
#ifndef MARU_NOTIFY_H
#define MARU_NOTIFY_H

#include <linux/types.h>

struct maru_dev;
struct maru_l1_usage;

/*
 * None of these fails: a monitor that misses one finds out by ENOBUFS, and
 * without memory there is nobody to tell.  They may sleep.
 */
void maru_notify_attached(struct maru_dev *dev, bool attached);
void maru_notify_grown(struct maru_dev *dev);
/* Looks at the fill; only the reaper of @dev calls it. */
void maru_notify_fill(struct maru_dev *dev);
void maru_notify_evicted(struct maru_dev *dev, u64 count, u64 bytes);
/* @usage: what client @id had when it was closed; nothing: nobody is told. */
void maru_notify_gone(struct maru_dev *dev, u64 id,
		      const struct maru_l1_usage *usage);

#endif /* MARU_NOTIFY_H */
