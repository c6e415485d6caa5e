// SPDX-License-Identifier: GPL-2.0-only
/* maru-l1ctl VERB …: finds the verb and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmarul1.h"
#include "print.h"
#include "verbs.h"

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < nr_verbs; i++)
		if (!strcmp(verbs[i].name, name))
			return &verbs[i];
	return NULL;
}

static void print_verb(const struct verb *verb)
{
	printf("usage: maru-l1ctl %s %s\n\n%s: %s.\n%s\n%s", verb->name, verb->args,
	       verb->name, verb->summary, verb->about, verb->options);
	printf("  --json               print JSON, with exact numbers\n"
	       "  --help               print this\n");
}

static void print_verbs(void)
{
	printf("usage: maru-l1ctl VERB [ARGUMENT...]\n\n");
	for (size_t i = 0; i < nr_verbs; i++)
		printf("  %-8s  %s\n", verbs[i].name, verbs[i].summary);
	printf("\n'maru-l1ctl help VERB' tells about one; maru-l1ctl(1) has examples.\n"
	       "Exit status: 0 done, 1 failed, 2 wrong usage.\n");
}

void usage(const struct verb *verb, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	say("%s%s%s; see 'maru-l1ctl help%s%s'", verb ? verb->name : "",
	    verb ? ": " : "", text, verb ? " " : "", verb ? verb->name : "");
	exit(CTL_USAGE);
}

/* Output that did not reach its reader is a failure. */
static int end_output(int ret)
{
	if (fflush(stdout) || ferror(stdout))
		return fail("cannot write the output: %s", strerror(errno));
	return ret;
}

int next_option(const struct verb *verb, int argc, char **argv,
		const struct option *options)
{
	int at = optind, option;

	opterr = 0;
	option = getopt_long(argc, argv, ":h", options, NULL);
	if (option == OPT_HELP) {
		print_verb(verb);
		exit(end_output(CTL_OK));
	}
	if (option == ':')
		usage(verb, "%s needs a value", argv[optind - 1]);
	if (option == '?') {
		/* A cluster of short options stays at its place. */
		if (optind == at)
			optind++;
		usage(verb, "no such option: %s", argv[optind - 1]);
	}
	return option;
}

char **arguments(const struct verb *verb, int argc, char **argv, int nr)
{
	if (argc - optind < nr)
		usage(verb, "arguments are missing: %s %s", verb->name, verb->args);
	if (argc - optind > nr)
		usage(verb, "one argument too many: %s", argv[optind + nr]);
	return argv + optind;
}

char **only_arguments(const struct verb *verb, int argc, char **argv, int nr,
		      bool *json)
{
	static const struct option options[] = { OPTIONS_ALL };

	*json = false;
	while (next_option(verb, argc, argv, options) != -1)
		*json = true;
	return arguments(verb, argc, argv, nr);
}

const char *pool_name(const struct verb *verb, const char *name)
{
	char shown[ESCAPED(MARU_L1_NAME_LEN)];
	size_t len = strnlen(name, MARU_L1_NAME_LEN);

	if (!valid_name(name))
		usage(verb, "'%s' cannot be a pool's name: up to %d of letters, digits, '-', '_' and "
		      "'.', the first not a '.', and not \"control\"",
		      escape(name, len, shown), MARU_L1_NAME_LEN - 1);
	return name;
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
		usage(NULL, "no such verb: %s", argv[optind]);
	print_verb(about);
	return CTL_OK;
}

int cmd_version(const struct verb *verb, int argc, char **argv)
{
	struct json_object *model;
	bool json;

	only_arguments(verb, argc, argv, 0, &json);
	if (!json) {
		printf("maru-l1ctl %s\n", marul1_version());
		return CTL_OK;
	}
	model = model_new();
	model_text(model, "version", marul1_version());
	print_json(model);
	json_object_put(model);
	return CTL_OK;
}

/*
 * A pool's memory must not get the number of a standard stream that was closed:
 * messages would be written over it.
 */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		exit(EXIT_FAILURE);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct verb *verb;
	const char *name;

	keep_standard_streams();
	if (argc < 2)
		usage(NULL, "a verb is needed");
	name = argv[1];
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	else if (!strcmp(name, "--version"))
		name = "version";
	verb = find_verb(name);
	if (!verb)
		usage(NULL, "no such verb: %s", name);
	return end_output(verb->run(verb, argc - 1, argv + 1));
}
