// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include "rows.h"

static void print_titles(const struct rows *rows)
{
	for (size_t i = 0; i < rows->n - 1; i++)
		printf("%*s  ", rows->widths[i], rows->columns[i].title);
	puts(rows->columns[rows->n - 1].title);
}

void rows_print(struct rows *rows, struct json_object *row)
{
	char text[CELL];

	if (rows->json) {
		printf("%s%s", rows->printed++ ? ",\n  " : "[\n  ",
		       json_object_to_json_string_ext(row, JSON_C_TO_STRING_SPACED |
							   JSON_C_TO_STRING_NOSLASHESCAPE));
		return;
	}
	if (!rows->printed++)
		print_titles(rows);
	for (size_t i = 0; i < rows->n - 1; i++)
		printf("%*s  ", rows->widths[i], cell(row, &rows->columns[i], text));
	puts(cell(row, &rows->columns[rows->n - 1], text));
}

void rows_end(struct rows *rows)
{
	if (rows->json)
		puts(rows->printed ? "\n]" : "[]");
	else if (!rows->printed)
		print_titles(rows);
}
