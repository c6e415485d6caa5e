// SPDX-License-Identifier: GPL-2.0-only
/* The arrays of a call: items, keys and lists. */
#include <string.h>
#include <sys/mman.h>
#include "../guest/account.h"
#include "../guest/raw.h"
#include "abi.h"

#define PAGE 4096

static void try_none(struct frame *f)
{
	struct maru_l1_batch *arg = frame_batch(f);

	arg->nr_items = 0;
	arg->items = 0;
	arg->keys = 0;
	arg->keys_len = 0;
	frame_accepted(f, "no items, NULL buffers");
	arg->items = (uintptr_t)world.unmapped;
	arg->keys = (uintptr_t)world.unmapped;
	frame_accepted(f, "no items, buffers that are not mapped");
}

static void none(void)
{
	each_call(T_BATCH, try_none);
}

static void try_items_nowhere(struct frame *f)
{
	frame_batch(f)->items = 0;
	frame_refused(f, -EFAULT, "items NULL");
	frame_batch(f)->items = (uintptr_t)world.unmapped;
	frame_refused(f, -EFAULT, "items not mapped");
	frame_batch(f)->items = 0xffff888000001000UL;
	frame_refused(f, -EFAULT, "items in the kernel");
	frame_batch(f)->items = UINT64_MAX - 3;
	frame_refused(f, -EFAULT, "items that wrap");
}

static void items_nowhere(void)
{
	each_call(T_BATCH, try_items_nowhere);
}

static void try_items_read_only(struct frame *f)
{
	page_protect(world.items_end, PROT_READ);
	frame_refused(f, -EFAULT, "items read-only");
	page_protect(world.items_end, PROT_READ | PROT_WRITE);
	frame_accepted(f, "the same items writable");
}

static void items_read_only(void)
{
	each_call(T_BATCH, try_items_read_only);
}

/* The last item begins in a page that can be written and ends in another. */
static void try_items_straddle(struct frame *f)
{
	size_t len = FRAME_ITEMS * f->item_shape->size;
	uint8_t *to = world.items_end - len + 4;

	memmove(to, f->items, len - 4);
	frame_batch(f)->items = (uintptr_t)to;
	frame_refused(f, -EFAULT, "the last 4 bytes of the items not mapped");
	to = world.items_end - PAGE - len + 4;
	memcpy(to, f->items, len);
	frame_batch(f)->items = (uintptr_t)to;
	page_protect(world.items_end, PROT_READ);
	frame_refused(f, -EFAULT, "the last 4 bytes of the items read-only");
	page_protect(world.items_end, PROT_READ | PROT_WRITE);
}

static void items_straddle(void)
{
	each_call(T_BATCH, try_items_straddle);
}

static void try_keys_nowhere(struct frame *f)
{
	frame_batch(f)->keys = 0;
	frame_refused(f, -EFAULT, "keys NULL");
	frame_batch(f)->keys = (uintptr_t)world.unmapped;
	frame_refused(f, -EFAULT, "keys not mapped");
	frame_batch(f)->keys = (uintptr_t)f->keys + 1;
	frame_refused(f, -EFAULT, "the last byte of the keys not mapped");
	frame_batch(f)->keys = UINT64_MAX;
	frame_refused(f, -EFAULT, "keys that wrap");
}

static void keys_nowhere(void)
{
	each_call(T_BATCH, try_keys_nowhere);
}

static void try_keys_read_only(struct frame *f)
{
	page_protect(world.keys_end, PROT_READ);
	frame_accepted(f, "keys read-only");
	page_protect(world.keys_end, PROT_READ | PROT_WRITE);
}

static void keys_read_only(void)
{
	each_call(T_BATCH, try_keys_read_only);
}

/* In the second item, so that the first one shows whether it happened. */
static void try_key_outside(struct frame *f)
{
	static const struct {
		uint32_t offset, length;
		const char *what;
	} cases[] = {
		{ KEY_LEN, KEY_LEN + 1, "a key that ends one byte behind" },
		{ 2 * KEY_LEN, 1, "a key that begins behind" },
		{ UINT32_MAX, 1, "a key at the end of 32 bits" },
		{ UINT32_MAX, 2, "a key that overflows to 1" },
		{ UINT32_MAX - 3, KEY_LEN + 4, "a key that overflows to its end" },
		{ KEY_LEN, MARU_L1_KEY_MAX, "the longest key" },
	};
	uint32_t *key = frame_item(f, 1);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		key[0] = cases[i].offset;
		key[1] = cases[i].length;
		frame_refused(f, -EINVAL, cases[i].what);
	}
}

static void key_outside(void)
{
	each_call(T_BATCH, try_key_outside);
}

static void try_too_many(struct frame *f)
{
	frame_batch(f)->nr_items = MARU_L1_BATCH_MAX + 1;
	frame_refused(f, -E2BIG, "4097 items");
	frame_batch(f)->nr_items = UINT32_MAX;
	frame_refused(f, -E2BIG, "2^32 - 1 items");
	frame_batch(f)->nr_items = FRAME_ITEMS;
	frame_batch(f)->keys_len = MARU_L1_KEYS_MAX + 1;
	frame_refused(f, -E2BIG, "4 MiB and a byte of keys");
	frame_batch(f)->keys_len = UINT32_MAX;
	frame_refused(f, -E2BIG, "2^32 - 1 bytes of keys");
}

static void too_many(void)
{
	each_call(T_BATCH, try_too_many);
}

/* As much as is allowed: BATCH_MAX items on KEYS_MAX bytes of keys. */
static void try_most(struct frame *f)
{
	size_t item = f->item_shape->size;
	uint8_t *items = world.items_end - MARU_L1_BATCH_MAX * item;
	struct maru_l1_batch *arg = frame_batch(f);

	for (size_t i = 1; i < MARU_L1_BATCH_MAX; i++)
		memcpy(items + i * item, frame_item(f, 1), item);
	memcpy(items, f->items, item);
	arg->nr_items = MARU_L1_BATCH_MAX;
	arg->items = (uintptr_t)items;
	arg->keys = (uintptr_t)world.keys_end - MARU_L1_KEYS_MAX;
	arg->keys_len = MARU_L1_KEYS_MAX;
	memcpy((void *)(uintptr_t)arg->keys, "abi-0abi-1", f->keys_len);
	frame_accepted(f, "4096 items and 4 MiB of keys");
}

static void most(void)
{
	each_call(T_BATCH, try_most);
}

static void try_item_reserved(struct frame *f)
{
	for (unsigned int i = 0; i < f->item_shape->nr_fields; i++) {
		const struct field *field = &f->item_shape->fields[i];
		uint32_t *at = frame_item(f, 1) + field->offset;
		uint32_t known = 0;

		if (field->kind == F_FLAGS)
			known = MARU_L1_TEMPORARY;
		else if (field->kind != F_RESERVED)
			continue;
		for (unsigned int bit = 0; bit < 32; bit++) {
			if (known & 1U << bit)
				continue;
			*at = 1U << bit;
			frame_refused(f, -EINVAL, field->name);
		}
		*at = 0;
	}
}

static void item_reserved(void)
{
	each_call(T_BATCH, try_item_reserved);
}

/* Only RESERVE_WRITE has a layout; there, one that does not exist is refused. */
static void try_layout(struct frame *f)
{
	frame_batch(f)->layout = MARU_L1_LAYOUTS_MAX;
	frame_refused(f, -EINVAL, "layout 1024");
	frame_batch(f)->layout = 900;
	frame_refused(f, -EINVAL, "a layout that was never made");
	frame_batch(f)->layout = UINT32_MAX;
	frame_refused(f, -EINVAL, "layout 2^32 - 1");
	if (f->call->nr == MARU_L1_RESERVE_WRITE)
		return;
	frame_batch(f)->layout = 1;
	frame_refused(f, -EINVAL, "layout 1");
}

static void layout_field(void)
{
	each_call(T_BATCH, try_layout);
}

/* The status of item @i: where it is differs from struct to struct. */
static uint32_t status_of(struct frame *f, unsigned int i)
{
	for (unsigned int k = 0; k < f->item_shape->nr_fields; k++)
		if (!strcmp(f->item_shape->fields[k].name, "status"))
			return *(uint32_t *)(frame_item(f, i) + f->item_shape->fields[k].offset);
	abort();
}

/*
 * A length that no key has is the item's fault, not the call's, and does not
 * harm its neighbour.
 */
static void key_length_is(uint32_t offset, uint32_t length)
{
	for (size_t i = 0; i < nr_calls; i++) {
		struct frame f;
		uint32_t *key;

		if (!(calls[i].traits & T_BATCH))
			continue;
		if (!frame_begin(&f, &calls[i], O_RDWR))
			continue;
		key = frame_item(&f, 1);
		key[0] = offset;
		key[1] = length;
		frame_accepted(&f, "an impossible key beside a good one");
		if (status_of(&f, 1) != MARU_L1_INVALID)
			TAP_FAIL("%s: a key of %u bytes was answered %u", calls[i].name,
				 length, status_of(&f, 1));
		if (status_of(&f, 0) != MARU_L1_OK)
			TAP_FAIL("%s: its good neighbour was answered %u", calls[i].name,
				 status_of(&f, 0));
		frame_end(&f);
	}
}

static void key_length(void)
{
	key_length_is(0, 0);
	key_length_is(0, MARU_L1_KEY_MAX + 1);
	key_length_is(KEY_LEN, UINT32_MAX);
	key_length_is(1, UINT32_MAX);
	key_length_is(UINT32_MAX, UINT32_MAX);
}

/* Lists: the address of the items (and keys) that the call writes. */
static uint64_t *list_items(struct frame *f)
{
	for (unsigned int i = 0; i < f->arg_shape->nr_fields; i++)
		if (!strcmp(f->arg_shape->fields[i].name, "items"))
			return (uint64_t *)(f->arg + f->arg_shape->fields[i].offset);
	abort();
}

static uint32_t *list_room(struct frame *f)
{
	for (unsigned int i = 0; i < f->arg_shape->nr_fields; i++)
		if (!strcmp(f->arg_shape->fields[i].name, "nr_items"))
			return (uint32_t *)(f->arg + f->arg_shape->fields[i].offset);
	abort();
}

static void try_list(struct frame *f)
{
	uint64_t items = *list_items(f);

	*list_room(f) = MARU_L1_BATCH_MAX + 1;
	frame_refused(f, -E2BIG, "room for 4097");
	*list_room(f) = UINT32_MAX;
	frame_refused(f, -E2BIG, "room for 2^32 - 1");
	*list_room(f) = FRAME_ITEMS;
	*list_items(f) = 0;
	frame_refused(f, -EFAULT, "a list at NULL");
	*list_items(f) = (uintptr_t)world.unmapped;
	frame_refused(f, -EFAULT, "a list that is not mapped");
	*list_items(f) = items + 4;
	frame_refused(f, -EFAULT, "a list whose end is not mapped");
	*list_items(f) = items;
	page_protect(world.items_end, PROT_READ);
	frame_refused(f, -EFAULT, "a list in read-only memory");
	page_protect(world.items_end, PROT_READ | PROT_WRITE);
	frame_accepted(f, "the same list writable");
}

static void list(void)
{
	each_call(T_LIST, try_list);
}

static void try_list_none(struct frame *f)
{
	*list_room(f) = 0;
	*list_items(f) = 0;
	if (f->call->nr == MARU_L1_EVICT) {
		((struct maru_l1_evict *)f->arg)->keys = 0;
		((struct maru_l1_evict *)f->arg)->keys_len = 0;
	}
	frame_accepted(f, "no list");
	EXPECT_EQ(*list_room(f), 0);
}

static void list_none(void)
{
	each_call(T_LIST, try_list_none);
}

const struct tap_case item_cases[] = {
	{ "items-none", "0 items need no buffers", none },
	{ "items-nowhere", "items that are nowhere are EFAULT", items_nowhere },
	{ "items-read-only", "items in read-only memory are EFAULT and nothing happens", items_read_only },
	{ "items-straddle", "items that end in a bad page are EFAULT and nothing happens", items_straddle },
	{ "keys-nowhere", "keys that are nowhere are EFAULT and nothing happens", keys_nowhere },
	{ "keys-read-only", "keys may lie in read-only memory", keys_read_only },
	{ "key-outside", "a key outside of the buffer is EINVAL, also when it overflows", key_outside },
	{ "too-many", "4097 items and keys beyond 4 MiB are E2BIG", too_many },
	{ "most", "4096 items with 4 MiB of keys are accepted", most },
	{ "item-reserved", "reserved bits and unknown flags of an item are EINVAL", item_reserved },
	{ "layout-field", "a layout where none belongs, or an unknown one, is EINVAL", layout_field },
	{ "key-length", "keys of 0, 1025 and 2^32 - 1 bytes are INVALID, their neighbours are answered", key_length },
	{ "list", "a list that is too long or nowhere is refused and nothing happens", list },
	{ "list-none", "a list is not needed", list_none },
};
CASES(item_cases);
