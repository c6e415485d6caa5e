/* SPDX-License-Identifier: GPL-2.0-only */
/* The clients of a pool, and what they hold. */
#ifndef MARU_CTL_CLIENTS_H
#define MARU_CTL_CLIENTS_H

#include "family.h"
#include "verbs.h"

/* An array, the caller's to put. Return: 0 or -errno. */
int clients_read(struct family *family, const char *pool, struct json_object **clients);
/*
 * Calls @row for each hold of @clients, with pid and comm of who holds it; of the
 * client @only, if it is not 0.  Return: 0, -errno, -ESRCH: there is no @only, or
 * what @row returned.
 */
int clients_holds(struct family *family, const char *pool, struct json_object *clients,
		  uint64_t only, family_row row, void *arg);
bool pool_is_there(struct family *family, const char *pool);

#endif
