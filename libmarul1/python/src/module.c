// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The module: its types and constants. */
#include "answers.h"

static const struct {
	const char *name;
	unsigned long value;
} constants[] = {
#define S(name)	{ #name, MARU_L1_##name }
	S(OK), S(NOT_FOUND), S(NOT_HELD), S(NOT_READABLE), S(NOT_WRITABLE), S(EXPIRED),
	S(LOCKED), S(NO_SPACE), S(STALE), S(PENDING), S(INVALID),
	S(R_LOST_RACE), S(R_PRIVATE), S(R_NEEDS_INVALIDATE), S(R_CLAMPED), S(R_CUT_OFF),
	S(R_FENCED),
	S(S_ABSENT), S(S_STAGED), S(S_PRIVATE), S(S_PUBLISHED), S(S_DELETING),
	S(Q_EVICTABLE), S(Q_STAGED_HERE),
	S(EV_DELETED), S(EV_KEPT), S(EV_HOLD_EXPIRED), S(EV_WATERMARK), S(EV_MEDIA_ERROR),
	S(EV_FENCED), S(EV_LOST), S(EV_ALL), S(EV_SELF),
	S(KEY_MAX), S(HOLDS_MAX), S(COOKIE_LEN), S(BATCH_MAX),
#undef S
};

static PyObject *status_name(PyObject *Py_UNUSED(self), PyObject *status)
{
	unsigned long n = PyLong_AsUnsignedLong(status);

	if (n == (unsigned long)-1 && PyErr_Occurred())
		return NULL;
	return PyUnicode_FromString(marul1_status_name(n > UINT32_MAX ? UINT32_MAX : n));
}

static PyMethodDef functions[] = {
	{ "status_name", status_name, METH_O,
	  PyDoc_STR("status_name(status) -> str\n\nAs in the documentation.") },
	{ NULL, NULL, 0, NULL }
};

static int add_all(PyObject *module)
{
	if (client_init() || PyType_Ready(&view_type) || answers_init(module) ||
	    events_init(module) || PyModule_AddType(module, &context_type) ||
	    PyModule_AddType(module, &pool_type) || PyModule_AddType(module, &client_type))
		return -1;
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value))
			return -1;
	return PyModule_AddStringConstant(module, "__version__", marul1_version());
}

static struct PyModuleDef definition = {
	PyModuleDef_HEAD_INIT,
	.m_name = "marul1._marul1",
	.m_size = -1,
	.m_methods = functions,
};

PyMODINIT_FUNC PyInit__marul1(void)
{
	PyObject *module = PyModule_Create(&definition);

	if (module && add_all(module))
		Py_CLEAR(module);
	return module;
}
