/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of the family as models: which attribute has which key. */
#ifndef MARU_CTL_ATTRIBUTES_H
#define MARU_CTL_ATTRIBUTES_H

#include <json-c/json.h>
#include <netlink/attr.h>

struct attribute_set;

/* The set of an answer or a notification; NULL: this program does not know it. */
const struct attribute_set *attributes_of(int command);
/*
 * What begins at @first, @len bytes.  What is not known, or has another length than
 * it should, is left out.
 */
struct json_object *attributes_model(const struct attribute_set *set, struct nlattr *first,
				     int len);

#endif
