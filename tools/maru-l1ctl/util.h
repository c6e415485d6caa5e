/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages, numbers and text: what all verbs need. */
#ifndef MARU_CTL_UTIL_H
#define MARU_CTL_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes. */
#define CTL_OK		0
#define CTL_FAILED	1
#define CTL_USAGE	2

#define PRINTF(n)	__attribute__((format(printf, n, n + 1)))

/* A message on stderr. */
void say(const char *fmt, ...) PRINTF(1);
/* The same; return: CTL_FAILED. */
int fail(const char *fmt, ...) PRINTF(1);
/* A step of something slow, on a terminal only; NULL ends it. */
void progress(const char *fmt, ...) PRINTF(1);
_Noreturn void out_of_memory(void);

/* Decimal digits only; false also when @max is passed. */
bool parse_number(const char *text, uint64_t max, uint64_t *value);
/* The same with K, M, G or T behind it (powers of 1024). */
bool parse_size(const char *text, uint64_t *bytes);
/* A number with ms, s, m or h behind it. */
bool parse_duration(const char *text, uint64_t *ms);
/* As struct maru_l1_attach wants it. */
bool valid_name(const char *name);

#define SIZE_TEXT	24
/* 1536 MiB is "1.5 GiB", 4097 is "4097 B": never more exact than it looks. */
const char *size_text(uint64_t bytes, char text[SIZE_TEXT]);

#define UUID_TEXT	37
const char *uuid_text(const uint8_t uuid[16], char text[UUID_TEXT]);

/* Ids are 64 bits: as a number many readers of JSON would round them. */
#define ID_TEXT		19
const char *id_text(uint64_t id, char text[ID_TEXT]);

/*
 * @len bytes as printable ASCII: others, and the backslash, as \xNN.  @text has
 * room for ESCAPED(len).
 */
#define ESCAPED(len)	(4 * (size_t)(len) + 1)
const char *escape(const void *bytes, size_t len, char *text);

/* Its value, or -1. */
int hex_digit(char c);
/* 32 hex digits, with or without dashes; if it is not that, @id is zeros. */
bool parse_id(const char *text, uint8_t id[16]);
/* The same, of a file's first line. */
bool read_id(const char *path, uint8_t id[16]);

#endif
