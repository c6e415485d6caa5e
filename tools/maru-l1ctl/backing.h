/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a pool can be made of: a device-dax node, or a sealed memfd. */
#ifndef MARU_CTL_BACKING_H
#define MARU_CTL_BACKING_H

#include <stdbool.h>
#include <stdint.h>

struct backing {
	const char *path;
	int fd;			/* open for reading and writing */
	bool memfd;
	uint64_t bytes;
	uint64_t align;
	int numa_node;		/* -1: unknown */
};

/* Return: 0, or CTL_FAILED after saying what is wrong and what to do. */
int backing_open(const char *path, struct backing *backing);
void backing_close(struct backing *backing);

#endif
