// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool's bytes: for each grain the id of whoever wrote last.  A grain is in
 * the extent that holds its first byte, so extents share none.
 */

#include "sim.h"

#define GRAIN	(1ULL << GRAIN_SHIFT)

void bytes_write(struct world *w, u64 offset, u64 bytes, u64 id)
{
	u64 end = (offset + bytes + GRAIN - 1) >> GRAIN_SHIFT;

	for (u64 at = (offset + GRAIN - 1) >> GRAIN_SHIFT; at < end; at++)
		w->node.shadow[at] = id;
}

void bytes_expect(struct world *w, u64 offset, u64 bytes, u64 id)
{
	u64 end = (offset + bytes + GRAIN - 1) >> GRAIN_SHIFT;

	for (u64 at = (offset + GRAIN - 1) >> GRAIN_SHIFT; at < end; at++)
		if (w->node.shadow[at] != id)
			sim_fail(w, "the bytes of %#llx at %#llx are those of %#llx",
				 (unsigned long long)id,
				 (unsigned long long)at << GRAIN_SHIFT,
				 (unsigned long long)w->node.shadow[at]);
}
