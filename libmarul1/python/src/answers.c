// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "answers.h"

#define ANSWERS(var, item, title, n, ...) \
	struct answers var = { \
		.item_size = sizeof(struct item), \
		.fields = { __VA_ARGS__ }, \
		.desc = { "marul1." title, NULL, var.names, n }, \
	}

ANSWERS(reserved, marul1_reserve, "Reserved", 5, FIELD(marul1_reserve, status),
	FIELD(marul1_reserve, result), FIELD(marul1_reserve, offset),
	FIELD(marul1_reserve, page_size), FIELD(marul1_reserve, id));
ANSWERS(committed, marul1_commit, "Committed", 6, FIELD(marul1_commit, status),
	FIELD(marul1_commit, result), FIELD(marul1_commit, offset),
	FIELD(marul1_commit, length), FIELD(marul1_commit, id), FIELD(marul1_commit, cookie));
ANSWERS(aborted, marul1_abort, "Aborted", 2, FIELD(marul1_abort, status),
	FIELD(marul1_abort, result));
ANSWERS(located, marul1_read, "Located", 6, FIELD(marul1_read, status),
	FIELD(marul1_read, result), FIELD(marul1_read, offset), FIELD(marul1_read, length),
	FIELD(marul1_read, id), FIELD(marul1_read, cookie));
ANSWERS(released, marul1_release, "Released", 3, FIELD(marul1_release, status),
	FIELD(marul1_release, result), FIELD(marul1_release, released));
ANSWERS(renewed, marul1_renew, "Renewed", 2, FIELD(marul1_renew, status),
	FIELD(marul1_renew, result));
ANSWERS(deleted, marul1_delete, "Deleted", 3, FIELD(marul1_delete, status),
	FIELD(marul1_delete, result), FIELD(marul1_delete, id));
ANSWERS(touched, marul1_touch, "Touched", 2, FIELD(marul1_touch, status),
	FIELD(marul1_touch, result));
ANSWERS(queried, marul1_query, "Queried", 8, FIELD(marul1_query, status),
	FIELD(marul1_query, result), FIELD(marul1_query, state), FIELD(marul1_query, flags),
	FIELD(marul1_query, my_holds), FIELD(marul1_query, holders),
	FIELD(marul1_query, length), FIELD(marul1_query, id));

static const struct {
	struct answers *answers;
	const char *names[FIELDS_MAX];
} all_answers[] = {
	{ &reserved, { "status", "result", "offset", "page_size", "id" } },
	{ &committed, { "status", "result", "offset", "length", "id", "cookie" } },
	{ &aborted, { "status", "result" } },
	{ &located, { "status", "result", "offset", "length", "id", "cookie" } },
	{ &released, { "status", "result", "released" } },
	{ &renewed, { "status", "result" } },
	{ &deleted, { "status", "result", "id" } },
	{ &touched, { "status", "result" } },
	{ &queried, { "status", "result", "state", "flags", "my_holds", "holders", "length",
		      "id" } },
};

static PyObject *array_type;

int answers_init(PyObject *module)
{
	PyObject *array = PyImport_ImportModule("array");
	struct answers *answers;

	array_type = array ? PyObject_GetAttrString(array, "array") : NULL;
	Py_XDECREF(array);
	if (!array_type)
		return -1;
	for (size_t i = 0; i < sizeof(all_answers) / sizeof(all_answers[0]); i++) {
		answers = all_answers[i].answers;
		for (int f = 0; f < answers->desc.n_in_sequence; f++)
			answers->names[f].name = all_answers[i].names[f];
		answers->type = PyStructSequence_NewType(&answers->desc);
		if (!answers->type || PyModule_AddType(module, answers->type))
			return -1;
	}
	return 0;
}

/* One array of @n elements, of the same field of each item. */
static PyObject *array_of(const struct field *field, size_t item_size, const char *items,
			  Py_ssize_t n)
{
	PyObject *bytes = PyBytes_FromStringAndSize(NULL, n * field->size), *array;
	char *to;

	if (!bytes)
		return NULL;
	to = PyBytes_AS_STRING(bytes);
	for (Py_ssize_t i = 0; i < n; i++)
		memcpy(to + i * field->size, items + i * item_size + field->at, field->size);
	array = PyObject_CallFunction(array_type, "sO", field->size == 4 ? "I" : "Q", bytes);
	Py_DECREF(bytes);
	return array;
}

static PyObject *cookies_of(const struct field *field, size_t item_size, const char *items,
			    Py_ssize_t n)
{
	PyObject *list = PyList_New(n), *cookie;

	for (Py_ssize_t i = 0; list && i < n; i++) {
		cookie = PyBytes_FromStringAndSize(items + i * item_size + field->at, field->size);
		if (!cookie)
			Py_CLEAR(list);
		else
			PyList_SET_ITEM(list, i, cookie);
	}
	return list;
}

PyObject *answers_of(const struct answers *answers, const void *items, Py_ssize_t n)
{
	PyObject *all = PyStructSequence_New(answers->type), *one;

	for (int f = 0; all && f < answers->desc.n_in_sequence; f++) {
		const struct field *field = &answers->fields[f];

		one = field->size == MARU_L1_COOKIE_LEN ?
			cookies_of(field, answers->item_size, items, n) :
			array_of(field, answers->item_size, items, n);
		if (!one)
			Py_CLEAR(all);
		else
			PyStructSequence_SET_ITEM(all, f, one);
	}
	return all;
}
