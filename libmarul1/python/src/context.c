// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Context: the log. */
#include "binding.h"

#define LINE	512

/* The library may call from a thread of its own. */
static void log_line(void *arg, int priority, const char *fmt, va_list args)
{
	struct context *context = arg;
	PyGILState_STATE state;
	PyObject *done;
	char text[LINE];

	vsnprintf(text, sizeof(text), fmt, args);
	if (!Py_IsInitialized())
		return;
	state = PyGILState_Ensure();
	done = PyObject_CallFunction(context->log, "is", priority, text);
	if (!done)
		PyErr_WriteUnraisable(context->log);
	Py_XDECREF(done);
	PyGILState_Release(state);
}

static PyObject *context_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "log", NULL };
	struct context *context;
	PyObject *log = Py_None;
	int err;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Context", names, &log))
		return NULL;
	if (log != Py_None && !PyCallable_Check(log))
		return PyErr_Format(PyExc_TypeError, "log is a callable or None");
	context = (struct context *)type->tp_alloc(type, 0);
	if (!context)
		return NULL;
	err = marul1_new(&context->ctx);
	if (err) {
		Py_DECREF(context);
		return raise_errno(err, "Context");
	}
	if (log != Py_None) {
		context->log = Py_NewRef(log);
		marul1_set_log_fn(context->ctx, log_line, context);
	}
	return (PyObject *)context;
}

/* Its pools hold a reference: nothing of the library logs any more. */
static void context_dealloc(PyObject *self)
{
	struct context *context = (struct context *)self;

	marul1_unref(context->ctx);
	Py_XDECREF(context->log);
	Py_TYPE(self)->tp_free(self);
}

PyTypeObject context_type = {
	PyVarObject_HEAD_INIT(NULL, 0)
	.tp_name = "marul1.Context",
	.tp_doc = PyDoc_STR("Context(log=None)\n\n"
		"What pools have in common.  log(priority, text) is told what the library\n"
		"has to say, from any thread; priorities are those of syslog."),
	.tp_basicsize = sizeof(struct context),
	.tp_flags = Py_TPFLAGS_DEFAULT,
	.tp_new = context_new,
	.tp_dealloc = context_dealloc,
};
