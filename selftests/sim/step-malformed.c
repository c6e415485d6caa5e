// SPDX-License-Identifier: GPL-2.0-only
/* Calls that are refused as a whole, and change nothing. */

#include "sim.h"

struct wrong {
	u32 nr;
	int err;
	union maru_call_arg arg;
};

#define BATCH(_nr, _err, ...)	{ MARU_L1_##_nr, _err, { .batch = { __VA_ARGS__ } } }

static const struct wrong wrongs[] = {
	BATCH(RESERVE_WRITE, -EINVAL, .flags = 1),
	BATCH(RESERVE_WRITE, -EINVAL, .layout = M_LAYOUTS),
	BATCH(COMMIT, -EINVAL, .flags = MARU_L1_B_STRICT),
	BATCH(COMMIT, -EINVAL, .layout = 1),
	BATCH(ABORT, -EINVAL, .reserved = 1),
	BATCH(RESERVE_READ, -EINVAL, .flags = MARU_L1_B_FORCE),
	BATCH(RESERVE_READ, -E2BIG, .nr_items = MARU_L1_BATCH_MAX + 1),
	BATCH(PEEK, -EINVAL, .flags = MARU_L1_B_STRICT),
	BATCH(RELEASE, -E2BIG, .keys_len = MARU_L1_KEYS_MAX + 1),
	BATCH(RENEW, -EINVAL, .layout = 1),
	BATCH(DELETE, -EINVAL, .flags = MARU_L1_B_STRICT),
	BATCH(TOUCH, -EINVAL, .reserved = 1),
	BATCH(QUERY, -EINVAL, .flags = 4),
	{ MARU_L1_SETUP, -EINVAL, { .setup = { .write_lease_ms = 0 } } },
	{ MARU_L1_SETUP, -EINVAL, { .setup = { .write_lease_ms = 1,
		.read_lease_ms = MARU_L1_LEASE_MS_MAX + 1 } } },
	{ MARU_L1_LAYOUT, -EINVAL, { .layout = { .bytes = 0 } } },
	{ MARU_L1_LAYOUT, -EINVAL, { .layout = { .bytes = 1, .alignment = 3 } } },
	{ MARU_L1_CLEAR, -EINVAL, { .clear = { .flags = 2 } } },
	{ MARU_L1_PURGE, -EINVAL, { .purge = { .flags = 1 } } },
	{ MARU_L1_EVICT, -EINVAL, { .evict = { .bytes = 1, .count = 1 } } },
	{ MARU_L1_EVICT, -EINVAL, { .evict = { .bytes = 0 } } },
	{ MARU_L1_EVICT, -EINVAL, { .evict = { .count = 1, .nr_items = 1 } } },
	{ MARU_L1_EVICT, -EINVAL, { .evict = { .count = 1,
		.flags = MARU_L1_EVICT_LAYOUT } } },
	{ MARU_L1_USAGE, -EINVAL, { .usage = { .flags = 1 } } },
	{ MARU_L1_SUBSCRIBE, -EINVAL, { .subscribe = { .mask = 1 } } },
	{ MARU_L1_SUBSCRIBE, -EINVAL, { .subscribe = { .mask = 1U << 31,
		.ring_size = MARU_L1_EVENTS_MIN } } },
	{ MARU_L1_REPORT_BAD, -EINVAL, { .report_bad = { .flags = 1 } } },
	{ MARU_L1_STATS, -EINVAL, { .stats = { .reserved = 1 } } },
	{ MARU_L1_CHECK, -EINVAL, { .check = { .flags = 1 } } },
};

union item {
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit;
	struct maru_l1_abort abort;
	struct maru_l1_read read;
	struct maru_l1_release release;
	struct maru_l1_renew renew;
	struct maru_l1_delete delete;
	struct maru_l1_touch touch;
	struct maru_l1_query query;
};

#define KEYS_LEN	8	/* of the key buffer that items must stay in */
#define OUTSIDE		.key_off = KEYS_LEN - 3, .key_len = 4
#define FAR_OUTSIDE	.key_off = ~0U - 1, .key_len = 4

static const struct wrong_item {
	u32 nr;
	union item item;
} wrong_items[] = {
	{ MARU_L1_RESERVE_WRITE, { .reserve = { .length = 1, .reserved = 1 } } },
	{ MARU_L1_RESERVE_WRITE, { .reserve = { .length = 1, .flags = 2 } } },
	{ MARU_L1_RESERVE_WRITE, { .reserve = { .length = 1, OUTSIDE } } },
	{ MARU_L1_COMMIT, { .commit = { .reserved = 1 } } },
	{ MARU_L1_COMMIT, { .commit = { FAR_OUTSIDE } } },
	{ MARU_L1_ABORT, { .abort = { OUTSIDE } } },
	{ MARU_L1_RESERVE_READ, { .read = { .reserved = 1 } } },
	{ MARU_L1_RESERVE_READ, { .read = { OUTSIDE } } },
	{ MARU_L1_PEEK, { .read = { .holds = 1 } } },
	{ MARU_L1_PEEK, { .read = { .reserved = 1 } } },
	{ MARU_L1_RELEASE, { .release = { FAR_OUTSIDE } } },
	{ MARU_L1_RENEW, { .renew = { OUTSIDE } } },
	{ MARU_L1_DELETE, { .delete = { OUTSIDE } } },
	{ MARU_L1_TOUCH, { .touch = { OUTSIDE } } },
	{ MARU_L1_QUERY, { .query = { FAR_OUTSIDE } } },
};

static void malformed_item(struct world *w, const struct op *op, s32 client)
{
	const struct wrong_item *wrong;
	bool writable = w->node.m->clients[client].writable;
	union maru_call_arg arg = {
		.batch = { .nr_items = 1, .keys_len = KEYS_LEN },
	};
	u8 keys[KEYS_LEN] = "12345678";
	union item item;
	int err;

	wrong = &wrong_items[op->which % ARRAY_SIZE(wrong_items)];
	item = wrong->item;
	err = node_call(w, client, wrong->nr, &arg, &item, keys);
	tally_call(OP_MALFORMED, err);
	if (err != -EINVAL && !(err == -EACCES && !writable))
		sim_fail(w, "malformed item %u: %d", op->which, err);
	if (memcmp(&item, &wrong->item, sizeof(item)))
		sim_fail(w, "malformed item %u was changed", op->which);
}

void step_malformed(struct world *w, const struct op *op, s32 client)
{
	const struct wrong *wrong = &wrongs[op->which % ARRAY_SIZE(wrongs)];
	bool writable = w->node.m->clients[client].writable;
	union maru_call_arg arg = wrong->arg;
	int err;

	if (op->sub & 1) {
		malformed_item(w, op, client);
		return;
	}
	err = node_call(w, client, wrong->nr, &arg, NULL, NULL);
	tally_call(OP_MALFORMED, err);
	if (err != wrong->err && !(err == -EACCES && !writable))
		sim_fail(w, "malformed call %#x: %d, expected %d", wrong->nr, err,
			 wrong->err);
	if (memcmp(&arg, &wrong->arg, sizeof(arg)))
		sim_fail(w, "malformed call %#x changed its argument", wrong->nr);
}
