// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "actor.h"
#include "breaks.h"

#define SERVER_FD	3	/* of its socket, in a server process */
#define ANSWER_S	120	/* a deed that takes longer is stuck */
#define KILL_MS		2000

/* ---- the narrator's side --------------------------------------------------- */

static void become_server(const char *uri, int socket)
{
	char *argv[] = { "story", "--server", (char *)uri, NULL };

	/* As it is: dup2() onto itself would leave it close-on-exec. */
	if (socket == SERVER_FD)
		socket = dup(socket);
	if (socket >= 0 && dup2(socket, SERVER_FD) == SERVER_FD)
		execv("/proc/self/exe", argv);
	_exit(127);
}

static int start_process(struct actor *actor, const char *uri)
{
	const struct timeval limit = { .tv_sec = ANSWER_S };
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	if (setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		goto fail;
	actor->pid = fork();
	if (actor->pid < 0)
		goto fail;
	if (!actor->pid)
		become_server(uri, pair[1]);
	close(pair[1]);
	actor->socket = pair[0];
	return 0;

fail:
	err = -errno;
	actor->pid = 0;
	close(pair[0]);
	close(pair[1]);
	return err;
}

int actor_start(struct actor *actor, const char *uri, struct marul1_pool *pool)
{
	int err;

	*actor = (struct actor) { .socket = -1 };
	err = pool ? server_open(&actor->server, pool) : start_process(actor, uri);
	actor->open = !err;
	return err;
}

int actor_ask(struct actor *actor, const struct request *request,
	      struct answer *answer)
{
	ssize_t n;

	if (!actor->pid) {
		server_do(&actor->server, request, answer);
		return answer->error;
	}
	if (send(actor->socket, request, sizeof(*request), MSG_NOSIGNAL) < 0)
		return -EPIPE;
	n = recv(actor->socket, answer, sizeof(*answer), 0);
	if (n == sizeof(*answer))
		return answer->error;
	return n < 0 && errno == EAGAIN ? -ETIMEDOUT : -EPIPE;
}

const char *actor_what(const struct actor *actor, char text[24])
{
	if (actor->pid)
		snprintf(text, 24, "process %d", (int)actor->pid);
	else
		strcpy(text, "a client");
	return text;
}

/* waitpid() for at most KILL_MS: -1: it still runs. */
static int wait_for_end(pid_t pid)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int status;

	for (int ms = 0; ms < KILL_MS; ms++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&moment, NULL);
	}
	return -1;
}

int actor_kill(struct actor *actor)
{
	int status;

	if (!breaks("no-kill"))
		kill(actor->pid, SIGKILL);
	status = wait_for_end(actor->pid);
	if (status == -1)
		return -1;
	close(actor->socket);
	actor->open = false;
	return status;
}

void actor_drop(struct actor *actor)
{
	if (breaks("no-kill"))
		return;
	server_close(&actor->server);
	actor->open = false;
}

void actor_stop(struct actor *actor)
{
	if (!actor->open)
		return;
	actor->open = false;
	if (!actor->pid) {
		server_close(&actor->server);
		return;
	}
	close(actor->socket);
	if (wait_for_end(actor->pid) != -1)
		return;
	kill(actor->pid, SIGKILL);
	waitpid(actor->pid, NULL, 0);
}

/* ---- the server's side ------------------------------------------------------ */

static int serve(struct server *server)
{
	struct pollfd poll_fd = { .fd = SERVER_FD, .events = POLLIN };
	struct request request;
	struct answer answer;

	for (;;) {
		while (!poll(&poll_fd, 1, server->writing ? 0 : -1))
			server_write_on(server);
		/* The narrator's end of the socket is closed: so is the story. */
		if (recv(SERVER_FD, &request, sizeof(request), 0) != sizeof(request))
			return 0;
		server_do(server, &request, &answer);
		if (send(SERVER_FD, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			return 0;
	}
}

int actor_main(const char *uri)
{
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct server server;
	int err;

	err = marul1_new(&ctx);
	if (err)
		return 1;
	err = marul1_open(ctx, uri, &pool);
	if (!err) {
		err = server_open(&server, pool);
		marul1_pool_unref(pool);
	}
	marul1_unref(ctx);
	if (err) {
		fprintf(stderr, "demo: a server cannot open %s: %s\n", uri, strerror(-err));
		return 1;
	}
	serve(&server);
	server_close(&server);
	return 0;
}
