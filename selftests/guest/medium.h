/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory that can be attached: a memfd or a device-dax node, with a superblock
 * of format v1 written by this file's own code.  Tests damage it on purpose, so
 * they need every byte under their own hand; that also holds the format to
 * what is documented, which an encoder shared with the module would not.
 */
#ifndef MARU_MEDIUM_H
#define MARU_MEDIUM_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/types.h>
#include <linux/maru_l1.h>

#define MEDIUM_UNIT	(2ULL << 20)
#define MEDIUM_BEATS	0x2000
#define MEDIUM_NONCES	0x3000
#define MEDIUM_STOPS	0x40000
#define MEDIUM_LINE	64
#define MEDIUM_STOP_MAGIC 0x5331524dU	/* "MR1S" */

/* One copy of the superblock, as it lies on the media. */
struct medium_super {
	uint8_t magic[8];
	__le32 version;
	__le32 flags;
	__le64 generation;
	uint8_t uuid[16];
	uint8_t label[32];
	__le64 unit;
	__le64 segment_bytes;
	__le64 pool_bytes;
	__le32 backing_index;
	__le32 backing_count;
	__le64 backing_bytes[16];
	uint8_t reserved[4096 - 236];
	__le32 crc;
};

/* A node's own line. */
struct medium_beat {
	__le32 magic;
	__le16 node;
	__le16 state;
	__le32 incarnation;
	__le32 watchdog_ms;
	__le64 beat;
	uint8_t machine_id[16];
	uint8_t boot_id[16];
	__le32 reserved;
	__le32 crc;
};

/* An order to a node to stop. */
struct medium_stop {
	__le32 magic;
	__le16 node;
	__le16 writer;
	__le32 incarnation;
	uint8_t reserved[48];
	__le32 crc;
};

/**
 * struct medium - memory of a pool, seen past the module
 * @fd: the backing, -1: none
 * @base: all of it mapped, the superblock area first
 * @bytes: its size
 */
struct medium {
	int fd;
	uint8_t *base;
	uint64_t bytes;
};

#define MEDIUM_SEALED	(F_SEAL_SHRINK | F_SEAL_GROW)

/* A memfd with @seals, formatted when @format. Return: 0 or -errno. */
int medium_memfd(struct medium *m, uint64_t bytes, int seals, bool format);
/* A device-dax node, formatted. */
int medium_dax(struct medium *m, const char *path);
void medium_close(struct medium *m);
/* Writes a valid superblock and clears all lines. */
void medium_format(struct medium *m);
struct medium_super *medium_super(struct medium *m, int copy);
/* Sets the crc of a superblock copy that a test has changed. */
void medium_seal_super(struct medium_super *sb);
struct medium_beat *medium_beat(struct medium *m, unsigned int node);
void medium_seal_beat(struct medium_beat *beat);
/* Orders @node to stop all its lives up to @incarnation, in the name of @writer. */
void medium_stop(struct medium *m, unsigned int node, unsigned int writer,
		 uint32_t incarnation);

/* An argument for ATTACH of @fds under @name, valid as it is. */
struct maru_l1_attach medium_attach_arg(const char *name, const int32_t *fds,
					uint32_t nr_fds);
/* Return: 0 or -errno. */
int medium_attach(struct medium *m, const char *name, uint32_t quarantine_ms);
int pool_detach(const char *name, uint32_t flags);

#endif /* MARU_MEDIUM_H */
