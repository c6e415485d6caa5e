// SPDX-License-Identifier: GPL-2.0-only
/* Keys, sizes, numbers and names as the tool's command line takes them. */

#include <ctype.h>
#include <setjmp.h>
#include <string.h>
#include "fuzz.h"
#include "key.h"
#include "util.h"

static jmp_buf refused;

/* What the tool does when it is used wrongly; here the target goes on. */
void usage(const struct verb *verb, const char *fmt, ...)
{
	longjmp(refused, 1);
}

static int argument(const char *text, struct key *key)
{
	if (setjmp(refused))
		return 0;
	key_argument(NULL, text, key);
	return 1;
}

/* Any bytes are written so that they are read back, and print as ASCII. */
static void bytes_round(const uint8_t *bytes, size_t size)
{
	char text[ESCAPED(MARU_L1_KEY_MAX)];
	struct key key;

	if (!size || size > MARU_L1_KEY_MAX)
		return;
	escape(bytes, size, text);
	FUZZ_EXPECT(key_read(text, &key) && key.len == size &&
		    !memcmp(key.bytes, bytes, size));
	key_text(bytes, size, text);
	for (const char *p = text; *p; p++)
		FUZZ_EXPECT(isprint((unsigned char)*p));
	FUZZ_EXPECT(argument(text, &key) && key.len == size &&
		    !memcmp(key.bytes, bytes, size));
}

/* Any text is a key or is refused; what is one fits. */
static void text_key(const char *text)
{
	char again[ESCAPED(MARU_L1_KEY_MAX)];
	struct key key, same;

	if (argument(text, &key)) {
		FUZZ_EXPECT(key.len && key.len <= MARU_L1_KEY_MAX);
		key_text(key.bytes, key.len, again);
		FUZZ_EXPECT(argument(again, &same) && same.len == key.len &&
			    !memcmp(same.bytes, key.bytes, key.len));
	}
	if (key_read(text, &key))
		FUZZ_EXPECT(key.len && key.len <= MARU_L1_KEY_MAX);
}

/* Digits and what may follow them, in more bits than there are. */
static int size_plainly(const char *text, int units, unsigned __int128 *value)
{
	static const char suffixes[] = "KMGT";
	const char *p = text, *suffix;

	*value = 0;
	for (; *p >= '0' && *p <= '9'; p++)
		if (*value <= UINT64_MAX)
			*value = *value * 10 + (*p - '0');
	if (p == text)
		return 0;
	suffix = units && *p ? strchr(suffixes, *p) : NULL;
	if (suffix && *value <= UINT64_MAX)
		*value <<= 10 * (suffix - suffixes + 1);
	return suffix ? !p[1] : !*p;
}

static void text_size(const char *text)
{
	char shown[SIZE_TEXT];
	unsigned __int128 want;
	uint64_t got;
	int ok = size_plainly(text, 1, &want) && want <= UINT64_MAX;

	FUZZ_EXPECT(parse_size(text, &got) == ok);
	if (ok) {
		FUZZ_EXPECT(got == want);
		FUZZ_EXPECT(strlen(size_text(got, shown)) < SIZE_TEXT);
	}
	ok = size_plainly(text, 0, &want) && want <= 1000;
	FUZZ_EXPECT(parse_number(text, 1000, &got) == ok);
	FUZZ_EXPECT(!ok || got == want);
}

static void text_name(const char *text)
{
	if (!valid_name(text))
		return;
	FUZZ_EXPECT(strlen(text) < MARU_L1_NAME_LEN && *text && *text != '.');
	FUZZ_EXPECT(!strchr(text, '/') && strcmp(text, "control"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, bytes, size);
	text[size] = '\0';
	bytes_round(bytes, size);
	text_key(text);
	text_size(text);
	text_name(text);
	free(text);
	return 0;
}
