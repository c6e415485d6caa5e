// SPDX-License-Identifier: GPL-2.0-only
/* What a call writes: each answer, and nothing else. */
#include <string.h>
#include "../guest/raw.h"
#include "abi.h"

static bool poisoned(const uint8_t *at, size_t len)
{
	while (len--)
		if (*at++ != FRAME_POISON)
			return false;
	return true;
}

/* @before: the struct as it was handed in. */
static void look(const struct frame *f, const struct shape *shape,
		 const uint8_t *before, const uint8_t *after)
{
	for (unsigned int i = 0; i < shape->nr_fields; i++) {
		const struct field *field = &shape->fields[i];
		const uint8_t *at = after + field->offset;

		if (field->kind == F_INOUT)
			continue;
		if (field->kind == F_OUT) {
			if (poisoned(at, field->length))
				TAP_FAIL("%s: %s.%s was not written", f->call->name,
					 shape->name, field->name);
			continue;
		}
		if (memcmp(before + field->offset, at, field->length))
			TAP_FAIL("%s: %s.%s was changed", f->call->name,
				 shape->name, field->name);
	}
}

/* Entries that the call says it wrote; of a batch all. */
static uint32_t answered(const struct frame *f)
{
	for (unsigned int i = 0; i < f->arg_shape->nr_fields; i++)
		if (!strcmp(f->arg_shape->fields[i].name, "nr_items"))
			return *(uint32_t *)(f->arg + f->arg_shape->fields[i].offset);
	return 0;
}

static void try_success(struct frame *f)
{
	uint8_t arg[256], items[512], keys[KEY_LEN * FRAME_ITEMS];
	size_t arg_size = f->arg_shape->size;
	size_t item_size = f->item_shape ? f->item_shape->size : 0;
	uint32_t nr;

	memcpy(arg, f->arg, arg_size);
	if (item_size)
		memcpy(items, f->items, FRAME_ITEMS * item_size);
	memcpy(keys, f->keys, f->keys_len);
	frame_accepted(f, "a valid call");
	look(f, f->arg_shape, arg, f->arg);
	EXPECT(poisoned(f->arg - 64, 64));
	nr = answered(f);
	EXPECT(nr <= FRAME_ITEMS);
	for (uint32_t i = 0; item_size && i < FRAME_ITEMS; i++) {
		if (i < nr)
			look(f, f->item_shape, items + i * item_size, frame_item(f, i));
		else if (memcmp(items + i * item_size, frame_item(f, i), item_size))
			TAP_FAIL("%s: entry %u was not answered and was changed",
				 f->call->name, i);
	}
	if (item_size)
		EXPECT(poisoned(f->items - 64, 64));
	if (f->call->nr != MARU_L1_EVICT && memcmp(keys, f->keys, f->keys_len))
		TAP_FAIL("%s: the keys were changed", f->call->name);
}

static void success(void)
{
	each_call(0, try_success);
}

/* Answers go to the items of the call and not one further. */
static void try_neighbour(struct frame *f)
{
	size_t item_size = f->item_shape->size;
	uint8_t second[128];

	memcpy(second, frame_item(f, 1), item_size);
	frame_batch(f)->nr_items = 1;
	frame_accepted(f, "one item of two");
	if (memcmp(second, frame_item(f, 1), item_size))
		TAP_FAIL("%s: an item beyond nr_items was changed", f->call->name);
}

static void neighbour(void)
{
	each_call(T_BATCH, try_neighbour);
}

/* EVICT's list: ids and keys of what went, in the buffers that were given. */
static void evicted_keys(void)
{
	struct maru_l1_victim *victim;
	struct maru_l1_evict *arg;
	struct frame f;
	bool seen[FRAME_ITEMS] = { false };

	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == MARU_L1_EVICT)
			ASSERT(frame_begin(&f, &calls[i], O_RDWR));
	arg = (struct maru_l1_evict *)f.arg;
	frame_accepted(&f, "two objects");
	EXPECT_EQ(arg->evicted, FRAME_ITEMS);
	EXPECT_EQ(arg->nr_items, FRAME_ITEMS);
	EXPECT_EQ(arg->more, 0);
	for (unsigned int i = 0; i < FRAME_ITEMS; i++) {
		victim = frame_item(&f, i);
		ASSERT(victim->key_len == KEY_LEN);
		ASSERT(victim->key_off <= arg->keys_len - KEY_LEN);
		for (int k = 0; k < FRAME_ITEMS; k++) {
			char key[] = "abi-0";

			key[4] += k;
			if (!memcmp((char *)(uintptr_t)arg->keys + victim->key_off,
				    key, KEY_LEN))
				seen[k] = true;
		}
	}
	EXPECT(seen[0] && seen[1]);
	frame_end(&f);
}

const struct tap_case output_cases[] = {
	{ "answers", "success writes each answer and leaves all else", success },
	{ "neighbour", "items beyond nr_items are not touched", neighbour },
	{ "evicted-keys", "EVICT lists what it took", evicted_keys },
};
CASES(output_cases);
