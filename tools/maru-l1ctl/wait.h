/* SPDX-License-Identifier: GPL-2.0-only */
/* --wait SECONDS: what others are about to do is worth another try. */
#ifndef MARU_CTL_WAIT_H
#define MARU_CTL_WAIT_H

#include "verbs.h"

struct wait {
	int64_t end_ms;		/* by the monotonic clock; 0: one try */
};

/* From the text of the option; ends the program if that is no time. */
void wait_parse(const struct verb *verb, const char *text, struct wait *wait);
/* Pauses for a moment.  Return: whether there was time left. */
bool wait_more(const struct wait *wait);

#endif
