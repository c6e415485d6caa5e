// SPDX-License-Identifier: GPL-2.0-only
/*
 * Space, where pages fill single blocks: a block belongs to the layout of what
 * lies in it, and to nobody when nothing does.
 */

#include "model.h"

#define NOTHING		(-1)
#define GIVEN_UP	(-2)

struct block {
	s32 layout;
	u32 used;
};

static void blocks_fill(const struct model *m, struct block *blocks)
{
	for (u32 i = 0; i < M_BLOCKS; i++)
		blocks[i] = (struct block){ .layout = NOTHING };
	for (u32 i = 0; i < m->nr_objects; i++) {
		const struct m_object *o = &m->objects[i];
		struct block *b = &blocks[o->offset / M_BLOCK];

		b->layout = o->layout < M_LAYOUTS ? (s32)o->layout : GIVEN_UP;
		b->used++;
	}
}

static u64 pages_of(const struct model *m, u32 layout)
{
	return M_BLOCK / m->layouts[layout].stride;
}

u64 model_room(const struct model *m, u32 layout)
{
	struct block blocks[M_BLOCKS];
	u64 pages = 0;

	blocks_fill(m, blocks);
	for (u32 i = 0; i < m->bytes / M_BLOCK; i++) {
		if (blocks[i].layout == NOTHING)
			pages += pages_of(m, layout);
		else if (blocks[i].layout == (s32)layout)
			pages += pages_of(m, layout) - blocks[i].used;
	}
	return pages;
}

u64 model_available(const struct model *m)
{
	struct block blocks[M_BLOCKS];
	u64 bytes = 0;

	blocks_fill(m, blocks);
	for (u32 i = 0; i < m->bytes / M_BLOCK; i++) {
		s32 layout = blocks[i].layout;

		if (layout == NOTHING)
			bytes += M_BLOCK;
		else if (layout != GIVEN_UP)
			bytes += (pages_of(m, layout) - blocks[i].used) *
				 m->layouts[layout].stride;
	}
	return bytes;
}

static u64 extent_bytes(const struct model *m, const struct m_object *o)
{
	return o->layout < M_LAYOUTS ? model_stride(m, o) : M_BLOCK;
}

struct m_object *model_at(struct model *m, u64 offset, u64 *bytes)
{
	s32 layout = NOTHING;

	for (u32 i = 0; i < m->nr_objects; i++) {
		struct m_object *o = &m->objects[i];

		if (offset >= o->offset && offset - o->offset < extent_bytes(m, o))
			return o;
		if (o->offset / M_BLOCK == offset / M_BLOCK)
			layout = o->layout;
	}
	*bytes = layout == NOTHING ? M_BLOCK : m->layouts[layout].stride;
	/* Behind the last page of a block nothing ever lies. */
	if (layout != NOTHING &&
	    offset % M_BLOCK / *bytes >= pages_of(m, layout))
		*bytes = 0;
	return NULL;
}

bool model_is_free(const struct model *m, u64 offset, u64 bytes)
{
	for (u32 i = 0; i < m->nr_objects; i++) {
		const struct m_object *o = &m->objects[i];

		if (offset < o->offset + extent_bytes(m, o) &&
		    o->offset < offset + bytes)
			return false;
	}
	return true;
}

bool model_together(const struct model *m, u64 offset, u64 bytes)
{
	for (u32 i = 0; i < m->nr_borders; i++)
		if (offset < m->borders[i] && m->borders[i] < offset + bytes)
			return false;
	return true;
}

bool model_sure_room(const struct model *m, u32 layout, u32 wanted)
{
	u64 blocks = (m->layouts[layout].stride + M_BLOCK - 1) / M_BLOCK;
	u64 first = m->nr_borders ? m->borders[0] : m->bytes;

	return !m->nr_objects && !m->retired && wanted * blocks * M_BLOCK <= first;
}
