// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/maru_l1.h>
#include <linux/maru_l1_netlink.h>
#include "attributes.h"
#include "key.h"
#include "print.h"

enum kind {
	TEXT = 1,		/* any bytes up to the end or a NUL, escaped */
	KEY,
	HEX,
	UUID,
	U32,
	S32,
	U64,
	ID,			/* a text: see id_text() */
	FLAG,			/* false when it is absent */
	NUMBERS,		/* an array of u64 */
	NEST,
	NESTS,			/* comes many times: an array */
};

struct attribute {
	int nr;
	enum kind kind;
	const char *key;
	const struct attribute_set *nest;
};

struct attribute_set {
	size_t n;
	const struct attribute *all;
};

#define SET(name) \
	static const struct attribute_set name##_set = { \
		sizeof(name##_attributes) / sizeof(name##_attributes[0]), name##_attributes }

static const struct attribute usage_attributes[] = {
	{ MARU_L1_A_USAGE_TOTAL, U64, "total", NULL },
	{ MARU_L1_A_USAGE_AVAILABLE, U64, "available", NULL },
	{ MARU_L1_A_USAGE_USED, U64, "used", NULL },
	{ MARU_L1_A_USAGE_STAGED, U64, "staged", NULL },
	{ MARU_L1_A_USAGE_PRIVATE, U64, "private", NULL },
	{ MARU_L1_A_USAGE_PUBLISHED, U64, "published", NULL },
	{ MARU_L1_A_USAGE_ZOMBIE, U64, "zombie", NULL },
	{ MARU_L1_A_USAGE_QUARANTINED, U64, "quarantined", NULL },
	{ MARU_L1_A_USAGE_LIMBO, U64, "limbo", NULL },
	{ MARU_L1_A_USAGE_RETIRED, U64, "retired", NULL },
	{ MARU_L1_A_USAGE_ROUNDING, U64, "rounding", NULL },
	{ MARU_L1_A_USAGE_OBJECTS, U64, "objects", NULL },
	{ MARU_L1_A_USAGE_EXTENTS, U64, "extents", NULL },
	{ MARU_L1_A_USAGE_ORPHAN_PINS, U64, "orphan_pins", NULL },
};
SET(usage);

static const struct attribute pool_attributes[] = {
	{ MARU_L1_A_POOL_NAME, TEXT, "name", NULL },
	{ MARU_L1_A_POOL_LABEL, TEXT, "label", NULL },
	{ MARU_L1_A_POOL_UUID, UUID, "uuid", NULL },
	{ MARU_L1_A_POOL_FLAGS, U32, "flags", NULL },
	{ MARU_L1_A_POOL_CAPACITY, U64, "capacity", NULL },
	{ MARU_L1_A_POOL_MAP_ALIGN, U64, "map_alignment", NULL },
	{ MARU_L1_A_POOL_SEGMENT_SIZE, U64, "segment_size", NULL },
	{ MARU_L1_A_POOL_MAX_OBJECTS, U64, "max_objects", NULL },
	{ MARU_L1_A_POOL_MAX_CLIENT_BYTES, U64, "max_client_bytes", NULL },
	{ MARU_L1_A_POOL_QUARANTINE_MS, U32, "quarantine_ms", NULL },
	{ MARU_L1_A_POOL_NODE, U32, "node", NULL },
	{ MARU_L1_A_POOL_INCARNATION, U32, "incarnation", NULL },
	{ MARU_L1_A_POOL_NUMA_NODE, S32, "numa_node", NULL },
	{ MARU_L1_A_POOL_BACKINGS, U32, "backings", NULL },
	{ MARU_L1_A_POOL_BACKING_BYTES, NUMBERS, "backing_bytes", NULL },
	{ MARU_L1_A_POOL_SEGMENTS, U32, "segments", NULL },
	{ MARU_L1_A_POOL_LAYOUTS, U32, "layouts", NULL },
	{ MARU_L1_A_POOL_CLIENTS, U32, "clients", NULL },
	{ MARU_L1_A_POOL_GENERATION, U64, "generation", NULL },
	{ MARU_L1_A_POOL_USAGE, NEST, "usage", &usage_set },
};
SET(pool);

static const struct attribute counter_attributes[] = {
	{ MARU_L1_A_COUNTER_OP, U32, "op", NULL },
	{ MARU_L1_A_COUNTER_STATUS, U32, "status", NULL },
	{ MARU_L1_A_COUNTER_COUNT, U64, "count", NULL },
};
SET(counter);

static const struct attribute latency_attributes[] = {
	{ MARU_L1_A_LATENCY_OP, U32, "op", NULL },
	{ MARU_L1_A_LATENCY_CALLS, U64, "calls", NULL },
	{ MARU_L1_A_LATENCY_ERRORS, U64, "errors", NULL },
	{ MARU_L1_A_LATENCY_TOTAL_NS, U64, "total_ns", NULL },
	{ MARU_L1_A_LATENCY_HISTOGRAM, NUMBERS, "histogram", NULL },
};
SET(latency);

static const struct attribute removal_attributes[] = {
	{ MARU_L1_A_REMOVAL_CAUSE, U32, "cause", NULL },
	{ MARU_L1_A_REMOVAL_OBJECTS, U64, "objects", NULL },
	{ MARU_L1_A_REMOVAL_BYTES, U64, "bytes", NULL },
};
SET(removal);

static const struct attribute refusal_attributes[] = {
	{ MARU_L1_A_REFUSAL_REASON, U32, "reason", NULL },
	{ MARU_L1_A_REFUSAL_ITEMS, U64, "items", NULL },
};
SET(refusal);

static const struct attribute stats_attributes[] = {
	{ MARU_L1_A_STATS_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_STATS_BYTES_STORED, U64, "bytes_stored", NULL },
	{ MARU_L1_A_STATS_BYTES_SERVED, U64, "bytes_served", NULL },
	{ MARU_L1_A_STATS_LOST_RACES, U64, "lost_races", NULL },
	{ MARU_L1_A_STATS_EVICTED, U64, "evicted", NULL },
	{ MARU_L1_A_STATS_PURGED, U64, "purged", NULL },
	{ MARU_L1_A_STATS_EXPIRED_HOLDS, U64, "expired_holds", NULL },
	{ MARU_L1_A_STATS_EXPIRED_WRITES, U64, "expired_writes", NULL },
	{ MARU_L1_A_STATS_QUARANTINED, U64, "quarantined", NULL },
	{ MARU_L1_A_STATS_QUARANTINED_BYTES, U64, "quarantined_bytes", NULL },
	{ MARU_L1_A_STATS_UNQUARANTINED, U64, "unquarantined", NULL },
	{ MARU_L1_A_STATS_UNQUARANTINED_BYTES, U64, "unquarantined_bytes", NULL },
	{ MARU_L1_A_STATS_EVENTS_LOST, U64, "events_lost", NULL },
	{ MARU_L1_A_STATS_HELD, U64, "held", NULL },
	{ MARU_L1_A_STATS_HOLDS, U64, "holds", NULL },
	{ MARU_L1_A_STATS_REMOVAL, NESTS, "removals", &removal_set },
	{ MARU_L1_A_STATS_REFUSAL, NESTS, "refusals", &refusal_set },
	{ MARU_L1_A_STATS_COUNTER, NESTS, "counters", &counter_set },
	{ MARU_L1_A_STATS_LATENCY, NESTS, "latencies", &latency_set },
};
SET(stats);

static const struct attribute layout_attributes[] = {
	{ MARU_L1_A_LAYOUT_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_LAYOUT_ID, U32, "id", NULL },
	{ MARU_L1_A_LAYOUT_BYTES, U64, "bytes", NULL },
	{ MARU_L1_A_LAYOUT_ALIGNMENT, U32, "alignment", NULL },
	{ MARU_L1_A_LAYOUT_STRIDE, U64, "stride", NULL },
	{ MARU_L1_A_LAYOUT_PAGES, U64, "pages", NULL },
	{ MARU_L1_A_LAYOUT_FREE, U64, "free", NULL },
};
SET(layout);

static const struct attribute segment_attributes[] = {
	{ MARU_L1_A_SEGMENT_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_SEGMENT_INDEX, U32, "index", NULL },
	{ MARU_L1_A_SEGMENT_OFFSET, U64, "offset", NULL },
	{ MARU_L1_A_SEGMENT_BYTES, U64, "bytes", NULL },
	{ MARU_L1_A_SEGMENT_USED, U64, "used", NULL },
	{ MARU_L1_A_SEGMENT_OWNER, U32, "owner", NULL },
};
SET(segment);

static const struct attribute object_attributes[] = {
	{ MARU_L1_A_OBJECT_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_OBJECT_ID, ID, "id", NULL },
	{ MARU_L1_A_OBJECT_KEY, KEY, "key", NULL },
	{ MARU_L1_A_OBJECT_OFFSET, U64, "offset", NULL },
	{ MARU_L1_A_OBJECT_LENGTH, U64, "size", NULL },
	{ MARU_L1_A_OBJECT_STRIDE, U64, "stride", NULL },
	{ MARU_L1_A_OBJECT_LAYOUT, U32, "layout", NULL },
	{ MARU_L1_A_OBJECT_HOLDERS, U32, "holders", NULL },
	{ MARU_L1_A_OBJECT_IDLE_MS, U64, "idle_ms", NULL },
	{ MARU_L1_A_OBJECT_COOKIE, HEX, "cookie", NULL },
};
SET(object);

static const struct attribute client_attributes[] = {
	{ MARU_L1_A_CLIENT_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_CLIENT_ID, U64, "id", NULL },
	{ MARU_L1_A_CLIENT_PID, U32, "pid", NULL },
	{ MARU_L1_A_CLIENT_COMM, TEXT, "comm", NULL },
	{ MARU_L1_A_CLIENT_WRITABLE, FLAG, "writable", NULL },
	{ MARU_L1_A_CLIENT_STAGED, U64, "staged", NULL },
	{ MARU_L1_A_CLIENT_STAGED_BYTES, U64, "staged_bytes", NULL },
	{ MARU_L1_A_CLIENT_PRIVATE, U64, "private", NULL },
	{ MARU_L1_A_CLIENT_PRIVATE_BYTES, U64, "private_bytes", NULL },
	{ MARU_L1_A_CLIENT_HELD, U64, "held", NULL },
	{ MARU_L1_A_CLIENT_HOLDS, U64, "holds", NULL },
	{ MARU_L1_A_CLIENT_UNACKED, U64, "unacked", NULL },
	{ MARU_L1_A_CLIENT_UNACKED_BYTES, U64, "unacked_bytes", NULL },
};
SET(client);

static const struct attribute hold_attributes[] = {
	{ MARU_L1_A_HOLD_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_HOLD_CLIENT, U64, "client", NULL },
	{ MARU_L1_A_HOLD_OBJECT, ID, "object", NULL },
	{ MARU_L1_A_HOLD_KEY, KEY, "key", NULL },
	{ MARU_L1_A_HOLD_LENGTH, U64, "size", NULL },
	{ MARU_L1_A_HOLD_COUNT, U32, "count", NULL },
	{ MARU_L1_A_HOLD_LOST, U32, "lost", NULL },
	{ MARU_L1_A_HOLD_LEFT_MS, U64, "left_ms", NULL },
};
SET(hold);

static const struct attribute event_attributes[] = {
	{ MARU_L1_A_EVENT_POOL, TEXT, "pool", NULL },
	{ MARU_L1_A_EVENT_PERMILLE, U32, "permille", NULL },
	{ MARU_L1_A_EVENT_COUNT, U64, "count", NULL },
	{ MARU_L1_A_EVENT_BYTES, U64, "bytes", NULL },
	{ MARU_L1_A_EVENT_CLIENT, U64, "client", NULL },
	{ MARU_L1_A_EVENT_STAGED, U64, "staged", NULL },
	{ MARU_L1_A_EVENT_PRIVATE, U64, "private", NULL },
	{ MARU_L1_A_EVENT_HOLDS, U64, "holds", NULL },
};
SET(event);

const struct attribute_set *attributes_of(int command)
{
	switch (command) {
	case MARU_L1_CMD_POOL_GET:
		return &pool_set;
	case MARU_L1_CMD_STATS_GET:
		return &stats_set;
	case MARU_L1_CMD_LAYOUT_GET:
		return &layout_set;
	case MARU_L1_CMD_SEGMENT_GET:
		return &segment_set;
	case MARU_L1_CMD_OBJECT_GET:
		return &object_set;
	case MARU_L1_CMD_CLIENT_GET:
		return &client_set;
	case MARU_L1_CMD_HOLD_GET:
		return &hold_set;
	case MARU_L1_CMD_ATTACHED_NTF:
	case MARU_L1_CMD_DETACHED_NTF:
	case MARU_L1_CMD_GROWN_NTF:
	case MARU_L1_CMD_WATERMARK_NTF:
	case MARU_L1_CMD_EVICTED_NTF:
	case MARU_L1_CMD_CLIENT_GONE_NTF:
		return &event_set;
	default:
		return NULL;
	}
}

static struct json_object *text(struct nlattr *attr, enum kind kind)
{
	const char *from = nla_data(attr);
	size_t len = nla_len(attr);
	struct json_object *value;
	char *to;

	if (kind == TEXT)
		len = strnlen(from, len);
	to = malloc(ESCAPED(len));
	if (!to)
		out_of_memory();
	value = model_string(kind == KEY ? key_text(from, len, to) : escape(from, len, to));
	free(to);
	return value;
}

static struct json_object *hex(struct nlattr *attr)
{
	const unsigned char *from = nla_data(attr);
	char to[2 * MARU_L1_COOKIE_LEN + 1] = "", *p = to;

	for (int i = 0; i < nla_len(attr) && i < MARU_L1_COOKIE_LEN; i++)
		p += sprintf(p, "%02x", from[i]);
	return model_string(to);
}

static struct json_object *numbers(struct nlattr *attr)
{
	struct json_object *array = model_array();
	uint64_t n;

	for (size_t at = 0; at + sizeof(n) <= (size_t)nla_len(attr); at += sizeof(n)) {
		memcpy(&n, (char *)nla_data(attr) + at, sizeof(n));
		model_append(array, model_uint(n));
	}
	return array;
}

static bool long_enough(struct nlattr *attr, enum kind kind)
{
	static const int least[] = {
		[U32] = sizeof(uint32_t), [S32] = sizeof(int32_t), [U64] = sizeof(uint64_t),
		[ID] = sizeof(uint64_t), [UUID] = 16, [NESTS] = 0,
	};

	return nla_len(attr) >= least[kind];
}

static struct json_object *value_of(const struct attribute *attribute, struct nlattr *attr)
{
	char uuid[UUID_TEXT], id[ID_TEXT];

	switch (attribute->kind) {
	case TEXT:
	case KEY:
		return text(attr, attribute->kind);
	case HEX:
		return hex(attr);
	case UUID:
		return model_string(uuid_text(nla_data(attr), uuid));
	case U32:
		return model_uint(nla_get_u32(attr));
	case S32:
		return model_int(nla_get_s32(attr));
	case U64:
		return model_uint(nla_get_u64(attr));
	case ID:
		return model_string(id_text(nla_get_u64(attr), id));
	case FLAG:
		return model_boolean(true);
	case NUMBERS:
		return numbers(attr);
	case NEST:
	case NESTS:
		break;
	}
	return attributes_model(attribute->nest, nla_data(attr), nla_len(attr));
}

static void add_value(struct json_object *model, const struct attribute *attribute,
		      struct nlattr *attr)
{
	struct json_object *array;

	if (!long_enough(attr, attribute->kind))
		return;
	if (attribute->kind != NESTS) {
		model_add(model, attribute->key, value_of(attribute, attr));
		return;
	}
	if (!json_object_object_get_ex(model, attribute->key, &array)) {
		array = model_array();
		model_add(model, attribute->key, array);
	}
	model_append(array, value_of(attribute, attr));
}

struct json_object *attributes_model(const struct attribute_set *set, struct nlattr *first,
				     int len)
{
	struct json_object *model = model_new();
	struct nlattr *attr;
	int rest;

	for (size_t i = 0; i < set->n; i++)
		if (set->all[i].kind == FLAG)
			model_bool(model, set->all[i].key, false);
		else if (set->all[i].kind == NESTS)
			model_add(model, set->all[i].key, model_array());
	nla_for_each_attr(attr, first, len, rest)
		for (size_t i = 0; i < set->n; i++)
			if (set->all[i].nr == nla_type(attr))
				add_value(model, &set->all[i], attr);
	return model;
}
