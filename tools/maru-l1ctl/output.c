// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output.h"
#include "util.h"

#define CHUNK	(16U << 20)

/* What a signal that ends us shall not leave behind. */
static char unfinished[PATH_MAX];

static void on_end(int signum)
{
	unlink(unfinished);
	signal(signum, SIG_DFL);
	raise(signum);
}

static void guard_unfinished(const char *path)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

	strcpy(unfinished, path);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (signal(ends[i], on_end) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

static int exists(const struct output *output)
{
	return fail("%s exists already; --force replaces it", output->path);
}

static int open_stdout(struct output *output)
{
	output->path = "standard output";
	output->fd = STDOUT_FILENO;
	if (isatty(STDOUT_FILENO))
		return fail("standard output is a terminal: give a FILE");
	return CTL_OK;
}

static int open_directly(struct output *output)
{
	output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0)
		return fail("%s: %s", output->path, strerror(errno));
	return CTL_OK;
}

/* Beside the file: a name can be given only within one file system. */
static int open_temporary(struct output *output)
{
	uint64_t random;
	int n;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fail("no random numbers for the name of a temporary file");
	n = snprintf(output->temporary, PATH_MAX, "%s.%016" PRIx64, output->final, random);
	if (n >= PATH_MAX)
		return fail("%s: the name is too long", output->path);
	guard_unfinished(output->temporary);
	output->fd = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (output->fd < 0)
		return fail("%s: %s", output->temporary, strerror(errno));
	return CTL_OK;
}

int output_open(const char *path, bool replace, struct output *output)
{
	struct stat st;

	*output = (struct output){ .path = path, .fd = -1, .replace = replace };
	if (!path)
		return open_stdout(output);
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return fail("%s: %s", path, strerror(errno));
		if (strlen(path) >= PATH_MAX)
			return fail("%s: the name is too long", path);
		strcpy(output->final, path);
		return open_temporary(output);
	}
	if (S_ISDIR(st.st_mode))
		return fail("%s is a directory", path);
	if (!S_ISREG(st.st_mode))
		return open_directly(output);
	if (!replace)
		return exists(output);
	if (!realpath(path, output->final))
		return fail("%s: %s", path, strerror(errno));
	return open_temporary(output);
}

int output_write(const struct output *output, const void *from, uint64_t bytes,
		 uint64_t *done)
{
	const char *p = from;
	uint64_t left;
	ssize_t n;

	for (*done = 0; *done < bytes; *done += n) {
		left = bytes - *done;
		n = write(output->fd, p + *done, left < CHUNK ? left : CHUNK);
		if (n < 0 && errno == EFAULT)
			return -EFAULT;
		if (n < 0)
			return fail("%s cannot be written: %s", output->path, strerror(errno));
	}
	return CTL_OK;
}

static int give_name(const struct output *output)
{
	if (!renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->final,
		       output->replace ? 0 : RENAME_NOREPLACE))
		return CTL_OK;
	if (errno == EEXIST)
		return exists(output);
	return fail("%s cannot be made: %s", output->path, strerror(errno));
}

int output_keep(struct output *output)
{
	int ret = CTL_OK;

	/* Some file systems tell only now that they had no room. */
	if (output->fd != STDOUT_FILENO && close(output->fd))
		ret = fail("%s cannot be written: %s", output->path, strerror(errno));
	output->fd = -1;
	if (!ret && *output->final)
		ret = give_name(output);
	if (ret)
		output_discard(output);
	return ret;
}

void output_discard(struct output *output)
{
	if (output->fd > STDERR_FILENO)
		close(output->fd);
	output->fd = -1;
	if (*output->temporary)
		unlink(output->temporary);
}
