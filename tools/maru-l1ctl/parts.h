/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices that a pool is made of, found by its uuid whatever they are called. */
#ifndef MARU_CTL_PARTS_H
#define MARU_CTL_PARTS_H

#include <linux/maru_l1.h>
#include "wait.h"

struct parts {
	unsigned int count;	/* of the pool; 0: no device has one of them */
	bool denied;		/* there is a device that only root may look at */
	char path[MARU_L1_BACKINGS_MAX][64];	/* in their order; empty: not here */
};

/*
 * Looks at all dax devices, again and again while @wait lasts.
 * Return: 0 with all parts, or CTL_FAILED after saying what is missing.
 */
int parts_find(const uint8_t uuid[16], const struct wait *wait, struct parts *parts);

#endif
