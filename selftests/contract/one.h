/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of one item.  Each returns an answer: status and result flags of the
 * item, or the errno of the call, so that a case states all of it in a line:
 *
 *	IS(read1(a, K("key"), 1, &r), OK, PRIVATE | CLAMPED);
 *	FAILS(read1(a, …), EACCES);
 *
 * The struct for the rest of the answer may be NULL.  It is filled with 0xcc
 * before the call: what the call does not write cannot pass for zero.
 */
#ifndef CONTRACT_ONE_H
#define CONTRACT_ONE_H

#include "util.h"

typedef uint64_t answer_t;

#define ANSWER(status, result)	((answer_t)(result) << 32 | (status))
#define ANSWER_ERRNO(err)	(1ULL << 63 | (uint32_t)-(err))

/* The flags may be left out: then none may be set. */
#define IS(call, st, ...)						\
	answer_at(__FILE__, __LINE__, #call, call,			\
		  ANSWER(MARU_L1_##st, 0 __VA_OPT__(| (__VA_ARGS__))))
#define FAILS(call, error)						\
	answer_at(__FILE__, __LINE__, #call, call, ANSWER_ERRNO(-(error)))

/* Return: whether @got is @want, so that a case may stop. */
bool answer_at(const char *file, int line, const char *what, answer_t got,
	       answer_t want);

/* Bytes of a cookie that belongs to @id. */
void cookie_of(uint64_t id, uint8_t *cookie);
bool cookie_is(uint64_t id, const uint8_t *cookie);

answer_t reserve1(struct marul1_client *c, uint32_t layout, struct key k,
		  uint64_t length, uint64_t tag, struct marul1_reserve *r);
answer_t reserve_temp1(struct marul1_client *c, uint32_t layout, struct key k,
		       uint64_t length, uint64_t tag, struct marul1_reserve *r);
/* The cookie is cookie_of(@cookie_id). */
answer_t commit1(struct marul1_client *c, struct key k, uint64_t tag,
		 uint32_t holds, uint64_t cookie_id, struct marul1_commit *r);
answer_t abort1(struct marul1_client *c, struct key k, uint64_t tag);
answer_t abort_id(struct marul1_client *c, uint64_t id);
answer_t read1(struct marul1_client *c, struct key k, uint32_t holds,
	       struct marul1_read *r);
answer_t read_strict1(struct marul1_client *c, struct key k, uint32_t holds,
		      struct marul1_read *r);
answer_t peek1(struct marul1_client *c, struct key k, struct marul1_read *r);
answer_t release1(struct marul1_client *c, struct key k, uint64_t id,
		  uint32_t holds, uint32_t *released);
answer_t release_id(struct marul1_client *c, uint64_t id, uint32_t holds,
		    uint32_t *released);
answer_t renew1(struct marul1_client *c, struct key k, uint64_t id);
answer_t renew_id(struct marul1_client *c, uint64_t id);
answer_t delete1(struct marul1_client *c, struct key k, uint64_t *id);
answer_t delete_force1(struct marul1_client *c, struct key k, uint64_t *id);
answer_t touch1(struct marul1_client *c, struct key k);
answer_t query1(struct marul1_client *c, struct key k, struct marul1_query *r);
uint32_t state_of(struct marul1_client *c, struct key k);

/*
 * Steps that other cases hold; here they only have to work.  Pages of f->page,
 * length PAGE, tag 0; the cookie is that of the id.  Return: the id.
 */
uint64_t stage(struct fix *f, struct marul1_client *c, struct key k);
uint64_t stage_temp(struct fix *f, struct marul1_client *c, struct key k);
uint64_t publish(struct fix *f, struct marul1_client *c, struct key k);
uint64_t publish_held(struct fix *f, struct marul1_client *c, struct key k,
		      uint32_t holds);
uint64_t make_private(struct fix *f, struct marul1_client *c, struct key k,
		      uint32_t holds);
uint64_t hold(struct marul1_client *c, struct key k, uint32_t holds);
/* A write of @c, whose write lease is SHORT_MS, that has expired. */
uint64_t expired_write(struct fix *f, struct marul1_client *c, struct key k);
/* The pool's first byte in memory, or NULL. */
uint8_t *map_pool(struct marul1_client *c);

#endif /* CONTRACT_ONE_H */
