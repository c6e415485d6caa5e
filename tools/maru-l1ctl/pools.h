/* SPDX-License-Identifier: GPL-2.0-only */
/* The pools of this host, as libmarul1 reaches them, and their models. */
#ifndef MARU_CTL_POOLS_H
#define MARU_CTL_POOLS_H

#include <dirent.h>
#include <json-c/json.h>
#include "libmarul1.h"

#define POOLS_DIR	"/dev/maru_l1"
#define MODULE_MISSING	"the module is not loaded: modprobe maru_l1"
#define NO_POOL		"no pool of the name %s; see 'maru-l1ctl list'"

/* Return: CTL_OK, or CTL_FAILED after saying that the module is not loaded. */
int pools_ready(void);

/*
 * The names of all pools, sorted; @names and each of it are the caller's to free.
 * Return: how many, or -errno.
 */
int pool_names(struct dirent ***names);

/* A client of one pool, and what it had to be opened for. */
struct pool_file {
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *client;
};

/* Return: 0 or -errno; nothing is said. */
int pool_try_open(const char *name, struct pool_file *file);
/* Return: CTL_OK, or CTL_FAILED after saying why. */
int pool_open(const char *name, struct pool_file *file);
/* The same for verbs that change objects. */
int pool_open_writable(const char *name, struct pool_file *file);
void pool_close(struct pool_file *file);
/* What a call on the pool failed with, told. Return: CTL_FAILED. */
int pool_failed(const char *name, int error);
/* A system call could not reach the pool's memory at @offset: the same. */
int pool_memory_failed(const char *name, struct pool_file *file, uint64_t offset);

/*
 * Everything that info, usage and stats say of a pool, under stable keys.
 * Return: 0 or -errno.
 */
int pool_model(struct pool_file *file, struct json_object **model);

#endif
