/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that an object is written to. */
#ifndef MARU_CTL_OUTPUT_H
#define MARU_CTL_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct output - where bytes go
 * @path: for messages
 * @final: the file's own name, links resolved; "" when it is written directly
 * @temporary: what it is called until it is complete
 * @fd: open for writing
 * @replace: a file of that name may be there
 */
struct output {
	const char *path;
	char final[PATH_MAX];
	char temporary[PATH_MAX];
	int fd;
	bool replace;
};

/*
 * @path: NULL is standard output.  A device or a pipe is written to as it is; all
 * else is written under another name first, so that nobody sees a part of it.
 * Return: CTL_OK, or CTL_FAILED after saying why.
 */
int output_open(const char *path, bool replace, struct output *output);
/*
 * @done: bytes written.  Return: CTL_OK; CTL_FAILED after saying why; -EFAULT: the
 * byte at @from + @done cannot be read, nothing is said.
 */
int output_write(const struct output *output, const void *from, uint64_t bytes,
		 uint64_t *done);
/* Gives the file its name. Return: CTL_OK, or CTL_FAILED: it is gone. */
int output_keep(struct output *output);
/* Nothing is left, but of what was written directly. */
void output_discard(struct output *output);

#endif
