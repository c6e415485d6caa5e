// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <time.h>
#include "race.h"

static unsigned int dice(struct racer *r, unsigned int sides)
{
	return random_next(&r->random) % sides;
}

static void wrong(struct racer *r, const char *what, unsigned int key,
		  uint64_t id, const struct payload *p)
{
	/* A broken pool would print for ever. */
	if (COUNT(r, wrong) > 10)
		return;
	TAP_FAIL("%s: key %u id %#" PRIx64 ", the bytes say key %" PRIu64
		 " writer %" PRIu64 " sequence %" PRIu64 " id %#" PRIx64,
		 what, key, id, p->key, p->writer, p->sequence, p->id);
}

static void unexpected(struct racer *r, const char *call, answer_t a)
{
	if (COUNT(r, wrong) > 10)
		return;
	if (a >> 63)
		TAP_FAIL("%s fails with errno %u", call, (uint32_t)a);
	else
		TAP_FAIL("%s answers %s, flags %#x", call,
			 marul1_status_name((uint32_t)a),
			 (uint32_t)(a >> 32));
}

#define STATUS(a)	((a) >> 63 ? UINT32_MAX : (uint32_t)(a))

int racer_open(struct racer *r)
{
	struct marul1_pool *pool = r->race->f->pool;
	void *base;
	uint64_t length;
	int err = marul1_client_open(pool, 0, &r->patient);

	if (!err)
		err = marul1_client_open(pool, 0, &r->hasty);
	if (!err)
		err = marul1_set_leases(r->hasty, HASTY_LEASE_MS,
					HASTY_LEASE_MS);
	if (!err)
		err = marul1_map(r->patient, 0, &base, &length);
	if (!err)
		err = marul1_map(r->hasty, 0, &base, &length);
	return err;
}

void racer_close(struct racer *r)
{
	marul1_client_close(r->patient);
	marul1_client_close(r->hasty);
}

/* The write expired: the extent is ours until we say that we are done. */
static void acknowledge(struct racer *r, struct marul1_client *c, uint64_t id)
{
	answer_t a = abort_id(c, id);

	if (a != ANSWER(MARU_L1_OK, 0))
		unexpected(r, "abort of an expired write", a);
	COUNT(r, expired_writes);
}

/* Looks at the bytes of what @c holds under @id. @epoch: from before the hold. */
static void look(struct racer *r, struct marul1_client *c, unsigned int key,
		 uint64_t id, uint64_t offset, uint64_t length, uint64_t epoch)
{
	const void *p = marul1_ptr(c, offset, length);
	struct payload got;
	bool intact;

	if (!p || length != PAGE) {
		wrong(r, "not in the pool", key, id, &(struct payload){ 0 });
		return;
	}
	memcpy(r->copy, p, PAGE);
	if (!marul1_valid(c, epoch)) {
		/* Only a lease that ran out may take a hold away. */
		if (c == r->patient)
			wrong(r, "a hold without lease ended", key, id,
			      &(struct payload){ 0 });
		return;
	}
	intact = payload_read(r->copy, PAGE, &got);
	if (!intact || got.key != key || got.id != id)
		wrong(r, intact ? "another object's bytes" : "torn bytes", key,
		      id, &got);
	COUNT(r, verified);
}

static void let_go(struct racer *r, struct marul1_client *c, uint64_t id)
{
	answer_t a = release_id(c, id, 1, NULL);

	if (STATUS(a) == MARU_L1_NOT_HELD && c == r->hasty)
		COUNT(r, expired_reads);
	else if (a != ANSWER(MARU_L1_OK, 0))
		unexpected(r, "release", a);
}

static void make_room(struct racer *r, struct marul1_client *c)
{
	struct maru_l1_evict e = { .count = 1 + dice(r, 8) };

	COUNT(r, no_space);
	if (marul1_evict(c, &e))
		unexpected(r, "evict", ANSWER_ERRNO(-EINVAL));
	__atomic_add_fetch(&r->race->n.evicted, e.evicted, __ATOMIC_RELAXED);
}

/* Fills in the reserved page; @id is not yet to be seen by anybody. */
static void fill(struct racer *r, struct marul1_client *c, unsigned int key,
		 const struct marul1_reserve *w)
{
	struct payload p = { key, r->number, r->sequence++, w->id };
	uint32_t before = __atomic_exchange_n(
		&r->race->last_key[w->offset / PAGE], key + 1,
		__ATOMIC_RELAXED);

	if (before && before != key + 1)
		COUNT(r, reused);
	payload_write(marul1_ptr(c, w->offset, PAGE), PAGE, &p);
}

static void finish(struct racer *r, struct marul1_client *c, unsigned int key,
		   const struct marul1_reserve *w)
{
	struct key k = r->race->keys[key];
	uint32_t holds = dice(r, 2);
	uint64_t epoch = marul1_epoch(c);
	struct marul1_commit done;
	answer_t a = commit1(c, k, r->number, holds, w->id, &done);

	if (STATUS(a) == MARU_L1_EXPIRED && c == r->hasty) {
		acknowledge(r, c, w->id);
		return;
	}
	if (STATUS(a) != MARU_L1_OK) {
		unexpected(r, "commit", a);
		return;
	}
	if (a == ANSWER(MARU_L1_OK, LOST_RACE))
		COUNT(r, lost_race);
	else
		COUNT(r, stored);
	if (!cookie_is(done.id, done.cookie))
		wrong(r, "another object's cookie", key, done.id,
		      &(struct payload){ 0 });
	if (holds) {
		look(r, c, key, done.id, done.offset, done.length, epoch);
		let_go(r, c, done.id);
	}
}

static void write_one(struct racer *r, struct marul1_client *c,
		      unsigned int key)
{
	struct key k = r->race->keys[key];
	struct marul1_reserve w;
	answer_t a = reserve1(c, r->race->f->page, k, PAGE, r->number, &w);

	if (STATUS(a) == MARU_L1_NOT_WRITABLE)
		return;
	if (STATUS(a) == MARU_L1_NO_SPACE) {
		make_room(r, c);
		return;
	}
	if (a != ANSWER(MARU_L1_OK, 0)) {
		unexpected(r, "reserve_write", a);
		return;
	}
	fill(r, c, key, &w);
	/* Leave the others time to publish the key first. */
	if (c == r->hasty && !dice(r, 4))
		pass(STALL_MS);
	else if (!dice(r, 4))
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	if (dice(r, 12)) {
		finish(r, c, key, &w);
		return;
	}
	a = abort1(c, k, r->number);
	if (STATUS(a) == MARU_L1_EXPIRED && c == r->hasty)
		acknowledge(r, c, w.id);
	else if (a != ANSWER(MARU_L1_OK, 0))
		unexpected(r, "abort", a);
}

static void read_one(struct racer *r, struct marul1_client *c, unsigned int key)
{
	uint64_t epoch = marul1_epoch(c);
	struct marul1_read got;
	answer_t a = read1(c, r->race->keys[key], 1, &got);

	if (STATUS(a) == MARU_L1_NOT_FOUND)
		return;
	if (a != ANSWER(MARU_L1_OK, 0)) {
		unexpected(r, "reserve_read", a);
		return;
	}
	if (!cookie_is(got.id, got.cookie))
		wrong(r, "another object's cookie", key, got.id,
		      &(struct payload){ 0 });
	look(r, c, key, got.id, got.offset, got.length, epoch);
	/* Later still the same, as long as it is held. */
	if (!dice(r, 8)) {
		if (c == r->hasty)
			pass(STALL_MS);
		else
			sched_yield();
		look(r, c, key, got.id, got.offset, got.length, epoch);
	}
	let_go(r, c, got.id);
}

static void delete_one(struct racer *r, struct marul1_client *c,
		       unsigned int key)
{
	answer_t a = delete1(c, r->race->keys[key], NULL);

	if (STATUS(a) == MARU_L1_LOCKED)
		COUNT(r, locked);
	else if (STATUS(a) == MARU_L1_OK)
		COUNT(r, deleted);
	else if (STATUS(a) != MARU_L1_NOT_FOUND)
		unexpected(r, "delete", a);
}

/* Goes away in the middle of a write and a read, and comes back. */
static void reopen(struct racer *r, unsigned int key)
{
	struct key k = r->race->keys[key];
	struct marul1_reserve w;
	int err;

	read1(r->patient, k, 2, NULL);
	if (reserve1(r->patient, r->race->f->page, k, PAGE, r->number, &w) ==
	    ANSWER(MARU_L1_OK, 0))
		fill(r, r->patient, key, &w);
	racer_close(r);
	err = racer_open(r);
	if (err) {
		printf("Bail out! racer: %s\n", strerror(-err));
		exit(2);
	}
	COUNT(r, reopened);
}

void racer_step(struct racer *r)
{
	struct marul1_client *c = dice(r, 4) ? r->patient : r->hasty;
	unsigned int key = dice(r, r->race->nr_keys);

	switch (dice(r, 16)) {
	case 0 ... 5:
		write_one(r, c, key);
		break;
	case 6 ... 10:
		read_one(r, c, key);
		break;
	case 11 ... 14:
		delete_one(r, c, key);
		break;
	default:
		if (!dice(r, 256))
			reopen(r, key);
		else
			touch1(c, r->race->keys[key]);
	}
}
