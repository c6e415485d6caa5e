/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The accounts of a pool as a client reads them, and what must hold of them at
 * any moment (invariant 1 and the sums of struct maru_l1_usage).
 */
#ifndef MARU_ACCOUNT_H
#define MARU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/maru_l1.h>

/* The monotonic clock. */
uint64_t now_ms(void);
uint64_t now_us(void);
void sleep_ms(unsigned int ms);

/*
 * Whether CHECK finds no difference and the sums of USAGE are right; what does
 * not hold is printed as a TAP remark.  @usage may be NULL.
 */
bool account_sound(int fd, struct maru_l1_usage *usage);
/* Whether nothing is staged, private, held or waiting in the whole pool. */
bool account_idle(const struct maru_l1_usage *usage);
/*
 * Waits until the pool is idle.  Return: ms that it took, or -1: not within
 * @limit_ms, the last account being printed.
 */
int account_settle(int fd, unsigned int limit_ms);
/* Prints the fields in which two accounts differ; true: none. */
bool account_equal(const struct maru_l1_usage *a, const struct maru_l1_usage *b);
void account_print(const struct maru_l1_usage *usage);

#endif /* MARU_ACCOUNT_H */
