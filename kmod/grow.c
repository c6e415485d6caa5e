// SPDX-License-Identifier: GPL-2.0-only
/*
 * One more part for a pool that is in use.
 *
 * Everything that can fail is done first: the memory of the core's arrays is there,
 * the new part has been watched and claimed.  Then the superblocks are written, that
 * of the new part first and the pool's first one last: until then the memory says
 * that nothing has happened.  Only then clients can map the part, and only then the
 * core gives out space in it.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "notify.h"
#include "pool.h"
#include "trace.h"

/* The next part of this very pool, as "maru-l1ctl grow" formats it. */
static int is_next_part(const struct maru_dev *dev, const struct maru_super *super)
{
	u32 nr = dev->parts.nr, i;

	if (memcmp(super->uuid, dev->super.uuid, sizeof(super->uuid)) ||
	    super->backing_index != nr || super->backing_count != nr + 1 ||
	    super->unit != dev->super.unit ||
	    super->coherent != dev->super.coherent ||
	    max(super->generation, dev->super.generation) > MARU_SB_GENERATION_MAX ||
	    super->segment_bytes != dev->super.segment_bytes)
		return -EXDEV;
	for (i = 0; i < nr; i++)
		if (super->backing_bytes[i] != dev->parts.of[i]->bytes)
			return -EXDEV;
	return 0;
}

static void write_supers(struct maru_dev *dev, struct maru_sb_disk *buffer)
{
	struct maru_super super = dev->super;
	u32 i;

	super.backing_count = dev->parts.nr + 1;
	super.pool_bytes = 0;
	for (i = 0; i < super.backing_count; i++) {
		super.backing_bytes[i] = dev->parts.of[i]->bytes;
		super.pool_bytes += super.backing_bytes[i];
		super.generation = max(super.generation,
				       dev->parts.of[i]->super.generation);
	}
	super.generation++;
	for (i = super.backing_count; i--; )
		maru_part_write(dev->parts.of[i], &super, buffer);
	/* What others read without a lock stays as it is. */
	dev->super.generation = super.generation;
	dev->super.pool_bytes = super.pool_bytes;
	dev->super.backing_count = super.backing_count;
}

/* All superblocks are still those that this host knows. */
static int parts_unchanged(struct maru_dev *dev)
{
	int err = 0;
	u32 i;

	for (i = 0; i <= dev->parts.nr && !err; i++)
		err = maru_part_unchanged(dev->parts.of[i]);
	return err;
}

/* Another host may have taken the memory while this one was paused. */
static int write_and_publish(struct maru_dev *dev, struct maru_part *part,
			     struct maru_sb_disk *buffer)
{
	int err = parts_unchanged(dev);

	if (err)
		return err;
	guard(mutex)(&dev->beat.lock);
	err = maru_beat_still_ours(dev, part);
	if (err)
		return err;
	write_supers(dev, buffer);
	maru_part_publish(&dev->parts);
	return 0;
}

static int grow(struct maru_dev *dev, struct maru_part *part)
{
	struct maru_growth *growth;
	struct maru_sb_disk *buffer;
	int err;

	err = maru_part_open(part);
	if (!err)
		err = is_next_part(dev, &part->super);
	if (!err)
		err = maru_part_reaches_end(part);
	if (err)
		return err;
	part->start = dev->super.pool_bytes;
	maru_mmap_part(part);
	buffer = kmalloc(sizeof(*buffer), GFP_KERNEL);
	if (!buffer)
		return -ENOMEM;
	err = maru_growth_new(dev->pool, part->bytes, &growth);
	if (err)
		goto free_buffer;
	err = maru_beat_join(dev, part);
	if (err)
		goto free_growth;
	err = write_and_publish(dev, part, buffer);
	if (err)
		maru_beat_leave(dev, part);
	else
		maru_growth_apply(dev->pool, growth);

free_growth:
	maru_growth_free(growth);
free_buffer:
	kfree(buffer);
	return err;
}

static int grow_by(const struct maru_l1_grow *arg, struct maru_part *part)
{
	struct maru_dev *dev;
	int err;

	dev = maru_dev_grow_begin(arg->name, part);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	err = grow(dev, part);
	trace_maru_grow(dev->name, err);
	if (!err)
		maru_notify_grown(dev);
	maru_dev_grow_end(dev, err);
	maru_dev_put(dev);
	return err;
}

int maru_grow(const struct maru_l1_grow *arg, struct file *file)
{
	struct maru_part *part;
	int err;

	part = maru_part_new(file);
	if (IS_ERR(part))
		return PTR_ERR(part);
	err = grow_by(arg, part);
	if (err) {
		maru_part_close(part);
		kfree(part);
	}
	return err;
}
