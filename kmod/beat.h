/* SPDX-License-Identifier: GPL-2.0-only */
/* This node's own line on the media, and what the other lines say. */
#ifndef MARU_BEAT_H
#define MARU_BEAT_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "core/super.h"

struct maru_dev;
struct maru_part;
struct task_struct;

/**
 * struct maru_pulse - the beating of one pool
 * @lock: the lines on the media, and what struct maru_part says of them, change
 *	together; innermost
 * @task: beats while the pool is attached or lingers; NULL: does not
 * @beat: what was written last
 * @floor: the highest incarnation of another's that this line was seen with
 * @say: enum maru_beat_state of the next beat; STOPPED is the last word
 * @lost: a reason to fence was seen: fencing is under way
 */
struct maru_pulse {
	struct mutex lock;		/* the lines on the media; innermost */
	struct task_struct *task;
	struct maru_beat beat;
	u32 floor;
	u32 say;
	bool lost;
};

/*
 * Watches all lines for MARU_WATCH_BEATS and takes the next incarnation.
 * -EBUSY: one is running, or was fenced and nothing confirms its end; -EUCLEAN:
 * damaged; -ENOSPC: no more incarnations; -EINTR: a fatal signal.
 */
int maru_beat_watch(struct maru_dev *dev, const u8 machine_id[16],
		    const u8 boot_id[16]);
/*
 * Writes the own line and waits for MARU_WATCH_BEATS.  -EBUSY: somebody else
 * wrote it too, and has it now; on any other error it says STOPPED again.
 */
int maru_beat_claim(struct maru_dev *dev);
/*
 * Watches all lines of a part that a pool is to have, then writes the own one and
 * waits, as for an attach.  The errors are those of watch and claim.
 */
int maru_beat_join(struct maru_dev *dev, struct maru_part *part);
/*
 * -ESTALE: a line of this node, on a part that it has or on @part, is not what was
 * written last, or the node is to stop: nothing may be written to superblocks.
 */
int maru_beat_still_ours(struct maru_dev *dev, struct maru_part *part);
/* The part is not added after all. */
void maru_beat_leave(struct maru_dev *dev, struct maru_part *part);
/* Makes the thread, which beats once maru_beat_start() lets it. */
int maru_beat_prepare(struct maru_dev *dev);
void maru_beat_start(struct maru_dev *dev);
/* Ends the thread. */
void maru_beat_stop(struct maru_dev *dev);
/* The last word of this incarnation, if not said yet.  The thread has ended. */
void maru_beat_stopped(struct maru_dev *dev);

#endif /* MARU_BEAT_H */
