// SPDX-License-Identifier: GPL-2.0-only
/* Fields whose range the header gives, just outside of it and at its ends. */
#include <string.h>
#include <sys/mman.h>
#include "../guest/raw.h"
#include "abi.h"

static bool begin(struct frame *f, unsigned long nr)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == nr)
			return frame_begin(f, &calls[i], O_RDWR);
	abort();
}

/* A field set to a value, refused; @arg is the frame's own argument. */
#define REFUSED(f, field, wrong) do {					\
	typeof(field) refused_was = (field);				\
	(field) = (wrong);						\
	frame_refused(f, -EINVAL, #field " " #wrong);			\
	(field) = refused_was;						\
} while (0)

#define ACCEPTED(f, field, right) do {					\
	(field) = (right);						\
	frame_accepted(f, #field " " #right);				\
} while (0)

static void setup(void)
{
	struct frame f;
	struct maru_l1_setup *arg;

	ASSERT(begin(&f, MARU_L1_SETUP));
	arg = (struct maru_l1_setup *)f.arg;
	REFUSED(&f, arg->read_lease_ms, MARU_L1_LEASE_MS_MAX + 1);
	REFUSED(&f, arg->read_lease_ms, UINT32_MAX);
	REFUSED(&f, arg->write_lease_ms, 0);
	REFUSED(&f, arg->write_lease_ms, MARU_L1_LEASE_MS_MAX + 1);
	ACCEPTED(&f, arg->read_lease_ms, 0);
	ACCEPTED(&f, arg->read_lease_ms, MARU_L1_LEASE_MS_MAX);
	ACCEPTED(&f, arg->write_lease_ms, MARU_L1_LEASE_MS_MAX);
	frame_end(&f);
}

/* With staging, a private object or a hold, a lease may not change any more. */
static void setup_busy(void)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	struct frame f;

	ASSERT(begin(&f, MARU_L1_SETUP));
	EXPECT_EQ(raw_reserve(f.fd, world.layout, "busy", 1, 0, &reserve), MARU_L1_OK);
	frame_refused(&f, -EBUSY, "with staging");
	EXPECT_EQ(raw_commit(f.fd, "busy", 1, &commit), MARU_L1_OK);
	frame_refused(&f, -EBUSY, "with a hold");
	EXPECT_EQ(raw_release(f.fd, "busy", 1), MARU_L1_OK);
	frame_accepted(&f, "with nothing");
	EXPECT_EQ(raw_reserve(f.fd, world.layout, "busy-2", 1, MARU_L1_TEMPORARY, &reserve),
		  MARU_L1_OK);
	EXPECT_EQ(raw_commit(f.fd, "busy-2", 0, &commit), MARU_L1_OK);
	frame_refused(&f, -EBUSY, "with a private object");
	frame_end(&f);
}

static void layout(void)
{
	struct maru_l1_info info;
	struct frame f;
	struct maru_l1_layout *arg;

	ASSERT(begin(&f, MARU_L1_LAYOUT));
	ASSERT(!raw_info(f.fd, &info));
	arg = (struct maru_l1_layout *)f.arg;
	REFUSED(&f, arg->bytes, 0);
	REFUSED(&f, arg->bytes, info.capacity + 1);
	REFUSED(&f, arg->bytes, UINT64_MAX);
	REFUSED(&f, arg->alignment, 3);
	REFUSED(&f, arg->alignment, 96);
	REFUSED(&f, arg->alignment, 2 * MARU_L1_ALIGN_MAX);
	REFUSED(&f, arg->alignment, 1U << 31);
	REFUSED(&f, arg->alignment, UINT32_MAX);
	ACCEPTED(&f, arg->alignment, 1);
	ACCEPTED(&f, arg->alignment, MARU_L1_ALIGN_MAX);
	frame_end(&f);
}

static void evict(void)
{
	struct frame f;
	struct maru_l1_evict *arg;

	ASSERT(begin(&f, MARU_L1_EVICT));
	arg = (struct maru_l1_evict *)f.arg;
	REFUSED(&f, arg->count, 0);
	REFUSED(&f, arg->bytes, 1);
	REFUSED(&f, arg->flags, MARU_L1_EVICT_TARGET);
	REFUSED(&f, arg->flags, MARU_L1_EVICT_LAYOUT);
	REFUSED(&f, arg->layout, 1);
	REFUSED(&f, arg->target_permille, 1);
	REFUSED(&f, arg->keys_len, MARU_L1_KEY_MAX - 1);
	REFUSED(&f, arg->keys_len, 0);
	arg->count = 0;
	arg->flags = MARU_L1_EVICT_TARGET;
	REFUSED(&f, arg->target_permille, 1001);
	REFUSED(&f, arg->bytes, 1);
	ACCEPTED(&f, arg->target_permille, 1000);
	EXPECT_EQ(arg->evicted, 0);
	frame_end(&f);
}

/* For a layout, the goal is bytes, and the layout must be one. */
static void evict_layout(void)
{
	struct frame f;
	struct maru_l1_evict *arg;

	ASSERT(begin(&f, MARU_L1_EVICT));
	arg = (struct maru_l1_evict *)f.arg;
	REFUSED(&f, arg->layout, 1);
	REFUSED(&f, arg->flags, MARU_L1_EVICT_LAYOUT);
	REFUSED(&f, arg->flags, MARU_L1_EVICT_LAYOUT | MARU_L1_EVICT_TARGET);
	arg->count = 0;
	arg->bytes = 1;
	REFUSED(&f, arg->flags, MARU_L1_EVICT_LAYOUT | MARU_L1_EVICT_DRY_RUN);
	arg->flags = MARU_L1_EVICT_LAYOUT;
	REFUSED(&f, arg->layout, 900);
	REFUSED(&f, arg->layout, MARU_L1_LAYOUTS_MAX);
	REFUSED(&f, arg->layout, UINT32_MAX);
	ACCEPTED(&f, arg->layout, world.layout);
	EXPECT_EQ(arg->evicted, 0);
	frame_end(&f);
}

static void evict_keys(void)
{
	struct frame f;
	uint64_t was;
	struct maru_l1_evict *arg;

	ASSERT(begin(&f, MARU_L1_EVICT));
	arg = (struct maru_l1_evict *)f.arg;
	was = arg->keys;
	arg->keys = 0;
	frame_refused(&f, -EFAULT, "keys NULL");
	arg->keys = was + 1;
	frame_refused(&f, -EFAULT, "keys whose end is not mapped");
	arg->keys = was;
	page_protect(world.keys_end, PROT_READ);
	frame_refused(&f, -EFAULT, "keys in read-only memory");
	page_protect(world.keys_end, PROT_READ | PROT_WRITE);
	arg->keys_len = MARU_L1_KEYS_MAX + 1;
	frame_refused(&f, -E2BIG, "4 MiB and a byte of keys");
	frame_end(&f);
}

static void subscribe(void)
{
	struct frame f;
	struct maru_l1_subscribe *arg;

	ASSERT(begin(&f, MARU_L1_SUBSCRIBE));
	arg = (struct maru_l1_subscribe *)f.arg;
	REFUSED(&f, arg->mask, MARU_L1_EV_MASK(MARU_L1_EV_LOST));
	REFUSED(&f, arg->mask, 1U << 31);
	REFUSED(&f, arg->mask, 0);
	REFUSED(&f, arg->ring_size, 0);
	REFUSED(&f, arg->ring_size, MARU_L1_EVENTS_MIN - 4096);
	REFUSED(&f, arg->ring_size, MARU_L1_EVENTS_MIN + 1);
	REFUSED(&f, arg->ring_size, MARU_L1_EVENTS_MAX + 4096);
	REFUSED(&f, arg->ring_size, UINT32_MAX & ~4095U);
	REFUSED(&f, arg->watermark_permille, 1);
	arg->mask = MARU_L1_EV_ALL;
	REFUSED(&f, arg->watermark_permille, 0);
	REFUSED(&f, arg->watermark_permille, 1001);
	arg->watermark_permille = 1000;
	ACCEPTED(&f, arg->ring_size, MARU_L1_EVENTS_MAX);
	arg->watermark_permille = 0;
	arg->mask = 0;
	REFUSED(&f, arg->ring_size, MARU_L1_EVENTS_MIN);
	ACCEPTED(&f, arg->ring_size, 0);
	frame_end(&f);
}

static void report_bad(void)
{
	struct maru_l1_info info;
	struct frame f;
	struct maru_l1_report_bad *arg;

	ASSERT(begin(&f, MARU_L1_REPORT_BAD));
	ASSERT(!raw_info(f.fd, &info));
	arg = (struct maru_l1_report_bad *)f.arg;
	REFUSED(&f, arg->offset, info.capacity);
	REFUSED(&f, arg->offset, UINT64_MAX);
	frame_end(&f);
}

static void peek_holds(void)
{
	struct frame f;

	ASSERT(begin(&f, MARU_L1_PEEK));
	((struct maru_l1_read *)frame_item(&f, 1))->holds = 1;
	frame_refused(&f, -EINVAL, "holds 1");
	frame_end(&f);
}

static void commit_holds(void)
{
	struct maru_l1_usage usage;
	struct maru_l1_commit *item;
	struct frame f;

	ASSERT(begin(&f, MARU_L1_COMMIT));
	item = frame_item(&f, 1);
	item->holds = UINT32_MAX;
	frame_accepted(&f, "2^32 - 1 holds");
	EXPECT_EQ(item->status, MARU_L1_OK);
	EXPECT_EQ(item->result, MARU_L1_R_CLAMPED);
	EXPECT_EQ(raw_usage(f.fd, &usage), 0);
	EXPECT_EQ(usage.my_holds, MARU_L1_HOLDS_MAX + 1);
	frame_end(&f);
}

/* ABORT, RELEASE and RENEW can do without a key, but not without key and id. */
static void nothing_named(void)
{
	static const unsigned long numbers[] = {
		MARU_L1_ABORT, MARU_L1_RELEASE, MARU_L1_RENEW,
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct frame f;
		uint32_t *key, *status;

		ASSERT(begin(&f, numbers[i]));
		key = frame_item(&f, 0);
		memset(key, 0, f.item_shape->size);
		frame_accepted(&f, "an item that names nothing");
		/* In all three, status is the last but one word. */
		status = key + f.item_shape->size / 4 - 2;
		EXPECT_EQ(*status, MARU_L1_INVALID);
		frame_end(&f);
	}
}

static void attach_values(void)
{
	struct frame f;
	struct maru_l1_attach *arg;

	ASSERT(begin(&f, MARU_L1_ATTACH));
	arg = (struct maru_l1_attach *)f.arg;
	REFUSED(&f, arg->nr_fds, 0);
	REFUSED(&f, arg->nr_fds, MARU_L1_BACKINGS_MAX + 1);
	REFUSED(&f, arg->nr_fds, UINT32_MAX);
	REFUSED(&f, arg->quarantine_ms, MARU_L1_QUARANTINE_MS_MAX + 1);
	REFUSED(&f, arg->quarantine_ms, UINT32_MAX);
	REFUSED(&f, arg->max_objects, (16U << 20) + 1);
	REFUSED(&f, arg->max_objects, UINT64_MAX);
	REFUSED(&f, arg->numa_node, -2);
	REFUSED(&f, arg->numa_node, INT32_MAX);
	frame_end(&f);
}

const struct tap_case value_cases[] = {
	{ "setup", "leases out of range are EINVAL", setup },
	{ "setup-busy", "leases do not change under what is held or written", setup_busy },
	{ "layout", "sizes and alignments out of range are EINVAL", layout },
	{ "evict", "EVICT needs exactly one goal, in range, and room for a key", evict },
	{ "evict-layout", "EVICT for a layout needs bytes and a layout that is one", evict_layout },
	{ "evict-keys", "EVICT's key buffer that is nowhere is refused and nothing evicted", evict_keys },
	{ "subscribe", "masks, rings and watermarks out of range are EINVAL", subscribe },
	{ "report-bad", "an offset outside of the pool is EINVAL", report_bad },
	{ "peek-holds", "PEEK takes no holds", peek_holds },
	{ "commit-holds", "more than 128 holds of a commit are CLAMPED", commit_holds },
	{ "nothing-named", "an item with neither key nor id is INVALID", nothing_named },
	{ "attach-values", "counts, times and nodes out of range are EINVAL", attach_values },
};
CASES(value_cases);
