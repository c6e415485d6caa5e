/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * marul1._marul1: libmarul1 for Python.
 *
 * The interpreter's lock guards the objects here; it is given up around every
 * call of the library that may loop or block.  So that another thread cannot
 * take away what such a call uses:
 *
 *	keys are held in a tuple of our own for the time of the call;
 *	client->calls counts who is inside: close() leaves the end to the last;
 *	client->views counts exported buffers: close() is refused meanwhile.
 */
#ifndef MARUL1_BINDING_H
#define MARUL1_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "libmarul1.h"

struct context {
	PyObject_HEAD
	struct marul1_ctx *ctx;
	PyObject *log;			/* callable, or NULL */
};

struct pool {
	PyObject_HEAD
	struct context *context;
	struct marul1_pool *pool;
};

struct client {
	PyObject_HEAD
	struct pool *pool;		/* NULL: never opened */
	struct marul1_client *client;	/* NULL: closed */
	Py_ssize_t calls;
	Py_ssize_t views;
	bool closing;
	bool readonly;
};

extern PyTypeObject context_type, pool_type, client_type, view_type;
extern PyMethodDef client_batch_methods[], client_single_methods[], client_mapping_methods[],
	client_event_methods[];

/* Sets OSError of @error, a negative errno, with advice. Return: NULL. */
PyObject *raise_errno(int error, const char *what);

/*
 * Around each call of the library.  Enter: false after setting ValueError when
 * the client is closed.  Leave may end the client.
 */
bool client_enter(struct client *client);
void client_leave(struct client *client);

#define CLIENT_CALL(client, err, call)			\
	do {						\
		Py_BEGIN_ALLOW_THREADS			\
		(err) = (call);				\
		Py_END_ALLOW_THREADS			\
		client_leave(client);			\
	} while (0)

/* A buffer of @length bytes at @offset; the client lives as long as it does. */
PyObject *view_new(struct client *client, uint64_t offset, uint64_t length);

/* client.c: makes the type ready. */
int client_init(void);
/* events.c */
int events_init(PyObject *module);

#endif
