// SPDX-License-Identifier: GPL-2.0-only
#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "say.h"

#define WIDTH	78

/* Marks with what brings them to the same four columns. */
static const char *mark_true = "ok  ";
static const char *mark_untrue = "NO  ";

void say_setup(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	setlocale(LC_CTYPE, "");
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		return;
	mark_true = "✓   ";
	mark_untrue = "✗   ";
}

struct number grouped(uint64_t n)
{
	struct number answer;
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	char *to = answer.text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return answer;
}

struct number mib(uint64_t bytes)
{
	struct number answer;

	if (bytes % (1 << 20))
		snprintf(answer.text, sizeof(answer.text), "%.1f MiB",
			 bytes / (double)(1 << 20));
	else
		snprintf(answer.text, sizeof(answer.text), "%llu MiB",
			 (unsigned long long)bytes >> 20);
	return answer;
}

void say_title(const char *text)
{
	printf("\n%s\n", text);
}

bool say(bool truth, const char *fmt, ...)
{
	int column = WIDTH + 1;
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	printf("  %s", truth ? mark_true : mark_untrue);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		int length = strlen(word);

		if (column > WIDTH)
			column = 6;
		else if (column + 1 + length > WIDTH)
			column = printf("\n      ") - 1;
		else
			column += printf(" ");
		column += printf("%s", word);
	}
	printf("\n");
	return truth;
}
