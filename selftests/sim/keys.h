/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys by number: short, long, alike, and two of one hash. */
#ifndef SIM_KEYS_H
#define SIM_KEYS_H

#include "core.h"

#define KEYS		4096
/* Hash to the same 32 bits under SIM_HASH_KEY. */
#define KEY_TWIN	2
#define KEY_TWIN_OF	3
#define SIM_HASH_KEY	"sixteen letters."

void keys_make(void);
u32 key_len(u32 key);
const u8 *key_bytes(u32 key);
/* The number of a key; -1: none of ours. */
s32 key_number(const u8 *bytes, u32 len);

#endif
