/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of objects, any bytes, as people write them: escaped, or in hex. */
#ifndef MARU_CTL_KEY_H
#define MARU_CTL_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/maru_l1.h>
#include "verbs.h"

struct key {
	size_t len;
	uint8_t bytes[MARU_L1_KEY_MAX];
};

/*
 * What escape() writes is read back; "hex:" and pairs of digits is another form.
 * What is no key ends the program after saying why.
 */
void key_argument(const struct verb *verb, const char *text, struct key *key);

/* As escape(), so that key_argument() reads it back. @text: ESCAPED(len). */
const char *key_text(const void *bytes, size_t len, char *text);

/* What escape() or key_text() wrote, and nothing in hex; false: neither has. */
bool key_read(const char *text, struct key *key);

#endif
