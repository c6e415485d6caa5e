// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The mapped pool, and what the status page tells: no system call but map(). */
#include "binding.h"

#define KEYWORDS(function)	(PyCFunction)(void *)function, METH_VARARGS | METH_KEYWORDS

static PyObject *map_pool(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "populate", NULL };
	struct client *client = (struct client *)self;
	int populate = 0, err;
	uint64_t length;
	void *base;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:map", names, &populate) ||
	    !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_map(client->client, populate ? MARUL1_POPULATE : 0,
					    &base, &length));
	if (err)
		return raise_errno(err, "map");
	return Py_BuildValue("NK", PyLong_FromVoidPtr(base), (unsigned long long)length);
}

static bool open_range(struct client *client, PyObject *args, const char *format,
		       unsigned long long *offset, unsigned long long *length)
{
	if (!PyArg_ParseTuple(args, format, offset, length) || !client_enter(client))
		return false;
	client_leave(client);
	return true;
}

static PyObject *view(PyObject *self, PyObject *args)
{
	struct client *client = (struct client *)self;
	unsigned long long offset, length;

	if (!open_range(client, args, "KK:view", &offset, &length))
		return NULL;
	return view_new(client, offset, length);
}

static PyObject *address(PyObject *self, PyObject *args)
{
	struct client *client = (struct client *)self;
	unsigned long long offset, length = 0;
	void *start;

	if (!open_range(client, args, "K|K:address", &offset, &length))
		return NULL;
	start = marul1_ptr(client->client, offset, length);
	if (!start)
		return PyErr_Format(PyExc_ValueError, "not in what is mapped: map() first");
	return PyLong_FromVoidPtr(start);
}

/* Appends an address and a length. */
static bool add_range(PyObject *list, void *start, uint64_t length)
{
	PyObject *pair = Py_BuildValue("NK", PyLong_FromVoidPtr(start),
				       (unsigned long long)length);
	bool ok = pair && !PyList_Append(list, pair);

	Py_XDECREF(pair);
	return ok;
}

static PyObject *ranges(PyObject *self, PyObject *args)
{
	struct client *client = (struct client *)self;
	unsigned long long max = 0;
	PyObject *list;
	uint64_t length;
	void *start;
	int err = 0;

	if (!PyArg_ParseTuple(args, "|K:ranges", &max) || !client_enter(client))
		return NULL;
	list = PyList_New(0);
	for (size_t i = 0; list && !err; i++) {
		err = marul1_range(client->client, max, i, &start, &length);
		if (!err && !add_range(list, start, length))
			Py_CLEAR(list);
	}
	client_leave(client);
	if (!list || err == -ENOENT)
		return list;
	Py_DECREF(list);
	return raise_errno(err, "ranges");
}

static PyObject *space(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;
	uint64_t total, used, available;

	if (!client_enter(client))
		return NULL;
	marul1_space(client->client, &total, &used, &available);
	client_leave(client);
	return Py_BuildValue("KKK", (unsigned long long)total, (unsigned long long)used,
			     (unsigned long long)available);
}

static PyObject *epoch(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;
	uint64_t now;

	if (!client_enter(client))
		return NULL;
	now = marul1_epoch(client->client);
	client_leave(client);
	return PyLong_FromUnsignedLongLong(now);
}

static PyObject *valid(PyObject *self, PyObject *then)
{
	struct client *client = (struct client *)self;
	unsigned long long epoch = PyLong_AsUnsignedLongLong(then);
	bool same;

	if ((epoch == (unsigned long long)-1 && PyErr_Occurred()) || !client_enter(client))
		return NULL;
	same = marul1_valid(client->client, epoch);
	client_leave(client);
	return PyBool_FromLong(same);
}

PyMethodDef client_mapping_methods[] = {
	{ "map", KEYWORDS(map_pool),
	  PyDoc_STR("map(*, populate=False) -> (address, length)\n\n"
		    "Maps the pool, once; a later call adds what the pool has grown by.") },
	{ "view", view, METH_VARARGS,
	  PyDoc_STR("view(offset, length) -> memoryview\n\n"
		    "The pool's own bytes, read-only for a read-only client.  While it is in use the\n"
		    "client cannot be closed.") },
	{ "address", address, METH_VARARGS,
	  PyDoc_STR("address(offset, length=0) -> int\n\nWhere they are mapped.") },
	{ "ranges", ranges, METH_VARARGS,
	  PyDoc_STR("ranges(max=64 GiB) -> [(address, length), ...]\n\n"
		    "The mapping in pieces that drivers can register.") },
	{ "space", space, METH_NOARGS,
	  PyDoc_STR("space() -> (total, used, available)\n\nBytes, without a system call.") },
	{ "epoch", epoch, METH_NOARGS,
	  PyDoc_STR("epoch() -> int\n\nTo be taken before reserve_read(), for valid().") },
	{ "valid", valid, METH_O,
	  PyDoc_STR("valid(epoch) -> bool\n\n"
		    "Whether all that was read since was read while the holds were good.") },
	{ NULL, NULL, 0, NULL }
};
