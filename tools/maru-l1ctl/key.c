// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <string.h>
#include "key.h"

#define HEX	"hex:"

/* The byte that two digits at @text stand for, or -1. */
static int hex_byte(const char *text)
{
	int high = hex_digit(text[0]);
	int low = high < 0 ? -1 : hex_digit(text[1]);

	return low < 0 ? -1 : high << 4 | low;
}

/* The byte that @text begins with, and how many characters it takes; or -1. */
static int escaped_byte(const char *text, size_t *taken)
{
	*taken = 1;
	if (*text != '\\')
		return (unsigned char)*text;
	*taken = 2;
	if (text[1] == '\\')
		return '\\';
	if (text[1] != 'x')
		return -1;
	*taken = 4;
	return hex_byte(text + 2);
}

static int next_byte(const char *text, bool hex, size_t *taken)
{
	if (!hex)
		return escaped_byte(text, taken);
	*taken = 2;
	return hex_byte(text);
}

void key_argument(const struct verb *verb, const char *text, struct key *key)
{
	bool hex = !strncmp(text, HEX, strlen(HEX));
	const char *p = hex ? text + strlen(HEX) : text;
	size_t taken;
	int byte;

	for (key->len = 0; *p; p += taken) {
		byte = next_byte(p, hex, &taken);
		if (byte < 0)
			usage(verb, hex ? "after hex: come pairs of hex digits, not '%s'" :
					  "a backslash in a key is \\\\ or begins \\xNN: '%s'", p);
		if (key->len == sizeof(key->bytes))
			usage(verb, "a key has at most %d bytes", MARU_L1_KEY_MAX);
		key->bytes[key->len++] = byte;
	}
	if (!key->len)
		usage(verb, "a key has at least one byte");
}

const char *key_text(const void *bytes, size_t len, char *text)
{
	char *p = text;

	/* Not to be taken for the other form. */
	if (len >= strlen(HEX) && !memcmp(bytes, HEX, strlen(HEX))) {
		p += sprintf(p, "\\x%02x", HEX[0]);
		bytes = (const char *)bytes + 1;
		len--;
	}
	escape(bytes, len, p);
	return text;
}

bool key_read(const char *text, struct key *key)
{
	size_t taken;
	int byte;

	for (key->len = 0; *text; text += taken) {
		byte = escaped_byte(text, &taken);
		if (byte < 0 || key->len == sizeof(key->bytes))
			return false;
		key->bytes[key->len++] = byte;
	}
	return key->len;
}
