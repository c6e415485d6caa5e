// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <linux/maru_l1_netlink.h>
#include "attributes.h"
#include "family.h"
#include "pools.h"
#include "util.h"

#define RECEIVE_BYTES	(64 << 10)	/* the family asks for 32 KiB */
#define QUEUE_BYTES	(4 << 20)

struct family {
	struct nl_sock *socket;
	int id;
};

/* What a request is waiting for. */
struct request {
	const struct attribute_set *set;
	family_row row;
	void *row_arg;
	bool changed;
	bool over;
	int ret;
};

/* libnl has its own numbers; some stand for several errnos. */
static int errno_of(int nl_error)
{
	switch (-nl_error) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_NODEV:
		return -ENODEV;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EPERM;
	case NLE_INVAL:
	case NLE_RANGE:
		return -EINVAL;
	case NLE_OPNOTSUPP:
		return -EOPNOTSUPP;
	case NLE_INTR:
		return -EINTR;
	case NLE_AGAIN:
		return -EAGAIN;
	default:
		return -EPROTO;
	}
}

/* Return: 0, or what libnl says. */
static int connect_family(struct family **family)
{
	struct family *made = calloc(1, sizeof(*made));
	int id;

	if (!made)
		out_of_memory();
	made->socket = nl_socket_alloc();
	if (!made->socket)
		out_of_memory();
	id = genl_connect(made->socket);
	if (id >= 0)
		id = genl_ctrl_resolve(made->socket, MARU_L1_FAMILY_NAME);
	if (id < 0) {
		family_close(made);
		return id;
	}
	made->id = id;
	nl_socket_set_msg_buf_size(made->socket, RECEIVE_BYTES);
	nl_socket_disable_auto_ack(made->socket);
	*family = made;
	return 0;
}

int family_open(struct family **family)
{
	int err = connect_family(family);

	if (!err)
		return CTL_OK;
	return err == -NLE_OBJ_NOTFOUND ? fail(MODULE_MISSING) :
		fail("no generic netlink: %s", nl_geterror(err));
}

int family_try_open(struct family **family)
{
	int err = connect_family(family);

	return err ? errno_of(err) : 0;
}

void family_close(struct family *family)
{
	nl_socket_free(family->socket);
	free(family);
}

static int take_row(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct genlmsghdr *genl = nlmsg_data(head);
	struct request *request = arg;
	struct json_object *model;

	if (!genlmsg_valid_hdr(head, 0)) {
		request->ret = -EPROTO;
		return NL_STOP;
	}
	request->changed |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
	request->over = !(head->nlmsg_flags & NLM_F_MULTI);
	/* The rest of the messages must be read all the same. */
	if (request->ret)
		return NL_OK;
	model = attributes_model(request->set, genlmsg_attrdata(genl, 0),
				 genlmsg_attrlen(genl, 0));
	request->ret = request->row(model, request->row_arg);
	json_object_put(model);
	return NL_OK;
}

/* The end of a dump, with an errno when it did not come to its end. */
static int take_end(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct request *request = arg;
	int error = 0;

	if (nlmsg_datalen(head) >= (int)sizeof(error))
		memcpy(&error, nlmsg_data(head), sizeof(error));
	request->changed |= !!(head->nlmsg_flags & NLM_F_DUMP_INTR);
	if (error < 0 && !request->ret)
		request->ret = error;
	request->over = true;
	return NL_STOP;
}

static int take_error(struct sockaddr_nl *address, struct nlmsgerr *error, void *arg)
{
	struct request *request = arg;

	request->ret = error->error;
	request->over = true;
	return NL_STOP;
}

static int put_filter(struct nl_msg *msg, int command, const struct family_filter *filter)
{
	int err = 0;

	/* All sets begin with the pool's name. */
	if (filter->pool)
		err = nla_put_string(msg, 1, filter->pool);
	if (!err && command == MARU_L1_CMD_HOLD_GET)
		err = nla_put_u64(msg, MARU_L1_A_HOLD_CLIENT, filter->client);
	if (command != MARU_L1_CMD_OBJECT_GET)
		return err;
	if (!err && filter->prefix)
		err = nla_put(msg, MARU_L1_A_OBJECT_PREFIX, filter->prefix_len, filter->prefix);
	if (!err && filter->held)
		err = nla_put_flag(msg, MARU_L1_A_OBJECT_HELD);
	if (!err && filter->min_idle_ms)
		err = nla_put_u64(msg, MARU_L1_A_OBJECT_MIN_IDLE_MS, filter->min_idle_ms);
	return err;
}

static int ask(struct family *family, int command, int flags,
	       const struct family_filter *filter)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err;

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family->id, 0, flags, command,
				 MARU_L1_FAMILY_VERSION))
		out_of_memory();
	err = put_filter(msg, command, filter);
	if (err >= 0)
		err = nl_send_auto(family->socket, msg);
	nlmsg_free(msg);
	return err < 0 ? errno_of(err) : 0;
}

static int receive(struct family *family, struct request *request)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err = 0;

	if (!cb)
		out_of_memory();
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_row, request);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, take_end, request);
	/* That something changed meanwhile is for us to say, not an error. */
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, take_row, request);
	nl_cb_err(cb, NL_CB_CUSTOM, take_error, request);
	while (err >= 0 && !request->over)
		err = nl_recvmsgs(family->socket, cb);
	nl_cb_put(cb);
	if (request->ret)
		return request->ret;
	return err < 0 ? errno_of(err) : 0;
}

int family_dump(struct family *family, int command, const struct family_filter *filter,
		family_row row, void *arg, bool *changed)
{
	struct request request = {
		.set = attributes_of(command), .row = row, .row_arg = arg,
	};
	int err;

	err = ask(family, command, NLM_F_DUMP, filter);
	if (!err)
		err = receive(family, &request);
	if (changed)
		*changed = request.changed;
	return err;
}

static int keep_row(struct json_object *row, void *arg)
{
	struct json_object **kept = arg;

	json_object_put(*kept);
	*kept = json_object_get(row);
	return 0;
}

int family_get(struct family *family, int command, const char *pool,
	       struct json_object **model)
{
	struct request request = {
		.set = attributes_of(command), .row = keep_row, .row_arg = model,
	};
	struct family_filter filter = { .pool = pool };
	int err;

	*model = NULL;
	err = ask(family, command, 0, &filter);
	if (!err)
		err = receive(family, &request);
	if (!err && !*model)
		err = -EPROTO;
	if (err) {
		json_object_put(*model);
		*model = NULL;
	}
	return err;
}

int family_subscribe(struct family *family)
{
	int group, err;

	group = genl_ctrl_resolve_grp(family->socket, MARU_L1_FAMILY_NAME, MARU_L1_MCGRP_MONITOR);
	if (group < 0)
		return errno_of(group);
	err = nl_socket_set_buffer_size(family->socket, QUEUE_BYTES, 0);
	if (err >= 0)
		err = nl_socket_add_membership(family->socket, group);
	if (err >= 0)
		err = nl_socket_set_nonblocking(family->socket);
	return err < 0 ? errno_of(err) : nl_socket_get_fd(family->socket);
}

/* Notifications have no sequence number. */
static int no_check(struct nl_msg *msg, void *arg)
{
	return NL_OK;
}

struct listener {
	family_event event;
	void *arg;
};

static int take_event(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *head = nlmsg_hdr(msg);
	struct genlmsghdr *genl = nlmsg_data(head);
	const struct attribute_set *set;
	struct listener *listener = arg;
	struct json_object *model;

	if (!genlmsg_valid_hdr(head, 0))
		return NL_SKIP;
	set = attributes_of(genl->cmd);
	if (!set)
		return NL_SKIP;
	model = attributes_model(set, genlmsg_attrdata(genl, 0), genlmsg_attrlen(genl, 0));
	listener->event(genl->cmd, model, listener->arg);
	json_object_put(model);
	return NL_OK;
}

int family_events(struct family *family, family_event event, void *arg)
{
	struct listener listener = { event, arg };
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int err;

	if (!cb)
		out_of_memory();
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, take_event, &listener);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, no_check, NULL);
	err = nl_recvmsgs(family->socket, cb);
	nl_cb_put(cb);
	if (err == -NLE_NOMEM) {	/* ENOBUFS: the queue was full */
		event(0, NULL, arg);
		return 0;
	}
	return err >= 0 || err == -NLE_AGAIN ? 0 : errno_of(err);
}

int family_failed(const char *pool, int error)
{
	switch (-error) {
	case ENOENT:
		return fail(NO_POOL, pool);
	case ENODEV:
		return fail("%s has been detached", pool);
	case EPERM:
	case EACCES:
		return fail("keys and processes are shown to root (CAP_NET_ADMIN) only");
	case EOPNOTSUPP:
		return fail("the module is older than this program");
	default:
		return fail("%s: %s", pool, strerror(-error));
	}
}
