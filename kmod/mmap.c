// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a pool.
 *
 * The data is mapped by the backing itself, so that its huge pages and struct
 * pages are there for devices to pin; only its vm_ops are wrapped, to be able
 * to say SIGBUS.  No lock of the pool is taken here: see pool.h.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/srcu.h>

#include "compat/mmap.h"
#include "debug.h"
#include "pool.h"

#define STATUS_PAGES	2

static struct maru_part *vma_part(const struct vm_area_struct *vma)
{
	return container_of(vma->vm_ops, struct maru_part, vm_ops);
}

static vm_fault_t data_fault(struct vm_fault *vmf)
{
	struct maru_part *part = vma_part(vmf->vma);
	struct maru_dev *dev = part->dev;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->revoked)) {
		maru_debug_fault();
		ret = part->backing.vm_ops->fault(vmf);
	}
	srcu_read_unlock(&dev->srcu, idx);
	return ret;
}

static vm_fault_t data_huge_fault(struct vm_fault *vmf, unsigned int order)
{
	struct maru_part *part = vma_part(vmf->vma);
	struct maru_dev *dev = part->dev;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->revoked)) {
		maru_debug_fault();
		ret = part->backing.vm_ops->huge_fault(vmf, order);
	}
	srcu_read_unlock(&dev->srcu, idx);
	return ret;
}

/* Under RCU; mapping nothing leads on to the fault, which says SIGBUS. */
static vm_fault_t data_map_pages(struct vm_fault *vmf, pgoff_t start, pgoff_t end)
{
	struct maru_part *part = vma_part(vmf->vma);
	struct maru_dev *dev = part->dev;
	vm_fault_t ret = 0;
	int idx;

	idx = srcu_read_lock(&dev->srcu);
	if (!READ_ONCE(dev->revoked))
		ret = part->backing.vm_ops->map_pages(vmf, start, end);
	srcu_read_unlock(&dev->srcu, idx);
	return ret;
}

/* A split or moved mapping is one more. */
static void data_open(struct vm_area_struct *vma)
{
	struct maru_part *part = vma_part(vma);

	get_file(part->dev->internal);
	if (part->backing.vm_ops->open)
		part->backing.vm_ops->open(vma);
}

static void data_close(struct vm_area_struct *vma)
{
	struct maru_part *part = vma_part(vma);

	if (part->backing.vm_ops->close)
		part->backing.vm_ops->close(vma);
	/* Never ends in here: the last reference is dropped by task work. */
	fput(part->dev->internal);
}

/*
 * Only what is known to be right for a mapping that is not the backing's own is
 * taken over: no userfaultfd, and nothing that a later kernel adds.
 */
void maru_mmap_part(struct maru_part *part)
{
	const struct vm_operations_struct *origin = part->backing.vm_ops;
	struct vm_operations_struct *ops = &part->vm_ops;

	ops->open = data_open;
	ops->close = data_close;
	ops->fault = data_fault;
	if (origin->huge_fault)
		ops->huge_fault = data_huge_fault;
	if (origin->map_pages)
		ops->map_pages = data_map_pages;
	ops->may_split = origin->may_split;
	ops->pagesize = origin->pagesize;
	ops->page_mkwrite = origin->page_mkwrite;
	ops->pfn_mkwrite = origin->pfn_mkwrite;
#ifdef CONFIG_NUMA
	ops->set_policy = origin->set_policy;
	ops->get_policy = origin->get_policy;
#endif
}

static int internal_release(struct inode *inode, struct file *file)
{
	maru_dev_put(file->private_data);
	return 0;
}

static const struct file_operations internal_fops = {
	.owner = THIS_MODULE,
	.release = internal_release,
};

int maru_mmap_init(struct maru_dev *dev)
{
	u32 i;

	for (i = 0; i < dev->parts.nr; i++)
		maru_mmap_part(dev->parts.of[i]);
	dev->internal = anon_inode_getfile("[" MARU_MODULE "]", &internal_fops,
					   dev, O_RDWR);
	if (IS_ERR(dev->internal))
		return -ENOMEM;
	kref_get(&dev->ref);
	return 0;
}

/* The part that the mapping lies in as a whole; NULL: it cannot be mapped. */
static struct maru_part *range_part(const struct maru_dev *dev,
				    struct vm_area_struct *vma)
{
	unsigned long unit = PHYS_PFN(dev->super.unit);
	unsigned long n = vma_pages(vma);

	if (!IS_ALIGNED(vma->vm_pgoff, unit) || !IS_ALIGNED(n, unit) ||
	    !IS_ALIGNED(PHYS_PFN(vma->vm_start), unit) ||
	    vma->vm_pgoff >= PHYS_PFN(MARU_POOL_MAX))
		return NULL;
	return maru_parts_find(&dev->parts, PFN_PHYS(vma->vm_pgoff), PFN_PHYS(n));
}

static int map_data(struct maru_dev *dev, struct vm_area_struct *vma,
		    bool writable)
{
	struct maru_part *part;
	int err;

	if (READ_ONCE(dev->revoked))
		return -ENODEV;
	part = range_part(dev, vma);
	if (!part)
		return -EINVAL;
	if (!writable)
		vm_flags_clear(vma, VM_MAYWRITE);
	vma->vm_pgoff -= PHYS_PFN(part->start);
	vma->vm_pgoff += PHYS_PFN(dev->super.unit);
	vma_set_file(vma, part->backing.file);
	err = vfs_mmap(part->backing.file, vma);
	if (err)
		return err;
	if (WARN_ON_ONCE(vma->vm_ops != part->backing.vm_ops))
		return -ENODEV;
	vma_set_file(vma, part->backing.door);
	get_file(dev->internal);
	vma->vm_ops = &part->vm_ops;
	return 0;
}

static int map_status(struct maru_file *file, struct vm_area_struct *vma)
{
	struct maru_dev *dev = file->dev;
	struct page *pages[STATUS_PAGES] = { dev->status, file->status };
	unsigned long n = STATUS_PAGES;

	if (vma_pages(vma) != STATUS_PAGES)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;
	vm_flags_clear(vma, VM_MAYWRITE);
	/* Not the client's file: its release() must not wait for the munmap. */
	vma_set_file(vma, dev->internal);
	/* The page tables hold the pages, which so outlive client and pool. */
	return vm_insert_pages(vma, vma->vm_start, pages, &n);
}

int maru_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct maru_file *file = filp->private_data;

	/* Of a file opened read-only, VM_SHARED is cleared, VM_MAYSHARE stays. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	if (READ_ONCE(file->dev->gone))
		return -ENODEV;
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC);
	if (vma->vm_pgoff == MARU_L1_MMAP_STATUS >> PAGE_SHIFT)
		return map_status(file, vma);
	return map_data(file->dev, vma, filp->f_mode & FMODE_WRITE);
}

/* A backing chooses, as for its own mappings; then the address is aligned. */
unsigned long maru_file_area(struct file *filp, unsigned long addr,
			     unsigned long len, unsigned long pgoff,
			     unsigned long flags)
{
	const struct maru_file *file = filp->private_data;
	struct file *backing = file->dev->parts.of[0]->backing.file;
	unsigned long unit = file->dev->super.unit;
	unsigned long area, room;

	area = backing->f_op->get_unmapped_area(backing, addr, len, pgoff, flags);
	if (IS_ERR_VALUE(area) || (flags & MAP_FIXED) || len < unit ||
	    IS_ALIGNED(area, unit) || check_add_overflow(len, unit, &room))
		return area;
	area = backing->f_op->get_unmapped_area(backing, 0, room, pgoff, flags);
	return IS_ERR_VALUE(area) ? area : ALIGN(area, unit);
}
