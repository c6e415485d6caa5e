// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of what is in a pool, a message of an skb at a time.
 *
 * Between two of them a dump has a reference on the maru_dev, which does not
 * keep the pool from ending, and its place in cb->ctx.  In each it enters the
 * pool anew, and ends with ENODEV when there is none any more.
 *
 * The directory and the holds of a client are walked by bucket.  A bucket that
 * does not fit is left for the next skb as a whole, so that nothing of it is
 * missed when it changes meanwhile; only one that fills an skb by itself is
 * told in pieces.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/sched/signal.h>
#include <net/genetlink.h>

#include "core/walk.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

#define BUCKETS_AT_ONCE	256		/* without letting others in */
#define SKB_MIN		16384		/* of keys: buckets fit */

/**
 * struct dump - cb->ctx
 * @dev: with a reference
 * @client: hold: whose; client: the last one that was told
 * @at: index of the next piece
 * @told: entries of piece @at that earlier skbs have
 */
struct dump {
	struct maru_dev *dev;
	u64 client;
	u32 at;
	u32 told;
};

/**
 * struct piece - one piece as it is being written
 * @skb: to
 * @cb: of
 * @dump: likewise
 * @seen: entries so far
 */
struct piece {
	struct sk_buff *skb;
	struct netlink_callback *cb;
	struct dump *dump;
	u32 seen;
};

static struct dump *dump_of(struct netlink_callback *cb)
{
	NL_ASSERT_CTX_FITS(struct dump);
	return (struct dump *)cb->ctx;
}

/* All sets have the pool's name as their first attribute. */
static_assert(MARU_L1_A_LAYOUT_POOL == 1 && MARU_L1_A_SEGMENT_POOL == 1 &&
	      MARU_L1_A_OBJECT_POOL == 1 && MARU_L1_A_CLIENT_POOL == 1 &&
	      MARU_L1_A_HOLD_POOL == 1);

int maru_l1_nl_pool_start(struct netlink_callback *cb)
{
	struct maru_dev *dev = maru_nl_pool(genl_info_dump(cb), 1);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	dump_of(cb)->dev = dev;
	return 0;
}

int maru_l1_nl_pool_done(struct netlink_callback *cb)
{
	maru_dev_put(dump_of(cb)->dev);
	return 0;
}

static void *message_new(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *head = __genlmsg_iput(skb, genl_info_dump(cb), NLM_F_MULTI);

	if (!head)
		return NULL;
	if (nla_put_string(skb, 1, dump_of(cb)->dev->name)) {
		genlmsg_cancel(skb, head);
		return NULL;
	}
	if (cb->seq)
		genl_dump_check_consistent(cb, head);
	return head;
}

static int message_end(struct sk_buff *skb, void *head, int err)
{
	if (err)
		genlmsg_cancel(skb, head);
	else
		genlmsg_end(skb, head);
	return err;
}

/*
 * Until the skb is full or nothing is left.  @next: 0; -ENOENT: behind the last;
 * -EMSGSIZE: no room for it in what is left of the skb.
 */
static int dump_all(struct sk_buff *skb, struct netlink_callback *cb,
		    int (*next)(struct sk_buff *skb, struct netlink_callback *cb))
{
	struct dump *dump = dump_of(cb);
	int err = 0, idx, i;

	while (!err) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!maru_dev_enter(dump->dev, &idx))
			return -ENODEV;
		for (i = 0; !err && i < BUCKETS_AT_ONCE; i++)
			err = next(skb, cb);
		maru_dev_leave(dump->dev, idx);
		cond_resched();
	}
	if (err == -ENOENT)
		err = 0;
	return err == -EMSGSIZE && skb->len ? skb->len : err ?: skb->len;
}

static int put_layout(struct sk_buff *skb, u32 id,
		      const struct maru_layout_view *view)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_LAYOUT_##_attr, offsetof(struct maru_layout_view, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(BYTES, bytes), FIELD(STRIDE, stride), FIELD(PAGES, pages),
		FIELD(FREE, free),
	};
#undef FIELD

	if (nla_put_u32(skb, MARU_L1_A_LAYOUT_ID, id) ||
	    nla_put_u32(skb, MARU_L1_A_LAYOUT_ALIGNMENT, view->alignment))
		return -EMSGSIZE;
	return maru_nl_put_fields(skb, view, fields, ARRAY_SIZE(fields),
				  MARU_L1_A_LAYOUT_PAD);
}

static int next_layout(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_of(cb);
	struct maru_layout_view view;
	void *head;
	int err;

	err = maru_walk_layout(dump->dev->pool, dump->at, &view);
	if (err)
		return err;
	head = message_new(skb, cb);
	if (!head)
		return -EMSGSIZE;
	err = message_end(skb, head, put_layout(skb, dump->at, &view));
	if (!err)
		dump->at++;
	return err;
}

int maru_l1_nl_layout_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_all(skb, cb, next_layout);
}

static int put_segment(struct sk_buff *skb, u32 index,
		       const struct maru_segment_view *view)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_SEGMENT_##_attr, offsetof(struct maru_segment_view, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(OFFSET, offset), FIELD(BYTES, bytes), FIELD(USED, used),
	};
#undef FIELD

	if (nla_put_u32(skb, MARU_L1_A_SEGMENT_INDEX, index) ||
	    nla_put_u32(skb, MARU_L1_A_SEGMENT_OWNER, view->owner))
		return -EMSGSIZE;
	return maru_nl_put_fields(skb, view, fields, ARRAY_SIZE(fields),
				  MARU_L1_A_SEGMENT_PAD);
}

static int next_segment(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_of(cb);
	struct maru_segment_view view;
	void *head;
	int err;

	err = maru_walk_segment(dump->dev->pool, dump->at, &view);
	if (err)
		return err;
	head = message_new(skb, cb);
	if (!head)
		return -EMSGSIZE;
	err = message_end(skb, head, put_segment(skb, dump->at, &view));
	if (!err)
		dump->at++;
	return err;
}

int maru_l1_nl_segment_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_all(skb, cb, next_segment);
}

/* Odd: 0 would say that nothing can change. */
static void dump_generation(struct netlink_callback *cb, u32 generation)
{
	cb->seq = generation * 2 + 1;
}

/* What became of piece @dump->at, of which @piece tells how far it came. */
static int piece_end(struct piece *piece, u32 start, int err)
{
	struct dump *dump = piece->dump;

	if (err == -EMSGSIZE && start)
		nlmsg_trim(piece->skb, skb_tail_pointer(piece->skb) -
				       (piece->skb->len - start));
	else if (err == -EMSGSIZE)
		dump->told = piece->seen;
	if (err)
		return err;
	dump->at++;
	dump->told = 0;
	return 0;
}

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
	struct piece *piece = arg;
	void *head;
	int err;

	if (piece->seen >= piece->dump->told &&
	    object_wanted(view, genl_info_dump(piece->cb)->attrs)) {
		head = message_new(piece->skb, piece->cb);
		if (!head)
			return -EMSGSIZE;
		err = message_end(piece->skb, head, put_object(piece->skb, view));
		if (err)
			return err;
	}
	piece->seen++;
	return 0;
}

static int next_objects(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dump *dump = dump_of(cb);
	struct maru_pool *pool = dump->dev->pool;
	struct piece piece = { .skb = skb, .cb = cb, .dump = dump };
	u32 start = skb->len;
	int err;

	/* Before the walk: what changes during it is seen by the next look. */
	dump_generation(cb, maru_pool_generation(pool));
	err = maru_walk_objects(pool, dump->at, ktime_get_ns(), tell_object,
				&piece);
	return piece_end(&piece, start, err);
}

int maru_l1_nl_object_start(struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	const struct nlattr *prefix = info->attrs[MARU_L1_A_OBJECT_PREFIX];
	int err = -ENODEV, idx;

	if (prefix && nla_len(prefix) > MARU_L1_KEY_MAX) {
		NL_SET_ERR_MSG_ATTR(info->extack, prefix, "longer than any key");
		return -EINVAL;
	}
	err = maru_l1_nl_pool_start(cb);
	if (err)
		return err;
	cb->min_dump_alloc = SKB_MIN;
	if (!maru_dev_enter(dump_of(cb)->dev, &idx)) {
		maru_l1_nl_pool_done(cb);
		return -ENODEV;
	}
	maru_walk_begin(dump_of(cb)->dev->pool);
	maru_dev_leave(dump_of(cb)->dev, idx);
	return 0;
}

int maru_l1_nl_object_done(struct netlink_callback *cb)
{
	struct maru_dev *dev = dump_of(cb)->dev;
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
	return dump_all(skb, cb, next_objects);
}
