/* SPDX-License-Identifier: GPL-2.0-only */
/* The module's own view of the superblock area of a backing. */
#ifndef MARU_WINDOW_H
#define MARU_WINDOW_H

#include <linux/types.h>

struct maru_backing;
struct page;

/**
 * struct maru_window - the area, mapped into the kernel
 * @pages: pinned
 * @pagemap: of a device: held, so that unbinding it waits; memory: NULL
 * @base: where they are mapped
 */
struct maru_window {
	struct page **pages;
	struct dev_pagemap *pagemap;
	u8 *base;
};

/*
 * Maps the area by way of the caller's address space, and learns the backing's
 * alignment and vm_ops.  -EOPNOTSUPP: it cannot be mapped; -EUCLEAN: the memory
 * is known to be bad; -ENOMEM; -EINTR.
 */
int maru_window_open(struct maru_window *window, struct maru_backing *backing);
void maru_window_close(struct maru_window *window);
/* Whether the page at @offset of the backing is there; 0, -ENXIO, or as above. */
int maru_backing_reaches(struct maru_backing *backing, u64 offset);

/* Whether the memory was taken away: its owner punched a hole in a memfd. */
bool maru_window_gone(const struct maru_window *window,
		      const struct maru_backing *backing);
/* What other hosts have written.  -EIO: a media error. */
int maru_window_read(const struct maru_window *window, u32 offset, void *to,
		     u32 len);
/* One or more whole lines, so that other hosts can see them. */
void maru_window_write(const struct maru_window *window, u32 offset,
		       const void *from, u32 len);

#endif /* MARU_WINDOW_H */
