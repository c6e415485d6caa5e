// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memfd.h"

static long long bytes_of(const char *size)
{
	char *unit;
	long long n = strtoll(size, &unit, 10);

	if (n <= 0 || n > 1 << 20 || !*unit || unit[1])
		return -1;
	return *unit == 'M' ? n << 20 : *unit == 'G' ? n << 30 : -1;
}

int memfd_main(const char *size)
{
	long long bytes = bytes_of(size);
	char buf[64];
	int fd;

	if (bytes < 0) {
		fprintf(stderr, "demo: %s is no size: write 512M or 1G\n", size);
		return 2;
	}
	fd = memfd_create("maru_l1 demo", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, bytes) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)) {
		fprintf(stderr, "demo: no memory of %s: %s\n", size, strerror(errno));
		return 1;
	}
	printf("/proc/%d/fd/%d\n", (int)getpid(), fd);
	fflush(stdout);
	while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
		;
	return 0;
}
