// SPDX-License-Identifier: GPL-2.0-only
/* The time that a verb has for what others are about to do. */
#include <time.h>
#include "wait.h"

#define WAIT_MAX_S	86400
#define PAUSE_MS	200

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void wait_parse(const struct verb *verb, const char *text, struct wait *wait)
{
	uint64_t seconds;

	if (!parse_number(text, WAIT_MAX_S, &seconds))
		usage(verb, "--wait is a number of seconds up to %d, not %s", WAIT_MAX_S, text);
	wait->end_ms = now_ms() + seconds * 1000;
}

bool wait_more(const struct wait *wait)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	if (now_ms() >= wait->end_ms)
		return false;
	nanosleep(&pause, NULL);
	return true;
}
