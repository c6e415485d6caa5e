/* SPDX-License-Identifier: GPL-2.0-only */
/* Extents without calls: taken from the allocator, in no client's hands. */
#ifndef CORE_SPACE_H
#define CORE_SPACE_H

#include "fixture.h"

/* An extent that only the accounts know; NULL: no space. */
struct maru_object *extent_new(struct fixture *f, struct maru_page_layout *l);
void extent_end(struct fixture *f, struct maru_object *object);
struct maru_page_layout *layout_make(struct fixture *f, u64 bytes, u32 alignment);
u32 owned_segments(const struct maru_pool *pool);
/* All space is back: no run, no free page, no segment beyond the claim-ahead. */
void expect_empty(struct fixture *f);

#endif
