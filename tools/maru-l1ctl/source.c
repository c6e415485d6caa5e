// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "source.h"
#include "util.h"

#define CHUNK	(16U << 20)
#define SPOOL	(64U << 10)

static int too_long(const struct source *source, uint64_t most)
{
	char size[SIZE_TEXT];

	return fail("%s is longer than the pool, which has %s", source->path,
		    size_text(most, size));
}

static int write_all(int fd, const char *from, size_t bytes)
{
	ssize_t n;

	for (; bytes; from += n, bytes -= n) {
		n = write(fd, from, bytes);
		if (n < 0)
			return -errno;
	}
	return 0;
}

/* Return: a file that nobody else can see, or -1 after saying why. */
static int new_spool(void)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	dir = dir && *dir ? dir : "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fail("no temporary file in %s: %s; set TMPDIR to a folder for them", dir,
		     strerror(errno));
	return fd;
}

/* What comes from a pipe, to @to, until it ends. */
static int spool(struct source *source, int to, uint64_t most)
{
	char buf[SPOOL];
	ssize_t n;

	for (source->bytes = 0;; source->bytes += n) {
		n = read(source->fd, buf, sizeof(buf));
		if (n < 0)
			return fail("%s cannot be read: %s", source->path, strerror(errno));
		if (!n)
			break;
		if (n > (ssize_t)(most - source->bytes))
			return too_long(source, most);
		if (write_all(to, buf, n))
			return fail("%s cannot be copied to a temporary file: %s; set TMPDIR to a folder with room",
				    source->path, strerror(errno));
	}
	if (lseek(to, 0, SEEK_SET))
		return fail("temporary file: %s", strerror(errno));
	return CTL_OK;
}

/* @source is the spool from here on. */
static int take_spooled(struct source *source, uint64_t most)
{
	int to = new_spool();
	int ret;

	if (to < 0)
		return CTL_FAILED;
	ret = spool(source, to, most);
	source_close(source);
	source->fd = to;
	return ret;
}

/* A shell may have read a part of standard input already. */
static int take_file(struct source *source, const struct stat *st, uint64_t most)
{
	off_t at = lseek(source->fd, 0, SEEK_CUR);

	if (at < 0)
		return fail("%s: %s", source->path, strerror(errno));
	source->bytes = st->st_size > at ? st->st_size - at : 0;
	return source->bytes > most ? too_long(source, most) : CTL_OK;
}

int source_open(const char *path, uint64_t most, struct source *source)
{
	bool standard = !strcmp(path, "-");
	struct stat st;
	int ret;

	source->path = standard ? "standard input" : path;
	source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (source->fd < 0 || fstat(source->fd, &st))
		ret = fail("%s: %s", source->path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		ret = fail("%s is a directory", source->path);
	/* Files of /proc and the like have no size, and something in them. */
	else if (S_ISREG(st.st_mode) && st.st_size)
		ret = take_file(source, &st, most);
	else
		ret = take_spooled(source, most);
	if (!ret && !source->bytes)
		ret = fail("%s is empty: an object has at least one byte", source->path);
	if (ret)
		source_close(source);
	return ret;
}

void source_close(struct source *source)
{
	if (source->fd > STDERR_FILENO)
		close(source->fd);
	source->fd = -1;
}

static int changed(const struct source *source)
{
	return fail("%s has changed its size while it was read", source->path);
}

int source_read(const struct source *source, void *to)
{
	uint64_t left = source->bytes;
	uint8_t *p = to, more;
	ssize_t n;

	for (; left; left -= n, p += n) {
		n = read(source->fd, p, left < CHUNK ? left : CHUNK);
		if (n < 0 && errno == EFAULT)
			return -EFAULT;
		if (n < 0)
			return fail("%s cannot be read: %s", source->path, strerror(errno));
		if (!n)
			return changed(source);
	}
	return read(source->fd, &more, 1) > 0 ? changed(source) : CTL_OK;
}
