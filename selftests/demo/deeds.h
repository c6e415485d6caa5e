/* SPDX-License-Identifier: GPL-2.0-only */
/* The deeds of a server, one function each. Return: 0 or the call's errno. */
#ifndef DEMO_DEEDS_H
#define DEMO_DEEDS_H

#include "server.h"

/* Counts one item of a deed; the first that is not OK is remembered. */
static inline void count_item(struct answer *answer, uint32_t status)
{
	if (status == MARU_L1_OK)
		answer->done++;
	else if (answer->status == MARU_L1_OK)
		answer->status = status;
}

int deed_store(struct server *server, const struct request *request,
	       struct answer *answer);
int deed_write_half(struct server *server, const struct request *request,
		    struct answer *answer);
int deed_commit(struct server *server, struct answer *answer);
int deed_abort(struct server *server, struct answer *answer);
int deed_hold(struct server *server, const struct request *request,
	      struct answer *answer);
int deed_verify(struct server *server, const struct request *request,
		struct answer *answer);
int deed_release(struct server *server, const struct request *request,
		 struct answer *answer);
int deed_scribble(struct server *server, const struct request *request);

#endif
