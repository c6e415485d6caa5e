// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Client: its life, and who is inside. */
#include "binding.h"

PyObject *raise_errno(int error, const char *what)
{
	PyObject *args;

	switch (-error) {
	case ENOMEM:
		return PyErr_NoMemory();
	case EOWNERDEAD:
		return PyErr_Format(PyExc_RuntimeError,
			"%s: this client belongs to the parent process: after fork() open a pool anew",
			what);
	case EINVAL:
		return PyErr_Format(PyExc_ValueError, "%s: not what the pool takes", what);
	}
	args = Py_BuildValue("(iss)", -error, strerror(-error), what);
	if (args)
		PyErr_SetObject(PyExc_OSError, args);
	Py_XDECREF(args);
	return NULL;
}

/* Nobody is inside and no buffer is out. */
static void client_end(struct client *client)
{
	struct marul1_client *ended = client->client;

	client->client = NULL;
	Py_BEGIN_ALLOW_THREADS
	marul1_client_close(ended);
	Py_END_ALLOW_THREADS
}

bool client_enter(struct client *client)
{
	if (!client->client || client->closing) {
		PyErr_SetString(PyExc_ValueError, "the client is closed");
		return false;
	}
	client->calls++;
	return true;
}

void client_leave(struct client *client)
{
	client->calls--;
	if (client->closing && !client->calls)
		client_end(client);
}

static PyObject *client_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "pool", "readonly", NULL };
	struct client *client;
	int readonly = 0, err;
	struct pool *pool;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!|p:Client", names, &pool_type, &pool,
					 &readonly))
		return NULL;
	client = (struct client *)type->tp_alloc(type, 0);
	if (!client)
		return NULL;
	client->pool = (struct pool *)Py_NewRef(pool);
	client->readonly = readonly;
	Py_BEGIN_ALLOW_THREADS
	err = marul1_client_open(pool->pool, readonly ? MARUL1_RDONLY : 0, &client->client);
	Py_END_ALLOW_THREADS
	if (err) {
		Py_DECREF(client);
		return raise_errno(err, "client");
	}
	return (PyObject *)client;
}

/* A call or a buffer holds a reference: neither is left. */
static void client_dealloc(PyObject *self)
{
	struct client *client = (struct client *)self;

	client_end(client);
	Py_XDECREF(client->pool);
	Py_TYPE(self)->tp_free(self);
}

static PyObject *client_close(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;

	if (client->views)
		return PyErr_Format(PyExc_BufferError,
				    "%zd views of the pool are in use", client->views);
	client->closing = true;
	if (!client->calls)
		client_end(client);
	Py_RETURN_NONE;
}

static PyObject *client_exit(PyObject *self, PyObject *Py_UNUSED(args))
{
	return client_close(self, NULL);
}

static PyObject *client_self(PyObject *self, PyObject *Py_UNUSED(none))
{
	return Py_NewRef(self);
}

static PyMethodDef life_methods[] = {
	{ "close", client_close, METH_NOARGS,
	  PyDoc_STR("close()\n\nGives back all that the client owns; a call that another thread is in\n"
		    "ends first.  Refused with BufferError while views of the pool are in use.") },
	{ "__enter__", client_self, METH_NOARGS, NULL },
	{ "__exit__", client_exit, METH_VARARGS, NULL },
	{ NULL, NULL, 0, NULL }
};

static PyObject *client_closed(PyObject *self, void *Py_UNUSED(arg))
{
	struct client *client = (struct client *)self;

	return PyBool_FromLong(!client->client || client->closing);
}

static PyObject *client_pool(PyObject *self, void *Py_UNUSED(arg))
{
	return Py_NewRef(((struct client *)self)->pool);
}

static PyGetSetDef client_getset[] = {
	{ "closed", client_closed, NULL, PyDoc_STR("Whether close() was called."), NULL },
	{ "pool", client_pool, NULL, PyDoc_STR("The pool it is a client of."), NULL },
	{ NULL, NULL, NULL, NULL, NULL }
};

PyTypeObject client_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "marul1.Client",
	.tp_doc = PyDoc_STR("Client(pool, readonly=False)\n\n"
		"Owns what it stages, its private objects and its holds.  Any thread may call.\n"
		"Batch calls take a sequence of keys (bytes) and answer arrays with an element for\n"
		"each; an item's failure is its status, never an exception."),
	.tp_basicsize = sizeof(struct client),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_new = client_new,
	.tp_dealloc = client_dealloc,
	.tp_getset = client_getset,
};

/* One table of methods, of all files. */
int client_init(void)
{
	static PyMethodDef all[64];
	PyMethodDef *tables[] = { life_methods, client_batch_methods, client_single_methods,
				  client_mapping_methods, client_event_methods };
	size_t n = 0;

	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		for (PyMethodDef *method = tables[t]; method->ml_name; method++)
			all[n++] = *method;
	client_type.tp_methods = all;
	return PyType_Ready(&client_type);
}
