// SPDX-License-Identifier: GPL-2.0-only
/* The table of fields against the header: no byte of a struct without a field. */
#include <string.h>
#include "abi.h"

static void no_holes(void)
{
	for (size_t i = 0; i < nr_shapes; i++) {
		const struct shape *shape = &shapes[i];
		size_t end = 0;

		for (unsigned int k = 0; k < shape->nr_fields; k++) {
			const struct field *field = &shape->fields[k];

			if (field->offset != end)
				TAP_FAIL("%s.%s is at %u, expected %zu", shape->name,
					 field->name, field->offset, end);
			end = field->offset + field->length;
		}
		if (end != shape->size)
			TAP_FAIL("%s ends at %zu, its size is %u", shape->name, end, shape->size);
		if (shape->size % 8)
			TAP_FAIL("%s is %u bytes, no multiple of 8", shape->name, shape->size);
	}
}

static void size_first(void)
{
	for (size_t i = 0; i < nr_calls; i++) {
		const struct shape *shape = shape_of(calls[i].arg);

		if (shape->fields[0].kind != F_SIZE || shape->fields[0].length != 4)
			TAP_FAIL("%s does not begin with __u32 size", shape->name);
	}
}

/* Words of 8 bytes lie at multiples of 8, also where a compiler would not ask. */
static void aligned(void)
{
	for (size_t i = 0; i < nr_shapes; i++)
		for (unsigned int k = 0; k < shapes[i].nr_fields; k++) {
			const struct field *field = &shapes[i].fields[k];

			if (field->length == 8 && field->offset % 8)
				TAP_FAIL("%s.%s is at %u", shapes[i].name, field->name,
					 field->offset);
		}
}

const struct tap_case layout_cases[] = {
	{ "no-holes", "fields follow each other and fill their struct", no_holes },
	{ "size-first", "each argument begins with its size", size_first },
	{ "aligned", "words of 8 bytes are aligned for every compiler", aligned },
};
CASES(layout_cases);
