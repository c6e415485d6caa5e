// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The calls on many keys.  Each makes an array of the library's items, calls
 * with the interpreter's lock given up, and answers arrays.
 */
#include <assert.h>
#include "answers.h"

/* All items begin with the key: its address, its length. */
#define KEY_FIRST(item) \
	static_assert(!offsetof(struct item, key) && \
		      offsetof(struct item, key_len) == sizeof(void *), #item)
KEY_FIRST(marul1_reserve);
KEY_FIRST(marul1_commit);
KEY_FIRST(marul1_abort);
KEY_FIRST(marul1_read);
KEY_FIRST(marul1_release);
KEY_FIRST(marul1_renew);
KEY_FIRST(marul1_delete);
KEY_FIRST(marul1_touch);
KEY_FIRST(marul1_query);

/*
 * What one call works on.  @keys, a tuple, keeps the bytes that the items point
 * to, whatever other threads do to the caller's list.
 */
struct batch {
	const struct answers *answers;
	PyObject *keys;
	Py_ssize_t n;
	char *items;
};

static void batch_free(struct batch *batch)
{
	PyMem_Free(batch->items);
	Py_XDECREF(batch->keys);
}

static void *batch_item(const struct batch *batch, Py_ssize_t i)
{
	return batch->items + i * batch->answers->item_size;
}

static bool set_keys(struct batch *batch)
{
	struct marul1_touch *item;
	PyObject *key;

	for (Py_ssize_t i = 0; i < batch->n; i++) {
		key = PyTuple_GET_ITEM(batch->keys, i);
		if (key == Py_None)
			continue;
		if (!PyBytes_Check(key)) {
			PyErr_Format(PyExc_TypeError, "keys are bytes, not %s",
				     Py_TYPE(key)->tp_name);
			return false;
		}
		item = batch_item(batch, i);
		item->key = PyBytes_AS_STRING(key);
		item->key_len = PyBytes_GET_SIZE(key);
	}
	return true;
}

static bool batch_new(struct batch *batch, const struct answers *answers, PyObject *keys)
{
	*batch = (struct batch){ .answers = answers };
	if (PyBytes_Check(keys) || PyUnicode_Check(keys)) {
		PyErr_SetString(PyExc_TypeError, "a sequence of keys is needed, not one key");
		return false;
	}
	batch->keys = PySequence_Tuple(keys);
	if (!batch->keys)
		return false;
	batch->n = PyTuple_GET_SIZE(batch->keys);
	batch->items = PyMem_Calloc(batch->n ? batch->n : 1, answers->item_size);
	if (!batch->items)
		PyErr_NoMemory();
	if (batch->items && set_keys(batch))
		return true;
	batch_free(batch);
	return false;
}

/* A number of @size bytes into the field at @at; too large is an error. */
static bool set_number(void *item, const struct field *field, PyObject *value)
{
	unsigned long long n = PyLong_AsUnsignedLongLong(value);
	uint32_t small = n;
	uint64_t large = n;

	if (n == (unsigned long long)-1 && PyErr_Occurred())
		return false;
	if (field->size == sizeof(small) && n != small) {
		PyErr_SetString(PyExc_OverflowError, "a number is above 32 bits");
		return false;
	}
	memcpy((char *)item + field->at, field->size == sizeof(small) ? (void *)&small : &large,
	       field->size);
	return true;
}

static bool set_cookie(void *item, const struct field *field, PyObject *value)
{
	if (!PyBytes_Check(value) || PyBytes_GET_SIZE(value) != MARU_L1_COOKIE_LEN) {
		PyErr_Format(PyExc_ValueError, "a cookie is %d bytes", MARU_L1_COOKIE_LEN);
		return false;
	}
	memcpy((char *)item + field->at, PyBytes_AS_STRING(value), MARU_L1_COOKIE_LEN);
	return true;
}

/* @values: one for all, or a sequence with one for each; NULL and None: none. */
static bool set_field(struct batch *batch, struct field field, PyObject *values)
{
	bool cookie = field.size == MARU_L1_COOKIE_LEN, ok = true;
	PyObject *each;

	if (!values || values == Py_None)
		return true;
	if (PyLong_Check(values) || PyBytes_Check(values)) {	/* a bool is an int */
		for (Py_ssize_t i = 0; ok && i < batch->n; i++)
			ok = cookie ? set_cookie(batch_item(batch, i), &field, values) :
				      set_number(batch_item(batch, i), &field, values);
		return ok;
	}
	each = PySequence_Tuple(values);
	if (!each)
		return false;
	if (PyTuple_GET_SIZE(each) != batch->n) {
		PyErr_Format(PyExc_ValueError, "%zd values for %zd keys",
			     PyTuple_GET_SIZE(each), batch->n);
		ok = false;
	}
	for (Py_ssize_t i = 0; ok && i < batch->n; i++)
		ok = cookie ?
			set_cookie(batch_item(batch, i), &field, PyTuple_GET_ITEM(each, i)) :
			set_number(batch_item(batch, i), &field, PyTuple_GET_ITEM(each, i));
	Py_DECREF(each);
	return ok;
}

/* Ends @batch: with the answers, or with the exception of @err. */
static PyObject *batch_done(struct batch *batch, int err, const char *call)
{
	PyObject *all = err ? raise_errno(err, call) :
			      answers_of(batch->answers, batch->items, batch->n);

	batch_free(batch);
	return all;
}

#define PARSE(format, ...) \
	PyArg_ParseTupleAndKeywords(args, kwargs, format, names, __VA_ARGS__)

/* Runs @call on the batch that is called batch, of the client in self. */
#define RUN(name, call) do { \
	struct client *client = (struct client *)self; \
	int err; \
	if (!client_enter(client)) \
		goto free_batch; \
	CLIENT_CALL(client, err, call); \
	return batch_done(&batch, err, name); \
} while (0)
#define HANDLE	((struct client *)self)->client

static PyObject *reserve_write(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "layout", "keys", "lengths", "tags", "temporary", NULL };
	PyObject *keys, *lengths, *tags = NULL, *temporary = NULL;
	unsigned int layout;
	struct batch batch;

	static_assert(MARU_L1_TEMPORARY == 1, "True is the flag");
	if (!PARSE("IOO|$OO:reserve_write", &layout, &keys, &lengths, &tags, &temporary) ||
	    !batch_new(&batch, &reserved, keys))
		return NULL;
	if (!set_field(&batch, (struct field)FIELD(marul1_reserve, length), lengths) ||
	    !set_field(&batch, (struct field)FIELD(marul1_reserve, tag), tags) ||
	    !set_field(&batch, (struct field)FIELD(marul1_reserve, flags), temporary))
		goto free_batch;
	RUN("reserve_write", marul1_reserve_write_many(HANDLE, layout, (void *)batch.items,
						       batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *commit(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "holds", "tags", "reservations", "cookies", NULL };
	PyObject *keys, *holds = NULL, *tags = NULL, *ids = NULL, *cookies = NULL;
	struct batch batch;

	if (!PARSE("O|O$OOO:commit", &keys, &holds, &tags, &ids, &cookies) ||
	    !batch_new(&batch, &committed, keys))
		return NULL;
	if (!set_field(&batch, (struct field)FIELD(marul1_commit, holds), holds) ||
	    !set_field(&batch, (struct field)FIELD(marul1_commit, tag), tags) ||
	    !set_field(&batch, (struct field)FIELD(marul1_commit, reservation), ids) ||
	    !set_field(&batch, (struct field)FIELD(marul1_commit, cookie), cookies))
		goto free_batch;
	RUN("commit", marul1_commit(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *abort_writes(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "tags", "ids", NULL };
	PyObject *keys, *tags = NULL, *ids = NULL;
	struct batch batch;

	if (!PARSE("O|$OO:abort", &keys, &tags, &ids) || !batch_new(&batch, &aborted, keys))
		return NULL;
	if (!set_field(&batch, (struct field)FIELD(marul1_abort, tag), tags) ||
	    !set_field(&batch, (struct field)FIELD(marul1_abort, id), ids))
		goto free_batch;
	RUN("abort", marul1_abort(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *reserve_read(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "holds", "strict", NULL };
	PyObject *keys, *holds = NULL, *one = NULL;
	struct batch batch;
	int strict = 0;

	if (!PARSE("O|O$p:reserve_read", &keys, &holds, &strict) ||
	    !batch_new(&batch, &located, keys))
		return NULL;
	if (!holds)
		holds = one = PyLong_FromLong(1);
	if (!holds || !set_field(&batch, (struct field)FIELD(marul1_read, holds), holds))
		goto free_batch;
	Py_CLEAR(one);
	RUN("reserve_read", marul1_reserve_read(HANDLE, strict ? MARU_L1_B_STRICT : 0,
						(void *)batch.items, batch.n));
free_batch:
	Py_XDECREF(one);
	batch_free(&batch);
	return NULL;
}

static PyObject *release(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "holds", "ids", NULL };
	PyObject *keys, *holds = NULL, *ids = NULL, *one = NULL;
	struct batch batch;

	if (!PARSE("O|O$O:release", &keys, &holds, &ids) || !batch_new(&batch, &released, keys))
		return NULL;
	if (!holds)
		holds = one = PyLong_FromLong(1);
	if (!holds || !set_field(&batch, (struct field)FIELD(marul1_release, holds), holds) ||
	    !set_field(&batch, (struct field)FIELD(marul1_release, id), ids))
		goto free_batch;
	Py_CLEAR(one);
	RUN("release", marul1_release(HANDLE, (void *)batch.items, batch.n));
free_batch:
	Py_XDECREF(one);
	batch_free(&batch);
	return NULL;
}

static PyObject *renew(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "ids", NULL };
	PyObject *keys, *ids = NULL;
	struct batch batch;

	if (!PARSE("O|$O:renew", &keys, &ids) || !batch_new(&batch, &renewed, keys))
		return NULL;
	if (!set_field(&batch, (struct field)FIELD(marul1_renew, id), ids))
		goto free_batch;
	RUN("renew", marul1_renew(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *delete(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "keys", "force", NULL };
	struct batch batch;
	PyObject *keys;
	int force = 0;

	if (!PARSE("O|$p:delete", &keys, &force) || !batch_new(&batch, &deleted, keys))
		return NULL;
	RUN("delete", marul1_delete(HANDLE, force ? MARU_L1_B_FORCE : 0, (void *)batch.items,
				    batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *peek(PyObject *self, PyObject *keys)
{
	struct batch batch;

	if (!batch_new(&batch, &located, keys))
		return NULL;
	RUN("peek", marul1_peek(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *touch(PyObject *self, PyObject *keys)
{
	struct batch batch;

	if (!batch_new(&batch, &touched, keys))
		return NULL;
	RUN("touch", marul1_touch(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

static PyObject *query(PyObject *self, PyObject *keys)
{
	struct batch batch;

	if (!batch_new(&batch, &queried, keys))
		return NULL;
	RUN("query", marul1_query(HANDLE, (void *)batch.items, batch.n));
free_batch:
	batch_free(&batch);
	return NULL;
}

#define KEYWORDS(function)	(PyCFunction)(void *)function, METH_VARARGS | METH_KEYWORDS

PyMethodDef client_batch_methods[] = {
	{ "reserve_write", KEYWORDS(reserve_write),
	  PyDoc_STR("reserve_write(layout, keys, lengths, *, tags=0, temporary=False) -> Reserved\n\n"
		    "Space for each key that may be written; all or nothing for lack of space.") },
	{ "commit", KEYWORDS(commit),
	  PyDoc_STR("commit(keys, holds=0, *, tags=0, reservations=0, cookies=None) -> Committed\n\n"
		    "Publishes what was reserved.  The first to commit a key wins: of the others the\n"
		    "result has R_LOST_RACE and the rest is the winner's.") },
	{ "abort", KEYWORDS(abort_writes),
	  PyDoc_STR("abort(keys, *, tags=0, ids=0) -> Aborted\n\n"
		    "Gives a reservation back: no device writes there any more.  With ids a key may\n"
		    "be None.") },
	{ "reserve_read", KEYWORDS(reserve_read),
	  PyDoc_STR("reserve_read(keys, holds=1, *, strict=False) -> Located\n\n"
		    "Takes holds: what is located stays until released.") },
	{ "peek", peek, METH_O,
	  PyDoc_STR("peek(keys) -> Located\n\nWhere what this client holds is.") },
	{ "release", KEYWORDS(release),
	  PyDoc_STR("release(keys, holds=1, *, ids=0) -> Released\n\nGives holds back.") },
	{ "renew", KEYWORDS(renew),
	  PyDoc_STR("renew(keys, *, ids=0) -> Renewed\n\nRefreshes this client's leases.") },
	{ "delete", KEYWORDS(delete),
	  PyDoc_STR("delete(keys, *, force=False) -> Deleted\n\nDeletes what nobody holds.") },
	{ "touch", touch, METH_O,
	  PyDoc_STR("touch(keys) -> Touched\n\nCounts as a use; absent keys are no error.") },
	{ "query", query, METH_O,
	  PyDoc_STR("query(keys) -> Queried\n\nWhat the pool has; takes no hold, is no use.") },
	{ NULL, NULL, 0, NULL }
};
