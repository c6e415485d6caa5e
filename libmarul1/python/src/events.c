// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events: what happened to objects that this client may know. */
#include "binding.h"

#define ROOM	65536

static PyTypeObject *event_type;

static PyStructSequence_Field event_fields[] = {
	{ "kind", NULL }, { "id", NULL }, { "value", NULL }, { "flags", NULL }, { "key", NULL },
	{ NULL, NULL }
};

static PyStructSequence_Desc event_desc = { "marul1.Event", NULL, event_fields, 5 };

int events_init(PyObject *module)
{
	event_type = PyStructSequence_NewType(&event_desc);
	return event_type ? PyModule_AddType(module, event_type) : -1;
}

static PyObject *subscribe(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "mask", "ring_size", "watermark_permille", NULL };
	unsigned int mask, ring_size = 1 << 20, watermark = 0;
	struct client *client = (struct client *)self;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "I|$II:subscribe", names, &mask,
					 &ring_size, &watermark) || !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_subscribe(client->client, mask, ring_size, watermark));
	return err ? raise_errno(err, "subscribe") : Py_NewRef(Py_None);
}

static PyObject *event_new(const struct maru_l1_event *event)
{
	PyObject *values[5] = {
		PyLong_FromUnsignedLong(event->kind),
		PyLong_FromUnsignedLongLong(event->id),
		PyLong_FromUnsignedLongLong(event->value),
		PyLong_FromUnsignedLong(event->flags),
		PyBytes_FromStringAndSize((const char *)event->key, event->key_len),
	};
	PyObject *one = PyStructSequence_New(event_type);

	for (int i = 0; i < 5; i++) {
		if (!values[i])
			Py_CLEAR(one);
		if (one)
			PyStructSequence_SET_ITEM(one, i, values[i]);
		else
			Py_XDECREF(values[i]);
	}
	return one;
}

static PyObject *events_of(const char *buf, ssize_t len)
{
	PyObject *list = PyList_New(0), *one;

	for (ssize_t at = 0; list && at < len;) {
		const struct maru_l1_event *event = (const void *)(buf + at);

		one = event_new(event);
		if (!one || PyList_Append(list, one))
			Py_CLEAR(list);
		Py_XDECREF(one);
		at += event->size;
	}
	return list;
}

static PyObject *read_events(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "timeout_ms", NULL };
	struct client *client = (struct client *)self;
	PyObject *list = NULL;
	int timeout_ms = 0;
	ssize_t len;
	char *buf;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|i:read_events", names, &timeout_ms))
		return NULL;
	buf = PyMem_Malloc(ROOM);
	if (!buf)
		return PyErr_NoMemory();
	if (client_enter(client)) {
		CLIENT_CALL(client, len,
			    marul1_read_events(client->client, buf, ROOM, timeout_ms));
		list = len < 0 ? raise_errno(len, "read_events") : events_of(buf, len);
	}
	PyMem_Free(buf);
	return list;
}

#define KEYWORDS(function)	(PyCFunction)(void *)function, METH_VARARGS | METH_KEYWORDS

PyMethodDef client_event_methods[] = {
	{ "subscribe", KEYWORDS(subscribe),
	  PyDoc_STR("subscribe(mask, *, ring_size=1 MiB, watermark_permille=0)\n\n"
		    "To the kinds in mask, a sum of 1 << EV_...; 0 ends it.") },
	{ "read_events", KEYWORDS(read_events),
	  PyDoc_STR("read_events(timeout_ms=0) -> [Event, ...]\n\n"
		    "What has come; waits for the first as long as told.") },
	{ NULL, NULL, 0, NULL }
};
