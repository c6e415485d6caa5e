/* SPDX-License-Identifier: GPL-2.0-only */
/* Cache lines of memory that other hosts map, and that need not be coherent. */
#ifndef MARU_CTL_LINES_H
#define MARU_CTL_LINES_H

#include <stddef.h>

/*
 * Writes back and drops the lines of a range; done when it returns.  Return: 0, or
 * -EFAULT: it is bad memory, or a mapping that was revoked.
 */
int lines_flush(const void *start, size_t bytes);

#endif
