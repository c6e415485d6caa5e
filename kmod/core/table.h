/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A chained hash table that grows and shrinks by one bucket at a time (linear
 * hashing), so that no insertion ever stops for a rehash, and that never fails
 * to insert: when memory for a bucket is short the chains get longer.
 *
 * Entries embed a struct maru_node.  The caller compares and locks.
 */
#ifndef MARU_TABLE_H
#define MARU_TABLE_H

#include "shim.h"

#define MARU_CHUNK_BUCKETS	64

/**
 * struct maru_node - an entry's place in a table
 * @link: chain
 * @hash: as given to maru_table_insert()
 */
struct maru_node {
	struct hlist_node link;
	u32 hash;
};

/**
 * struct maru_table - the table
 * @chunks: arrays of MARU_CHUNK_BUCKETS buckets
 * @room: how many pointers @chunks can hold
 * @buckets: buckets in use
 * @count: entries
 * @pinned: walkers by bucket index; no bucket is merged meanwhile
 */
struct maru_table {
	struct hlist_head **chunks;
	u32 room;
	u32 buckets;
	u32 count;
	u32 pinned;
};

int maru_table_init(struct maru_table *table);
/* The entries are not looked at. */
void maru_table_destroy(struct maru_table *table);
void maru_table_insert(struct maru_table *table, struct maru_node *node,
		       u32 hash);
void maru_table_remove(struct maru_table *table, struct maru_node *node);
/* Merges up to @steps buckets that are too many; true: there are more. */
bool maru_table_shrink(struct maru_table *table, u32 steps);

static inline struct hlist_head *maru_table_at(const struct maru_table *table,
					       u32 bucket)
{
	return &table->chunks[bucket / MARU_CHUNK_BUCKETS]
			     [bucket % MARU_CHUNK_BUCKETS];
}

/* The chain on which entries of @hash are. */
static inline struct hlist_head *maru_table_chain(const struct maru_table *table,
						  u32 hash)
{
	u32 mask = (2U << ilog2(table->buckets)) - 1;
	u32 bucket = hash & mask;

	if (bucket >= table->buckets)
		bucket = hash & (mask >> 1);
	return maru_table_at(table, bucket);
}

#define maru_node_entry(pos, type, member) \
	container_of(container_of(pos, struct maru_node, link), type, member)

#endif /* MARU_TABLE_H */
