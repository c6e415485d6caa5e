/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a pool: each a backing with its own superblock area, whose data
 * follow each other in the pool's one space of offsets.
 *
 * A slot of struct maru_parts is filled before the pool or its growth is seen by
 * others, and stays as it is for the life of the struct maru_dev: what mappings and
 * faults use needs no lock.  maru_devs_lock guards the filling of slots.  The count of
 * those that can be mapped only grows, by whoever attaches or, with dev->growing, grows.
 */
#ifndef MARU_PART_H
#define MARU_PART_H

#include <linux/mm.h>

#include "backing.h"
#include "core/super.h"
#include "window.h"

struct maru_dev;

/**
 * struct maru_part - one of them
 * @dev: its pool
 * @backing: the memory
 * @window: the module's view of its superblock area
 * @super: what that says
 * @copy: which of its two copies that was
 * @line: this node's own line, as it was written or seen last
 * @start: pool offset of its first byte
 * @bytes: of its data
 * @vm_ops: the backing's, wrapped; of all data mappings of this part
 */
struct maru_part {
	struct maru_dev *dev;
	struct maru_backing backing;
	struct maru_window window;
	struct maru_super super;
	int copy;
	struct maru_beat_disk line;
	u64 start;
	u64 bytes;
	struct vm_operations_struct vm_ops;
};

/**
 * struct maru_parts - of a pool
 * @of: in the order of their offsets; the first @nr, and one that is being added
 * @nr: can be mapped
 */
struct maru_parts {
	struct maru_part *of[MARU_L1_BACKINGS_MAX];
	u32 nr;
};

static inline u32 maru_parts_nr(const struct maru_parts *parts)
{
	/* Pairs with the release in maru_part_publish(): the slots below are filled. */
	return smp_load_acquire(&parts->nr);
}

/* A part of the memory in @file, not yet looked at. -EOPNOTSUPP, -ENOMEM. */
struct maru_part *maru_part_new(struct file *file);
/* Gives its memory back: window and backing. */
void maru_part_close(struct maru_part *part);
/* Opens the window and reads the superblock: as maru_window_open(); -EUCLEAN. */
int maru_part_open(struct maru_part *part);
/* Reads the superblock again; -EBUSY: it is another one now. */
int maru_part_unchanged(struct maru_part *part);
/* The memory must be as long as its superblock says. -EUCLEAN. */
int maru_part_reaches_end(struct maru_part *part);
/*
 * Writes @super, with the part's own index, over the older copy; that one is then
 * the part's.
 */
void maru_part_write(struct maru_part *part, const struct maru_super *super,
		     struct maru_sb_disk *buffer);
/* The part that has all @bytes at @offset; NULL: none has. */
struct maru_part *maru_parts_find(const struct maru_parts *parts, u64 offset, u64 bytes);
/* Whether one of them is @part's memory. */
bool maru_parts_have(const struct maru_parts *parts, const struct maru_part *part);
/* Whether the memory of one was taken away. */
bool maru_parts_gone(const struct maru_parts *parts);
/* The part of slot parts->nr can be mapped from now on. */
void maru_part_publish(struct maru_parts *parts);

#endif /* MARU_PART_H */
