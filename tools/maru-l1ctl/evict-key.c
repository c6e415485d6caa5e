// SPDX-License-Identifier: GPL-2.0-only
/* Evicting objects by their keys, or by what their keys begin with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/maru_l1_netlink.h>
#include "evict.h"
#include "family.h"
#include "print.h"
#include "util.h"

/* An object that is looked for. */
struct target {
	void *key;
	size_t key_len;
	uint64_t size;
	uint32_t holders;
	bool absent;
};

struct targets {
	struct target *all;
	size_t n;
	size_t room;
};

static struct target *add_target(struct targets *targets, const struct key *key)
{
	struct target *target;

	if (targets->n == targets->room) {
		targets->room = targets->room ? 2 * targets->room : 64;
		targets->all = reallocarray(targets->all, targets->room, sizeof(*target));
		if (!targets->all)
			out_of_memory();
	}
	target = &targets->all[targets->n++];
	*target = (struct target){ .key = malloc(key->len), .key_len = key->len };
	if (!target->key)
		out_of_memory();
	memcpy(target->key, key->bytes, key->len);
	return target;
}

static void free_targets(struct targets *targets)
{
	for (size_t i = 0; i < targets->n; i++)
		free(targets->all[i].key);
	free(targets->all);
}

static int find_key(struct evict *evict, struct targets *targets, const struct key *key)
{
	struct target *target = add_target(targets, key);
	struct marul1_query query = { .key = key->bytes, .key_len = key->len };
	int err = marul1_query(evict->file.client, &query, 1);

	if (err)
		return pool_failed(evict->pool, err);
	target->absent = query.state == MARU_L1_S_ABSENT;
	target->size = query.length;
	target->holders = query.holders;
	return CTL_OK;
}

static int find_keys(struct evict *evict, struct targets *targets)
{
	int ret = CTL_OK;

	for (size_t i = 0; i < evict->nr_keys && !ret; i++)
		ret = find_key(evict, targets, &evict->keys[i]);
	return ret;
}

static int take_row(struct json_object *row, void *arg)
{
	struct target *target;
	struct key key;

	if (!key_read(model_get_text(row, "key"), &key))
		return -EBADMSG;
	target = add_target(arg, &key);
	target->size = model_get_number(row, "size");
	target->holders = model_get_number(row, "holders");
	return 0;
}

static int find_prefix(struct evict *evict, struct targets *targets)
{
	struct family_filter filter = {
		.pool = evict->pool, .prefix = evict->keys->bytes,
		.prefix_len = evict->keys->len,
	};
	struct family *family;
	int ret;

	ret = family_open(&family);
	if (ret)
		return ret;
	ret = family_dump(family, MARU_L1_CMD_OBJECT_GET, &filter, take_row, targets, NULL);
	if (ret)
		ret = family_failed(evict->pool, ret);
	family_close(family);
	return ret;
}

static void count(struct evict *evict, const struct target *target, uint32_t status)
{
	const char *name;

	switch (status) {
	case MARU_L1_OK:
		name = "evicted";
		evict->evicted++;
		evict->evicted_bytes += target->size;
		break;
	case MARU_L1_NOT_FOUND:
		name = "absent";
		evict->absent++;
		break;
	case MARU_L1_PENDING:
		name = "pending";
		evict->held++;
		break;
	default:
		name = "held";
		evict->held++;
		break;
	}
	evict_list(evict, target->key, target->key_len,
		   status == MARU_L1_NOT_FOUND ? 0 : target->size, name);
}

static void pretend(struct evict *evict, const struct targets *targets)
{
	for (size_t i = 0; i < targets->n; i++) {
		const struct target *target = &targets->all[i];

		count(evict, target, target->absent ? MARU_L1_NOT_FOUND :
				     target->holders ? MARU_L1_LOCKED : MARU_L1_OK);
	}
}

static int delete(struct evict *evict, const struct targets *targets)
{
	struct marul1_delete *items = calloc(targets->n ?: 1, sizeof(*items));
	int err;

	if (!items)
		out_of_memory();
	for (size_t i = 0; i < targets->n; i++) {
		items[i].key = targets->all[i].key;
		items[i].key_len = targets->all[i].key_len;
	}
	err = marul1_delete(evict->file.client, 0, items, targets->n);
	/* After a failure those that were not reached say INVALID. */
	for (size_t i = 0; i < targets->n; i++)
		if (!err || items[i].status != MARU_L1_INVALID)
			count(evict, &targets->all[i], items[i].status);
	free(items);
	return err ? pool_failed(evict->pool, err) : CTL_OK;
}

int evict_by_key(struct evict *evict)
{
	struct targets targets = { 0 };
	int ret;

	if (evict->goal == GOAL_KEYS)
		ret = find_keys(evict, &targets);
	else
		ret = find_prefix(evict, &targets);
	if (!ret && evict->dry_run)
		pretend(evict, &targets);
	else if (!ret)
		ret = delete(evict, &targets);
	free_targets(&targets);
	return ret;
}
