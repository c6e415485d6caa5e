/* SPDX-License-Identifier: GPL-2.0-only */
/* call_mmap() became vfs_mmap(), which knows mmap_prepare; Kbuild probes. */
#ifndef MARU_COMPAT_MMAP_H
#define MARU_COMPAT_MMAP_H

#include <linux/fs.h>

#ifndef MARU_HAVE_VFS_MMAP
#define vfs_mmap(file, vma)	call_mmap(file, vma)
#endif

#endif
