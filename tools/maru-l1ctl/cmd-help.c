// SPDX-License-Identifier: GPL-2.0-only
/* help: the verbs, and what each says about itself. */
#include <stdio.h>
#include <string.h>
#include "verbs.h"

#define WORD_MAX	32	/* longer words are like none of ours */
#define TYPOS		2	/* a word that is further off was meant otherwise */

const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < nr_verbs; i++)
		if (verbs[i].name && !strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

void print_verb(const struct verb *verb)
{
	printf("usage: maru-l1ctl %s %s\n\n%s: %s.\n%s\n%s", verb->name, verb->args,
	       verb->name, verb->summary, verb->about, verb->options);
	printf("  --json               print JSON, with exact numbers\n"
	       "  --help               print this\n");
}

static void print_verbs(void)
{
	printf("usage: maru-l1ctl VERB [ARGUMENT...]\n");
	for (size_t i = 0; i < nr_verbs; i++) {
		if (!verbs[i].name)
			printf("\n%s:\n", verbs[i].summary);
		else
			printf("  %-10s  %s\n", verbs[i].name, verbs[i].summary);
	}
	printf("\n'maru-l1ctl help VERB' tells about one; maru-l1ctl(1) has examples.\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Letters to put in, leave out, replace or swap to make one word of the other. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int d[WORD_MAX + 1][WORD_MAX + 1];
	size_t m = strlen(a), n = strlen(b);

	if (m > WORD_MAX || n > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= m; i++) {
		for (size_t j = 0; j <= n; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
					least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[m][n];
}

/* NULL: none is near enough, or too little is left of the word. */
static const char *nearest_verb(const char *name)
{
	unsigned int best = least(TYPOS, strlen(name) / 2) + 1, far;
	const char *nearest = NULL;

	for (size_t i = 0; i < nr_verbs; i++) {
		if (!verbs[i].name)
			continue;
		far = distance(name, verbs[i].name);
		if (far < best) {
			best = far;
			nearest = verbs[i].name;
		}
	}
	return nearest;
}

void no_such_verb(const char *name)
{
	const char *nearest = nearest_verb(name);

	if (nearest)
		usage(NULL, "no such verb: %s; did you mean '%s'", name, nearest);
	usage(NULL, "no such verb: %s", name);
}

int cmd_help(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_ALL };
	const struct verb *about;

	while (next_option(verb, argc, argv, options) != -1)
		usage(verb, "there is no JSON of this");
	if (optind == argc) {
		print_verbs();
		return CTL_OK;
	}
	about = find_verb(arguments(verb, argc, argv, 1)[0]);
	if (!about)
		no_such_verb(argv[optind]);
	print_verb(about);
	return CTL_OK;
}
