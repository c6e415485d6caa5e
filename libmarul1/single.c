// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Single calls: a struct of linux/maru_l1.h each, answered only on success. */
#include "internal.h"

int marul1_info(struct marul1_client *client, struct maru_l1_info *info)
{
	struct maru_l1_info arg = { .size = sizeof(arg) };
	int err = marul1_call(client, MARU_L1_INFO, &arg);

	if (!err)
		*info = arg;
	return err;
}

int marul1_set_leases(struct marul1_client *client, uint32_t read_ms,
		      uint32_t write_ms)
{
	struct maru_l1_setup arg = {
		.size = sizeof(arg),
		.read_lease_ms = read_ms,
		.write_lease_ms = write_ms,
	};

	return marul1_call(client, MARU_L1_SETUP, &arg);
}

int marul1_layout(struct marul1_client *client, uint64_t bytes,
		  uint32_t alignment, uint32_t *layout)
{
	struct maru_l1_layout arg = {
		.size = sizeof(arg),
		.bytes = bytes,
		.alignment = alignment,
	};
	int err = marul1_call(client, MARU_L1_LAYOUT, &arg);

	if (!err)
		*layout = arg.layout;
	return err;
}

int marul1_clear(struct marul1_client *client, unsigned int flags,
		 struct maru_l1_clear *answer)
{
	struct maru_l1_clear arg = { .size = sizeof(arg), .flags = flags };
	int err = marul1_call(client, MARU_L1_CLEAR, &arg);

	if (!err && answer)
		*answer = arg;
	return err;
}

int marul1_purge(struct marul1_client *client, struct maru_l1_purge *answer)
{
	struct maru_l1_purge arg = { .size = sizeof(arg) };
	int err = marul1_call(client, MARU_L1_PURGE, &arg);

	if (!err && answer)
		*answer = arg;
	return err;
}

int marul1_evict(struct marul1_client *client, struct maru_l1_evict *evict)
{
	struct maru_l1_evict arg = *evict;
	int err;

	arg.size = sizeof(arg);
	err = marul1_call(client, MARU_L1_EVICT, &arg);
	if (!err)
		*evict = arg;
	return err;
}

int marul1_report_bad(struct marul1_client *client, uint64_t offset,
		      struct maru_l1_report_bad *answer)
{
	struct maru_l1_report_bad arg = { .size = sizeof(arg), .offset = offset };
	int err = marul1_call(client, MARU_L1_REPORT_BAD, &arg);

	if (!err && answer)
		*answer = arg;
	return err;
}

int marul1_stats(struct marul1_client *client, struct maru_l1_stats *stats)
{
	struct maru_l1_stats arg = *stats;
	int err;

	arg.size = sizeof(arg);
	err = marul1_call(client, MARU_L1_STATS, &arg);
	if (!err)
		*stats = arg;
	return err;
}

int marul1_check(struct marul1_client *client, struct maru_l1_check *check)
{
	struct maru_l1_check arg = *check;
	int err;

	arg.size = sizeof(arg);
	err = marul1_call(client, MARU_L1_CHECK, &arg);
	if (!err)
		*check = arg;
	return err;
}

int marul1_usage(struct marul1_client *client, struct maru_l1_usage *usage)
{
	struct maru_l1_usage arg = { .size = sizeof(arg) };
	int err = marul1_call(client, MARU_L1_USAGE, &arg);

	if (!err)
		*usage = arg;
	return err;
}

int marul1_subscribe(struct marul1_client *client, uint32_t mask,
		     uint32_t ring_size, uint32_t watermark_permille)
{
	struct maru_l1_subscribe arg = {
		.size = sizeof(arg),
		.mask = mask,
		.ring_size = ring_size,
		.watermark_permille = watermark_permille,
	};

	return marul1_call(client, MARU_L1_SUBSCRIBE, &arg);
}
