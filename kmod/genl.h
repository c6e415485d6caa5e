/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/maru_l1.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_MARU_L1_GEN_H
#define _LINUX_MARU_L1_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/maru_l1_netlink.h>

int maru_l1_nl_pool_start(struct netlink_callback *cb);
int maru_l1_nl_object_start(struct netlink_callback *cb);
int maru_l1_nl_hold_start(struct netlink_callback *cb);
int maru_l1_nl_pool_done(struct netlink_callback *cb);
int maru_l1_nl_object_done(struct netlink_callback *cb);
int maru_l1_nl_hold_done(struct netlink_callback *cb);

int maru_l1_nl_pool_get_doit(struct sk_buff *skb, struct genl_info *info);
int maru_l1_nl_pool_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);
int maru_l1_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int maru_l1_nl_layout_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int maru_l1_nl_segment_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int maru_l1_nl_object_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int maru_l1_nl_client_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int maru_l1_nl_hold_get_dumpit(struct sk_buff *skb,
			       struct netlink_callback *cb);

enum {
	MARU_L1_NLGRP_MONITOR,
};

extern struct genl_family maru_l1_nl_family;

#endif /* _LINUX_MARU_L1_GEN_H */
