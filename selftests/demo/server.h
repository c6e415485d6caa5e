/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cache server as the demo needs it: one client of the pool and the few deeds
 * that the narrator asks of it.  It knows no narrator: actor.c brings it the
 * requests, in a process of its own or in ours.
 */
#ifndef DEMO_SERVER_H
#define DEMO_SERVER_H

#include <stdbool.h>
#include <libmarul1.h>

#define HOLDS_MAX	16	/* chunks that one HOLD, VERIFY or RELEASE names */

/**
 * enum deed - what a server is asked for
 * @LOOK: nothing; the answer has the server's own figures
 * @STORE: chunks, one after the other, until one is refused
 * @WRITE_HALF: reserve one chunk, write half of it, do not commit
 * @ABORT: give up that chunk
 * @COMMIT: publish it as it is
 * @HOLD: look chunks up and take one hold on each that is found
 * @VERIFY: compare the bytes of held chunks with their cookies, in place
 * @RELEASE: give one hold back on each
 * @DELETE: one chunk
 * @EVICT: until room for that many chunks has become free
 * @SCRIBBLE: write over a held chunk, as no server should
 */
enum deed { LOOK, STORE, WRITE_HALF, ABORT, COMMIT, HOLD, VERIFY, RELEASE, DELETE,
	    EVICT, SCRIBBLE };

struct request {
	enum deed deed;
	uint32_t first;		/* chunk */
	uint32_t count;
};

/**
 * struct answer - how it went
 * @error: negative errno of a call that failed as a whole, or 0
 * @status: of the first item that was not OK, or OK
 * @done: chunks for which it was OK
 * @page_size: of the last page that was reserved
 * @low: VERIFY: lowest address that was read
 * @high: VERIFY: first address behind all that was read
 * @base: the server's mapping of the pool
 * @length: its length
 * @anonymous: bytes of anonymous memory of its process, after the deed
 * @skipped: EVICT: held objects passed over
 * @victim: EVICT: lowest chunk that was evicted
 * @last_victim: EVICT: highest one
 * @own: the server's own view of the accounts, after the deed
 */
struct answer {
	int error;
	uint32_t status;
	uint32_t done;
	uint64_t page_size;
	uint64_t low;
	uint64_t high;
	uint64_t base;
	uint64_t length;
	uint64_t anonymous;
	uint64_t skipped;
	uint32_t victim;
	uint32_t last_victim;
	struct maru_l1_usage own;
};

struct server {
	struct marul1_client *client;
	uint32_t layout;
	void *base;
	uint64_t length;
	struct marul1_reserve write;	/* the store in the middle, if @writing */
	uint32_t number;
	bool writing;
};

/* Return: 0 or a negative errno; then nothing is open. */
int server_open(struct server *server, struct marul1_pool *pool);
void server_close(struct server *server);
void server_do(struct server *server, const struct request *request,
	       struct answer *answer);
/* In the middle of a store: writes on, as a slow device would. False: idle. */
bool server_write_on(struct server *server);

#endif
