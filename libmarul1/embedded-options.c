// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The text after "embedded:": SIZE[,OPTION=N...], read strictly. */
#include "internal.h"

#include <string.h>

#define USAGE "write embedded:SIZE[,max_objects=N][,quarantine_ms=N]" \
	      "[,max_client_bytes=SIZE][,coherent=0|1]"
#define OBJECTS_MAX	(16ULL << 20)

/**
 * struct option - one of OPTION=N
 * @place: in struct embedded_options
 * @max: largest value; the smallest is 1
 * @units: may end with K, M, G or T
 */
struct option {
	const char *name;
	size_t place;
	uint64_t max;
	bool units;
};

static const struct option options_known[] = {
	{ "max_objects", offsetof(struct embedded_options, max_objects),
	  OBJECTS_MAX, false },
	{ "quarantine_ms", offsetof(struct embedded_options, quarantine_ms),
	  MARU_L1_QUARANTINE_MS_MAX, false },
	{ "max_client_bytes", offsetof(struct embedded_options, max_client_bytes),
	  INT64_MAX, true },
};

static unsigned int unit_shift(char c)
{
	switch (c) {
	case 'K': return 10;
	case 'M': return 20;
	case 'G': return 30;
	case 'T': return 40;
	}
	return 0;
}

/* Digits, perhaps a unit, and nothing else before @end; 1 … @max. */
static bool parse_number(const char *text, const char *end, bool units,
			 uint64_t max, uint64_t *number)
{
	unsigned int shift = 0;
	uint64_t n = 0;

	if (units && end > text)
		shift = unit_shift(end[-1]);
	if (shift)
		end--;
	if (text == end)
		return false;
	for (; text < end; text++) {
		if (*text < '0' || *text > '9')
			return false;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, *text - '0', &n))
			return false;
	}
	if (!n || n > max >> shift)
		return false;
	*number = n << shift;
	return true;
}

static bool name_is(const char *text, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(text, name, n);
}

/* NULL: understood; else what is wrong. */
static const char *parse_option(const char *text, const char *end,
				struct embedded_options *options,
				bool *coherent_given)
{
	const char *equals = memchr(text, '=', end - text);

	if (!equals)
		return "an option is OPTION=N";
	if (name_is(text, equals - text, "coherent")) {
		if (*coherent_given)
			return "an option is given twice";
		if (end - equals != 2 || (equals[1] != '0' && equals[1] != '1'))
			return "coherent is 0 or 1";
		options->coherent = equals[1] == '1';
		*coherent_given = true;
		return NULL;
	}
	for (size_t i = 0; i < sizeof(options_known) / sizeof(options_known[0]); i++) {
		const struct option *o = &options_known[i];
		uint64_t *value = (void *)((char *)options + o->place);

		if (!name_is(text, equals - text, o->name))
			continue;
		if (*value)
			return "an option is given twice";
		if (!parse_number(equals + 1, end, o->units, o->max, value))
			return "the value of an option is no number, zero or too large";
		return NULL;
	}
	return "an option is unknown";
}

static const char *parse(const char *text, struct embedded_options *options)
{
	const char *end = strchrnul(text, ','), *wrong;
	bool coherent_given = false;

	if (!parse_number(text, end, true, INT64_MAX, &options->bytes))
		return "SIZE is a number with K, M, G or T";
	if (options->bytes % ALIGN_2M)
		return "SIZE is a multiple of 2M";
	while (*end) {
		text = end + 1;
		end = strchrnul(text, ',');
		wrong = parse_option(text, end, options, &coherent_given);
		if (wrong)
			return wrong;
	}
	return NULL;
}

int embedded_options_parse(struct marul1_ctx *ctx, const char *text,
			   struct embedded_options *options)
{
	const char *wrong;

	*options = (struct embedded_options) { .coherent = true };
	wrong = parse(text, options);
	if (!wrong)
		return 0;
	marul1_log(ctx, LOG_ERR, "embedded:%s: %s; " USAGE, text, wrong);
	return -EINVAL;
}
