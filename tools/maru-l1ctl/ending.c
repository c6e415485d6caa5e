// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include "ending.h"
#include "util.h"

static int signals = -1;

void ending_begin(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/* A reader that has gone away is a failure of the output. */
	signal(SIGPIPE, SIG_IGN);
	signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0)
		out_of_memory();
}

bool ending_wait(int fd, int ms, bool *ready)
{
	struct pollfd fds[] = { { signals, POLLIN, 0 }, { fd, POLLIN, 0 } };
	int n = poll(fds, 2, ms);

	if (ready)
		*ready = n > 0 && fds[1].revents;
	/* A window that changes its size is a reason to look again; one that is gone, to end. */
	return !(n > 0 && (fds[0].revents || (fds[1].revents & POLLHUP)));
}
