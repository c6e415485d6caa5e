/* SPDX-License-Identifier: GPL-2.0-only */
/* A look at what a dax device says it is, without a right to write to it. */
#ifndef MARU_CTL_LOOK_H
#define MARU_CTL_LOOK_H

#include "super.h"

/*
 * @bytes, @align: of the device at @path.  Return: enum maru_super_error, or
 * -errno; -EFAULT: the memory cannot be read.
 */
int look_at(const char *path, u64 bytes, u64 align, struct maru_super *sb);

#endif
