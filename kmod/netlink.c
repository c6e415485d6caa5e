// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family, and what it tells of whole pools.
 *
 * A pool is seen from the network namespace that it was attached from and from
 * the initial one.  Each message looks its pool up anew or has a reference on
 * it: neither keeps a pool from being detached.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "core/walk.h"
#include "genl.h"
#include "netlink.h"
#include "pool.h"

/* All that a message of a pool tells, taken before any of it is written. */
struct pool_view {
	struct maru_l1_info info;
	struct maru_l1_usage usage;
	struct maru_l1_stats stats;
	u64 generation;
};

/* cb->ctx of a dump of pools: the last one that was told. */
struct pools_dump {
	u64 serial;
};

int maru_netlink_init(void)
{
	return genl_register_family(&maru_l1_nl_family);
}

void maru_netlink_exit(void)
{
	genl_unregister_family(&maru_l1_nl_family);
}

int maru_nl_put_fields(struct sk_buff *skb, const void *base,
		       const struct maru_nl_field *fields, size_t nr, int pad)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (nla_put_u64_64bit(skb, fields[i].attr,
				      *(const u64 *)(base + fields[i].offset),
				      pad))
			return -EMSGSIZE;
	return 0;
}

struct maru_dev *maru_nl_pool(const struct genl_info *info, int attr)
{
	struct maru_dev *dev;

	if (GENL_REQ_ATTR_CHECK(info, attr))
		return ERR_PTR(-EINVAL);
	dev = maru_dev_find(genl_info_net(info), nla_data(info->attrs[attr]));
	if (!dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[attr],
				    "no such pool");
		return ERR_PTR(-ENOENT);
	}
	return dev;
}

static int view_pool(struct maru_dev *dev, struct pool_view *view)
{
	int idx;

	memset(view, 0, sizeof(*view));
	if (!maru_dev_enter(dev, &idx))
		return -ENODEV;
	maru_dev_info(dev, &view->info);
	maru_pool_usage(dev->pool, ktime_get_ns(), &view->usage);
	maru_pool_stats(dev->pool, &view->stats, NULL, 0, NULL);
	view->generation = maru_pool_generation(dev->pool);
	maru_dev_leave(dev, idx);
	return 0;
}

static int put_usage(struct sk_buff *skb, const struct maru_l1_usage *usage)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_USAGE_##_attr, offsetof(struct maru_l1_usage, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(TOTAL, total), FIELD(AVAILABLE, available),
		FIELD(USED, used), FIELD(STAGED, staged),
		FIELD(PRIVATE, private_bytes), FIELD(PUBLISHED, published),
		FIELD(ZOMBIE, zombie), FIELD(QUARANTINED, quarantined),
		FIELD(LIMBO, limbo), FIELD(RETIRED, retired),
		FIELD(ROUNDING, rounding), FIELD(OBJECTS, objects),
		FIELD(EXTENTS, extents), FIELD(ORPHAN_PINS, orphan_pins),
	};
#undef FIELD
	struct nlattr *nest = nla_nest_start(skb, MARU_L1_A_POOL_USAGE);

	if (!nest || maru_nl_put_fields(skb, usage, fields, ARRAY_SIZE(fields),
					MARU_L1_A_USAGE_PAD))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int put_label(struct sk_buff *skb, const u8 *label)
{
	char text[MARU_L1_LABEL_LEN + 1];

	/* A label that fills its field has no NUL there. */
	memcpy(text, label, MARU_L1_LABEL_LEN);
	text[MARU_L1_LABEL_LEN] = 0;
	return nla_put_string(skb, MARU_L1_A_POOL_LABEL, text);
}

static int put_info(struct sk_buff *skb, const struct maru_l1_info *info)
{
#define FIELD(_attr, _member) \
	{ MARU_L1_A_POOL_##_attr, offsetof(struct maru_l1_info, _member) }
	static const struct maru_nl_field fields[] = {
		FIELD(CAPACITY, capacity), FIELD(MAP_ALIGN, map_align),
		FIELD(SEGMENT_SIZE, segment_size),
		FIELD(MAX_OBJECTS, max_objects),
		FIELD(MAX_CLIENT_BYTES, max_client_bytes),
	};
#undef FIELD

	if (nla_put_string(skb, MARU_L1_A_POOL_NAME, info->name) ||
	    put_label(skb, info->label) ||
	    nla_put(skb, MARU_L1_A_POOL_UUID, sizeof(info->uuid), info->uuid) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_FLAGS, info->flags) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_QUARANTINE_MS, info->quarantine_ms) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_NODE, info->node) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_INCARNATION, info->incarnation) ||
	    nla_put_s32(skb, MARU_L1_A_POOL_NUMA_NODE, info->numa_node) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_BACKINGS, info->nr_backings) ||
	    nla_put(skb, MARU_L1_A_POOL_BACKING_BYTES,
		    info->nr_backings * sizeof(info->backing_bytes[0]),
		    info->backing_bytes) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_SEGMENTS, info->nr_segments) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_LAYOUTS, info->nr_layouts))
		return -EMSGSIZE;
	return maru_nl_put_fields(skb, info, fields, ARRAY_SIZE(fields),
				  MARU_L1_A_POOL_PAD);
}

static int put_pool(struct sk_buff *skb, const struct pool_view *view)
{
	if (put_info(skb, &view->info) ||
	    nla_put_u32(skb, MARU_L1_A_POOL_CLIENTS, view->stats.clients) ||
	    nla_put_u64_64bit(skb, MARU_L1_A_POOL_GENERATION, view->generation,
			      MARU_L1_A_POOL_PAD) ||
	    put_usage(skb, &view->usage))
		return -EMSGSIZE;
	return 0;
}

static int reply_pool(const struct genl_info *info, const struct pool_view *view)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *head;

	if (!skb)
		return -ENOMEM;
	head = genlmsg_iput(skb, info);
	if (!head || put_pool(skb, view)) {
		nlmsg_free(skb);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, (struct genl_info *)info);
}

int maru_l1_nl_pool_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct maru_dev *dev = maru_nl_pool(info, MARU_L1_A_POOL_NAME);
	struct pool_view *view;
	int err = -ENOMEM;

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	view = kmalloc(sizeof(*view), GFP_KERNEL);
	if (view)
		err = view_pool(dev, view);
	if (!err)
		err = reply_pool(info, view);
	kfree(view);
	maru_dev_put(dev);
	return err;
}

/* One message of a dump. A pool that has just gone is passed over. */
static int dump_pool(struct sk_buff *skb, struct netlink_callback *cb,
		     struct maru_dev *dev, struct pool_view *view)
{
	void *head;

	if (view_pool(dev, view))
		return 0;
	head = __genlmsg_iput(skb, genl_info_dump(cb), NLM_F_MULTI);
	if (!head)
		return -EMSGSIZE;
	if (put_pool(skb, view)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genl_dump_check_consistent(cb, head);
	genlmsg_end(skb, head);
	return 0;
}

int maru_l1_nl_pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct net *net = genl_info_net(genl_info_dump(cb));
	struct pools_dump *dump = (struct pools_dump *)cb->ctx;
	struct pool_view *view;
	struct maru_dev *dev;
	int err = 0;

	view = kmalloc(sizeof(*view), GFP_KERNEL);
	if (!view)
		return -ENOMEM;
	while (!err) {
		dev = maru_dev_next(net, dump->serial, &cb->seq);
		if (!dev)
			break;
		err = dump_pool(skb, cb, dev, view);
		if (!err)
			dump->serial = dev->serial;
		maru_dev_put(dev);
	}
	kfree(view);
	return skb->len ?: err;
}
