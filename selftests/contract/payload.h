/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes that say whose they are: key, writer, sequence and id at the front, and
 * behind them words that depend on all four and on their place.
 */
#ifndef CONTRACT_PAYLOAD_H
#define CONTRACT_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct payload {
	uint64_t key, writer, sequence, id;
};

/* @n: bytes, a multiple of 8. The header is written last. */
void payload_write(void *at, size_t n, const struct payload *p);
/* Return: whether all bytes are those that the header in @p stands for. */
bool payload_read(const void *at, size_t n, struct payload *p);

#endif /* CONTRACT_PAYLOAD_H */
