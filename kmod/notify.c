// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifications: to the network namespace of the pool, and to the initial one.
 * Nothing is built while nobody listens.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>

#include "genl.h"
#include "notify.h"
#include "pool.h"

#define WATERMARK_STEP	100	/* permille */

/* An attribute with a number. */
struct note {
	u16 attr;
	u64 value;
};

static bool heard(struct net *net)
{
	return genl_has_listeners(&maru_l1_nl_family, net, MARU_L1_NLGRP_MONITOR);
}

static int put_note(struct sk_buff *skb, const struct note *note)
{
	if (note->attr == MARU_L1_A_EVENT_PERMILLE)
		return nla_put_u32(skb, note->attr, note->value);
	return nla_put_u64_64bit(skb, note->attr, note->value,
				 MARU_L1_A_EVENT_PAD);
}

static struct sk_buff *event_new(const struct maru_dev *dev, u8 cmd,
				 const struct note *notes, size_t nr)
{
	struct sk_buff *skb;
	void *head;
	size_t i;

	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	head = genlmsg_put(skb, 0, 0, &maru_l1_nl_family, 0, cmd);
	if (!head || nla_put_string(skb, MARU_L1_A_EVENT_POOL, dev->name))
		goto free;
	for (i = 0; i < nr; i++)
		if (put_note(skb, &notes[i]))
			goto free;
	genlmsg_end(skb, head);
	return skb;

free:
	nlmsg_free(skb);
	return NULL;
}

static void send(struct net *net, struct sk_buff *skb)
{
	genlmsg_multicast_netns(&maru_l1_nl_family, net, skb, 0,
				MARU_L1_NLGRP_MONITOR, GFP_KERNEL);
}

static void notify(struct maru_dev *dev, u8 cmd, const struct note *notes,
		   size_t nr)
{
	struct net *net = read_pnet(&dev->net);
	bool both = !net_eq(net, &init_net);
	struct sk_buff *skb, *copy;

	if (!heard(&init_net) && !(both && heard(net)))
		return;
	skb = event_new(dev, cmd, notes, nr);
	if (!skb)
		return;
	if (both) {
		copy = skb_clone(skb, GFP_KERNEL);
		if (copy)
			send(net, copy);
	}
	send(&init_net, skb);
}

void maru_notify_attached(struct maru_dev *dev, bool attached)
{
	notify(dev, attached ? MARU_L1_CMD_ATTACHED_NTF :
			       MARU_L1_CMD_DETACHED_NTF, NULL, 0);
}

void maru_notify_grown(struct maru_dev *dev)
{
	const struct maru_l1_pool_status *status = page_address(dev->status);
	struct note note = { MARU_L1_A_EVENT_BYTES, READ_ONCE(status->total) };

	notify(dev, MARU_L1_CMD_GROWN_NTF, &note, 1);
}

void maru_notify_fill(struct maru_dev *dev)
{
	const struct maru_l1_pool_status *status = page_address(dev->status);
	u64 total = READ_ONCE(status->total);
	u32 permille = READ_ONCE(status->used) * 1000 / total;
	u32 step = permille / WATERMARK_STEP;
	struct note note = { MARU_L1_A_EVENT_PERMILLE, permille };

	if (step > dev->fill_step && !READ_ONCE(dev->gone))
		notify(dev, MARU_L1_CMD_WATERMARK_NTF, &note, 1);
	dev->fill_step = step;
}

void maru_notify_evicted(struct maru_dev *dev, u64 count, u64 bytes)
{
	const struct note notes[] = {
		{ MARU_L1_A_EVENT_COUNT, count },
		{ MARU_L1_A_EVENT_BYTES, bytes },
	};

	notify(dev, MARU_L1_CMD_EVICTED_NTF, notes, ARRAY_SIZE(notes));
}

void maru_notify_gone(struct maru_dev *dev, u64 id,
		      const struct maru_l1_usage *usage)
{
	const struct note notes[] = {
		{ MARU_L1_A_EVENT_CLIENT, id },
		{ MARU_L1_A_EVENT_STAGED, usage->my_staged + usage->my_unacked },
		{ MARU_L1_A_EVENT_PRIVATE, usage->my_private },
		{ MARU_L1_A_EVENT_HOLDS, usage->my_held },
	};

	if (notes[1].value || notes[2].value || notes[3].value)
		notify(dev, MARU_L1_CMD_CLIENT_GONE_NTF, notes, ARRAY_SIZE(notes));
}
