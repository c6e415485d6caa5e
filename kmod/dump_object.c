// SPDX-License-Identifier: GPL-2.0-only
/* The dump of published objects, with its filters. */

#include <linux/ktime.h>
#include <linux/string.h>

#include "core/walk.h"
#include "dump.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

static bool object_wanted(const struct maru_object_view *view,
			  struct nlattr **attrs)
{
	const struct nlattr *prefix = attrs[MARU_L1_A_OBJECT_PREFIX];
	const struct nlattr *idle = attrs[MARU_L1_A_OBJECT_MIN_IDLE_MS];

	if (attrs[MARU_L1_A_OBJECT_HELD] && !view->holders)
		return false;
	if (idle && view->idle / NSEC_PER_MSEC < nla_get_u64(idle))
		return false;
	return !prefix || (view->key_len >= nla_len(prefix) &&
			   !memcmp(view->key, nla_data(prefix), nla_len(prefix)));
}

static int put_object(struct sk_buff *skb, const struct maru_object_view *view)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_OBJECT_##_attr, offsetof(struct maru_object_view, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(ID, id), FIELD(OFFSET, offset), FIELD(LENGTH, length),
		FIELD(STRIDE, stride),
	};
#undef FIELD

	if (nla_put(skb, MARU_L1_A_OBJECT_KEY, view->key_len, view->key) ||
	    nla_put_u32(skb, MARU_L1_A_OBJECT_LAYOUT, view->layout) ||
	    nla_put_u32(skb, MARU_L1_A_OBJECT_HOLDERS, view->holders) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_OBJECT_IDLE_MS,
			      view->idle / NSEC_PER_MSEC, MARU_L1_A_OBJECT_PAD) ||
	    nla_put(skb, MARU_L1_A_OBJECT_COOKIE, MARU_L1_COOKIE_LEN, view->cookie))
		return -EMSGSIZE;
	return maru_nl_put_fields(skb, view, fields, ARRAY_SIZE(fields),
				  MARU_L1_A_OBJECT_PAD);
}

static int tell_object(const struct maru_object_view *view, void *arg)
{
	struct maru_piece *piece = arg;
	void *head;
	int err;

	if (!maru_dump_told(piece) &&
	    object_wanted(view, genl_info_dump(piece->cb)->attrs)) {
		head = maru_dump_message(piece->skb, piece->cb);
		if (!head)
			return -EMSGSIZE;
		err = maru_dump_message_end(piece->skb, piece->cb, head,
					    put_object(piece->skb, view));
		if (err)
			return err;
	}
	piece->seen++;
	return 0;
}

static int next_objects(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct maru_dump *dump = maru_dump_of(cb);
	struct maru_pool *pool = dump->dev->pool;
	struct maru_piece piece;
	int err;

	maru_dump_piece_begin(&piece, skb, cb);
	/* Before the walk: what changes during it is seen by the next look. */
	maru_dump_generation(cb, maru_pool_generation(pool));
	err = maru_walk_objects(pool, dump->at, ktime_get_ns(), tell_object,
				&piece);
	return maru_dump_piece_end(&piece, err);
}

int maru_l1_nl_object_start(struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	const struct nlattr *prefix = info->attrs[MARU_L1_A_OBJECT_PREFIX];
	int err, idx;

	if (prefix && nla_len(prefix) > MARU_L1_KEY_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, prefix, "longer than any key");
		return -EINVAL;
	}
	err = maru_l1_nl_pool_start(cb);
	if (err)
		return err;
	cb->min_dump_alloc = MARU_DUMP_SKB;
	if (!maru_dev_enter(maru_dump_of(cb)->dev, &idx)) {
		maru_l1_nl_pool_done(cb);
		return -ENODEV;
	}
	maru_walk_begin(maru_dump_of(cb)->dev->pool);
	maru_dev_leave(maru_dump_of(cb)->dev, idx);
	return 0;
}

int maru_l1_nl_object_done(struct netlink_callback *cb)
{
	struct maru_dev *dev = maru_dump_of(cb)->dev;
	int idx;

	/* A pool that has gone took its directory along. */
	if (maru_dev_enter(dev, &idx)) {
		maru_walk_end(dev->pool);
		maru_dev_leave(dev, idx);
	}
	return maru_l1_nl_pool_done(cb);
}

int maru_l1_nl_object_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return maru_dump_all(skb, cb, next_objects);
}
