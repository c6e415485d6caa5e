/* SPDX-License-Identifier: GPL-2.0-only */
/* A look at memory that may not be there: which signal it raises. */
#ifndef MARU_TOUCH_H
#define MARU_TOUCH_H

#include <stdint.h>

/* Reads (or writes back) a byte: 0, or the number of the signal that it raised. */
int touch_read(const volatile uint8_t *at);
int touch_write(volatile uint8_t *at);

#endif /* MARU_TOUCH_H */
