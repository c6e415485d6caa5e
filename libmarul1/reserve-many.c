// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reserving more than one call takes: in parts, all or nothing. */
#include "internal.h"

/* So few that nothing needs to be allocated on the way back. */
#define ABORT_PART	64

static void refuse(struct marul1_reserve *items, size_t n, uint32_t status)
{
	for (size_t i = 0; i < n; i++) {
		items[i].status = status;
		items[i].result = 0;
	}
}

/* What cannot be aborted keeps its OK, so that the caller can end it. */
static int abort_part(struct marul1_client *client,
		      struct marul1_reserve *items, size_t n)
{
	struct marul1_abort aborts[ABORT_PART] = { 0 };
	size_t k = 0;
	int err;

	for (size_t i = 0; i < n; i++)
		if (items[i].status == MARU_L1_OK)
			aborts[k++].id = items[i].id;
	err = marul1_abort(client, aborts, k);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (items[i].status == MARU_L1_OK)
			refuse(&items[i], 1, MARU_L1_NO_SPACE);
	return 0;
}

static int abort_reserved(struct marul1_client *client,
			  struct marul1_reserve *items, size_t n)
{
	int err = 0;

	while (n) {
		size_t part = n < ABORT_PART ? n : ABORT_PART;
		int e = abort_part(client, items, part);

		err = err ? err : e;
		items += part;
		n -= part;
	}
	return err;
}

static bool has_no_space(const struct marul1_reserve *items, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (items[i].status == MARU_L1_NO_SPACE)
			return true;
	return false;
}

int marul1_reserve_write_many(struct marul1_client *client, uint32_t layout,
			      struct marul1_reserve *items, size_t n)
{
	size_t done = 0, part;
	int err, undo;

	/* One part is one call: it has said everything itself. */
	if (n <= MARU_L1_BATCH_MAX)
		return marul1_reserve_write(client, layout, items, n);

	while (true) {
		part = n - done < MARU_L1_BATCH_MAX ? n - done : MARU_L1_BATCH_MAX;
		err = marul1_reserve_write(client, layout, items + done, part);
		if (err || has_no_space(items + done, part))
			break;
		done += part;
		if (done == n)
			return 0;
	}
	if (err)
		refuse(items + done, n - done, MARU_L1_INVALID);
	else
		refuse(items + done + part, n - done - part, MARU_L1_NO_SPACE);
	undo = abort_reserved(client, items, done);
	if (undo)
		marul1_log(client->pool->ctx, LOG_ERR,
			   "reservations could not be aborted (errno %d): those that answer OK are left",
			   -undo);
	return err ? err : undo;
}
