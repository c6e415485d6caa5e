/* SPDX-License-Identifier: GPL-2.0-only */
/* The node through which pools are made, grown and ended. */
#ifndef MARU_CTL_CONTROL_H
#define MARU_CTL_CONTROL_H

/* Return: a descriptor, or -1 after saying what to do. */
int control_open(void);
/*
 * A call that watches beats; unless it is refused at once, tells that it is watching
 * @what.  Return: 0 or -errno.
 */
int control_watch(int control, unsigned long call, void *arg, const char *what);

#endif
