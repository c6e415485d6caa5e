// SPDX-License-Identifier: GPL-2.0-only
/* The one place where the tracepoints are made, and what they need to know. */

#define CREATE_TRACE_POINTS
#include "trace.h"

#include "core/core.h"

static size_t status_offset(u8 nr)
{
	switch (nr) {
	case _IOC_NR(MARU_L1_RESERVE_WRITE):
		return offsetof(struct maru_l1_reserve, status);
	case _IOC_NR(MARU_L1_COMMIT):
		return offsetof(struct maru_l1_commit, status);
	case _IOC_NR(MARU_L1_ABORT):
		return offsetof(struct maru_l1_abort, status);
	case _IOC_NR(MARU_L1_RESERVE_READ):
	case _IOC_NR(MARU_L1_PEEK):
		return offsetof(struct maru_l1_read, status);
	case _IOC_NR(MARU_L1_RELEASE):
		return offsetof(struct maru_l1_release, status);
	case _IOC_NR(MARU_L1_RENEW):
		return offsetof(struct maru_l1_renew, status);
	case _IOC_NR(MARU_L1_DELETE):
		return offsetof(struct maru_l1_delete, status);
	case _IOC_NR(MARU_L1_TOUCH):
		return offsetof(struct maru_l1_touch, status);
	default:
		return offsetof(struct maru_l1_query, status);
	}
}

u32 maru_trace_nr_ok(const struct maru_call *call)
{
	const u8 *status = call->items + status_offset(call->type->nr);
	u32 n = 0, i;

	if (!(call->type->flags & MARU_CALL_BATCH))
		return call->nr_items;
	for (i = 0; i < call->nr_items; i++, status += call->type->item_size)
		n += *(const u32 *)status == MARU_L1_OK;
	return n;
}
