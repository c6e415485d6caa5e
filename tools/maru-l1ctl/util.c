// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/maru_l1.h>
#include "util.h"

static bool in_progress;

static void message(const char *fmt, va_list args)
{
	/* What was said before comes before, also in a pipe. */
	fflush(stdout);
	if (in_progress)
		fputs("\r\033[K", stderr);
	in_progress = false;
	fputs("maru-l1ctl: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
}

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(fmt, args);
	va_end(args);
}

int fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	message(fmt, args);
	va_end(args);
	return CTL_FAILED;
}

void progress(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	in_progress = fmt;
	if (!fmt)
		return;
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
}

void out_of_memory(void)
{
	exit(fail("out of memory"));
}

/* The digits that @text begins with; NULL: none, or they pass @max. */
static const char *digits(const char *text, uint64_t max, uint64_t *value)
{
	uint64_t n = 0;

	if (!isdigit((unsigned char)*text))
		return NULL;
	for (; isdigit((unsigned char)*text); text++) {
		unsigned int digit = *text - '0';

		if (n > max / 10 || n * 10 > max - digit)
			return NULL;
		n = n * 10 + digit;
	}
	*value = n;
	return text;
}

bool parse_number(const char *text, uint64_t max, uint64_t *value)
{
	const char *end = digits(text, max, value);

	return end && !*end;
}

bool parse_size(const char *text, uint64_t *bytes)
{
	static const char suffixes[] = "KMGT";
	const char *end = digits(text, UINT64_MAX, bytes), *suffix;
	unsigned int shift;

	if (!end)
		return false;
	if (!*end)
		return true;
	suffix = strchr(suffixes, *end);
	if (!suffix || end[1])
		return false;
	shift = 10 * (suffix - suffixes + 1);
	if (*bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

bool parse_duration(const char *text, uint64_t *ms)
{
	static const struct {
		const char *name;
		uint64_t ms;
	} units[] = { { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 } };
	const char *end = digits(text, UINT64_MAX / 3600000, ms);

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		*ms *= units[i].ms;
		return true;
	}
	return false;
}

bool valid_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= MARU_L1_NAME_LEN || *name == '.' ||
	    !strcmp(name, "control"))
		return false;
	for (; *name; name++)
		if ((unsigned char)*name >= 0x80 ||
		    (!isalnum((unsigned char)*name) && !strchr("-_.", *name)))
			return false;
	return true;
}

const char *size_text(uint64_t bytes, char text[SIZE_TEXT])
{
	static const char * const units[] = {
		"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB",
	};
	unsigned int unit = 0, tenths;
	uint64_t n = bytes;

	while (n >= 1024 && unit < 6) {
		n >>= 10;
		unit++;
	}
	if (!unit) {
		snprintf(text, SIZE_TEXT, "%" PRIu64 " B", bytes);
		return text;
	}
	tenths = (bytes >> (10 * (unit - 1)) & 1023) * 10 / 1024;
	if (tenths)
		snprintf(text, SIZE_TEXT, "%" PRIu64 ".%u %s", n, tenths, units[unit]);
	else
		snprintf(text, SIZE_TEXT, "%" PRIu64 " %s", n, units[unit]);
	return text;
}

const char *uuid_text(const uint8_t uuid[16], char text[UUID_TEXT])
{
	char *p = text;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += sprintf(p, "%02x", uuid[i]);
	}
	return text;
}

const char *id_text(uint64_t id, char text[ID_TEXT])
{
	snprintf(text, ID_TEXT, "0x%016" PRIx64, id);
	return text;
}

const char *escape(const void *bytes, size_t len, char *text)
{
	const unsigned char *b = bytes;
	char *p = text;

	for (; len; len--, b++) {
		if (*b >= 0x20 && *b < 0x7f && *b != '\\')
			*p++ = *b;
		else
			p += sprintf(p, "\\x%02x", *b);
	}
	*p = '\0';
	return text;
}

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool parse_id(const char *text, uint8_t id[16])
{
	int high, low, i;

	for (i = 0; i < 16; i++, text += 2) {
		while (*text == '-')
			text++;
		high = hex_digit(text[0]);
		low = high < 0 ? -1 : hex_digit(text[1]);
		if (low < 0)
			break;
		id[i] = high << 4 | low;
	}
	if (i == 16 && !*text)
		return true;
	memset(id, 0, 16);
	return false;
}

bool read_id(const char *path, uint8_t id[16])
{
	FILE *file = fopen(path, "re");
	char line[64];

	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return parse_id(line, id);
}
