/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The story.  Each sentence is a function that does one thing, reads figures
 * from the pool, says what they are and whether they are what they should be.
 */
#ifndef DEMO_STORY_H
#define DEMO_STORY_H

#include "actor.h"
#include "chunk.h"
#include "ledger.h"
#include "say.h"

/* Chunks by their role in the story. */
#define STORED		(3 * DOCUMENT_CHUNKS)		/* documents 1 to 3 */
#define HALF_CHUNK	document_first(4)
#define FILL_FIRST	document_first(5)

struct story {
	bool embedded;
	const char *uri;
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *client;	/* the narrator's, read-only */
	struct maru_l1_info info;
	struct actor a, b;
	struct maru_l1_usage now;	/* what look() has seen last */
	struct ledger ledger;
	struct answer reading;		/* of server B, told in three sentences */
	uint64_t anonymous;		/* of server B before it read */
	uint64_t killed_ms;
	uint32_t fill;			/* chunks that filled the pool */
	uint32_t new_first;		/* first chunk of the document after those */
	uint32_t new;			/* chunks of it that were stored */
	uint32_t evicted;
};

struct sentence {
	const char *title;	/* of the act that it begins, or NULL */
	const char *id;
	bool (*tell)(struct story *story);
};

/* Reads the accounts; @moment: also into the ledger, or NULL. False: said why. */
bool look(struct story *story, const char *moment);
/* Asks a server. False: it could not, which has been said. */
bool ask(struct story *story, struct actor *actor, enum deed deed,
	 uint32_t first, uint32_t count, struct answer *answer);
/* How many of the chunks have a holder. -1: one has several, or no answer. */
int held_chunks(struct story *story, uint32_t first, uint32_t count);
uint64_t now_ms(void);

/* For printf: counts here are small. */
#define COUNT(n)	((unsigned int)(n))

bool tell_empty(struct story *story);
bool tell_page(struct story *story);
bool tell_stored(struct story *story);
bool tell_found(struct story *story);
bool tell_checksums(struct story *story);
bool tell_addresses(struct story *story);
bool tell_memory(struct story *story);
bool tell_returned(struct story *story);

bool tell_holds(struct story *story);
bool tell_staged(struct story *story);
bool tell_unreadable(struct story *story);
bool tell_locked(struct story *story);
bool tell_killed(struct story *story);
bool tell_quarantine(struct story *story);
bool tell_guarded(struct story *story);
bool tell_gone(struct story *story);
bool tell_survived(struct story *story);

bool tell_using(struct story *story);
bool tell_full(struct story *story);
bool tell_victims(struct story *story);
bool tell_room(struct story *story);
bool tell_refilled(struct story *story);
bool tell_forgotten(struct story *story);
bool tell_left(struct story *story);
bool tell_sums(struct story *story);
bool tell_directory(struct story *story);
bool tell_check(struct story *story);

#endif
