// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "script.h"

const char *const published_keys[P_ALL] = { "seed", "a", "b" };

static uint32_t word(const char *key, size_t i)
{
	return key[0] * 2654435761U + i * 40503U;
}

void payload_fill(void *page, const char *key)
{
	for (size_t i = 0; i < PAGE / 4; i++)
		((uint32_t *)page)[i] = word(key, i);
}

bool payload_whole(const void *page, const char *key)
{
	for (size_t i = 0; i < PAGE / 4; i++)
		if (((const uint32_t *)page)[i] != word(key, i))
			return false;
	return true;
}

void payload_cookie(uint8_t cookie[MARU_L1_COOKIE_LEN], const char *key)
{
	memset(cookie, key[0], MARU_L1_COOKIE_LEN);
}

struct script {
	const char *pool;
	int fd;
	uint32_t layout;
	uint8_t *map;
	uint64_t size;
	uint64_t id_d;
	struct {
		char key;
		uint64_t offset;
	} writes[8];
	unsigned int nr_writes;
};

/* The parent looks at the exit status only if it did not kill the script. */
static void must(int status, int want)
{
	if (status != want)
		_exit(40 + (status < 0 ? 20 : status));
}

static void reserve(struct script *s, const char *keys, uint32_t flags)
{
	struct maru_l1_reserve items[4] = { 0 };
	uint32_t n = strlen(keys);

	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct maru_l1_reserve){
			.key_off = i, .key_len = 1, .length = PAGE, .flags = flags,
		};
	must(raw_batch_flags(s->fd, MARU_L1_RESERVE_WRITE, s->layout, 0, keys, n, items, n), 0);
	for (uint32_t i = 0; i < n; i++) {
		must(items[i].status, MARU_L1_OK);
		s->writes[s->nr_writes].key = keys[i];
		s->writes[s->nr_writes++].offset = items[i].offset;
		if (keys[i] == 'd')
			s->id_d = items[i].id;
	}
}

static void commit(struct script *s, const char *key, uint32_t holds)
{
	struct maru_l1_commit item = { 0 };

	payload_cookie(item.cookie, key);
	must(raw_commit(s->fd, key, holds, &item), MARU_L1_OK);
}

static void read_key(struct script *s, const char *key, uint32_t holds)
{
	struct maru_l1_read item;

	must(raw_read(s->fd, key, holds, &item), MARU_L1_OK);
}

static void open_pool(struct script *s)
{
	s->fd = raw_open(s->pool, O_RDWR | O_CLOEXEC);
	if (s->fd < 0)
		_exit(30);
}

static void layout(struct script *s)
{
	must(raw_layout(s->fd, PAGE, &s->layout), 0);
}

static void reserve_abc(struct script *s)
{
	reserve(s, "abc", 0);
}

static void reserve_t(struct script *s)
{
	reserve(s, "t", MARU_L1_TEMPORARY);
}

static void map(struct script *s)
{
	struct maru_l1_info info;

	must(raw_info(s->fd, &info), 0);
	s->size = info.capacity;
	s->map = mmap(NULL, s->size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->map == MAP_FAILED)
		_exit(31);
}

static void fill(struct script *s)
{
	for (unsigned int i = 0; i < s->nr_writes; i++) {
		char key[2] = { s->writes[i].key };

		payload_fill(s->map + s->writes[i].offset, key);
	}
}

static void commit_a(struct script *s)
{
	commit(s, "a", 2);
}

static void commit_b(struct script *s)
{
	commit(s, "b", 0);
}

static void commit_t(struct script *s)
{
	commit(s, "t", 1);
}

static void read_seed(struct script *s)
{
	read_key(s, "seed", 3);
}

static void release_a(struct script *s)
{
	must(raw_release(s->fd, "a", 1), MARU_L1_OK);
}

static void abort_c(struct script *s)
{
	must(raw_abort(s->fd, "c"), MARU_L1_OK);
}

static void delete_b(struct script *s)
{
	must(raw_delete(s->fd, "b", 0), MARU_L1_OK);
}

static void reserve_de(struct script *s)
{
	reserve(s, "de", 0);
}

static void drop_d(struct script *s)
{
	must(raw_delete(s->fd, "d", MARU_L1_B_FORCE), MARU_L1_OK);
}

static void peek(struct script *s)
{
	must(raw_peek(s->fd, "a"), MARU_L1_OK);
}

static void renew(struct script *s)
{
	struct maru_l1_renew item = { 0 };

	must(RAW_ONE(s->fd, MARU_L1_RENEW, 0, 0, "a", &item), MARU_L1_OK);
}

static void query(struct script *s)
{
	struct maru_l1_query item;

	must(raw_query(s->fd, "e", &item), MARU_L1_OK);
}

static void release_t(struct script *s)
{
	must(raw_release(s->fd, "t", 1), MARU_L1_OK);
}

static void ack_d(struct script *s)
{
	must(raw_abort_id(s->fd, s->id_d), MARU_L1_OK);
}

static void reserve_f(struct script *s)
{
	reserve(s, "f", MARU_L1_TEMPORARY);
}

static void commit_f(struct script *s)
{
	commit(s, "f", 0);
}

static void clear(struct script *s)
{
	must(raw_clear(s->fd, MARU_L1_CLEAR_FORCE), 0);
}

static void read_a(struct script *s)
{
	read_key(s, "a", 1);
}

static void reserve_g(struct script *s)
{
	reserve(s, "g", 0);
}

static void unmap(struct script *s)
{
	munmap(s->map, s->size);
}

static void close_pool(struct script *s)
{
	close(s->fd);
}

/*
 * Accounts are those at the death of the client.  drop_d leaves its extent
 * unacknowledged until ack_d; clear does so with e, for good.
 */
static const struct {
	void (*run)(struct script *s);
	struct account after;
} steps[] = {
	{ NULL,		{ 0, 0, P_SEED } },	/* step 0: not begun */
	{ open_pool,	{ 0, 0, P_SEED } },
	{ layout,	{ 0, 0, P_SEED } },
	{ reserve_abc,	{ 3, 0, P_SEED } },
	{ reserve_t,	{ 4, 0, P_SEED } },
	{ map,		{ 4, 0, P_SEED } },
	{ fill,		{ 4, 0, P_SEED } },
	{ commit_a,	{ 3, 1, P_SEED | P_A } },
	{ commit_b,	{ 2, 1, P_SEED | P_A | P_B } },
	{ commit_t,	{ 2, 1, P_SEED | P_A | P_B } },
	{ read_seed,	{ 2, 2, P_SEED | P_A | P_B } },
	{ release_a,	{ 2, 2, P_SEED | P_A | P_B } },
	{ abort_c,	{ 1, 2, P_SEED | P_A | P_B } },
	{ delete_b,	{ 1, 2, P_SEED | P_A } },
	{ reserve_de,	{ 3, 2, P_SEED | P_A } },
	{ drop_d,	{ 3, 2, P_SEED | P_A } },
	{ peek,		{ 3, 2, P_SEED | P_A } },
	{ renew,	{ 3, 2, P_SEED | P_A } },
	{ query,	{ 3, 2, P_SEED | P_A } },
	{ release_t,	{ 2, 2, P_SEED | P_A } },
	{ ack_d,	{ 1, 2, P_SEED | P_A } },
	{ reserve_f,	{ 2, 2, P_SEED | P_A } },
	{ commit_f,	{ 2, 2, P_SEED | P_A } },
	{ clear,	{ 1, 0, P_SEED | P_A } },
	{ read_a,	{ 1, 1, P_SEED | P_A } },
	{ reserve_g,	{ 2, 1, P_SEED | P_A } },
	{ unmap,	{ 2, 1, P_SEED | P_A } },
	{ close_pool,	{ 2, 1, P_SEED | P_A } },
};

const size_t script_steps = ARRAY_SIZE(steps) - 1;

struct account script_after(unsigned int step)
{
	return steps[step].after;
}

void script_run(const char *pool, struct progress *progress)
{
	struct script s = { .pool = pool };
	uint64_t start = now_us();

	for (unsigned int i = 1; i <= script_steps; i++) {
		progress->begun = i;
		steps[i].run(&s);
		progress->done = i;
	}
	progress->took_us = now_us() - start;
	_exit(0);
}
