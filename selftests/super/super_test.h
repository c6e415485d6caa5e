/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the suite share. */
#ifndef MARU_SUPER_TEST_H
#define MARU_SUPER_TEST_H

#include "super.h"
#undef ARRAY_SIZE
#include "tap.h"

/* CRC-32C, written here a second time: the format's check may not check itself. */
u32 test_crc(const void *p, size_t n);

void lines_beat_round_trip(void);
void lines_beat_unwritten(void);
void lines_beat_flips(void);
void lines_beat_attacks(void);
void lines_stop_orders(void);
void lines_stop_flips(void);
void lines_stop_attacks(void);
void lines_places(void);

#endif
