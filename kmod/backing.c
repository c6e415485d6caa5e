// SPDX-License-Identifier: GPL-2.0-only
/* Which files can be the memory of a pool, and holding them. */

#include <linux/cdev.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>

#include "backing.h"

#define SEALS_NEEDED	(F_SEAL_SHRINK | F_SEAL_GROW)
#define SEALS_REFUSED	(F_SEAL_WRITE | F_SEAL_FUTURE_WRITE)

/*
 * Only device-dax marks char devices S_DAX.  The device model then confirms it:
 * the parent of a device-dax cdev is its device, on the bus "dax".
 */
static bool is_device_dax(struct file *file)
{
	struct inode *inode = file_inode(file);
	const struct device *dev;

	if (!S_ISCHR(inode->i_mode) || !IS_DAX(inode) || !inode->i_cdev ||
	    !inode->i_cdev->kobj.parent)
		return false;
	dev = kobj_to_dev(inode->i_cdev->kobj.parent);
	return dev->bus && !strcmp(dev->bus->name, "dax");
}

/*
 * Files of a tmpfs cannot be sealed, so one that has the seals is a memfd.  Its
 * mapping must be its own: of a stacked file's inode SHMEM_I() makes nonsense.
 */
static bool is_sealed_memfd(struct file *file)
{
	struct inode *inode = file_inode(file);
	unsigned int seals;

	if (!S_ISREG(inode->i_mode) || file->f_mapping != &inode->i_data ||
	    !shmem_mapping(file->f_mapping))
		return false;
	seals = READ_ONCE(SHMEM_I(inode)->seals);
	return (seals & SEALS_NEEDED) == SEALS_NEEDED && !(seals & SEALS_REFUSED);
}

/* The operations that the backing's own open files have. */
static const struct file_operations *origin_fops(struct file *file)
{
	struct inode *inode = file_inode(file);

	return S_ISCHR(inode->i_mode) ? inode->i_cdev->ops : inode->i_fop;
}

static int door_release(struct inode *inode, struct file *file)
{
	const struct file_operations *origin = origin_fops(file);

	return origin->release ? origin->release(inode, file) : 0;
}

static const struct file_operations door_fops = {
	.owner = THIS_MODULE,
	.release = door_release,
};

static struct file *door_open(struct file *backing)
{
	struct file *door;

	door = dentry_open(&backing->f_path, O_RDWR | O_LARGEFILE,
			   current_cred());
	if (IS_ERR(door))
		return door;
	/* The device may have been unbound and bound anew in between. */
	if (door->f_mapping != backing->f_mapping ||
	    door->f_op != backing->f_op) {
		fput(door);
		return ERR_PTR(-EOPNOTSUPP);
	}
	/*
	 * Nobody else has seen it yet, as in an open().  The module of the
	 * backing's operations is pinned by backing->file's, its cdev by the
	 * open file itself.
	 */
	__module_get(THIS_MODULE);
	replace_fops(door, &door_fops);
	return door;
}

int maru_backing_open(struct maru_backing *backing, struct file *file)
{
	const fmode_t both = FMODE_READ | FMODE_WRITE;
	int err;

	memset(backing, 0, sizeof(*backing));
	if ((file->f_mode & both) != both || !file->f_op->get_unmapped_area)
		return -EOPNOTSUPP;
	if (is_sealed_memfd(file))
		backing->bytes = i_size_read(file_inode(file));
	else if (!is_device_dax(file))
		return -EOPNOTSUPP;

	/* A memfd cannot be sealed with F_SEAL_WRITE while it is attached. */
	if (mapping_map_writable(file->f_mapping))
		return -EOPNOTSUPP;
	backing->door = door_open(file);
	if (IS_ERR(backing->door)) {
		err = PTR_ERR(backing->door);
		goto unmap_writable;
	}
	backing->file = get_file(file);
	return 0;

unmap_writable:
	mapping_unmap_writable(file->f_mapping);
	return err == -ENOMEM ? err : -EOPNOTSUPP;
}

void maru_backing_close(struct maru_backing *backing)
{
	mapping_unmap_writable(backing->file->f_mapping);
	fput(backing->door);
	fput(backing->file);
}
