// SPDX-License-Identifier: GPL-2.0-only
/*
 * abi: uapi/linux/maru_l1.h held to its word, in a kernel with the module, as
 * root.  MARU_DAX names a device-dax node that no pool uses.  With --offsets
 * it prints the layout of the structs for the script "layout".
 */
#include <string.h>
#include "abi.h"

static struct tap_case cases[128];

static size_t add(size_t nr, const struct tap_case *more, size_t nr_more)
{
	memcpy(cases + nr, more, nr_more * sizeof(*more));
	return nr + nr_more;
}

/* The table of fields as assertions, for a compiler that may think otherwise. */
static int print_offsets(void)
{
	printf("#include <stddef.h>\n#include <linux/maru_l1.h>\n");
	for (size_t i = 0; i < nr_shapes; i++) {
		const struct shape *shape = &shapes[i];

		printf("_Static_assert(sizeof(struct %s) == %u, \"\");\n", shape->name, shape->size);
		for (unsigned int k = 0; k < shape->nr_fields; k++)
			printf("_Static_assert(offsetof(struct %s, %s) == %u, \"\");\n",
			       shape->name, shape->fields[k].name, shape->fields[k].offset);
	}
	return 0;
}

static void torn_down(void)
{
	world_end();
}

int main(int argc, char **argv)
{
	static const struct tap_case end = {
		"end", "what the tests had is gone and their pools detach", torn_down,
	};
	size_t nr = 0;

	if (argc == 2 && !strcmp(argv[1], "--offsets"))
		return print_offsets();
	nr = add(nr, layout_cases, nr_layout_cases);
	nr = add(nr, argument_cases, nr_argument_cases);
	nr = add(nr, item_cases, nr_item_cases);
	nr = add(nr, output_cases, nr_output_cases);
	nr = add(nr, value_cases, nr_value_cases);
	nr = add(nr, access_cases, nr_access_cases);
	nr = add(nr, event_cases, nr_event_cases);
	nr = add(nr, attach_cases, nr_attach_cases);
	nr = add(nr, grow_cases, nr_grow_cases);
	nr = add(nr, media_cases, nr_media_cases);
	nr = add(nr, &end, 1);
	if (!world_begin()) {
		printf("abi: 0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	return tap_run("abi", cases, nr, argc, argv);
}
