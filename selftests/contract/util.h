/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What all cases of the contract suite stand on: the pools under test, the
 * clients of a case, accounts, and waiting.
 *
 * What the runner provides, in the environment:
 *
 *	MARUL1_URI		a pool of at least 512 MiB, quarantine_ms=100,
 *				default max_objects, no max_client_bytes
 *	MARUL1_URI_SMALL	a pool of about 64 MiB, quarantine_ms=100,
 *				max_objects=512, max_client_bytes=48 MiB
 *	MARUL1_URI_DOOMED	device engine: any pool; case G3 detaches it by
 *				force, so give a new one for each run
 *	MARU_SCALE		divides the number of rounds of the long cases;
 *				1 natively, about 4 on emulated CPUs
 *	MARU_SEED		of the random cases; the one in use is printed
 *
 * Nobody else may use the pools meanwhile.  Natively they are "embedded:" pools,
 * which "run" chooses itself.  The engine is what MARUL1_URI begins with.
 *
 * Cases share a pool.  A case gets two clients, A and B, and may open more; at
 * its end all of them are closed, quarantine and orphan pins must be gone in
 * time (invariant 9), what was published is purged, and the accounts must be
 * what they were before the case.  The pool's own check must find nothing, both
 * before and after that (invariants 1 and 4).
 */
#ifndef CONTRACT_UTIL_H
#define CONTRACT_UTIL_H

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <libmarul1.h>
#include "../tap.h"

#define PAGE		4096	/* size of the pages that most cases use */
#define MIB		(1ULL << 20)
#define LEASE_MS	300	/* when something must also be seen live */
#define SHORT_MS	20	/* when only its end matters */
#define REAP_MS		1000	/* expiry and quarantine are acted upon within */

/* Result flags without their prefix, for the tables below. */
enum {
	LOST_RACE	= MARU_L1_R_LOST_RACE,
	PRIVATE		= MARU_L1_R_PRIVATE,
	CLAMPED		= MARU_L1_R_CLAMPED,
};

struct key {
	const void *bytes;
	size_t len;
};

/* A key from a string literal. */
#define K(s)	((struct key){ s, sizeof(s) - 1 })

#define FIX_CLIENTS	32
#define FIX_BLOCKS	64

struct fix {
	struct marul1_pool *pool;
	struct marul1_client *watch;	/* looks on and owns nothing */
	struct marul1_client *a, *b;
	uint32_t page;			/* layout of PAGE bytes */
	uint64_t retired;		/* bytes that the case gave up for good */
	struct maru_l1_info info;
	struct maru_l1_usage before;
	struct marul1_client *clients[FIX_CLIENTS];
	void *blocks[FIX_BLOCKS];
};

enum which_pool { MAIN_POOL, SMALL_POOL, NR_POOLS };

void in_pool(enum which_pool which, void (*body)(struct fix *f));
bool engine_is_device(void);
const char *suite_name(void);
int pools_open(void);
void pools_close(void);
struct marul1_ctx *context(void);

/* CASE(w1_new) { … f … } defines the function that the table names. */
#define CASE_IN(which, name)						\
	static void name##_body(struct fix *f);				\
	static void name(void) { in_pool(which, name##_body); }		\
	static void name##_body(struct fix *f)
#define CASE(name)		CASE_IN(MAIN_POOL, name)
#define CASE_SMALL(name)	CASE_IN(SMALL_POOL, name)

struct case_table {
	const struct tap_case *cases;
	size_t n;
};

#define CASES(name, ...)						\
	static const struct tap_case name##_list[] = { __VA_ARGS__ };	\
	const struct case_table name = { name##_list, ARRAY_SIZE(name##_list) }

/* Clients and memory that end with the case; NULL never comes back. */
struct marul1_client *client(struct fix *f, unsigned int flags);
struct marul1_client *client_leased(struct fix *f, uint32_t read_ms,
				    uint32_t write_ms);
void client_end(struct fix *f, struct marul1_client *c);	/* closes it early */
void *block(struct fix *f, size_t n, size_t size);
#define ALLOC(f, n, type)	((type *)block(f, n, sizeof(type)))
/* @n keys "STEM.0" … of the case. */
struct key *keys(struct fix *f, size_t n, const char *stem);
uint32_t layout(struct marul1_client *c, uint64_t bytes);

/* Time. */
uint64_t now_ms(void);
void nap(void);			/* between two looks */
void pass(unsigned int ms);	/* until that much time has certainly passed */
#define WAIT_UNTIL(cond, ms) ({						\
	uint64_t wait_end = now_ms() + (ms);				\
	bool wait_met;							\
									\
	while (!(wait_met = (cond)) && now_ms() < wait_end)		\
		nap();							\
	wait_met;							\
})
/* Within this after a close everything of it is gone. */
unsigned int settle_ms(struct fix *f);
/*
 * Whether what was looked at until now, of a client whose close began at
 * @closing, was looked at before its quarantine could end. If not, the machine
 * has stalled and the look says nothing.
 */
bool in_quarantine(struct fix *f, uint64_t closing);
unsigned int scaled(unsigned int rounds, unsigned int least);
uint64_t seed(void);
uint64_t random_next(uint64_t *state);

/* Accounts, as differences to the beginning of the case, in pages of f->page. */
struct accounts {
	uint64_t staged, private_objects, published, zombie, quarantined;
	uint64_t orphan_pins;
};

struct mine {
	uint64_t staged, private_objects, held, holds, unacked;
};

struct maru_l1_usage usage(struct marul1_client *c);
void accounts_at(const char *file, int line, struct fix *f,
		 const struct maru_l1_usage *got, const struct accounts *want);
void mine_at(const char *file, int line, struct marul1_client *c,
	     const struct mine *want);
void sums_at(const char *file, int line, const struct maru_l1_usage *u);
void check_at(const char *file, int line, struct marul1_client *c);
#define ACCOUNTS(f, ...) do {						\
	struct maru_l1_usage now_ = usage((f)->watch);			\
									\
	ACCOUNTS_OF(f, &now_, __VA_ARGS__);				\
} while (0)
/* The same of a usage that was taken earlier. */
#define ACCOUNTS_OF(f, got, ...)					\
	accounts_at(__FILE__, __LINE__, f, got,				\
		    &(struct accounts){ __VA_ARGS__ })
#define MINE(c, ...) \
	mine_at(__FILE__, __LINE__, c, &(struct mine){ __VA_ARGS__ })
#define CHECK(f)	check_at(__FILE__, __LINE__, (f)->watch)

#endif /* CONTRACT_UTIL_H */
