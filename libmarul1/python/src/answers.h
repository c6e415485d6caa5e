/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The answers of batch calls: for each field of the items an array. */
#ifndef MARUL1_ANSWERS_H
#define MARUL1_ANSWERS_H

#include <stddef.h>
#include "binding.h"

#define FIELDS_MAX	8

/* A field of an item that is an answer; 16 bytes are a cookie. */
struct field {
	size_t at;
	size_t size;
};

struct answers {
	size_t item_size;
	struct field fields[FIELDS_MAX];
	PyStructSequence_Field names[FIELDS_MAX + 1];
	PyStructSequence_Desc desc;
	PyTypeObject *type;
};

#define FIELD(type, member) \
	{ offsetof(struct type, member), sizeof(((struct type *)0)->member) }

extern struct answers reserved, committed, aborted, located, released, renewed, deleted,
	touched, queried;

/* Adds the types to the module. Return: 0, or -1 with an exception. */
int answers_init(PyObject *module);
/* Of @n @items. */
PyObject *answers_of(const struct answers *answers, const void *items, Py_ssize_t n);

#endif
