// SPDX-License-Identifier: GPL-2.0-only
/* Memory of a call, made so that every stray byte of the kernel shows. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../guest/account.h"
#include "../guest/raw.h"
#include "abi.h"

#define PAGE 4096
#define GUARD (16U << 10)

struct world world;

static struct medium abi_medium;

/* @room bytes between two guards; the answer is their end. */
static uint8_t *guarded(size_t room)
{
	uint8_t *p = mmap(NULL, room + 2 * GUARD, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p + GUARD, room, PROT_READ | PROT_WRITE))
		abort();
	return p + GUARD + room;
}

void page_protect(uint8_t *end, int prot)
{
	uintptr_t page = ((uintptr_t)end - 1) & ~(uintptr_t)(PAGE - 1);

	if (mprotect((void *)page, PAGE, prot))
		abort();
}

bool world_begin(void)
{
	int ret;

	world.arg_end = guarded(ARG_ROOM);
	world.items_end = guarded(ITEMS_ROOM);
	world.keys_end = guarded(KEYS_ROOM);
	world.unmapped = world.arg_end;
	world.control = open(RAW_CONTROL, O_RDWR | O_CLOEXEC);
	if (world.control < 0) {
		perror("# " RAW_CONTROL);
		return false;
	}
	ret = medium_memfd(&abi_medium, 64 << 20, MEDIUM_SEALED, true);
	ret = ret ?: medium_attach(&abi_medium, ABI_POOL, 20);
	if (ret) {
		printf("# the pool cannot be attached: %s\n", strerror(-ret));
		return false;
	}
	world.observer = raw_open(ABI_POOL, O_RDWR | O_CLOEXEC);
	return world.observer >= 0 && !raw_layout(world.observer, PAGE, &world.layout);
}

/* What a file had is gone at last, so that the pools can be detached. */
void world_end(void)
{
	EXPECT(account_settle(world.observer, 2000) >= 0);
	close(world.observer);
	EXPECT_EQ(pool_detach(ABI_POOL, 0), 0);
	medium_close(&abi_medium);
	pool_detach(ABI_VICTIM, 0);
	pool_detach(ABI_FRESH, 0);
	pool_detach(ABI_GROWING, 0);
	close(world.control);
}

/* Poison where the kernel is to write, zero elsewhere. */
static void shape_init(const struct shape *shape, uint8_t *at)
{
	memset(at, FRAME_POISON, shape->size);
	for (unsigned int i = 0; i < shape->nr_fields; i++) {
		const struct field *field = &shape->fields[i];

		if (field->kind != F_OUT)
			memset(at + field->offset, 0, field->length);
		if (field->kind == F_SIZE)
			*(uint32_t *)(at + field->offset) = shape->size;
	}
}

bool frame_begin(struct frame *f, const struct call *call, int flags)
{
	memset(f, 0, sizeof(*f));
	f->call = call;
	f->fd = call->traits & T_CONTROL ? open(RAW_CONTROL, flags | O_CLOEXEC) :
		raw_open(ABI_POOL, flags | O_CLOEXEC);
	if (f->fd < 0) {
		TAP_FAIL("%s: the node cannot be opened: %d", call->name, f->fd);
		return false;
	}
	f->arg_shape = shape_of(call->arg);
	memset(world.arg_end - ARG_ROOM, FRAME_POISON, ARG_ROOM);
	f->arg = world.arg_end - f->arg_shape->size;
	shape_init(f->arg_shape, f->arg);
	f->keys_len = FRAME_ITEMS * KEY_LEN;
	f->keys = world.keys_end - f->keys_len;
	memset(world.keys_end - 2 * PAGE, FRAME_POISON, 2 * PAGE);
	memcpy(f->keys, "abi-0abi-1", f->keys_len);
	if (call->item) {
		f->item_shape = shape_of(call->item);
		f->items = world.items_end - FRAME_ITEMS * f->item_shape->size;
		memset(world.items_end - 2 * PAGE, FRAME_POISON, 2 * PAGE);
		for (unsigned int i = 0; i < FRAME_ITEMS; i++)
			shape_init(f->item_shape, frame_item(f, i));
	}
	if (call->prepare)
		call->prepare(f);
	return true;
}

/* Gives all back by calls, so that nothing is left to a quarantine. */
void frame_end(struct frame *f)
{
	char key[] = "abi-0";

	for (int i = 0; i < FRAME_ITEMS && !(f->call->traits & T_CONTROL); i++) {
		struct maru_l1_abort item = { .tag = 3 };

		key[4] = '0' + i;
		RAW_ONE(f->fd, MARU_L1_ABORT, 0, 0, key, &item);
	}
	if (!(f->call->traits & T_CONTROL))
		raw_clear(f->fd, MARU_L1_CLEAR_FORCE);
	close(f->fd);
	raw_purge(world.observer);
}

int frame_call(struct frame *f)
{
	return raw_call(f->fd, f->call->nr, f->arg);
}

/* The caller's memory before a call; what is not readable does not count. */
struct copy {
	uint8_t arg[ARG_ROOM];
	uint8_t items[2 * PAGE];
	uint8_t keys[2 * PAGE];
};

static bool readable(const void *page)
{
	int pipe_fd[2];
	bool yes;

	if (pipe(pipe_fd))
		abort();
	yes = write(pipe_fd[1], page, 1) == 1;
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	return yes;
}

static void copy_range(uint8_t *to, const uint8_t *from, size_t len)
{
	for (size_t i = 0; i < len; i += PAGE)
		if (readable(from + i))
			memcpy(to + i, from + i, PAGE);
		else
			memset(to + i, 0, PAGE);
}

static void copy_memory(struct copy *copy)
{
	copy_range(copy->arg, world.arg_end - ARG_ROOM, ARG_ROOM);
	copy_range(copy->items, world.items_end - 2 * PAGE, 2 * PAGE);
	copy_range(copy->keys, world.keys_end - 2 * PAGE, 2 * PAGE);
}

void frame_refused(struct frame *f, int want, const char *what)
{
	static struct copy before, after;
	struct maru_l1_usage was, is;
	int own = f->call->traits & T_CONTROL ? world.observer : f->fd;
	int ret;

	EXPECT_EQ(raw_usage(own, &was), 0);
	copy_memory(&before);
	ret = frame_call(f);
	copy_memory(&after);
	if (ret != want)
		TAP_FAIL("%s, %s: answered %d, expected %d", f->call->name, what, ret, want);
	if (memcmp(&before, &after, sizeof(before)))
		TAP_FAIL("%s, %s: failed and changed memory of the caller",
			 f->call->name, what);
	EXPECT_EQ(raw_usage(own, &is), 0);
	if (!account_equal(&was, &is) || !account_sound(world.observer, NULL))
		TAP_FAIL("%s, %s: failed and changed the pool", f->call->name, what);
}

void frame_accepted(struct frame *f, const char *what)
{
	int ret = frame_call(f);

	if (ret)
		TAP_FAIL("%s, %s: answered %d, expected 0", f->call->name, what, ret);
	if (!account_sound(world.observer, NULL))
		TAP_FAIL("%s, %s: left a pool that does not add up", f->call->name, what);
}

void each_call(unsigned int traits, void (*try)(struct frame *f))
{
	for (size_t i = 0; i < nr_calls; i++) {
		struct frame f;

		if (traits && !(calls[i].traits & traits))
			continue;
		if (!frame_begin(&f, &calls[i], O_RDWR))
			continue;
		try(&f);
		frame_end(&f);
	}
}

const struct shape *shape_of(const char *name)
{
	for (size_t i = 0; i < nr_shapes; i++)
		if (!strcmp(shapes[i].name, name))
			return &shapes[i];
	abort();
}
