// SPDX-License-Identifier: GPL-2.0-only
/*
 * memfd BYTES COMMAND [ARG...]: runs COMMAND with a memfd of that size, sealed
 * as a pool needs it, whose path is in MARU_MEMFD.  A shell cannot make one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[64];
	int fd;

	if (argc < 3) {
		fprintf(stderr, "usage: memfd BYTES COMMAND [ARG...]\n");
		return 2;
	}
	fd = memfd_create("maru-pool", MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, strtoll(argv[1], NULL, 0)) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW)) {
		perror("memfd");
		return 1;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("MARU_MEMFD", path, 1);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
