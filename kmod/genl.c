// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/maru_l1.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "genl.h"

#include <uapi/linux/maru_l1_netlink.h>

/* MARU_L1_CMD_POOL_GET - do */
static const struct nla_policy maru_l1_pool_get_nl_policy[MARU_L1_A_POOL_NAME + 1] = {
	[MARU_L1_A_POOL_NAME] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* MARU_L1_CMD_STATS_GET - do */
static const struct nla_policy maru_l1_stats_get_nl_policy[MARU_L1_A_STATS_POOL + 1] = {
	[MARU_L1_A_STATS_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* MARU_L1_CMD_LAYOUT_GET - dump */
static const struct nla_policy maru_l1_layout_get_nl_policy[MARU_L1_A_LAYOUT_POOL + 1] = {
	[MARU_L1_A_LAYOUT_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* MARU_L1_CMD_SEGMENT_GET - dump */
static const struct nla_policy maru_l1_segment_get_nl_policy[MARU_L1_A_SEGMENT_POOL + 1] = {
	[MARU_L1_A_SEGMENT_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* MARU_L1_CMD_OBJECT_GET - dump */
static const struct nla_policy maru_l1_object_get_nl_policy[MARU_L1_A_OBJECT_MIN_IDLE_MS + 1] = {
	[MARU_L1_A_OBJECT_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
	[MARU_L1_A_OBJECT_PREFIX] = { .type = NLA_BINARY, },
	[MARU_L1_A_OBJECT_HELD] = { .type = NLA_FLAG, },
	[MARU_L1_A_OBJECT_MIN_IDLE_MS] = { .type = NLA_U64, },
};

/* MARU_L1_CMD_CLIENT_GET - dump */
static const struct nla_policy maru_l1_client_get_nl_policy[MARU_L1_A_CLIENT_POOL + 1] = {
	[MARU_L1_A_CLIENT_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
};

/* MARU_L1_CMD_HOLD_GET - dump */
static const struct nla_policy maru_l1_hold_get_nl_policy[MARU_L1_A_HOLD_CLIENT + 1] = {
	[MARU_L1_A_HOLD_POOL] = { .type = NLA_NUL_STRING, .len = 31, },
	[MARU_L1_A_HOLD_CLIENT] = { .type = NLA_U64, },
};

/* Ops table for maru_l1 */
static const struct genl_split_ops maru_l1_nl_ops[] = {
	{
		.cmd		= MARU_L1_CMD_POOL_GET,
		.doit		= maru_l1_nl_pool_get_doit,
		.policy		= maru_l1_pool_get_nl_policy,
		.maxattr	= MARU_L1_A_POOL_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= MARU_L1_CMD_POOL_GET,
		.dumpit	= maru_l1_nl_pool_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MARU_L1_CMD_STATS_GET,
		.doit		= maru_l1_nl_stats_get_doit,
		.policy		= maru_l1_stats_get_nl_policy,
		.maxattr	= MARU_L1_A_STATS_POOL,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= MARU_L1_CMD_LAYOUT_GET,
		.start		= maru_l1_nl_pool_start,
		.dumpit		= maru_l1_nl_layout_get_dumpit,
		.done		= maru_l1_nl_pool_done,
		.policy		= maru_l1_layout_get_nl_policy,
		.maxattr	= MARU_L1_A_LAYOUT_POOL,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MARU_L1_CMD_SEGMENT_GET,
		.start		= maru_l1_nl_pool_start,
		.dumpit		= maru_l1_nl_segment_get_dumpit,
		.done		= maru_l1_nl_pool_done,
		.policy		= maru_l1_segment_get_nl_policy,
		.maxattr	= MARU_L1_A_SEGMENT_POOL,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MARU_L1_CMD_OBJECT_GET,
		.start		= maru_l1_nl_object_start,
		.dumpit		= maru_l1_nl_object_get_dumpit,
		.done		= maru_l1_nl_object_done,
		.policy		= maru_l1_object_get_nl_policy,
		.maxattr	= MARU_L1_A_OBJECT_MIN_IDLE_MS,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MARU_L1_CMD_CLIENT_GET,
		.start		= maru_l1_nl_pool_start,
		.dumpit		= maru_l1_nl_client_get_dumpit,
		.done		= maru_l1_nl_pool_done,
		.policy		= maru_l1_client_get_nl_policy,
		.maxattr	= MARU_L1_A_CLIENT_POOL,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= MARU_L1_CMD_HOLD_GET,
		.start		= maru_l1_nl_hold_start,
		.dumpit		= maru_l1_nl_hold_get_dumpit,
		.done		= maru_l1_nl_hold_done,
		.policy		= maru_l1_hold_get_nl_policy,
		.maxattr	= MARU_L1_A_HOLD_CLIENT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group maru_l1_nl_mcgrps[] = {
	[MARU_L1_NLGRP_MONITOR] = { "monitor", },
};

struct genl_family maru_l1_nl_family __ro_after_init = {
	.name		= MARU_L1_FAMILY_NAME,
	.version	= MARU_L1_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= maru_l1_nl_ops,
	.n_split_ops	= ARRAY_SIZE(maru_l1_nl_ops),
	.mcgrps		= maru_l1_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(maru_l1_nl_mcgrps),
};
