/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a model, a tree of json-c, as it is or for people. */
#ifndef MARU_CTL_PRINT_H
#define MARU_CTL_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>

/* How people see a value; programs see bytes, counts and booleans as they are. */
enum style {
	STYLE_PLAIN,
	STYLE_BYTES,
	STYLE_LIMIT,		/* bytes, 0: none */
	STYLE_MS,
	STYLE_YES_NO,
	STYLE_NODE,		/* a NUMA node, -1: unknown */
	STYLE_NS,		/* in the unit that fits */
	STYLE_OWNER,		/* node of a segment, 0: free */
	STYLE_AGE,		/* ms, in the unit that fits */

};

#define COLUMNS_MAX	24

struct column {
	const char *key;
	const char *title;
	enum style style;
};

/* Building models; running out of memory ends the program. */
struct json_object *model_new(void);
struct json_object *model_array(void);
struct json_object *model_string(const char *text);
struct json_object *model_uint(uint64_t value);
struct json_object *model_int(int64_t value);
struct json_object *model_boolean(int value);
void model_add(struct json_object *model, const char *key, struct json_object *value);
void model_append(struct json_object *array, struct json_object *value);
void model_text(struct json_object *model, const char *key, const char *text);
void model_number(struct json_object *model, const char *key, uint64_t value);
void model_signed(struct json_object *model, const char *key, int64_t value);
void model_bool(struct json_object *model, const char *key, int value);

/* What is under @key; nothing there: 0, and "". */
uint64_t model_get_number(struct json_object *model, const char *key);
const char *model_get_text(struct json_object *model, const char *key);

void print_json(struct json_object *model);
/* What a person sees of a field; @text is used when it is not in the model. */
#define CELL	40	/* a number and its unit */
const char *cell(struct json_object *row, const struct column *column, char text[CELL]);
/* One line for each of @rows, an array; titles first.  @n: up to COLUMNS_MAX. */
void print_table(struct json_object *rows, const struct column *columns, size_t n);
/* "title  value", one line for each of @columns. */
void print_record(struct json_object *model, const struct column *columns, size_t n);

#endif
