/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs; one cmd-*.c for each noun. */
#ifndef MARU_CTL_VERBS_H
#define MARU_CTL_VERBS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include "util.h"

/**
 * struct verb - what one word after the program's name does
 * @name: the word; NULL: @summary is the title of the verbs behind it
 * @args: what follows it, for people and for completion
 * @summary: one line, for the list of verbs
 * @about: more lines, for "help VERB"
 * @options: those that only this verb has, for "help VERB" and completion
 * @run: does it; @argv[0] is the word. Return: CTL_*
 */
struct verb {
	const char *name;
	const char *args;
	const char *summary;
	const char *about;
	const char *options;
	int (*run)(const struct verb *verb, int argc, char **argv);
};

extern const struct verb verbs[];
extern const size_t nr_verbs;

/* NULL: there is none of this name. */
const struct verb *find_verb(const char *name);
void print_verb(const struct verb *verb);
/* There is no verb of this name; ends the program. */
_Noreturn void no_such_verb(const char *name);

/* Options that are long only are numbered from here. */
#define OPT_FIRST	256
#define OPT_HELP	'h'
#define OPT_JSON	'j'
#define OPTIONS_ALL \
	{ "help", no_argument, NULL, OPT_HELP }, \
	{ "json", no_argument, NULL, OPT_JSON }, \
	{ NULL, 0, NULL, 0 }

/*
 * The next option, or -1 when only arguments are left.  --help ends the program
 * after printing; what is wrong with an option ends it after saying so.
 */
int next_option(const struct verb *verb, int argc, char **argv,
		const struct option *options);
/* For verbs that know --json alone: exactly @nr arguments, @json said or not. */
char **only_arguments(const struct verb *verb, int argc, char **argv, int nr,
		      bool *json);
/* What getopt has left, exactly @nr; else ends the program. */
char **arguments(const struct verb *verb, int argc, char **argv, int nr);
/* The same with at least @least and at most @most of them. */
char **some_arguments(const struct verb *verb, int argc, char **argv, int least, int most);
/* Ends the program. */
_Noreturn void usage(const struct verb *verb, const char *fmt, ...) PRINTF(2);

/* The name of a pool, or ends the program. */
const char *pool_name(const struct verb *verb, const char *name);

int cmd_format(const struct verb *verb, int argc, char **argv);
int cmd_attach(const struct verb *verb, int argc, char **argv);
int cmd_grow(const struct verb *verb, int argc, char **argv);
int cmd_detach(const struct verb *verb, int argc, char **argv);
int cmd_list(const struct verb *verb, int argc, char **argv);
int cmd_info(const struct verb *verb, int argc, char **argv);
int cmd_stats(const struct verb *verb, int argc, char **argv);
int cmd_metrics(const struct verb *verb, int argc, char **argv);
int cmd_check(const struct verb *verb, int argc, char **argv);
int cmd_devices(const struct verb *verb, int argc, char **argv);
int cmd_put(const struct verb *verb, int argc, char **argv);
int cmd_get(const struct verb *verb, int argc, char **argv);
int cmd_query(const struct verb *verb, int argc, char **argv);
int cmd_evict(const struct verb *verb, int argc, char **argv);
int cmd_purge(const struct verb *verb, int argc, char **argv);
int cmd_retire(const struct verb *verb, int argc, char **argv);
int cmd_objects(const struct verb *verb, int argc, char **argv);
int cmd_show(const struct verb *verb, int argc, char **argv);
int cmd_clients(const struct verb *verb, int argc, char **argv);
int cmd_holds(const struct verb *verb, int argc, char **argv);
int cmd_layouts(const struct verb *verb, int argc, char **argv);
int cmd_segments(const struct verb *verb, int argc, char **argv);
int cmd_top(const struct verb *verb, int argc, char **argv);
int cmd_events(const struct verb *verb, int argc, char **argv);
int cmd_completion(const struct verb *verb, int argc, char **argv);
int cmd_version(const struct verb *verb, int argc, char **argv);
int cmd_help(const struct verb *verb, int argc, char **argv);

#endif
