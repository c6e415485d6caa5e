// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Linear hashing: bucket n splits off bucket n - 2^k, and merges back into it. */

#include "table.h"

#define FIRST_ROOM	4	/* chunk pointers of a new table */

/* Under the caller's lock: rather longer chains than a wait. */
#define CHUNK_GFP	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

static struct hlist_head *chunk_new(gfp_t gfp)
{
	return kcalloc(MARU_CHUNK_BUCKETS, sizeof(struct hlist_head), gfp);
}

int maru_table_init(struct maru_table *table)
{
	*table = (struct maru_table){ .room = FIRST_ROOM, .buckets = 1 };
	table->chunks = kvcalloc(FIRST_ROOM, sizeof(*table->chunks),
				 GFP_KERNEL_ACCOUNT);
	if (!table->chunks)
		return -ENOMEM;
	table->chunks[0] = chunk_new(GFP_KERNEL_ACCOUNT);
	if (!table->chunks[0]) {
		kvfree(table->chunks);
		table->chunks = NULL;
		return -ENOMEM;
	}
	return 0;
}

void maru_table_destroy(struct maru_table *table)
{
	u32 i;

	if (!table->chunks)
		return;
	for (i = 0; i < table->room && table->chunks[i]; i++)
		kfree(table->chunks[i]);
	kvfree(table->chunks);
	table->chunks = NULL;
}

/* Makes @bucket addressable. */
static bool bucket_provide(struct maru_table *table, u32 bucket)
{
	u32 chunk = bucket / MARU_CHUNK_BUCKETS;

	if (chunk >= table->room) {
		struct hlist_head **chunks;

		chunks = kvcalloc(2 * table->room, sizeof(*chunks),
				  CHUNK_GFP);
		if (!chunks)
			return false;
		memcpy(chunks, table->chunks, table->room * sizeof(*chunks));
		kvfree(table->chunks);
		table->chunks = chunks;
		table->room *= 2;
	}
	if (!table->chunks[chunk])
		table->chunks[chunk] = chunk_new(CHUNK_GFP);
	return table->chunks[chunk];
}

/* The bucket that @bucket (at least 1) was split off from. */
static u32 bucket_parent(u32 bucket)
{
	return bucket - (1U << ilog2(bucket));
}

static void table_split(struct maru_table *table)
{
	u32 bucket = table->buckets;
	u32 mask = (2U << ilog2(bucket)) - 1;
	struct hlist_node *pos, *next;
	struct hlist_head *to;

	if (!bucket_provide(table, bucket))
		return;
	to = maru_table_at(table, bucket);
	table->buckets++;
	hlist_for_each_safe(pos, next,
			    maru_table_at(table, bucket_parent(bucket))) {
		struct maru_node *node = hlist_entry(pos, struct maru_node, link);

		if ((node->hash & mask) == bucket) {
			hlist_del(pos);
			hlist_add_head(pos, to);
		}
	}
}

static void table_merge(struct maru_table *table)
{
	u32 bucket = --table->buckets;
	struct hlist_head *to = maru_table_at(table, bucket_parent(bucket));
	struct hlist_node *pos, *next;

	hlist_for_each_safe(pos, next, maru_table_at(table, bucket)) {
		hlist_del(pos);
		hlist_add_head(pos, to);
	}
	/* One empty chunk stays, so that a count that swings does not allocate. */
	if (bucket % MARU_CHUNK_BUCKETS == 0) {
		u32 spare = bucket / MARU_CHUNK_BUCKETS + 1;

		if (spare < table->room) {
			kfree(table->chunks[spare]);
			table->chunks[spare] = NULL;
		}
	}
}

void maru_table_insert(struct maru_table *table, struct maru_node *node,
		       u32 hash)
{
	node->hash = hash;
	hlist_add_head(&node->link, maru_table_chain(table, hash));
	if (++table->count > table->buckets)
		table_split(table);
}

bool maru_table_shrink(struct maru_table *table, u32 steps)
{
	while (!table->pinned && table->buckets > MARU_CHUNK_BUCKETS &&
	       table->count < table->buckets / 4) {
		if (!steps--)
			return true;
		table_merge(table);
	}
	return false;
}

void maru_table_remove(struct maru_table *table, struct maru_node *node)
{
	hlist_del(&node->link);
	table->count--;
	/* Four keep pace with a table that is emptied from full. */
	maru_table_shrink(table, 4);
}
