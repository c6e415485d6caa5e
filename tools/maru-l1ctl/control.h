/* SPDX-License-Identifier: GPL-2.0-only */
/* The node through which pools are made, grown and ended. */
#ifndef MARU_CTL_CONTROL_H
#define MARU_CTL_CONTROL_H

/* Return: a descriptor, or -1 after saying what to do. */
int control_open(void);

#endif
