/* SPDX-License-Identifier: GPL-2.0-only */
/* What the messages of the family have in common. */
#ifndef MARU_NETLINK_H
#define MARU_NETLINK_H

#include <linux/types.h>

struct genl_info;
struct maru_dev;
struct sk_buff;

/* A number of a struct and the attribute that it goes to. */
struct maru_nl_field {
	u16 attr;
	u16 offset;
};

int maru_netlink_init(void);
void maru_netlink_exit(void);

/* The numbers of @base, all of them u64. Return: 0 or -EMSGSIZE. */
int maru_nl_put_fields(struct sk_buff *skb, const void *base,
		       const struct maru_nl_field *fields, size_t nr, int pad);
/*
 * The pool that attribute @attr names, with a reference; -EINVAL: no such
 * attribute, -ENOENT: no such pool, or not one that the asker sees.
 */
struct maru_dev *maru_nl_pool(const struct genl_info *info, int attr);

#endif /* MARU_NETLINK_H */
