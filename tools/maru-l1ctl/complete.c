// SPDX-License-Identifier: GPL-2.0-only
/*
 * Everything is taken from what the verbs tell people: an option or an argument
 * that help shows is completed, and none else.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <daxctl/libdaxctl.h>
#include "complete.h"
#include "pools.h"
#include "verbs.h"

#define SPACE	" \n"

/* A word of a help text. */
struct part {
	const char *text;
	size_t len;
};

static bool is(const struct part *part, const char *text)
{
	return part->len == strlen(text) && !memcmp(part->text, text, part->len);
}

/* The next word from @text on, without brackets; @part->len 0: none. */
static const char *next_part(const char *text, struct part *part)
{
	text += strspn(text, SPACE "[]");
	part->text = text;
	part->len = strcspn(text, SPACE "[]");
	return text + part->len;
}

/* How many bytes @part has without the dots of "KEY...". */
static size_t bare(const struct part *part)
{
	size_t len = part->len;

	while (len && part->text[len - 1] == '.')
		len--;
	return len;
}

static void offer(const char *word, const struct part *candidate, const struct part *about)
{
	if (candidate->len < strlen(word) || memcmp(candidate->text, word, strlen(word)))
		return;
	printf("%.*s", (int)candidate->len, candidate->text);
	if (about && about->len)
		printf("\t%.*s", (int)about->len, about->text);
	putchar('\n');
}

static void offer_text(const char *word, const char *text, const char *about)
{
	struct part candidate = { text, strlen(text) }, description;

	if (about)
		description = (struct part){ about, strlen(about) };
	offer(word, &candidate, about ? &description : NULL);
}

static void offer_verbs(const char *word)
{
	for (size_t i = 0; i < nr_verbs; i++)
		if (verbs[i].name)
			offer_text(word, verbs[i].name, verbs[i].summary);
}

static void offer_pools(const char *word)
{
	struct dirent **names;
	int n = pool_names(&names);

	for (int i = 0; i < n; i++) {
		offer_text(word, names[i]->d_name, NULL);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* A node of /dev for each; a path that opens to a memfd is a file. */
static void offer_devices(const char *word)
{
	struct daxctl_region *region;
	struct daxctl_ctx *ctx;
	struct daxctl_dev *dev;
	char path[64];

	if (!daxctl_new(&ctx)) {
		daxctl_region_foreach(ctx, region)
			daxctl_dev_foreach(region, dev) {
				snprintf(path, sizeof(path), "/dev/%s",
					 daxctl_dev_get_devname(dev));
				if (daxctl_dev_get_size(dev))
					offer_text(word, path, NULL);
			}
		daxctl_unref(ctx);
	}
	puts(":files");
}

/* Of "yes|no" what is in small letters; what is in large ones stands for itself. */
static void offer_choices(const char *word, const struct part *value)
{
	const char *p = value->text, *end = p + value->len;
	struct part choice;

	for (; p < end; p += choice.len + 1) {
		choice = (struct part){ p, strcspn(p, "|" SPACE "[]") };
		if (*p >= 'a' && *p <= 'z')
			offer(word, &choice, NULL);
		else if (choice.len == 4 && !memcmp(p, "FILE", 4))
			puts(":files");
	}
}

/* What can stand where help says @value. */
static void offer_value(const char *word, const struct part *value)
{
	struct part name = { value->text, bare(value) };

	if (is(&name, "VERB"))
		offer_verbs(word);
	else if (is(&name, "POOL"))
		offer_pools(word);
	else if (is(&name, "DEVICE"))
		offer_devices(word);
	else
		offer_choices(word, &name);
}

/* The next line of @text that tells about an option; NULL: none. */
static const char *next_option_line(const char *text, struct part *option,
				    struct part *value, struct part *about)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		if (strncmp(text, "  --", 4))
			continue;
		text = next_part(text, option);
		*value = (struct part){ text, 0 };
		if (text[0] == ' ' && text[1] != ' ')
			text = next_part(text, value);
		text += text < end ? strspn(text, " ") : 0;
		*about = (struct part){ text, end - text };
		return *end ? end + 1 : end;
	}
	return NULL;
}

static void offer_options(const char *word, const struct verb *verb)
{
	struct part option, value, about;
	const char *p = verb->options;

	while ((p = next_option_line(p, &option, &value, &about)))
		offer(word, &option, &about);
	offer_text(word, "--json", "print JSON, with exact numbers");
	offer_text(word, "--help", "tell about the verb");
}

/* Whether @word is an option that takes a value, and what kind of one. */
static bool takes_value(const struct verb *verb, const char *word, struct part *value)
{
	const char *p = verb->options;
	struct part option, about;

	while ((p = next_option_line(p, &option, value, &about)))
		if (is(&option, word))
			return value->len;
	return false;
}

/* What help says of argument @n, from 0; the last one may repeat. */
static bool find_argument(const struct verb *verb, int n, struct part *argument)
{
	const char *p = verb->args;
	struct part part;

	for (;; n--) {
		p = next_part(p, &part);
		if (!part.len || is(&part, "OPTION..."))
			return false;
		*argument = part;
		if (!n || bare(&part) < part.len)
			return true;
	}
}

static void complete_verb(const struct verb *verb, int nr, char **words)
{
	const char *word = words[nr - 1];
	struct part part;
	int n = 0;

	for (int i = 0; i < nr - 1; i++) {
		if (!takes_value(verb, words[i], &part)) {
			n += *words[i] != '-' || !words[i][1];
			continue;
		}
		/* Shells cut "--option=value" in three. */
		if (i + 1 < nr - 1 && !strcmp(words[i + 1], "="))
			i++;
		if (++i == nr - 1) {
			offer_value(strcmp(word, "=") ? word : "", &part);
			return;
		}
	}
	if (*word == '-')
		offer_options(word, verb);
	else if (find_argument(verb, n, &part))
		offer_value(word, &part);
}

void complete(int nr, char **words)
{
	const struct verb *verb;

	if (nr < 1)
		return;
	if (nr == 1) {
		offer_verbs(words[0]);
		return;
	}
	verb = find_verb(words[0]);
	if (verb)
		complete_verb(verb, nr - 1, words + 1);
}
