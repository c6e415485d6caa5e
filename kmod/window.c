// SPDX-License-Identifier: GPL-2.0-only
/*
 * The superblock area, seen from the kernel.
 *
 * A backing is mapped where any program would map it, in the attaching process;
 * the pages are pinned there, mapped into the kernel, and the user mapping goes
 * away again.  No address comes from userspace, and mmap_lock is held from the
 * look at the vma to the pin, so another thread cannot slip other memory in.
 */
#include <linux/err.h>
#include <linux/libnvdimm.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "backing.h"
#include "compat/memremap.h"
#include "core/super.h"
#include "debug.h"
#include "window.h"

#define WINDOW_PAGES	(MARU_SB_AREA >> PAGE_SHIFT)

/* A mapping of the caller, and how long it is. */
struct user_map {
	unsigned long addr;
	unsigned long len;
};

/* Device-dax maps multiples of its alignment only, which it does not tell. */
static int user_map(struct maru_backing *backing, u64 offset,
		    struct user_map *map)
{
	static const unsigned long lengths[] = { SZ_2M, SZ_1G };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		map->len = lengths[i];
		map->addr = vm_mmap(backing->file, 0, map->len,
				    PROT_READ | PROT_WRITE, MAP_SHARED, offset);
		if (!IS_ERR_VALUE(map->addr))
			return 0;
		if (map->addr != -EINVAL)
			break;
	}
	return (int)map->addr == -ENOMEM || (int)map->addr == -EINTR ?
		(int)map->addr : -EOPNOTSUPP;
}

/* Pins @nr pages, @skip bytes into @map. */
static int user_pin(struct maru_backing *backing, const struct user_map *map,
		    unsigned long skip, long nr, struct page **pages)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	long pinned = -EFAULT;

	if (mmap_read_lock_killable(mm))
		return -EINTR;
	vma = vma_lookup(mm, map->addr);
	if (vma && vma->vm_file == backing->file && vma->vm_ops &&
	    vma->vm_start == map->addr && vma->vm_end - vma->vm_start == map->len) {
		backing->vm_ops = vma->vm_ops;
		backing->align = vma->vm_ops->pagesize ?
			vma->vm_ops->pagesize(vma) : PAGE_SIZE;
		pinned = pin_user_pages(map->addr + skip, nr,
					FOLL_WRITE | FOLL_LONGTERM |
					FOLL_HWPOISON, pages);
	}
	mmap_read_unlock(mm);
	if (pinned == nr)
		return 0;
	if (pinned > 0)
		unpin_user_pages(pages, pinned);
	if (pinned == -EHWPOISON)
		return -EUCLEAN;
	return pinned == -ENOMEM || pinned == -EINTR ? pinned : -EFAULT;
}

int maru_window_open(struct maru_window *window, struct maru_backing *backing)
{
	struct user_map map;
	int err;

	window->pages = kcalloc(WINDOW_PAGES, sizeof(*window->pages),
				GFP_KERNEL);
	if (!window->pages)
		return -ENOMEM;
	err = user_map(backing, 0, &map);
	if (err)
		goto free_pages;
	err = user_pin(backing, &map, 0, WINDOW_PAGES, window->pages);
	vm_munmap(map.addr, map.len);
	if (err) {
		err = err == -EFAULT ? -EOPNOTSUPP : err;
		goto free_pages;
	}
	/* Without it an unbind of the device would take the pages away below us. */
	window->pagemap = maru_get_pagemap(page_to_pfn(window->pages[0]));
	window->base = vmap(window->pages, WINDOW_PAGES, VM_MAP, PAGE_KERNEL);
	if (!window->base) {
		err = -ENOMEM;
		goto unpin;
	}
	return 0;

unpin:
	unpin_user_pages(window->pages, WINDOW_PAGES);
	put_dev_pagemap(window->pagemap);
free_pages:
	kfree(window->pages);
	return err;
}

void maru_window_close(struct maru_window *window)
{
	vunmap(window->base);
	unpin_user_pages(window->pages, WINDOW_PAGES);
	put_dev_pagemap(window->pagemap);
	kfree(window->pages);
}

int maru_backing_reaches(struct maru_backing *backing, u64 offset)
{
	u64 start = round_down(offset, max_t(u64, backing->align, PAGE_SIZE));
	struct user_map map;
	struct page *page;
	int err;

	if (backing->bytes)
		return offset < backing->bytes ? 0 : -ENXIO;
	err = user_map(backing, start, &map);
	if (err)
		return err;
	err = user_pin(backing, &map, offset - start, 1, &page);
	vm_munmap(map.addr, map.len);
	if (!err)
		unpin_user_page(page);
	return err == -EFAULT ? -ENXIO : err;
}

bool maru_window_gone(const struct maru_window *window,
		      const struct maru_backing *backing)
{
	unsigned int i;

	/* What is pinned stays, but it is no longer what others map. */
	for (i = 0; backing->bytes && i < WINDOW_PAGES; i++)
		if (READ_ONCE(page_folio(window->pages[i])->mapping) !=
		    backing->file->f_mapping)
			return true;
	return false;
}

/*
 * Pairs with the write-back of maru_window_write() on another host: where hosts
 * do not see each other's stores by themselves, a line in this host's cache may
 * be old.  The lines read here are clean in it, or this node's own.
 */
int maru_window_read(const struct maru_window *window, u32 offset, void *to,
		     u32 len)
{
	if (maru_debug_poisoned(offset, len))
		return -EIO;
	arch_invalidate_pmem(window->base + offset, len);
	return copy_mc_to_kernel(to, window->base + offset, len) ? -EIO : 0;
}

/* Pairs with the invalidation of maru_window_read() on another host. */
void maru_window_write(const struct maru_window *window, u32 offset,
		       const void *from, u32 len)
{
	memcpy(window->base + offset, from, len);
	arch_wb_cache_pmem(window->base + offset, len);
	wmb();	/* the write-back is ordered before what is done next */
}
