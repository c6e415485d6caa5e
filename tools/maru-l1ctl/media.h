/* SPDX-License-Identifier: GPL-2.0-only */
/* The superblock area of a backing, mapped. */
#ifndef MARU_CTL_MEDIA_H
#define MARU_CTL_MEDIA_H

#include "super.h"
#include "backing.h"

struct media {
	const struct backing *backing;
	u8 *area;
	u64 unit;		/* bytes of the area */
	u64 data_bytes;		/* what is left behind it, in whole units */
};

/*
 * @unit: of the pool that it shall be a part of; 0: as the device needs it.
 * Return: 0, or CTL_FAILED after saying why.  @backing outlives @media.
 */
int media_open(const struct backing *backing, u64 unit, struct media *media);
void media_close(struct media *media);
enum maru_super_error media_read(const struct media *media,
				 struct maru_super *sb);
/*
 * Looks at the beat lines of all nodes for as long as a running node needs for
 * five beats.  Return: the number of a node whose line changed, 0: all rest.
 */
unsigned int media_watch(const struct media *media);
/*
 * Writes format v1 anew; until it is done the backing counts as not formatted.
 * Return: 0, or -EIO: what was written does not read back.
 */
int media_write(const struct media *media, struct maru_super *sb);

#endif
