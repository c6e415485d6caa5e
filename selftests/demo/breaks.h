/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Faults that the self-test puts into the demo, one a run: MARU_DEMO_BREAK
 * names it.  Every sentence of the story must be able to turn out untrue.
 */
#ifndef DEMO_BREAKS_H
#define DEMO_BREAKS_H

#include <stdbool.h>

/* Whether the fault @name is wanted; @name must be in the table. */
bool breaks(const char *name);
/* False: MARU_DEMO_BREAK names no fault; said on stderr. */
bool breaks_known(void);
void breaks_list(void);

#endif
