// SPDX-License-Identifier: GPL-2.0-only
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "part.h"

struct maru_part *maru_part_new(struct file *file)
{
	struct maru_part *part = kzalloc(sizeof(*part), GFP_KERNEL);
	int err;

	if (!part)
		return ERR_PTR(-ENOMEM);
	err = maru_backing_open(&part->backing, file);
	if (!err)
		return part;
	kfree(part);
	return ERR_PTR(err);
}

void maru_part_close(struct maru_part *part)
{
	if (part->window.base)
		maru_window_close(&part->window);
	maru_backing_close(&part->backing);
}

/* A copy that cannot be read is a damaged one: it gives way to the other. */
static void read_copy(struct maru_part *part, int copy, struct maru_sb_disk *to)
{
	if (maru_window_read(&part->window, copy * sizeof(*to), to, sizeof(*to)))
		memset(to, 0xff, sizeof(*to));
}

static int read_super(struct maru_part *part, struct maru_super *super, int *copy)
{
	enum maru_super_error error;
	struct maru_sb_disk *copies;

	copies = kcalloc(2, sizeof(*copies), GFP_KERNEL);
	if (!copies)
		return -ENOMEM;
	read_copy(part, 0, &copies[0]);
	read_copy(part, 1, &copies[1]);
	/* The size of device-dax is not known: its end is tried. */
	error = maru_super_choose(copies, part->backing.bytes ?: U64_MAX,
				  part->backing.align, super, copy);
	kfree(copies);
	if (error == MARU_SUPER_OK)
		return 0;
	pr_debug("superblock: %s\n", maru_super_strerror(error));
	return -EUCLEAN;
}

int maru_part_open(struct maru_part *part)
{
	int err = maru_window_open(&part->window, &part->backing);

	if (!err)
		err = read_super(part, &part->super, &part->copy);
	if (err)
		return err;
	part->bytes = part->super.backing_bytes[part->super.backing_index];
	return part->backing.vm_ops->fault ? 0 : -EOPNOTSUPP;
}

/* A format that ran while this host watched the lines shows in the superblock. */
int maru_part_unchanged(struct maru_part *part)
{
	struct maru_super now;
	int err, copy;

	err = read_super(part, &now, &copy);
	if (!err && (now.generation != part->super.generation ||
		     memcmp(now.uuid, part->super.uuid, sizeof(now.uuid)) ||
		     now.backing_index != part->super.backing_index ||
		     now.backing_count != part->super.backing_count ||
		     memcmp(now.backing_bytes, part->super.backing_bytes,
			    sizeof(now.backing_bytes))))
		err = -EBUSY;
	return err;
}

int maru_part_reaches_end(struct maru_part *part)
{
	u64 end = part->super.unit + part->bytes;
	int err = maru_backing_reaches(&part->backing, end - PAGE_SIZE);

	return err == -ENXIO ? -EUCLEAN : err;
}

void maru_part_write(struct maru_part *part, const struct maru_super *super,
		     struct maru_sb_disk *buffer)
{
	u32 index = part->super.backing_index;

	part->super = *super;
	part->super.backing_index = index;
	part->copy = !part->copy;
	maru_super_encode(&part->super, buffer);
	maru_window_write(&part->window, part->copy * sizeof(*buffer), buffer,
			  sizeof(*buffer));
}

struct maru_part *maru_parts_find(const struct maru_parts *parts, u64 offset, u64 bytes)
{
	u32 nr = maru_parts_nr(parts), i;

	for (i = 0; i < nr; i++) {
		struct maru_part *part = parts->of[i];

		if (offset >= part->start && offset - part->start < part->bytes &&
		    bytes <= part->bytes - (offset - part->start))
			return part;
	}
	return NULL;
}

bool maru_parts_have(const struct maru_parts *parts, const struct maru_part *part)
{
	u32 i;

	for (i = 0; i < MARU_L1_BACKINGS_MAX && parts->of[i]; i++)
		if (parts->of[i] != part &&
		    maru_backing_same(&parts->of[i]->backing, &part->backing))
			return true;
	return false;
}

bool maru_parts_gone(const struct maru_parts *parts)
{
	u32 nr = maru_parts_nr(parts), i;

	for (i = 0; i < nr; i++)
		if (maru_window_gone(&parts->of[i]->window, &parts->of[i]->backing))
			return true;
	return false;
}

void maru_part_publish(struct maru_parts *parts)
{
	/* Pairs with maru_parts_nr(). */
	smp_store_release(&parts->nr, parts->nr + 1);
}
