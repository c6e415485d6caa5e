/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that go on until they are told to stop. */
#ifndef MARU_CTL_ENDING_H
#define MARU_CTL_ENDING_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM are seen by ending_wait() and ending_poll() only. */
void ending_begin(void);
/*
 * Waits @ms for a byte on @fd, which may be -1, or for the end.  Return: false: it
 * is time to end.  @ready (may be NULL): there is something on @fd.
 */
bool ending_wait(int fd, int ms, bool *ready);

#endif
