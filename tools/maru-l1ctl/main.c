// SPDX-License-Identifier: GPL-2.0-only
/* maru-l1ctl VERB …: finds the verb and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "complete.h"
#include "libmarul1.h"
#include "print.h"
#include "verbs.h"

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

char **some_arguments(const struct verb *verb, int argc, char **argv, int least, int most)
{
	if (argc - optind < least)
		usage(verb, "arguments are missing: %s %s", verb->name, verb->args);
	if (argc - optind > most)
		usage(verb, "one argument too many: %s", argv[optind + most]);
	return argv + optind;
}

char **arguments(const struct verb *verb, int argc, char **argv, int nr)
{
	return some_arguments(verb, argc, argv, nr, nr);
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
 * A file must not get the number of a standard stream that was closed: messages
 * would be written over it.  What stands there instead can only be used the
 * wrong way round, so that reading or writing fails as on the closed one.
 */
static void keep_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			exit(EXIT_FAILURE);
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
	/* For shells, not for people: not among the verbs. */
	if (!strcmp(name, "complete") && argc > 2 && !strcmp(argv[2], "--")) {
		complete(argc - 3, argv + 3);
		return end_output(CTL_OK);
	}
	verb = find_verb(name);
	if (!verb)
		no_such_verb(name);
	return end_output(verb->run(verb, argc - 1, argv + 1));
}
