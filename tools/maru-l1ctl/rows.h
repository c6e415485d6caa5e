/* SPDX-License-Identifier: GPL-2.0-only */
/* Many rows, printed as they come: 100,000 objects are not kept for it. */
#ifndef MARU_CTL_ROWS_H
#define MARU_CTL_ROWS_H

#include <stdbool.h>
#include "print.h"

/**
 * struct rows - a table or a JSON array that is being printed
 * @columns: the last one is as wide as it likes
 * @widths: of the others, fixed from the beginning
 * @n: of @columns
 * @json: one element a line
 * @printed: so far
 */
struct rows {
	const struct column *columns;
	const int *widths;
	size_t n;
	bool json;
	uint64_t printed;
};

void rows_print(struct rows *rows, struct json_object *row);
/* Complete JSON also when not all rows have come. */
void rows_end(struct rows *rows);

#endif
