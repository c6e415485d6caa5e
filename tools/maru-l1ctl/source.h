/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that becomes an object. */
#ifndef MARU_CTL_SOURCE_H
#define MARU_CTL_SOURCE_H

#include <stdint.h>

struct source {
	const char *path;	/* for messages */
	int fd;
	uint64_t bytes;		/* from the place where @fd is */
};

/*
 * @path: "-" is standard input.  What has no size of its own, such as a pipe, is
 * first copied to a file without a name in $TMPDIR or /tmp, up to @most bytes.
 * Return: CTL_OK, or CTL_FAILED after saying why: also when it is empty, or longer.
 */
int source_open(const char *path, uint64_t most, struct source *source);
void source_close(struct source *source);
/*
 * All of it, once, to memory of a pool.  Return: CTL_OK; CTL_FAILED after saying
 * why; -EFAULT: the memory cannot be written, nothing is said.
 */
int source_read(const struct source *source, void *to);

#endif
