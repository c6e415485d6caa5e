/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An engine that records calls and answers as it is told, for what no real one
 * can be brought to do: calls that fail in the middle, pools of 200 GiB, pools
 * that grow.
 */
#ifndef LIB_TEST_FAKE_H
#define LIB_TEST_FAKE_H

#include "internal.h"
#include "lib.h"

#define FAKE_CALLS	16

struct fake_call {
	unsigned long cmd;
	struct maru_l1_batch arg;
};

static struct fake {
	struct fake_call calls[FAKE_CALLS];
	int nr_calls;
	int fail_at;			/* the n-th call fails, 0: none */
	int fail_errno;
	unsigned long fail_cmd;		/* and all of this command, 0: none */
	/* Looks at the items of a call and answers them. */
	void (*answer)(unsigned long cmd, const struct maru_l1_batch *arg);
	uint64_t parts[MARU_L1_BACKINGS_MAX];	/* sizes of the backings, 0: no more */
	uint64_t mapped_from, mapped_length;
	int nr_mapped;
	int mapped_prot;
} fake;

static inline int fake_call(struct marul1_client *client, unsigned long cmd,
			    void *arg)
{
	if (cmd == MARU_L1_INFO) {
		struct maru_l1_info *info = arg;

		memcpy(info->backing_bytes, fake.parts, sizeof(fake.parts));
		while (info->nr_backings < MARU_L1_BACKINGS_MAX &&
		       fake.parts[info->nr_backings])
			info->capacity += fake.parts[info->nr_backings++];
		info->map_align = 2 << 20;
		return 0;
	}
	if (fake.nr_calls < FAKE_CALLS) {
		fake.calls[fake.nr_calls].cmd = cmd;
		fake.calls[fake.nr_calls].arg = *(struct maru_l1_batch *)arg;
	}
	fake.nr_calls++;
	if (fake.nr_calls == fake.fail_at || cmd == fake.fail_cmd)
		return fake.fail_errno;
	if (fake.answer)
		fake.answer(cmd, arg);
	return 0;
}

/* Leaves the address space as it was set aside: nobody touches it. */
static inline int fake_map(struct marul1_client *client, void *addr,
			   uint64_t offset, uint64_t length, int prot)
{
	if ((uint8_t *)addr != client->base + offset)
		return -EFAULT;
	fake.mapped_from = offset;
	fake.mapped_length = length;
	fake.nr_mapped++;
	fake.mapped_prot = prot;
	return 0;
}

static const struct marul1_engine fake_engine = {
	.scheme = "fake:",
	.call = fake_call,
	.map = fake_map,
};

static unsigned int fake_here = 1;
static struct log_seen fake_log;
static struct marul1_pool fake_pool = {
	.engine = &fake_engine,
	.refs = 1,
	.here = &fake_here,
};
static struct marul1_client fake_client;

static inline bool fake_start(void)
{
	memset(&fake, 0, sizeof(fake));
	memset(&fake_log, 0, sizeof(fake_log));
	if (!fake_pool.ctx && marul1_new(&fake_pool.ctx))
		return false;
	marul1_set_log_fn(fake_pool.ctx, log_keep, &fake_log);
	fake_client = (struct marul1_client) { .pool = &fake_pool, .fd = -1 };
	pthread_mutex_init(&fake_client.map_lock, NULL);
	return true;
}

/* At the end of main(): nothing is left for a leak checker. */
static inline void fake_end(void)
{
	fake_pool.ctx = marul1_unref(fake_pool.ctx);
}

#endif /* LIB_TEST_FAKE_H */
