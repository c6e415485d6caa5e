// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
