/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * White-box tests of the core: its own structs, its own calls, and a clock that
 * the case turns.
 *
 * CASE(name, params…) defines a case in a pool of its own with two clients, A
 * and B.  At its end all clients are closed, the quarantine passes, what is left
 * must be published and unheld, and the pool's check must find nothing.
 */
#ifndef CORE_FIXTURE_H
#define CORE_FIXTURE_H

#include "internal.h"
#undef ARRAY_SIZE
#include "tap.h"

#define MS		(1000ULL * 1000)
#define MIB		(1ULL << 20)
#define PAGE		4096
#define QUARANTINE	(100 * MS)
#define USERS		8

struct fixture;

/* A client with its shell. */
struct user {
	struct fixture *f;
	struct maru_client *core;	/* NULL: closed */
	struct maru_l1_client_status status;
	unsigned int woken;
};

struct fixture {
	struct maru_pool *pool;
	struct maru_l1_pool_status status;
	u64 now;
	u32 page;			/* layout of PAGE bytes */
	struct user users[USERS];
};

#define A	(&f->users[0])
#define B	(&f->users[1])
#define C	(&f->users[2])

void in_pool(const struct maru_pool_params *params,
	     void (*body)(struct fixture *f));

#define CASE(name, ...)							\
	static void name##_body(struct fixture *f);			\
	static void name(void)						\
	{								\
		in_pool(&(struct maru_pool_params){ __VA_ARGS__ },	\
			name##_body);					\
	}								\
	static void name##_body(struct fixture *f)

struct case_table {
	const struct tap_case *cases;
	size_t n;
};

#define CASES(name, ...)						\
	static const struct tap_case name##_list[] = { __VA_ARGS__ };	\
	const struct case_table name = { name##_list, ARRAY_SIZE(name##_list) }

/* Defaults: 64 MiB, QUARANTINE, node and incarnation 1. */
struct maru_pool *pool_make(const struct maru_pool_params *params,
			    struct maru_l1_pool_status *status);
void user_open(struct fixture *f, struct user *u, bool writable);
/* Return: whether the core wants to hear when the processes are gone. */
bool user_close(struct user *u, bool exiting);
void pass(struct fixture *f, u64 ns);	/* time goes by and is looked at */
void check_at(const char *file, int line, struct fixture *f);
#define CHECK(f)	check_at(__FILE__, __LINE__, f)

/* ---- calls, by the numbers of the header -------------------------------- */

struct batch {
	u32 flags;
	u32 layout;
	void *items;
	u32 n;
	const void *keys;
	u32 keys_len;
};

int call_batch(struct user *u, unsigned int nr, const struct batch *b);
/* @items and @keys are the lists of a LIST call, or NULL. */
int call_single(struct user *u, unsigned int nr, union maru_call_arg *arg,
		void *items, void *keys);

/* Items of one key, a string; "" is no key.  A failed call fails the case. */
struct maru_l1_reserve reserve(struct user *u, u32 layout, const char *key,
			       u64 tag, u32 flags);
struct maru_l1_commit commit(struct user *u, const char *key, u64 tag, u32 holds);
u32 abort_key(struct user *u, const char *key, u64 tag);
u32 abort_id(struct user *u, u64 id);
struct maru_l1_read reserve_read(struct user *u, const char *key, u32 holds);
struct maru_l1_read peek(struct user *u, const char *key);
struct maru_l1_release release(struct user *u, const char *key, u64 id, u32 holds);
u32 renew(struct user *u, const char *key, u64 id);
u32 delete(struct user *u, const char *key, u32 flags);
u32 touch(struct user *u, const char *key);
struct maru_l1_query query(struct user *u, const char *key);
struct maru_l1_usage usage(struct user *u);
u32 layout(struct user *u, u64 bytes, u32 alignment);
void leases(struct user *u, u32 read_ms, u32 write_ms);
void subscribe(struct user *u, u32 mask, u32 ring_size);

/* Steps that other cases hold: pages of f->page, tag 0.  Return: the id. */
u64 stage(struct user *u, const char *key);
u64 stage_temporary(struct user *u, const char *key);
u64 publish(struct user *u, const char *key);
u64 make_private(struct user *u, const char *key, u32 holds);
u64 hold(struct user *u, const char *key, u32 holds);

#define EXPECT_STATUS(call, name)	EXPECT_EQ(call, MARU_L1_##name)

/* ---- the rest ------------------------------------------------------------ */

u64 random_next(u64 *state);

/* alloc.c: the n-th allocation from now on fails, and all after it if @all. */
void alloc_fail(long n, bool all);
/* Ends that; whether one failed. */
bool alloc_failed(void);

#endif
