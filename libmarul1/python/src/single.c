// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The calls that are not on many keys. */
#include "binding.h"

#define KEYWORDS(function)	(PyCFunction)(void *)function, METH_VARARGS | METH_KEYWORDS
#define PARSE(format, ...) \
	PyArg_ParseTupleAndKeywords(args, kwargs, format, names, __VA_ARGS__)

static PyObject *none_or(int err, const char *call)
{
	return err ? raise_errno(err, call) : Py_NewRef(Py_None);
}

static PyObject *layout(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "bytes", "alignment", NULL };
	struct client *client = (struct client *)self;
	unsigned long long bytes;
	unsigned int alignment = 0;
	uint32_t id;
	int err;

	if (!PARSE("K|I:layout", &bytes, &alignment) || !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_layout(client->client, bytes, alignment, &id));
	return err ? raise_errno(err, "layout") : PyLong_FromUnsignedLong(id);
}

static PyObject *set_leases(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "read_ms", "write_ms", NULL };
	struct client *client = (struct client *)self;
	unsigned int read_ms, write_ms;
	int err;

	if (!PARSE("II:set_leases", &read_ms, &write_ms) || !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_set_leases(client->client, read_ms, write_ms));
	return none_or(err, "set_leases");
}

static PyObject *info(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;
	struct maru_l1_info info = { 0 };
	int err;

	if (!client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_info(client->client, &info));
	if (err)
		return raise_errno(err, "info");
	return Py_BuildValue("{s:s#,s:y#,s:y#,s:K,s:K,s:K,s:K,s:K,s:I,s:I,s:O,s:O}",
		"name", info.name, (Py_ssize_t)strnlen((char *)info.name, sizeof(info.name)),
		"label", info.label, (Py_ssize_t)strnlen((char *)info.label, sizeof(info.label)),
		"uuid", info.uuid, (Py_ssize_t)sizeof(info.uuid),
		"capacity", (unsigned long long)info.capacity,
		"map_alignment", (unsigned long long)info.map_align,
		"segment_size", (unsigned long long)info.segment_size,
		"max_objects", (unsigned long long)info.max_objects,
		"max_client_bytes", (unsigned long long)info.max_client_bytes,
		"quarantine_ms", info.quarantine_ms,
		"node", info.node,
		"coherent", info.flags & MARU_L1_I_COHERENT ? Py_True : Py_False,
		"fenced", info.flags & MARU_L1_I_FENCED ? Py_True : Py_False);
}

static PyObject *usage(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;
	struct maru_l1_usage u = { 0 };
	int err;

	if (!client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_usage(client->client, &u));
	if (err)
		return raise_errno(err, "usage");
#define N(name, member)	name, (unsigned long long)u.member
	return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,s:K,"
			     "s:K,s:K,s:K,s:K,s:K,s:K}",
		N("total", total), N("available", available), N("used", used),
		N("staged", staged), N("private", private_bytes), N("published", published),
		N("zombie", zombie), N("quarantined", quarantined), N("limbo", limbo),
		N("retired", retired), N("rounding", rounding), N("objects", objects),
		N("max_objects", max_objects), N("extents", extents),
		N("orphan_pins", orphan_pins), N("my_staged", my_staged),
		N("my_staged_bytes", my_staged_bytes), N("my_private", my_private),
		N("my_private_bytes", my_private_bytes), N("my_held", my_held),
		N("my_holds", my_holds), N("my_unacked", my_unacked),
		N("my_unacked_bytes", my_unacked_bytes));
#undef N
}

static PyObject *clear(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "force", NULL };
	struct client *client = (struct client *)self;
	int force = 0, err;

	if (!PARSE("|$p:clear", &force) || !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_clear(client->client, force ? MARU_L1_CLEAR_FORCE : 0, NULL));
	return none_or(err, "clear");
}

static PyObject *evict(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "bytes", "count", "dry_run", NULL };
	struct client *client = (struct client *)self;
	unsigned long long bytes = 0, count = 0;
	struct maru_l1_evict evict = { 0 };
	int dry_run = 0, err;

	if (!PARSE("|$KKp:evict", &bytes, &count, &dry_run) || !client_enter(client))
		return NULL;
	evict.bytes = bytes;
	evict.count = count;
	evict.flags = dry_run ? MARU_L1_EVICT_DRY_RUN : 0;
	CLIENT_CALL(client, err, marul1_evict(client->client, &evict));
	if (err)
		return raise_errno(err, "evict");
	return Py_BuildValue("KK", (unsigned long long)evict.evicted,
			     (unsigned long long)evict.evicted_bytes);
}

static PyObject *report_bad(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "offset", NULL };
	struct client *client = (struct client *)self;
	struct maru_l1_report_bad answer = { 0 };
	unsigned long long offset;
	int err;

	if (!PARSE("K:report_bad", &offset) || !client_enter(client))
		return NULL;
	CLIENT_CALL(client, err, marul1_report_bad(client->client, offset, &answer));
	return none_or(err, "report_bad");
}

static PyObject *fileno_of(PyObject *self, PyObject *Py_UNUSED(none))
{
	struct client *client = (struct client *)self;
	int fd;

	if (!client_enter(client))
		return NULL;
	fd = marul1_client_fd(client->client);
	client_leave(client);
	return fd < 0 ? raise_errno(-EOWNERDEAD, "fileno") : PyLong_FromLong(fd);
}

static PyObject *put(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "layout", "key", "data", NULL };
	struct client *client = (struct client *)self;
	unsigned int layout;
	PyObject *result = NULL;
	Py_buffer data;
	PyObject *key;
	int err;

	if (!PARSE("ISy*:put", &layout, &key, &data))
		return NULL;
	if (client_enter(client)) {
		CLIENT_CALL(client, err, marul1_put(client->client, layout,
			PyBytes_AS_STRING(key), PyBytes_GET_SIZE(key), data.buf, data.len, NULL));
		result = none_or(err, "put");
	}
	PyBuffer_Release(&data);
	return result;
}

/* Into memory of the interpreter: as much as the object has when it is asked. */
static PyObject *get(PyObject *self, PyObject *args)
{
	struct client *client = (struct client *)self;
	uint64_t length = 0, room;
	PyObject *bytes = NULL;
	PyObject *key;
	int err;

	if (!PyArg_ParseTuple(args, "S:get", &key))
		return NULL;
	do {
		room = length;
		Py_XSETREF(bytes, PyBytes_FromStringAndSize(NULL, room));
		if (!bytes || !client_enter(client))
			break;
		CLIENT_CALL(client, err, marul1_get(client->client, PyBytes_AS_STRING(key),
			PyBytes_GET_SIZE(key), PyBytes_AS_STRING(bytes), &length, NULL));
		if (!err && (length == room || !_PyBytes_Resize(&bytes, length)))
			return bytes;
		if (!err)
			return NULL;
		if (err == -ENOENT) {
			Py_DECREF(bytes);
			Py_RETURN_NONE;
		}
		if (err != -EMSGSIZE)
			raise_errno(err, "get");
	} while (err == -EMSGSIZE);
	Py_XDECREF(bytes);
	return NULL;
}

PyMethodDef client_single_methods[] = {
	{ "layout", KEYWORDS(layout),
	  PyDoc_STR("layout(bytes, alignment=0) -> int\n\nThe id of a size of pages.") },
	{ "set_leases", KEYWORDS(set_leases),
	  PyDoc_STR("set_leases(read_ms, write_ms)\n\n"
		    "While the client has nothing yet; 0 is no lease.") },
	{ "info", info, METH_NOARGS, PyDoc_STR("info() -> dict\n\nWhat the pool is.") },
	{ "usage", usage, METH_NOARGS,
	  PyDoc_STR("usage() -> dict\n\nThe accounts: bytes of the pool, and what this client has.") },
	{ "clear", KEYWORDS(clear),
	  PyDoc_STR("clear(*, force=False)\n\nDrops idle private objects; by force all that the\n"
		    "client has.") },
	{ "evict", KEYWORDS(evict),
	  PyDoc_STR("evict(*, bytes=0, count=0, dry_run=False) -> (objects, bytes)\n\n"
		    "Deletes least recently used objects that nobody holds.") },
	{ "report_bad", KEYWORDS(report_bad),
	  PyDoc_STR("report_bad(offset)\n\nGives up memory that cannot be read, and its object.") },
	{ "fileno", fileno_of, METH_NOARGS,
	  PyDoc_STR("fileno() -> int\n\nReadable when there are events.") },
	{ "put", KEYWORDS(put), PyDoc_STR("put(layout, key, data)\n\nStores a copy.") },
	{ "get", get, METH_VARARGS,
	  PyDoc_STR("get(key) -> bytes | None\n\nA copy of an object, or None.") },
	{ NULL, NULL, 0, NULL }
};
