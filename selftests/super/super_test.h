/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the suite share. */
#ifndef MARU_SUPER_TEST_H
#define MARU_SUPER_TEST_H

#include "super.h"
#undef ARRAY_SIZE
#include "tap.h"

#define MIB	(1ULL << 20)
#define GIB	(1ULL << 30)
#define UNIT	(2 * MIB)
#define MEMORY	(502 * MIB)

/* CRC-32C, written here a second time: the format's check may not check itself. */
u32 test_crc(const void *p, size_t n);

/* Backing 1 of three, on a memory of MEMORY bytes. */
struct maru_super super_sample(void);
bool super_same(const struct maru_super *a, const struct maru_super *b);
void super_seal(struct maru_sb_disk *disk);

void attack_version(void);
void attack_fields(void);
void attack_unit(void);
void attack_segment(void);
void attack_counts(void);
void attack_sums(void);
void attack_memory(void);
void attack_at_random(void);

void lines_beat_round_trip(void);
void lines_beat_unwritten(void);
void lines_beat_flips(void);
void lines_beat_attacks(void);
void lines_stop_orders(void);
void lines_stop_flips(void);
void lines_stop_attacks(void);
void lines_places(void);

#endif
