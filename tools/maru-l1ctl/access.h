/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may open the node of a pool. */
#ifndef MARU_CTL_ACCESS_H
#define MARU_CTL_ACCESS_H

#include <sys/types.h>
#include "verbs.h"

struct access {
	bool has_mode, has_group;
	mode_t mode;
	gid_t group;
};

/* From the text of an option; ends the program if it is no mode, or no group. */
void access_mode(const struct verb *verb, const char *text, struct access *access);
void access_group(const struct verb *verb, const char *text, struct access *access);
/*
 * Gives the node of pool @name what was asked for, after the rules of udev have given
 * it theirs.  Return: CTL_OK, or CTL_FAILED after saying why.
 */
int access_set(const struct access *access, const char *name);

#endif
