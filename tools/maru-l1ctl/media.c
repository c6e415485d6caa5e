// SPDX-License-Identifier: GPL-2.0-only
/*
 * The superblock area is memory that other hosts may write while we look: it is
 * copied out once and the copy is judged.  Hosts need not see each other's
 * stores, so lines are flushed after writing and dropped before reading.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "lines.h"
#include "media.h"
#include "util.h"

#define BEATS_BYTES	(MARU_NODES * MARU_LINE_SIZE)

/* Poisoned memory ends a load by a signal: say so rather than just die. */
static void bus_error(int signal)
{
	static const char text[] =
		"maru-l1ctl: the memory of the superblock area cannot be accessed (SIGBUS)\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(CTL_FAILED);
	_exit(CTL_FAILED);
}

int media_open(const struct backing *backing, u64 unit, struct media *media)
{
	char need[SIZE_TEXT];

	media->backing = backing;
	media->unit = backing->align > MARU_SB_UNIT_MIN ? backing->align : MARU_SB_UNIT_MIN;
	if (unit && media->unit > unit)
		return fail("%s has pages of %s, the pool's are smaller: it cannot be a part of it",
			    backing->path, size_text(media->unit, need));
	if (unit)
		media->unit = unit;
	media->data_bytes = backing->bytes / media->unit * media->unit;
	if (media->data_bytes < 2 * media->unit)
		return fail("%s is too small: at least %s are needed", backing->path,
			    size_text(2 * media->unit, need));
	media->data_bytes -= media->unit;
	signal(SIGBUS, bus_error);
	media->area = mmap(NULL, media->unit, PROT_READ | PROT_WRITE, MAP_SHARED,
			   backing->fd, 0);
	if (media->area == MAP_FAILED)
		return fail("%s cannot be mapped: %s", backing->path, strerror(errno));
	return 0;
}

void media_close(struct media *media)
{
	munmap(media->area, media->unit);
}

static void copy_out(const struct media *media, u64 offset, void *to, size_t bytes)
{
	lines_flush(media->area + offset, bytes);
	memcpy(to, media->area + offset, bytes);
}

static void copy_in(const struct media *media, u64 offset, const void *from,
		    size_t bytes)
{
	memcpy(media->area + offset, from, bytes);
	lines_flush(media->area + offset, bytes);
}

enum maru_super_error media_read(const struct media *media, struct maru_super *sb)
{
	struct maru_sb_disk copies[2];
	int which;

	copy_out(media, 0, copies, sizeof(copies));
	return maru_super_choose(copies, media->backing->bytes,
				 media->backing->align, sb, &which);
}

/* The first node whose line differs; 0: none. */
static unsigned int changed_line(const u8 *before, const u8 *after)
{
	for (unsigned int node = 1; node <= MARU_NODES; node++) {
		size_t line = (node - 1) * MARU_LINE_SIZE;

		if (memcmp(before + line, after + line, MARU_LINE_SIZE))
			return node;
	}
	return 0;
}

/* In full, whatever signals come: a short look would see nothing. */
static void wait_a_beat(void)
{
	struct timespec left = { .tv_nsec = MARU_BEAT_MS * 1000000L };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

unsigned int media_watch(const struct media *media)
{
	u8 before[BEATS_BYTES], after[BEATS_BYTES];
	unsigned int node = 0;

	copy_out(media, MARU_SB_BEATS, before, sizeof(before));
	for (int n = 1; n <= MARU_WATCH_BEATS && !node; n++) {
		progress("watching %s for nodes that run: %d of %d", media->backing->path,
			 n, MARU_WATCH_BEATS);
		wait_a_beat();
		copy_out(media, MARU_SB_BEATS, after, sizeof(after));
		node = changed_line(before, after);
	}
	progress(NULL);
	return node;
}

int media_write(const struct media *media, struct maru_super *sb)
{
	struct maru_sb_disk copies[2], back[2];

	/* The magics go first: cut short, this leaves no old copy with new lines. */
	memset(media->area, 0, sizeof(copies));
	lines_flush(media->area, sizeof(copies));
	memset(media->area, 0, MARU_SB_AREA);
	lines_flush(media->area, MARU_SB_AREA);
	for (int i = 0; i < 2; i++) {
		sb->generation = i + 1;
		maru_super_encode(sb, &copies[i]);
		copy_in(media, i * MARU_SB_COPY_SIZE, &copies[i], sizeof(copies[i]));
	}
	copy_out(media, 0, back, sizeof(back));
	if (memcmp(back, copies, sizeof(back)))
		return -EIO;
	lines_flush(media->area, MARU_SB_AREA);
	if (!mem_is_zero(media->area + MARU_SB_BEATS, MARU_SB_AREA - MARU_SB_BEATS))
		return -EIO;
	return 0;
}
