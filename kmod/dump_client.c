// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dumps of clients and of what each holds.
 *
 * A client can be looked at under maru_devs_lock, while its file is shown.  It
 * is closed between two messages as it likes.
 */
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "core/walk.h"
#include "dump.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

static int put_client(struct sk_buff *skb, struct maru_file *file)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_CLIENT_##_attr, offsetof(struct maru_l1_usage, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(STAGED, my_staged), FIELD(STAGED_BYTES, my_staged_bytes),
		FIELD(PRIVATE, my_private),
		FIELD(PRIVATE_BYTES, my_private_bytes),
		FIELD(HELD, my_held), FIELD(HOLDS, my_holds),
		FIELD(UNACKED, my_unacked),
		FIELD(UNACKED_BYTES, my_unacked_bytes),
	};
#undef FIELD
	struct maru_l1_usage usage = {};

	maru_client_usage(file->client, &usage);
	if (nla_put_u64_64bit(skb, MARU_L1_A_CLIENT_ID, file->id,
			      MARU_L1_A_CLIENT_PAD) ||
	    nla_put_u32(skb, MARU_L1_A_CLIENT_PID, pid_vnr(file->opener)) ||
	    nla_put_string(skb, MARU_L1_A_CLIENT_COMM, file->comm) ||
	    (file->writable && nla_put_flag(skb, MARU_L1_A_CLIENT_WRITABLE)))
		return -EMSGSIZE;
	return maru_nl_put_fields(skb, &usage, fields, ARRAY_SIZE(fields),
				  MARU_L1_A_CLIENT_PAD);
}

/* The first client after the last one that was told: ids only grow. */
static struct maru_file *client_next(struct maru_dev *dev, u64 last)
{
	struct maru_file *file;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(file, &dev->files, link)
		if (file->shown && file->id > last)
			return file;
	return NULL;
}

static int next_clients(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct maru_dump *dump = maru_dump_of(cb);
	struct maru_file *file;
	void *head;
	int err;

	guard(mutex)(&maru_devs_lock);
	maru_dump_generation(cb, dump->dev->client_changes);
	file = client_next(dump->dev, dump->client);
	if (!file)
		return -ENOENT;
	list_for_each_entry_from(file, &dump->dev->files, link) {
		if (!file->shown)
			continue;
		head = maru_dump_message(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = maru_dump_message_end(skb, cb, head,
					    put_client(skb, file));
		if (err)
			return err;
		dump->client = file->id;
	}
	return 0;
}

int maru_l1_nl_client_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return maru_dump_all(skb, cb, next_clients);
}

static struct maru_file *client_find(struct maru_dev *dev, u64 id)
{
	struct maru_file *file;

	lockdep_assert_held(&maru_devs_lock);
	list_for_each_entry(file, &dev->files, link)
		if (file->shown && file->id == id)
			return file;
	return NULL;
}

static int put_hold(struct sk_buff *skb, u64 client,
		    const struct maru_hold_view *view)
{
	const struct maru_object_view *object = &view->object;

	if (nla_put_u64_64bit(skb, MARU_L1_A_HOLD_CLIENT, client,
			      MARU_L1_A_HOLD_PAD) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_HOLD_OBJECT, object->id,
			      MARU_L1_A_HOLD_PAD) ||
	    nla_put_u32(skb, MARU_L1_A_HOLD_COUNT, view->count) ||
	    nla_put_u32(skb, MARU_L1_A_HOLD_LOST, view->lost))
		return -EMSGSIZE;
	if (object->key_len &&
	    (nla_put(skb, MARU_L1_A_HOLD_KEY, object->key_len, object->key) ||
	     nla_put_u64_64bit(skb, MARU_L1_A_HOLD_LENGTH, object->length,
			       MARU_L1_A_HOLD_PAD)))
		return -EMSGSIZE;
	if (view->left != U64_MAX &&
	    nla_put_u64_64bit(skb, MARU_L1_A_HOLD_LEFT_MS,
			      view->left / NSEC_PER_MSEC, MARU_L1_A_HOLD_PAD))
		return -EMSGSIZE;
	return 0;
}

static int tell_hold(const struct maru_hold_view *view, void *arg)
{
	struct maru_piece *piece = arg;
	void *head;
	int err;

	if (!maru_dump_told(piece)) {
		head = maru_dump_message(piece->skb, piece->cb);
		if (!head)
			return -EMSGSIZE;
		err = put_hold(piece->skb, maru_dump_of(piece->cb)->client, view);
		err = maru_dump_message_end(piece->skb, piece->cb, head,
					    err);
		if (err)
			return err;
	}
	piece->seen++;
	return 0;
}

static int next_holds(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct maru_piece piece;
	struct maru_dump *dump = maru_dump_of(cb);
	struct maru_file *file;
	int err;

	guard(mutex)(&maru_devs_lock);
	file = client_find(dump->dev, dump->client);
	if (!file)
		return -ENODEV;
	maru_dump_piece_begin(&piece, skb, cb);
	err = maru_walk_holds(file->client, dump->at, ktime_get_ns(), tell_hold,
			      &piece);
	return maru_dump_piece_end(&piece, err);
}

/* Keeps the buckets of the client's holds in place, while there is a client. */
static int pin_holds(struct maru_dump *dump, bool pin)
{
	struct maru_file *file;
	int err = -ENOENT, idx;

	if (!maru_dev_enter(dump->dev, &idx))
		return -ENODEV;
	scoped_guard(mutex, &maru_devs_lock) {
		file = client_find(dump->dev, dump->client);
		if (!file)
			break;
		if (pin)
			maru_walk_holds_begin(file->client);
		else
			maru_walk_holds_end(file->client);
		err = 0;
	}
	maru_dev_leave(dump->dev, idx);
	return err;
}

int maru_l1_nl_hold_start(struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct maru_dump *dump = maru_dump_of(cb);
	int err;

	if (GENL_REQ_ATTR_CHECK(info, MARU_L1_A_HOLD_CLIENT))
		return -EINVAL;
	err = maru_l1_nl_pool_start(cb);
	if (err)
		return err;
	cb->min_dump_alloc = MARU_DUMP_SKB;
	dump->client = nla_get_u64(info->attrs[MARU_L1_A_HOLD_CLIENT]);
	err = pin_holds(dump, true);
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[MARU_L1_A_HOLD_CLIENT],
				    "no such client");
	if (err)
		maru_l1_nl_pool_done(cb);
	return err;
}

int maru_l1_nl_hold_done(struct netlink_callback *cb)
{
	pin_holds(maru_dump_of(cb), false);
	return maru_l1_nl_pool_done(cb);
}

int maru_l1_nl_hold_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return maru_dump_all(skb, cb, next_holds);
}
