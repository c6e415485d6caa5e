// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The pool in the address space of a client.  Twice its size, without access,
 * is set aside, so that a pool that grows stays one range; its backings are mapped
 * over the beginning of it, one after the other.
 */
#include "internal.h"

#include <string.h>
#include <sys/mman.h>

#define RANGE_MAX	(64ULL << 30)	/* drivers refuse 512 GiB in one piece */
#define RESERVE_MAX	(1ULL << 46)	/* half of the least user address space */

static uint64_t round_up_to(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

static int reserve_aligned(struct marul1_client *client, uint64_t length,
			   uint64_t align)
{
	uint8_t *all, *base;

	all = mmap(NULL, length + align, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED)
		return -errno;
	base = (uint8_t *)round_up_to((uintptr_t)all, align);
	if (base > all)
		munmap(all, base - all);
	/* @base is not after all + align - 1: something is left to trim. */
	munmap(base + length, all + align - base);
	client->base = base;
	client->reserved = length;
	return 0;
}

static int reserve_space(struct marul1_client *client,
			 const struct maru_l1_info *info)
{
	uint64_t align = info->map_align > ALIGN_2M ? info->map_align : ALIGN_2M;
	int err;

	if (client->reserved)
		return 0;
	if (align & (align - 1) || !info->capacity ||
	    info->capacity > RESERVE_MAX || align > RESERVE_MAX)
		return -ENOMEM;
	err = reserve_aligned(client, round_up_to(2 * info->capacity, align),
			      align);
	/* A limit on address space must not keep the pool out that there is. */
	if (err)
		err = reserve_aligned(client, round_up_to(info->capacity, align),
				      align);
	return err;
}

/* From @from to the end of the backing that it lies in. */
static int map_part(struct marul1_client *client, uint64_t from, uint64_t end)
{
	int prot = client->flags & MARUL1_RDONLY ? PROT_READ :
						   PROT_READ | PROT_WRITE;
	int err;

	err = client->pool->engine->map(client, client->base + from, from, end - from, prot);
	if (err)
		return err;
	/* Neither a child nor a core file shall have the pool. */
	if (madvise(client->base, client->reserved, MADV_DONTFORK) ||
	    madvise(client->base, client->reserved, MADV_DONTDUMP))
		return -errno;
	/* Pairs with the acquire in marul1_base(). */
	__atomic_store_n(&client->mapped, end, __ATOMIC_RELEASE);
	return 0;
}

/* Maps what of the pool is not yet mapped: one mapping for each backing. */
static int map_rest(struct marul1_client *client, const struct maru_l1_info *info)
{
	uint64_t end = 0;
	uint32_t i;
	int err;

	for (i = 0; i < info->nr_backings && i < MARU_L1_BACKINGS_MAX; i++) {
		end += info->backing_bytes[i];
		if (end <= client->mapped)
			continue;
		if (end > client->reserved)
			return -ENOSPC;
		client->ends[i] = end;
		err = map_part(client, client->mapped, end);
		if (err)
			return err;
	}
	return 0;
}

static int populate(struct marul1_client *client)
{
	int advice = client->flags & MARUL1_RDONLY ? MADV_POPULATE_READ :
						     MADV_POPULATE_WRITE;

	return madvise(client->base, client->mapped, advice) ? -errno : 0;
}

static int map_locked(struct marul1_client *client, unsigned int flags)
{
	struct maru_l1_info info;
	int err;

	err = marul1_info(client, &info);
	if (err)
		return err;
	/* Never again: who finds the pool mapped reads it without the lock. */
	if (!client->mapped)
		client->coherent = info.flags & MARU_L1_I_COHERENT;
	err = reserve_space(client, &info);
	if (!err)
		err = map_rest(client, &info);
	if (!err && flags & MARUL1_POPULATE)
		err = populate(client);
	return err;
}

int marul1_map(struct marul1_client *client, unsigned int flags, void **base,
	       uint64_t *length)
{
	int err;

	if (flags & ~MARUL1_POPULATE)
		return -EINVAL;
	if (!marul1_here(client))
		return -EOWNERDEAD;
	pthread_mutex_lock(&client->map_lock);
	err = map_locked(client, flags);
	if (!err && base)
		*base = client->base;
	if (!err && length)
		*length = client->mapped;
	pthread_mutex_unlock(&client->map_lock);
	return err;
}

void marul1_unmap(struct marul1_client *client)
{
	if (client->reserved)
		munmap(client->base, client->reserved);
}

void *marul1_ptr(struct marul1_client *client, uint64_t offset, uint64_t length)
{
	uint64_t mapped;
	uint8_t *base = marul1_base(client, &mapped);

	if (!base || offset > mapped || length > mapped - offset)
		return NULL;
	return base + offset;
}

int marul1_offset(struct marul1_client *client, const void *ptr,
		  uint64_t *offset)
{
	uint64_t mapped, distance;
	uint8_t *base = marul1_base(client, &mapped);

	/* Wraps to a large number when @ptr is before @base. */
	distance = (uintptr_t)ptr - (uintptr_t)base;
	if (!base || distance >= mapped)
		return -ENOENT;
	*offset = distance;
	return 0;
}

/* The end of the backing that has @offset, which is mapped. */
static uint64_t end_of(const struct marul1_client *client, uint64_t offset)
{
	int i = 0;

	while (client->ends[i] <= offset)
		i++;
	return client->ends[i];
}

int marul1_range(struct marul1_client *client, uint64_t max, size_t index,
		 void **addr, uint64_t *length)
{
	uint64_t mapped, start = 0, left;
	uint8_t *base = marul1_base(client, &mapped);

	max = max ? max & ~(ALIGN_2M - 1) : RANGE_MAX;
	if (!base || !max)
		return -EINVAL;
	/* A range does not go over the end of a backing: it is another mapping. */
	for (; start < mapped; start += left < max ? left : max) {
		left = end_of(client, start) - start;
		if (index--)
			continue;
		*addr = base + start;
		*length = max < left ? max : left;
		return 0;
	}
	return -ENOENT;
}
