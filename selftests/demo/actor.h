/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server as the narrator has it: a process of its own on the device engine, a
 * client in this process on the embedded one.
 */
#ifndef DEMO_ACTOR_H
#define DEMO_ACTOR_H

#include <sys/types.h>
#include "server.h"

struct actor {
	struct server server;	/* when it is in this process */
	pid_t pid;		/* else */
	int socket;
	bool open;
};

/*
 * Starts it.  @pool: where it works in this process; NULL: a new process opens
 * @uri.  Return: 0 or a negative errno.
 */
int actor_start(struct actor *actor, const char *uri, struct marul1_pool *pool);
/* Return: 0, the deed's errno, or -EPIPE: it is gone, -ETIMEDOUT: it is stuck. */
int actor_ask(struct actor *actor, const struct request *request,
	      struct answer *answer);
/* What it is, for people: "process 123" or "a client". */
const char *actor_what(const struct actor *actor, char text[24]);
/* SIGKILL. Return: the wait status, or -1: it still runs after two seconds. */
int actor_kill(struct actor *actor);
/* In this process: closes the client as it is. */
void actor_drop(struct actor *actor);
/* Lets it end by itself and waits for that. */
void actor_stop(struct actor *actor);
/* The life of a server process, from main(). Return: its exit status. */
int actor_main(const char *uri);

#endif
