// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "print.h"
#include "util.h"

static struct json_object *must(struct json_object *object)
{
	if (!object)
		out_of_memory();
	return object;
}

struct json_object *model_new(void)
{
	return must(json_object_new_object());
}

struct json_object *model_array(void)
{
	return must(json_object_new_array());
}

void model_add(struct json_object *model, const char *key, struct json_object *value)
{
	if (json_object_object_add(model, key, value))
		out_of_memory();
}

void model_append(struct json_object *array, struct json_object *value)
{
	if (json_object_array_add(array, value))
		out_of_memory();
}

struct json_object *model_string(const char *text)
{
	return must(json_object_new_string(text));
}

struct json_object *model_uint(uint64_t value)
{
	return must(json_object_new_uint64(value));
}

struct json_object *model_int(int64_t value)
{
	return must(json_object_new_int64(value));
}

struct json_object *model_boolean(int value)
{
	return must(json_object_new_boolean(value));
}

void model_text(struct json_object *model, const char *key, const char *text)
{
	model_add(model, key, model_string(text));
}

void model_number(struct json_object *model, const char *key, uint64_t value)
{
	model_add(model, key, model_uint(value));
}

void model_signed(struct json_object *model, const char *key, int64_t value)
{
	model_add(model, key, model_int(value));
}

void model_bool(struct json_object *model, const char *key, int value)
{
	model_add(model, key, model_boolean(value));
}

uint64_t model_get_number(struct json_object *model, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(model, key, &value) ?
	       json_object_get_uint64(value) : 0;
}

const char *model_get_text(struct json_object *model, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(model, key, &value) ? json_object_get_string(value) : "";
}

void print_json(struct json_object *model)
{
	puts(json_object_to_json_string_ext(model, JSON_C_TO_STRING_PRETTY |
						   JSON_C_TO_STRING_SPACED |
						   JSON_C_TO_STRING_NOSLASHESCAPE));
}

static const char *time_text(uint64_t ns, char text[CELL])
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	unsigned int unit = 0;
	double n = ns;

	for (; n >= 1000 && unit < 3; unit++)
		n /= 1000;
	snprintf(text, CELL, "%.*f %s", unit && n < 10 ? 1 : 0, n, units[unit]);
	return text;
}

static const char *age_text(uint64_t ms, char text[CELL])
{
	if (ms < 10000)
		snprintf(text, CELL, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms / 100 % 10);
	else if (ms < 600000)
		snprintf(text, CELL, "%" PRIu64 " s", ms / 1000);
	else if (ms < 36000000)
		snprintf(text, CELL, "%" PRIu64 " min", ms / 60000);
	else
		snprintf(text, CELL, "%" PRIu64 " h", ms / 3600000);
	return text;
}

const char *cell(struct json_object *row, const struct column *column,
			char text[CELL])
{
	struct json_object *value = NULL;
	char size[SIZE_TEXT];
	const char *plain;
	uint64_t n;

	if (!json_object_object_get_ex(row, column->key, &value) || !value)
		return "-";
	n = json_object_get_uint64(value);
	switch (column->style) {
	case STYLE_LIMIT:
		if (!n)
			return "none";
		/* fall through */
	case STYLE_BYTES:
		snprintf(text, CELL, "%s", size_text(n, size));
		return text;
	case STYLE_MS:
		snprintf(text, CELL, "%" PRIu64 " ms", n);
		return text;
	case STYLE_NS:
		return time_text(n, text);
	case STYLE_OWNER:
		if (!n)
			return "free";
		break;
	case STYLE_AGE:
		return age_text(n, text);
	case STYLE_YES_NO:
		return json_object_get_boolean(value) ? "yes" : "no";
	case STYLE_NODE:
		if (json_object_get_int64(value) < 0)
			return "unknown";
		/* fall through */
	case STYLE_PLAIN:
		break;
	}
	plain = json_object_get_string(value);
	return *plain ? plain : "-";
}

/* Numbers stand under each other at the right, text at the left. */
static bool to_the_right(struct json_object *rows, const struct column *column)
{
	struct json_object *value;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		if (json_object_object_get_ex(json_object_array_get_idx(rows, i),
					      column->key, &value))
			return json_object_is_type(value, json_type_int);
	}
	return false;
}

static int width_of(struct json_object *rows, const struct column *column)
{
	size_t width = strlen(column->title), len;
	char text[CELL];

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		len = strlen(cell(json_object_array_get_idx(rows, i), column, text));
		if (len > width)
			width = len;
	}
	return width;
}

/* No spaces at the end of a line. */
static void print_cell(const char *text, int width, bool right, bool last)
{
	if (last && !right)
		width = 0;
	printf("%*s%s", right ? width : -width, text, last ? "\n" : "  ");
}

void print_table(struct json_object *rows, const struct column *columns, size_t n)
{
	size_t nr_rows = json_object_array_length(rows);
	bool right[COLUMNS_MAX];
	int width[COLUMNS_MAX];
	char text[CELL];

	for (size_t i = 0; i < n; i++) {
		width[i] = width_of(rows, &columns[i]);
		right[i] = to_the_right(rows, &columns[i]);
		print_cell(columns[i].title, width[i], right[i], i == n - 1);
	}
	for (size_t row = 0; row < nr_rows; row++)
		for (size_t i = 0; i < n; i++)
			print_cell(cell(json_object_array_get_idx(rows, row),
					&columns[i], text),
				   width[i], right[i], i == n - 1);
}

void print_record(struct json_object *model, const struct column *columns, size_t n)
{
	size_t width = 0;
	char text[CELL];

	for (size_t i = 0; i < n; i++)
		if (strlen(columns[i].title) > width)
			width = strlen(columns[i].title);
	for (size_t i = 0; i < n; i++)
		printf("%-*s  %s\n", (int)width, columns[i].title,
		       cell(model, &columns[i], text));
}
