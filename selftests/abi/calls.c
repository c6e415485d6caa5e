// SPDX-License-Identifier: GPL-2.0-only
/* Every ioctl number, and how to bring about that it does something. */
#include <string.h>
#include <unistd.h>
#include "../guest/raw.h"
#include "abi.h"

#define PAGE 4096
#define TAG 3

#define EACH_ITEM(type, i, item)					\
	for (unsigned int i = 0; i < FRAME_ITEMS; i++)			\
		for (struct type *item = frame_item(f, i); item; item = NULL)

static void batch(struct frame *f)
{
	struct maru_l1_batch *arg = frame_batch(f);

	arg->nr_items = FRAME_ITEMS;
	arg->items = (uintptr_t)f->items;
	arg->keys = (uintptr_t)f->keys;
	arg->keys_len = f->keys_len;
	for (unsigned int i = 0; i < FRAME_ITEMS; i++) {
		uint32_t *key = frame_item(f, i);

		key[0] = i * KEY_LEN;
		key[1] = KEY_LEN;
	}
}

/* Stages both keys. */
static void stage(struct frame *f, uint32_t flags)
{
	struct maru_l1_reserve items[FRAME_ITEMS];

	for (unsigned int i = 0; i < FRAME_ITEMS; i++)
		items[i] = (struct maru_l1_reserve){
			.key_off = i * KEY_LEN, .key_len = KEY_LEN,
			.length = PAGE, .tag = TAG, .flags = flags,
		};
	EXPECT_EQ(raw_batch_flags(f->fd, MARU_L1_RESERVE_WRITE, world.layout, 0,
				  f->keys, f->keys_len, items, FRAME_ITEMS), 0);
	for (unsigned int i = 0; i < FRAME_ITEMS; i++)
		EXPECT_EQ(items[i].status, MARU_L1_OK);
}

/* Publishes both keys (or makes private objects), with @holds on each. */
static void publish(struct frame *f, uint32_t flags, uint32_t holds)
{
	struct maru_l1_commit items[FRAME_ITEMS];

	stage(f, flags);
	for (unsigned int i = 0; i < FRAME_ITEMS; i++)
		items[i] = (struct maru_l1_commit){
			.key_off = i * KEY_LEN, .key_len = KEY_LEN,
			.tag = TAG, .holds = holds,
		};
	EXPECT_EQ(raw_batch_flags(f->fd, MARU_L1_COMMIT, 0, 0, f->keys,
				  f->keys_len, items, FRAME_ITEMS), 0);
	for (unsigned int i = 0; i < FRAME_ITEMS; i++)
		EXPECT_EQ(items[i].status, MARU_L1_OK);
}

static void prepare_reserve(struct frame *f)
{
	batch(f);
	frame_batch(f)->layout = world.layout;
	EACH_ITEM(maru_l1_reserve, i, item) {
		item->length = PAGE;
		item->tag = TAG;
	}
}

static void prepare_commit(struct frame *f)
{
	stage(f, 0);
	batch(f);
	EACH_ITEM(maru_l1_commit, i, item) {
		item->tag = TAG;
		item->holds = 1;
		memset(item->cookie, 0x11, sizeof(item->cookie));
	}
}

static void prepare_abort(struct frame *f)
{
	stage(f, 0);
	batch(f);
	EACH_ITEM(maru_l1_abort, i, item)
		item->tag = TAG;
}

static void prepare_reserve_read(struct frame *f)
{
	publish(f, 0, 1);
	batch(f);
	EACH_ITEM(maru_l1_read, i, item)
		item->holds = 2;
}

static void prepare_held(struct frame *f)
{
	publish(f, 0, 2);
	batch(f);
}

static void prepare_release(struct frame *f)
{
	prepare_held(f);
	EACH_ITEM(maru_l1_release, i, item)
		item->holds = 1;
}

static void prepare_published(struct frame *f)
{
	publish(f, 0, 0);
	batch(f);
}

static void prepare_layout(struct frame *f)
{
	((struct maru_l1_layout *)f->arg)->bytes = PAGE;
}

static void prepare_setup(struct frame *f)
{
	struct maru_l1_setup *arg = (struct maru_l1_setup *)f->arg;

	arg->read_lease_ms = 60000;
	arg->write_lease_ms = 60000;
}

static void prepare_clear(struct frame *f)
{
	publish(f, MARU_L1_TEMPORARY, 0);
}

static void prepare_purge(struct frame *f)
{
	publish(f, 0, 0);
}

static void prepare_evict(struct frame *f)
{
	struct maru_l1_evict *arg = (struct maru_l1_evict *)f->arg;

	publish(f, 0, 0);
	arg->count = FRAME_ITEMS;
	arg->nr_items = FRAME_ITEMS;
	arg->items = (uintptr_t)f->items;
	arg->keys_len = FRAME_ITEMS * MARU_L1_KEY_MAX;
	arg->keys = (uintptr_t)world.keys_end - arg->keys_len;
}

static void prepare_subscribe(struct frame *f)
{
	struct maru_l1_subscribe *arg = (struct maru_l1_subscribe *)f->arg;

	arg->mask = MARU_L1_EV_MASK(MARU_L1_EV_DELETED);
	arg->ring_size = MARU_L1_EVENTS_MIN;
}

static void prepare_report_bad(struct frame *f)
{
	struct maru_l1_read item;

	publish(f, 0, 0);
	EXPECT_EQ(raw_read(f->fd, "abi-0", 1, &item), MARU_L1_OK);
	((struct maru_l1_report_bad *)f->arg)->offset = item.offset;
}

static void prepare_stats(struct frame *f)
{
	struct maru_l1_stats *arg = (struct maru_l1_stats *)f->arg;

	publish(f, 0, 0);
	arg->nr_items = FRAME_ITEMS;
	arg->items = (uintptr_t)f->items;
}

static void prepare_check(struct frame *f)
{
	struct maru_l1_check *arg = (struct maru_l1_check *)f->arg;

	arg->nr_items = FRAME_ITEMS;
	arg->items = (uintptr_t)f->items;
}

/* A medium that nobody else uses: 8 MiB, formatted anew. */
static void prepare_attach(struct frame *f)
{
	struct maru_l1_attach *arg = (struct maru_l1_attach *)f->arg;
	static struct medium medium = { .fd = -1 };

	pool_detach(ABI_FRESH, 0);
	medium_close(&medium);
	EXPECT_EQ(medium_memfd(&medium, 8 << 20, MEDIUM_SEALED, true), 0);
	*arg = medium_attach_arg(ABI_FRESH, &medium.fd, 1);
}

static void prepare_detach(struct frame *f)
{
	struct maru_l1_detach *arg = (struct maru_l1_detach *)f->arg;
	static struct medium medium = { .fd = -1 };
	int fd;

	strcpy((char *)arg->name, ABI_VICTIM);
	fd = raw_open(ABI_VICTIM, O_RDONLY);
	if (fd >= 0) {
		close(fd);
		return;
	}
	medium_close(&medium);
	EXPECT_EQ(medium_memfd(&medium, 8 << 20, MEDIUM_SEALED, true), 0);
	EXPECT_EQ(medium_attach(&medium, ABI_VICTIM, 1), 0);
}

void medium_format_next(struct medium *m, const char *pool)
{
	struct medium_super *sb = medium_super(m, 0);
	struct maru_l1_info info;
	int fd = raw_open(pool, O_RDONLY);

	EXPECT_EQ(raw_info(fd, &info), 0);
	close(fd);
	medium_format(m);
	memcpy(sb->uuid, info.uuid, sizeof(sb->uuid));
	sb->backing_index = info.nr_backings;
	sb->backing_count = info.nr_backings + 1;
	memcpy(sb->backing_bytes, info.backing_bytes, sizeof(sb->backing_bytes));
	sb->backing_bytes[info.nr_backings] = m->bytes - MEDIUM_UNIT;
	sb->pool_bytes += info.capacity;
	medium_seal_super(sb);
}

/* A pool of 6 MiB, once, and a next part of 2 MiB for it. */
static void prepare_grow(struct frame *f)
{
	struct maru_l1_grow *arg = (struct maru_l1_grow *)f->arg;
	static struct medium first = { .fd = -1 }, next = { .fd = -1 };

	if (first.fd < 0) {
		EXPECT_EQ(medium_memfd(&first, 8 << 20, MEDIUM_SEALED, true), 0);
		EXPECT_EQ(medium_attach(&first, ABI_GROWING, 1), 0);
	}
	medium_close(&next);
	EXPECT_EQ(medium_memfd(&next, 4 << 20, MEDIUM_SEALED, false), 0);
	medium_format_next(&next, ABI_GROWING);
	strcpy((char *)arg->name, ABI_GROWING);
	arg->fd = next.fd;
}

#define CALL(number, type, ...) \
	{ .name = #number, .nr = MARU_L1_##number, .arg = "maru_l1_" #type, __VA_ARGS__ }
#define BATCH(number, type, bits, ...) \
	CALL(number, batch, .item = "maru_l1_" #type, .traits = T_BATCH | (bits), __VA_ARGS__)

const struct call calls[] = {
	CALL(INFO, info),
	CALL(SETUP, setup, .prepare = prepare_setup),
	CALL(LAYOUT, layout, .traits = T_WRITE, .prepare = prepare_layout),
	BATCH(RESERVE_WRITE, reserve, T_WRITE, .prepare = prepare_reserve),
	BATCH(COMMIT, commit, T_WRITE, .prepare = prepare_commit),
	BATCH(ABORT, abort, T_WRITE, .prepare = prepare_abort),
	BATCH(RESERVE_READ, read, 0, .prepare = prepare_reserve_read,
	      .flags = MARU_L1_B_STRICT),
	BATCH(PEEK, read, 0, .prepare = prepare_held),
	BATCH(RELEASE, release, 0, .prepare = prepare_release),
	BATCH(RENEW, renew, 0, .prepare = prepare_held),
	BATCH(DELETE, delete, T_WRITE, .prepare = prepare_published,
	      .flags = MARU_L1_B_FORCE),
	BATCH(TOUCH, touch, 0, .prepare = prepare_published),
	BATCH(QUERY, query, 0, .prepare = prepare_held),
	CALL(CLEAR, clear, .flags = MARU_L1_CLEAR_FORCE, .prepare = prepare_clear),
	CALL(PURGE, purge, .traits = T_WRITE | T_ADMIN, .prepare = prepare_purge),
	CALL(EVICT, evict, .traits = T_WRITE | T_LIST, .item = "maru_l1_victim",
	     .flags = MARU_L1_EVICT_DRY_RUN | MARU_L1_EVICT_TARGET |
		      MARU_L1_EVICT_LAYOUT,
	     .prepare = prepare_evict),
	CALL(USAGE, usage),
	CALL(SUBSCRIBE, subscribe, .prepare = prepare_subscribe),
	CALL(REPORT_BAD, report_bad, .traits = T_WRITE,
	     .prepare = prepare_report_bad),
	CALL(STATS, stats, .traits = T_LIST, .item = "maru_l1_counter",
	     .prepare = prepare_stats),
	CALL(CHECK, check, .traits = T_LIST | T_ADMIN,
	     .item = "maru_l1_difference", .prepare = prepare_check),
	CALL(ATTACH, attach, .traits = T_CONTROL | T_ADMIN,
	     .prepare = prepare_attach),
	CALL(DETACH, detach, .traits = T_CONTROL | T_ADMIN,
	     .flags = MARU_L1_DETACH_FORCE, .prepare = prepare_detach),
	CALL(GROW, grow, .traits = T_CONTROL | T_ADMIN, .prepare = prepare_grow),
};

const size_t nr_calls = ARRAY_SIZE(calls);
