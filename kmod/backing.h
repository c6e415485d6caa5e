/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a pool: a device-dax node, or a memfd that cannot change size. */
#ifndef MARU_BACKING_H
#define MARU_BACKING_H

#include <linux/fs.h>
#include <linux/mm.h>

/**
 * struct maru_backing - an accepted file
 * @file: as handed to ATTACH
 * @door: the same memory, opened by the module: what data mappings have as
 *	vm_file.  It has no mmap: the old system call remap_file_pages() maps
 *	the vm_file of a mapping anew, and would else go around the wrapped
 *	vm_ops, the superblock area's protection and every later revoke.
 * @vm_ops: what the backing's mmap sets; known once the window is open
 * @align: least alignment and length of a mapping; likewise
 * @bytes: size; 0: only faults tell (device-dax has no public size)
 */
struct maru_backing {
	struct file *file;
	struct file *door;
	const struct vm_operations_struct *vm_ops;
	unsigned long align;
	u64 bytes;
};

/* Takes a reference on @file. -EOPNOTSUPP: not a memory that can be a backing. */
int maru_backing_open(struct maru_backing *backing, struct file *file);
void maru_backing_close(struct maru_backing *backing);

static inline bool maru_backing_same(const struct maru_backing *a,
				     const struct maru_backing *b)
{
	/* All nodes and open files of one memory share its address_space. */
	return a->file->f_mapping == b->file->f_mapping;
}

#endif /* MARU_BACKING_H */
