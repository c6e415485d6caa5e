// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>
#include "control.h"
#include "pools.h"
#include "util.h"

#define CONTROL	POOLS_DIR "/control"

int control_open(void)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
		fail(MODULE_MISSING);
	else if (errno == EACCES || errno == EPERM)
		fail(CONTROL ": %s; run this as root", strerror(errno));
	else
		fail(CONTROL ": %s", strerror(errno));
	return -1;
}

/* A call that has not been refused by then is watching. */
#define AT_ONCE_US	200000

static char waiting[512];

static void tell_waiting(int nr)
{
	if (write(STDERR_FILENO, waiting, strlen(waiting)) < 0)
		return;
}

int control_watch(int control, unsigned long call, void *arg, const char *what)
{
	struct sigaction action = { .sa_handler = tell_waiting, .sa_flags = SA_RESTART };
	struct itimerval soon = { .it_value.tv_usec = AT_ONCE_US }, never = { 0 };
	int ret;

	snprintf(waiting, sizeof(waiting), "maru-l1ctl: watching %s\n", what);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	ret = ioctl(control, call, arg) ? -errno : 0;
	setitimer(ITIMER_REAL, &never, NULL);
	return ret;
}
