/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that do everything at once to the same keys; race.c judges them. */
#ifndef CONTRACT_RACE_H
#define CONTRACT_RACE_H

#include "one.h"
#include "payload.h"

enum {
	RACERS = 8,
	STALL_MS = 3,		/* longer than the leases of the hasty */
	HASTY_LEASE_MS = 2,
};

/* What happened how often; a race shows nothing unless all of it did. */
struct race_counts {
	uint64_t stored, lost_race, locked, deleted, no_space, evicted;
	uint64_t verified;	/* objects whose bytes were looked at and valid */
	uint64_t reused;	/* extents that another key had before */
	uint64_t expired_writes, expired_reads, reopened;
	uint64_t wrong;		/* bytes that are not what they must be */
};

struct race {
	struct fix *f;
	struct key *keys;
	unsigned int nr_keys, rounds;
	uint32_t *last_key;	/* by page of the pool: key + 1 */
	uint64_t seed;
	struct race_counts n;
};

struct racer {
	struct race *race;
	unsigned int number;
	struct marul1_client *patient;	/* no read lease, a long write lease */
	struct marul1_client *hasty;	/* leases that it often overstays */
	uint64_t random, sequence;
	uint64_t copy[PAGE / 8];
};

#define COUNT(r, what)	__atomic_add_fetch(&(r)->race->n.what, 1, __ATOMIC_RELAXED)

/* One step of a racer on a key that chance chooses. */
void racer_step(struct racer *r);
/* Return: 0 or the errno of what could not be opened. */
int racer_open(struct racer *r);
void racer_close(struct racer *r);

#endif /* CONTRACT_RACE_H */
