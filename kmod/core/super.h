/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Format v1 of a backing: the superblock area, one alignment unit (2 MiB, or
 * 1 GiB on such a device) at its beginning that clients can never map.
 * All numbers are little-endian.  Every 64-byte line has one writer for ever.
 *
 *	0x00000	superblock, copy 0 (4 KiB)
 *	0x01000	superblock, copy 1
 *	0x02000	beat lines of 64 nodes	   written by the node
 *	0x03000	nonce lines of 64 nodes	   written by the node
 *	0x40000	64 rows of 64 stop lines   row: the node stopped; column: the writer
 *	0x80000	end of what is in use
 */
#ifndef MARU_SUPER_H
#define MARU_SUPER_H

#include "shim.h"
#include <linux/maru_l1.h>

#define MARU_SB_MAGIC		"MARU_L1\0"
#define MARU_SB_VERSION		1
#define MARU_SB_GENERATION_MAX	BIT_ULL(62)	/* of pools that can grow */
#define MARU_SB_COPY_SIZE	4096
#define MARU_SB_BEATS		0x2000
#define MARU_SB_NONCES		0x3000
#define MARU_SB_STOPS		0x40000
#define MARU_SB_AREA		0x80000		/* bytes in use of the unit */
#define MARU_SB_UNIT_MIN	(2ULL << 20)
#define MARU_NODES		64		/* node numbers 1 … 64: slot = node - 1 */
#define MARU_LINE_SIZE		64
#define MARU_BEAT_MS		200
#define MARU_WATCH_BEATS	5
#define MARU_INCARNATION_MAX	0xffff
#define MARU_SEGMENT_MIN	(2ULL << 20)	/* segments are multiples of it */
#define MARU_POOL_MAX		BIT_ULL(52)	/* more than any physical address space */
#define MARU_BEAT_MAGIC		0x4231524dU	/* "MR1B" */
#define MARU_STOP_MAGIC		0x5331524dU	/* "MR1S" */

/*
 * On the media: one copy of the superblock; padded with zeros to 4 KiB.  Magic,
 * version, generation and crc stay where they are in all later formats.
 */
struct maru_sb_disk {
	u8 magic[8];
	__le32 version;
	__le32 flags;			/* MARU_SB_COHERENT */
	__le64 generation;		/* the valid copy with the higher one counts */
	u8 uuid[16];			/* of the pool */
	u8 label[MARU_L1_LABEL_LEN];
	__le64 unit;			/* bytes of the superblock area, map alignment */
	__le64 segment_bytes;
	__le64 pool_bytes;		/* data of all backings */
	__le32 backing_index;
	__le32 backing_count;
	__le64 backing_bytes[MARU_L1_BACKINGS_MAX];	/* data bytes of each */
	u8 reserved[MARU_SB_COPY_SIZE - 236];
	__le32 crc;			/* crc32c of all bytes before it */
};

#define MARU_SB_COHERENT	BIT(0)

/* The same in memory, validated. */
struct maru_super {
	u64 generation;
	u8 uuid[16];
	u8 label[MARU_L1_LABEL_LEN];
	u64 unit;
	u64 segment_bytes;
	u64 pool_bytes;
	u32 backing_index;
	u32 backing_count;
	u64 backing_bytes[MARU_L1_BACKINGS_MAX];
	bool coherent;
};

enum maru_super_error {
	MARU_SUPER_OK = 0,
	MARU_SUPER_NONE,		/* no magic: not formatted */
	MARU_SUPER_VERSION,		/* a format that this code does not know */
	MARU_SUPER_CRC,			/* damaged */
	MARU_SUPER_FIELDS,		/* no generation, no uuid, or a label not padded */
	MARU_SUPER_GEOMETRY,		/* sizes that do not fit each other or the memory */
};

/* Writes one copy; the other copy stays. */
void maru_super_encode(const struct maru_super *sb, struct maru_sb_disk *disk);
/*
 * Reads one copy, already copied out of shared memory. @memory_bytes: size of
 * the backing, @align: its alignment.
 */
enum maru_super_error maru_super_decode(const struct maru_sb_disk *disk,
					u64 memory_bytes, u64 align,
					struct maru_super *sb);
/*
 * The better of two copies; @which says which one it was.  A damaged copy gives
 * way to the other.  An intact one does not, also when it does not fit: what a
 * newer copy says is never passed over for what an older one said.
 */
enum maru_super_error maru_super_choose(const struct maru_sb_disk copies[2],
					u64 memory_bytes, u64 align,
					struct maru_super *sb, int *which);
const char *maru_super_strerror(enum maru_super_error error);
/* Segment size for a pool of @bytes: 1 GiB, or 1/64 of pools under 64 GiB. */
u64 maru_segment_default(u64 bytes);

/* On the media: a node's own line. */
struct maru_beat_disk {
	__le32 magic;
	__le16 node;
	__le16 state;			/* enum maru_beat_state */
	__le32 incarnation;
	__le32 watchdog_ms;		/* armed hardware watchdog, 0: none */
	__le64 beat;			/* grows by one with each beat */
	u8 machine_id[16];
	u8 boot_id[16];
	__le32 reserved;
	__le32 crc;			/* crc32c of the 60 bytes before it */
};

enum maru_beat_state {
	MARU_BEAT_NONE		= 0,	/* a line never written: all zero */
	MARU_BEAT_RUNNING	= 1,
	MARU_BEAT_FENCED	= 2,
	MARU_BEAT_STOPPED	= 3,
};

/* Where a line is in the superblock area; nodes count from 1. */
static inline u64 maru_beat_offset(u32 node)
{
	return MARU_SB_BEATS + (u64)(node - 1) * MARU_LINE_SIZE;
}

static inline u64 maru_stop_offset(u32 node, u32 writer)
{
	return MARU_SB_STOPS +
	       ((u64)(node - 1) * MARU_NODES + writer - 1) * MARU_LINE_SIZE;
}

struct maru_beat {
	u32 node;
	u32 state;
	u32 incarnation;
	u32 watchdog_ms;
	u64 beat;
	u8 machine_id[16];
	u8 boot_id[16];
};

void maru_beat_encode(const struct maru_beat *beat, struct maru_beat_disk *disk);
/* Return: 0; -EUCLEAN: neither zero nor valid. @node: whose line it should be. */
int maru_beat_decode(const struct maru_beat_disk *disk, u32 node,
		     struct maru_beat *beat);

/* On the media: an order to a node's incarnation to stop. */
struct maru_stop_disk {
	__le32 magic;
	__le16 node;			/* who shall stop */
	__le16 writer;
	__le32 incarnation;		/* which of its lives; all up to it */
	u8 reserved[48];
	__le32 crc;
};

/* Whether @disk orders @incarnation of @node to stop; damaged lines do not. */
bool maru_stop_orders(const struct maru_stop_disk *disk, u32 node, u32 writer,
		      u32 incarnation);
void maru_stop_encode(struct maru_stop_disk *disk, u32 node, u32 writer,
		      u32 incarnation);

#endif /* MARU_SUPER_H */
