/* SPDX-License-Identifier: GPL-2.0-only */
/* get_dev_pagemap() lost its second argument; Kbuild probes. */
#ifndef MARU_COMPAT_MEMREMAP_H
#define MARU_COMPAT_MEMREMAP_H

#include <linux/memremap.h>

#ifdef MARU_HAVE_PAGEMAP_BY_PFN
#define maru_get_pagemap(pfn)	get_dev_pagemap(pfn)
#else
#define maru_get_pagemap(pfn)	get_dev_pagemap(pfn, NULL)
#endif

#endif
