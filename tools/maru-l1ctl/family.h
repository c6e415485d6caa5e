/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's generic netlink family, by libnl-3.  Messages come as models
 * whose keys are the attributes' names with '_' for '-'; keys of objects and
 * cookies, which can be any bytes, escaped.
 */
#ifndef MARU_CTL_FAMILY_H
#define MARU_CTL_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <json-c/json.h>

struct family;

/* Return: CTL_OK, or CTL_FAILED after saying what is wrong and what to do. */
int family_open(struct family **family);
/* Return: 0 or -errno, -ENOENT: the module is not loaded; nothing is said. */
int family_try_open(struct family **family);
void family_close(struct family *family);

/**
 * struct family_filter - what a dump or a request is about
 * @pool: name; NULL: all (pools only)
 * @prefix: objects whose key begins so; NULL: all
 * @prefix_len: of @prefix
 * @held: only objects that somebody holds
 * @min_idle_ms: only objects idle that long; 0: all
 * @client: id of the client whose holds are wanted
 */
struct family_filter {
	const char *pool;
	const void *prefix;
	size_t prefix_len;
	bool held;
	uint64_t min_idle_ms;
	uint64_t client;
};

/* One message; @row is put by the caller. Return: not 0 ends the dump with it. */
typedef int (*family_row)(struct json_object *row, void *arg);

/*
 * @command: MARU_L1_CMD_*_GET.  @changed (may be NULL): things came or went
 * meanwhile.  Return: 0, -errno (nothing is said), or what @row returned.
 */
int family_dump(struct family *family, int command, const struct family_filter *filter,
		family_row row, void *arg, bool *changed);
/* One message as an answer. Return: 0 or -errno; @model is the caller's to put. */
int family_get(struct family *family, int command, const char *pool,
	       struct json_object **model);
/*
 * Takes notifications of pools that come, change and go from now on.  Return: a
 * descriptor to poll, or -errno.
 */
int family_subscribe(struct family *family);
/* @command: MARU_L1_CMD_*_NTF; NULL: some were lost. */
typedef void (*family_event)(int command, struct json_object *event, void *arg);
/* Takes what has come. Return: 0 or -errno. */
int family_events(struct family *family, family_event event, void *arg);
/* What such a call failed with, told.  Return: CTL_FAILED. */
int family_failed(const char *pool, int error);

#endif
