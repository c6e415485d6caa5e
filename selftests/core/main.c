// SPDX-License-Identifier: GPL-2.0-only
/* Suite core: what the rest of the project stands on, looked at from inside. */

#include "fixture.h"

extern const struct case_table table_cases, extent_cases, segment_cases,
	event_cases, hold_cases, close_cases, fence_cases, lru_cases, due_cases, write_cases,
	memory_cases, call_cases, check_cases, source_cases, grow_cases, room_cases,
	walk_cases, counts_cases;

int main(int argc, char **argv)
{
	static const struct case_table *const tables[] = {
		&table_cases, &extent_cases, &segment_cases, &event_cases,
		&hold_cases, &close_cases, &fence_cases, &lru_cases, &due_cases, &write_cases,
		&memory_cases, &call_cases, &check_cases, &source_cases,
		&grow_cases, &room_cases, &walk_cases, &counts_cases,
	};
	struct tap_case all[200];
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		memcpy(all + n, tables[i]->cases,
		       tables[i]->n * sizeof(*all));
		n += tables[i]->n;
	}
	return tap_run("core", all, n, argc, argv);
}
