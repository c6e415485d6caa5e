// SPDX-License-Identifier: GPL-2.0-only
/* The argument struct: its size, its tail, its reserved bits, its memory. */
#include <string.h>
#include <sys/mman.h>
#include "abi.h"

#define PAGE 4096

static void set_size(struct frame *f, uint32_t size)
{
	memcpy(f->arg, &size, sizeof(size));
}

/* Moves the argument so that @more bytes lie behind it, all zero. */
static void lengthen(struct frame *f, uint32_t more)
{
	uint32_t size = f->arg_shape->size;
	uint8_t *to = world.arg_end - size - more;

	memmove(to, f->arg, size);
	memset(to + size, 0, more);
	f->arg = to;
	set_size(f, size + more);
}

static void try_short(struct frame *f)
{
	set_size(f, f->arg_shape->size - 1);
	frame_refused(f, -EINVAL, "one byte short of version 1");
	set_size(f, 4);
	frame_refused(f, -EINVAL, "nothing but the size");
}

static void size_short(void)
{
	each_call(0, try_short);
}

static void try_zero(struct frame *f)
{
	set_size(f, 0);
	frame_refused(f, -EINVAL, "size 0");
}

static void size_zero(void)
{
	each_call(0, try_zero);
}

static void try_zero_tail(struct frame *f)
{
	lengthen(f, 8);
	frame_accepted(f, "8 zero bytes more");
	for (unsigned int i = 0; i < 8; i++)
		EXPECT_EQ(f->arg[f->arg_shape->size + i], 0);
}

static void tail_zero(void)
{
	each_call(0, try_zero_tail);
}

static void try_long_tail(struct frame *f)
{
	lengthen(f, PAGE - f->arg_shape->size);
	frame_accepted(f, "a page with a zero tail");
}

static void tail_page(void)
{
	each_call(0, try_long_tail);
}

static void try_junk_tail(struct frame *f)
{
	lengthen(f, 64);
	f->arg[f->arg_shape->size + 63] = 1;
	frame_refused(f, -E2BIG, "junk in the last byte of 64 more");
	f->arg[f->arg_shape->size + 63] = 0;
	f->arg[f->arg_shape->size] = 0x80;
	frame_refused(f, -E2BIG, "junk in the first byte of 64 more");
}

static void tail_junk(void)
{
	each_call(0, try_junk_tail);
}

static void try_huge(struct frame *f)
{
	lengthen(f, 64);
	f->arg[f->arg_shape->size + 63] = 1;
	set_size(f, UINT32_MAX);
	frame_refused(f, -E2BIG, "size 0xffffffff with junk");
	set_size(f, INT32_MAX);
	frame_refused(f, -E2BIG, "size 0x7fffffff with junk");
}

static void size_huge(void)
{
	each_call(0, try_huge);
}

/* More than is mapped: the bytes that are missing cannot be read. */
static void try_beyond(struct frame *f)
{
	set_size(f, f->arg_shape->size + 8);
	frame_refused(f, -EFAULT, "8 bytes more, not mapped");
}

static void size_beyond(void)
{
	each_call(0, try_beyond);
}

static void try_reserved(struct frame *f)
{
	for (unsigned int i = 0; i < f->arg_shape->nr_fields; i++) {
		const struct field *field = &f->arg_shape->fields[i];

		if (field->kind != F_RESERVED)
			continue;
		for (unsigned int bit = 0; bit < field->length * 8U; bit++) {
			f->arg[field->offset + bit / 8] = 1 << bit % 8;
			frame_refused(f, -EINVAL, field->name);
			f->arg[field->offset + bit / 8] = 0;
		}
	}
}

static void reserved(void)
{
	each_call(0, try_reserved);
}

static void try_flags(struct frame *f)
{
	for (unsigned int i = 0; i < f->arg_shape->nr_fields; i++) {
		const struct field *field = &f->arg_shape->fields[i];
		uint32_t *flags = (uint32_t *)(f->arg + field->offset);

		if (field->kind != F_FLAGS)
			continue;
		for (unsigned int bit = 0; bit < 32; bit++) {
			if (f->call->flags & 1U << bit)
				continue;
			*flags = 1U << bit;
			frame_refused(f, -EINVAL, "unknown flag");
		}
		*flags = 0;
	}
}

static void flags_unknown(void)
{
	each_call(0, try_flags);
}

static void try_bad_pointers(struct frame *f)
{
	f->arg = NULL;
	frame_refused(f, -EFAULT, "NULL");
	f->arg = world.unmapped;
	frame_refused(f, -EFAULT, "an address that is not mapped");
	f->arg = (uint8_t *)0xffff888000001000UL;
	frame_refused(f, -EFAULT, "an address of the kernel");
	f->arg = (uint8_t *)0x7fffffffffffUL;
	frame_refused(f, -EFAULT, "the last address");
}

static void pointers(void)
{
	each_call(0, try_bad_pointers);
}

/* The size can be read, what follows cannot. */
static void try_straddle(struct frame *f)
{
	uint8_t *to = world.arg_end - 8;

	memcpy(to, f->arg, 8);
	f->arg = to;
	frame_refused(f, -EFAULT, "all but 8 bytes not mapped");
	f->arg = world.arg_end - 2;
	frame_refused(f, -EFAULT, "half of the size not mapped");
}

static void straddle(void)
{
	each_call(0, try_straddle);
}

static bool has_answer(const struct shape *shape)
{
	for (unsigned int i = 0; i < shape->nr_fields; i++)
		if (shape->fields[i].kind == F_OUT || shape->fields[i].kind == F_INOUT)
			return true;
	return false;
}

/* Of an argument without answers nothing is promised here. */
static void try_read_only(struct frame *f)
{
	if (!has_answer(f->arg_shape))
		return;
	page_protect(world.arg_end, PROT_READ);
	frame_refused(f, -EFAULT, "argument in a read-only page");
	page_protect(world.arg_end, PROT_READ | PROT_WRITE);
}

static void read_only(void)
{
	each_call(0, try_read_only);
}

/* The struct begins in a page that can be written and ends in one that cannot. */
static void try_half_read_only(struct frame *f)
{
	uint8_t *to = world.arg_end - PAGE - 8;

	if (!has_answer(f->arg_shape))
		return;
	memcpy(to, f->arg, f->arg_shape->size);
	f->arg = to;
	page_protect(world.arg_end, PROT_READ);
	frame_refused(f, -EFAULT, "argument half in a read-only page");
	page_protect(world.arg_end, PROT_READ | PROT_WRITE);
}

static void half_read_only(void)
{
	each_call(0, try_half_read_only);
}

static void try_unaligned(struct frame *f)
{
	uint8_t *to = world.arg_end - f->arg_shape->size - 3;

	memmove(to, f->arg, f->arg_shape->size);
	f->arg = to;
	frame_accepted(f, "argument at an odd address");
}

static void unaligned(void)
{
	each_call(0, try_unaligned);
}

const struct tap_case argument_cases[] = {
	{ "size-short", "a struct shorter than version 1 is EINVAL", size_short },
	{ "size-zero", "size 0 is EINVAL", size_zero },
	{ "size-huge", "a size of gigabytes with junk is E2BIG", size_huge },
	{ "size-beyond", "a size beyond what is mapped is EFAULT", size_beyond },
	{ "tail-zero", "a longer struct with a zero tail is accepted", tail_zero },
	{ "tail-page", "a struct of a page with a zero tail is accepted", tail_page },
	{ "tail-junk", "a longer struct with a non-zero tail is E2BIG", tail_junk },
	{ "reserved", "each bit of each reserved field is EINVAL", reserved },
	{ "flags", "each unknown flag is EINVAL", flags_unknown },
	{ "pointer", "an argument that is nowhere is EFAULT", pointers },
	{ "straddle", "an argument that is half mapped is EFAULT", straddle },
	{ "read-only", "an answer in read-only memory is EFAULT and nothing happens", read_only },
	{ "half-read-only", "an answer half in read-only memory is EFAULT and nothing happens", half_read_only },
	{ "unaligned", "an argument at an odd address is accepted", unaligned },
};
CASES(argument_cases);
