/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface as a table: each call, each struct, each field and what it is
 * for.  Most tests walk the table, so that a call added to the header is tested
 * once it has its line here; layout.c fails as long as it has none.
 */
#ifndef MARU_ABI_H
#define MARU_ABI_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/maru_l1.h>
#include "../guest/medium.h"
#include "../tap.h"

enum field_kind {
	F_SIZE,		/* the struct's own size */
	F_IN,
	F_OUT,
	F_INOUT,
	F_RESERVED,	/* must be 0 */
	F_FLAGS,	/* bits beyond the known ones must be 0 */
};

struct field {
	const char *name;
	uint16_t offset;
	uint16_t length;
	enum field_kind kind;
};

struct shape {
	const char *name;
	uint16_t size;
	uint16_t nr_fields;
	const struct field *fields;
};

extern const struct shape shapes[];
extern const size_t nr_shapes;
const struct shape *shape_of(const char *name);

#define T_WRITE		(1U << 0)	/* needs a file open for writing */
#define T_ADMIN		(1U << 1)	/* needs CAP_SYS_ADMIN */
#define T_BATCH		(1U << 2)	/* struct maru_l1_batch */
#define T_LIST		(1U << 3)	/* fills an array */
#define T_CONTROL	(1U << 4)	/* a call of the control node */

struct frame;

/**
 * struct call - one ioctl number
 * @arg: name of the argument's struct
 * @item: name of the item's struct, NULL: none
 * @flags: bits of the argument's flags that it knows
 * @prepare: brings the pool into a state in which the call does something, and
 *	fills in the fields of kind F_IN and F_INOUT; NULL: nothing to do
 */
struct call {
	const char *name;
	unsigned long nr;
	unsigned int traits;
	const char *arg;
	const char *item;
	uint32_t flags;
	void (*prepare)(struct frame *f);
};

extern const struct call calls[];
extern const size_t nr_calls;

#define FRAME_ITEMS	2
#define FRAME_POISON	0xcc

/*
 * Each of the three buffers ends where a page that is not mapped begins.
 * @arg_room: pages are mapped before it too, for longer structs.
 */
#define ARG_ROOM	(64U << 10)
#define ITEMS_ROOM	(512U << 10)
#define KEYS_ROOM	((4U << 20) + 8192)

/**
 * struct frame - one call about to be made
 * @fd: a client of its own
 * @arg: ends at an unmapped page
 * @items: FRAME_ITEMS of them, end at an unmapped page
 * @keys: two keys of KEY_LEN bytes, end at an unmapped page
 */
struct frame {
	const struct call *call;
	const struct shape *arg_shape;
	const struct shape *item_shape;
	int fd;
	uint8_t *arg;
	uint8_t *items;
	uint8_t *keys;
	uint32_t keys_len;
};

#define KEY_LEN 5	/* "abi-0", "abi-1" */

struct world {
	int control;
	int observer;		/* a client that does nothing but look */
	uint32_t layout;	/* pages of 4096 bytes */
	uint8_t *arg_end;
	uint8_t *items_end;
	uint8_t *keys_end;
	void *unmapped;		/* an address where nothing is */
};

extern struct world world;

#define ABI_POOL	"abi"
#define ABI_VICTIM	"abi-victim"	/* to be detached */
#define ABI_FRESH	"abi-fresh"	/* to be attached */
#define ABI_GROWING	"abi-growing"	/* to be grown */

/* Formats it as the next part of @pool, which is attached. */
void medium_format_next(struct medium *m, const char *pool);

bool world_begin(void);
void world_end(void);

/* frame.c: @flags of the client's open(2). */
bool frame_begin(struct frame *f, const struct call *call, int flags);
void frame_end(struct frame *f);
int frame_call(struct frame *f);
/*
 * The call must answer @want, and neither memory of the caller nor an account
 * may change, nor may CHECK find a difference.
 */
void frame_refused(struct frame *f, int want, const char *what);
/* The call must succeed. */
void frame_accepted(struct frame *f, const char *what);
/* A whole case for each call with one of @traits (0: all). */
void each_call(unsigned int traits, void (*try)(struct frame *f));

static inline struct maru_l1_batch *frame_batch(struct frame *f)
{
	return (struct maru_l1_batch *)f->arg;
}

static inline void *frame_item(struct frame *f, unsigned int i)
{
	return f->items + i * f->item_shape->size;
}

/* Protects the page that holds the last byte before @end. */
void page_protect(uint8_t *end, int prot);

/* The cases, a file each. */
extern const struct tap_case argument_cases[], item_cases[], output_cases[],
	access_cases[], attach_cases[], grow_cases[], media_cases[], event_cases[],
	layout_cases[], value_cases[];
extern const size_t nr_argument_cases, nr_item_cases, nr_output_cases,
	nr_access_cases, nr_attach_cases, nr_grow_cases, nr_media_cases, nr_event_cases,
	nr_layout_cases, nr_value_cases;

#define CASES(name) const size_t nr_##name = ARRAY_SIZE(name)

#endif /* MARU_ABI_H */
