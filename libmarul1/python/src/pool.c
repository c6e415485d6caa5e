// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Pool: an open pool. */
#include "binding.h"

static PyObject *pool_open(struct pool *pool, const char *uri)
{
	int err;

	Py_BEGIN_ALLOW_THREADS
	err = marul1_open(pool->context->ctx, uri, &pool->pool);
	Py_END_ALLOW_THREADS
	return err ? raise_errno(err, uri) : (PyObject *)pool;
}

static PyObject *pool_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "uri", "context", NULL };
	PyObject *context = NULL;
	struct pool *pool;
	const char *uri;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "s|O!:Pool", names, &uri,
					 &context_type, &context))
		return NULL;
	pool = (struct pool *)type->tp_alloc(type, 0);
	if (!pool)
		return NULL;
	pool->context = (struct context *)(context ? Py_NewRef(context) :
		PyObject_CallNoArgs((PyObject *)&context_type));
	if (!pool->context || !pool_open(pool, uri)) {
		Py_DECREF(pool);
		return NULL;
	}
	return (PyObject *)pool;
}

/* The end of an embedded pool joins its thread. */
static void pool_dealloc(PyObject *self)
{
	struct pool *pool = (struct pool *)self;

	Py_BEGIN_ALLOW_THREADS
	marul1_pool_unref(pool->pool);
	Py_END_ALLOW_THREADS
	Py_XDECREF(pool->context);
	Py_TYPE(self)->tp_free(self);
}

static PyObject *pool_client(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "readonly", NULL };
	int readonly = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|$p:client", names, &readonly))
		return NULL;
	return PyObject_CallFunction((PyObject *)&client_type, "Oi", self, readonly);
}

static PyMethodDef pool_methods[] = {
	{ "client", (PyCFunction)(void *)pool_client, METH_VARARGS | METH_KEYWORDS,
	  PyDoc_STR("client(*, readonly=False)\n\nOpens a client.") },
	{ NULL, NULL, 0, NULL }
};

PyTypeObject pool_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "marul1.Pool",
	.tp_doc = PyDoc_STR("Pool(uri, context=None)\n\n"
		"A pool: \"device:NAME\" is one of the kernel module, \"embedded:SIZE\" one in this\n"
		"process.  It lives as long as this object or a client of it."),
	.tp_basicsize = sizeof(struct pool),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_new = pool_new,
	.tp_dealloc = pool_dealloc,
	.tp_methods = pool_methods,
};
