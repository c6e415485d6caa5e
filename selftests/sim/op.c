// SPDX-License-Identifier: GPL-2.0-only
/* What records mean. */

#include "sim.h"

static const struct {
	const char *name;
	u32 weight;	/* of 256 */
} kinds[NR_OPS] = {
	[OP_RESERVE]	= { "RESERVE_WRITE", 40 },
	[OP_COMMIT]	= { "COMMIT", 30 },
	[OP_ABORT]	= { "ABORT", 14 },
	[OP_READ]	= { "RESERVE_READ", 33 },
	[OP_PEEK]	= { "PEEK", 8 },
	[OP_RELEASE]	= { "RELEASE", 30 },
	[OP_RENEW]	= { "RENEW", 12 },
	[OP_DELETE]	= { "DELETE", 18 },
	[OP_TOUCH]	= { "TOUCH", 6 },
	[OP_QUERY]	= { "QUERY", 8 },
	[OP_CLEAR]	= { "CLEAR", 3 },
	[OP_PURGE]	= { "PURGE", 1 },
	[OP_EVICT]	= { "EVICT", 5 },
	[OP_USAGE]	= { "USAGE", 1 },
	[OP_SUBSCRIBE]	= { "SUBSCRIBE", 3 },
	[OP_EVENTS]	= { "EVENTS", 3 },
	[OP_BAD]	= { "REPORT_BAD", 2 },
	[OP_STATS]	= { "STATS", 1 },
	[OP_SETUP]	= { "SETUP", 5 },
	[OP_LAYOUT]	= { "LAYOUT", 1 },
	[OP_TIME]	= { "TIME", 13 },
	[OP_KILL]	= { "KILL", 8 },
	[OP_SETTLE]	= { "SETTLE", 3 },
	[OP_GROW]	= { "GROW", 2 },
	[OP_STORE]	= { "STORE", 2 },
	[OP_FENCE]	= { "FENCE", 2 },
	[OP_MALFORMED]	= { "MALFORMED", 2 },
};

enum kind op_kind(const struct op *op)
{
	u32 at = op->kind;

	for (u32 i = 0; i < NR_OPS; i++) {
		if (at < kinds[i].weight)
			return i;
		at -= kinds[i].weight;
	}
	return OP_READ;
}

const char *op_name(enum kind kind)
{
	return kinds[kind].name;
}

struct op op_item(const struct op *op, u32 i)
{
	struct op it = *op;
	u64 bits;

	if (!i)
		return it;
	bits = sim_mix(op->salt, i);
	it.key = bits;
	it.tag = bits >> 8;
	it.sub = bits >> 16;
	it.which = bits >> 24;
	it.amount = bits >> 32;
	it.salt = bits >> 32 ^ i;
	return it;
}

u64 sim_mix(u64 a, u64 b)
{
	u64 x = a + (b + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

struct record sim_record(u64 seed, u64 nr)
{
	u64 words[2] = { sim_mix(seed, 2 * nr), sim_mix(seed, 2 * nr + 1) };
	struct record record;

	memcpy(record.bytes, words, sizeof(record));
	return record;
}
