// SPDX-License-Identifier: GPL-2.0-only
/* Dumps: what all have in common, layouts, segments. See dump.h. */
#include <linux/err.h>
#include <linux/sched/signal.h>
#include <net/genetlink.h>

#include "core/walk.h"
#include "dump.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

#define PIECES_AT_ONCE	256		/* without letting others in */

/* All sets have the pool's name as their first attribute. */
static_assert(MARU_L1_A_LAYOUT_POOL == 1 && MARU_L1_A_SEGMENT_POOL == 1 &&
	      MARU_L1_A_OBJECT_POOL == 1 && MARU_L1_A_CLIENT_POOL == 1 &&
	      MARU_L1_A_HOLD_POOL == 1);

int maru_l1_nl_pool_start(struct netlink_callback *cb)
{
	struct maru_dev *dev = maru_nl_pool(genl_info_dump(cb), 1);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	maru_dump_of(cb)->dev = dev;
	return 0;
}

int maru_l1_nl_pool_done(struct netlink_callback *cb)
{
	maru_dev_put(maru_dump_of(cb)->dev);
	return 0;
}

void *maru_dump_message(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *head = __genlmsg_iput(skb, genl_info_dump(cb), NLM_F_MULTI);

	if (!head)
		return NULL;
	if (nla_put_string(skb, 1, maru_dump_of(cb)->dev->name)) {
		genlmsg_cancel(skb, head);
		return NULL;
	}
	return head;
}

int maru_dump_message_end(struct sk_buff *skb, struct netlink_callback *cb,
			  void *head, int err)
{
	if (err) {
		genlmsg_cancel(skb, head);
		return err;
	}
	/* Only now: a flag on a message that is taken back would be lost. */
	if (cb->seq)
		genl_dump_check_consistent(cb, head);
	genlmsg_end(skb, head);
	return 0;
}

int maru_dump_all(struct sk_buff *skb, struct netlink_callback *cb,
		  maru_dump_fn next)
{
	struct maru_dump *dump = maru_dump_of(cb);
	int err = 0, idx, i;

	while (!err) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (!maru_dev_enter(dump->dev, &idx))
			return -ENODEV;
		for (i = 0; !err && i < PIECES_AT_ONCE; i++)
			err = next(skb, cb);
		maru_dev_leave(dump->dev, idx);
		cond_resched();
	}
	if (err == -ENOENT)
		err = 0;
	return err == -EMSGSIZE && skb->len ? skb->len : err ?: skb->len;
}

/* Odd: 0 would say that nothing can change. */
void maru_dump_generation(struct netlink_callback *cb, u32 generation)
{
	cb->seq = generation * 2 + 1;
}

void maru_dump_piece_begin(struct maru_piece *piece, struct sk_buff *skb,
			   struct netlink_callback *cb)
{
	*piece = (struct maru_piece){
		.skb = skb, .cb = cb,
		.start = skb->len, .prev_seq = cb->prev_seq,
	};
}

bool maru_dump_told(const struct maru_piece *piece)
{
	return piece->seen < maru_dump_of(piece->cb)->told;
}

int maru_dump_piece_end(const struct maru_piece *piece, int err)
{
	struct maru_dump *dump = maru_dump_of(piece->cb);

	if (!err) {
		dump->at++;
		dump->told = 0;
	} else if (err == -EMSGSIZE && piece->start) {
		nlmsg_trim(piece->skb, piece->skb->data + piece->start);
		piece->cb->prev_seq = piece->prev_seq;
	} else if (err == -EMSGSIZE) {
		dump->told = piece->seen;
	}
	return err;
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
	struct maru_dump *dump = maru_dump_of(cb);
	struct maru_layout_view view;
	void *head;
	int err;

	err = maru_walk_layout(dump->dev->pool, dump->at, &view);
	if (err)
		return err;
	head = maru_dump_message(skb, cb);
	if (!head)
		return -EMSGSIZE;
	err = maru_dump_message_end(skb, cb, head,
				    put_layout(skb, dump->at, &view));
	if (!err)
		dump->at++;
	return err;
}

int maru_l1_nl_layout_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return maru_dump_all(skb, cb, next_layout);
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
	struct maru_dump *dump = maru_dump_of(cb);
	struct maru_segment_view view;
	void *head;
	int err;

	err = maru_walk_segment(dump->dev->pool, dump->at, &view);
	if (err)
		return err;
	head = maru_dump_message(skb, cb);
	if (!head)
		return -EMSGSIZE;
	err = maru_dump_message_end(skb, cb, head,
				    put_segment(skb, dump->at, &view));
	if (!err)
		dump->at++;
	return err;
}

int maru_l1_nl_segment_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return maru_dump_all(skb, cb, next_segment);
}
