// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A piece of the mapping as a buffer: while one is out the client stays open. */
#include "binding.h"

struct view {
	PyObject_HEAD
	struct client *client;
	void *start;
	Py_ssize_t length;
};

static int view_getbuffer(PyObject *self, Py_buffer *buffer, int flags)
{
	struct view *view = (struct view *)self;

	return PyBuffer_FillInfo(buffer, self, view->start, view->length,
				 view->client->readonly, flags);
}

static void view_dealloc(PyObject *self)
{
	struct view *view = (struct view *)self;

	view->client->views--;
	Py_DECREF(view->client);
	PyObject_Free(self);
}

static PyBufferProcs view_buffer = { .bf_getbuffer = view_getbuffer };

PyTypeObject view_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "marul1._View",
	.tp_basicsize = sizeof(struct view),
	.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
	.tp_as_buffer = &view_buffer,
	.tp_dealloc = view_dealloc,
};

PyObject *view_new(struct client *client, uint64_t offset, uint64_t length)
{
	void *start = marul1_ptr(client->client, offset, length);
	PyObject *memory;
	struct view *view;

	if (!start)
		return PyErr_Format(PyExc_ValueError,
			"%llu bytes at %llu are not in what is mapped: map() first",
			(unsigned long long)length, (unsigned long long)offset);
	view = PyObject_New(struct view, &view_type);
	if (!view)
		return NULL;
	view->client = (struct client *)Py_NewRef(client);
	view->start = start;
	view->length = length;
	client->views++;
	memory = PyMemoryView_FromObject((PyObject *)view);
	Py_DECREF(view);
	return memory;
}
