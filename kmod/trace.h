/* SPDX-License-Identifier: GPL-2.0-only */
/* One tracepoint for each transition and each error. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM maru_l1

#if !defined(MARU_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MARU_TRACE_H

#include <linux/tracepoint.h>

struct maru_call;

/* How many items of a call that succeeded were answered OK. */
u32 maru_trace_nr_ok(const struct maru_call *call);

TRACE_EVENT(maru_call_enter,
	TP_PROTO(const char *pool, const char *op, u32 n),
	TP_ARGS(pool, op, n),
	TP_STRUCT__entry(
		__string(pool, pool)
		__string(op, op)
		__field(u32, n)
	),
	TP_fast_assign(
		__assign_str(pool);
		__assign_str(op);
		__entry->n = n;
	),
	TP_printk("%s %s n=%u", __get_str(pool), __get_str(op), __entry->n)
);

TRACE_EVENT(maru_call_exit,
	TP_PROTO(const char *pool, const char *op, u32 n, u32 ok, int err),
	TP_ARGS(pool, op, n, ok, err),
	TP_STRUCT__entry(
		__string(pool, pool)
		__string(op, op)
		__field(u32, n)
		__field(u32, ok)
		__field(int, err)
	),
	TP_fast_assign(
		__assign_str(pool);
		__assign_str(op);
		__entry->n = n;
		__entry->ok = ok;
		__entry->err = err;
	),
	TP_printk("%s %s n=%u ok=%u err=%d", __get_str(pool), __get_str(op),
		  __entry->n, __entry->ok, __entry->err)
);

TRACE_EVENT(maru_attach,
	TP_PROTO(const char *pool, u32 incarnation, int err),
	TP_ARGS(pool, incarnation, err),
	TP_STRUCT__entry(
		__string(pool, pool)
		__field(u32, incarnation)
		__field(int, err)
	),
	TP_fast_assign(
		__assign_str(pool);
		__entry->incarnation = incarnation;
		__entry->err = err;
	),
	TP_printk("%s incarnation=%u err=%d", __get_str(pool),
		  __entry->incarnation, __entry->err)
);

/* A pool and a number that says more. */
DECLARE_EVENT_CLASS(maru_pool_event,
	TP_PROTO(const char *pool, int value),
	TP_ARGS(pool, value),
	TP_STRUCT__entry(
		__string(pool, pool)
		__field(int, value)
	),
	TP_fast_assign(
		__assign_str(pool);
		__entry->value = value;
	),
	TP_printk("%s %d", __get_str(pool), __entry->value)
);

/* 0, or why not. */
DEFINE_EVENT(maru_pool_event, maru_grow,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
DEFINE_EVENT(maru_pool_event, maru_detach,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* Everything of the pool has been given back; was it revoked? */
DEFINE_EVENT(maru_pool_event, maru_end,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* Holds are STALE; does the pool answer ENODEV? */
DEFINE_EVENT(maru_pool_event, maru_fence,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
DEFINE_EVENT(maru_pool_event, maru_revoke,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* May it write? */
DEFINE_EVENT(maru_pool_event, maru_client_open,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* Does it wait until its processes are gone? */
DEFINE_EVENT(maru_pool_event, maru_client_close,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* 0: the processes of a closed client are gone. */
DEFINE_EVENT(maru_pool_event, maru_client_settle,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* Slices of due leases and quarantines that were ended. */
DEFINE_EVENT(maru_pool_event, maru_reap,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));
/* -EBUSY: the own line was changed; -ECANCELED: ordered to stop; -EIO. */
DEFINE_EVENT(maru_pool_event, maru_beat_error,
	TP_PROTO(const char *pool, int value), TP_ARGS(pool, value));

#endif /* MARU_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
