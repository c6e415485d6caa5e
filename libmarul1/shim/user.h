/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Kernel names for the core outside of the kernel, on liburcu and libc.  Only
 * what the core uses; each behaves as its namesake does.
 */
#ifndef MARU_SHIM_USER_H
#define MARU_SHIM_USER_H

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <linux/types.h>
#include <urcu/hlist.h>
#include <urcu/list.h>

/* Types. */
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned int gfp_t;

#ifndef U32_MAX
#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define U8_MAX		UINT8_MAX
#define U16_MAX		UINT16_MAX
#define S32_MAX		INT32_MAX
#define S64_MAX		INT64_MAX
#endif
#define BITS_PER_LONG	(8 * (int)sizeof(long))
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L
#define __user
#define __must_check	__attribute__((warn_unused_result))
#ifndef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#endif
#define fallthrough	__attribute__((fallthrough))

/* Byte order. */
#define cpu_to_le16(x)	((__le16)htole16(x))
#define cpu_to_le32(x)	((__le32)htole32(x))
#define cpu_to_le64(x)	((__le64)htole64(x))
#define le16_to_cpu(x)	le16toh(x)
#define le32_to_cpu(x)	le32toh(x)
#define le64_to_cpu(x)	le64toh(x)

/* Compiler and arithmetic. */
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#ifndef container_of
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#endif
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof(((type *)0)->member))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))
/* Names of its own for each use: one may stand inside of another. */
#define SHIM_PASTE(a, b)	a##b
#define SHIM_NAME(a, n)		SHIM_PASTE(a, n)
#define SHIM_CHOOSE(a, op, b, x, y) \
	({ __typeof__(a) x = (a); __typeof__(b) y = (b); x op y ? x : y; })
#define min(a, b)	SHIM_CHOOSE(a, <, b, SHIM_NAME(shim_a_, __COUNTER__), \
				    SHIM_NAME(shim_b_, __COUNTER__))
#define max(a, b)	SHIM_CHOOSE(a, >, b, SHIM_NAME(shim_a_, __COUNTER__), \
				    SHIM_NAME(shim_b_, __COUNTER__))
#define min_t(t, a, b)	min((t)(a), (t)(b))
#define max_t(t, a, b)	max((t)(a), (t)(b))
#define clamp_t(t, v, lo, hi)	min_t(t, max_t(t, v, lo), hi)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)	((((x) - 1) | ((__typeof__(x))(y) - 1)) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define roundup(x, y)	(DIV_ROUND_UP(x, y) * (y))
#define rounddown(x, y)	((x) - (x) % (y))
#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

static inline size_t size_mul(size_t a, size_t b)
{
	size_t n;

	return __builtin_mul_overflow(a, b, &n) ? SIZE_MAX : n;
}

static inline size_t size_add(size_t a, size_t b)
{
	size_t n;

	return __builtin_add_overflow(a, b, &n) ? SIZE_MAX : n;
}

#define array_size(a, b)	size_mul(a, b)
#define struct_size(p, member, n) \
	size_add(sizeof(*(p)), size_mul(sizeof((p)->member[0]), n))

static inline unsigned int ilog2(u64 n)
{
	return 63 - __builtin_clzll(n);
}

static inline u64 roundup_pow_of_two(u64 n)
{
	return n <= 1 ? 1 : 2ULL << ilog2(n - 1);
}

/* A failed WARN is a bug of ours: tests must not go on after it. */
#define WARN_ON(x)	({ bool _w = !!(x); if (_w) abort(); _w; })
#define WARN_ON_ONCE(x)	WARN_ON(x)

/* Memory order. */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define cond_resched()		((void)0)

/* Memory. */
#define GFP_KERNEL		0U
#define GFP_KERNEL_ACCOUNT	0U
#define __GFP_ZERO		1U
#define GFP_NOWAIT		0U
#define __GFP_ACCOUNT		0U
#define __GFP_NORETRY		0U
#define __GFP_NOWARN		0U

static inline void *kmalloc(size_t n, gfp_t gfp)
{
	return gfp & __GFP_ZERO ? calloc(1, n) : malloc(n);
}

#define kzalloc(n, gfp)		kmalloc(n, (gfp) | __GFP_ZERO)
#define kvmalloc(n, gfp)	kmalloc(n, gfp)
#define kvzalloc(n, gfp)	kzalloc(n, gfp)
#define kcalloc(n, s, gfp)	kzalloc(size_mul(n, s), gfp)
#define kvcalloc(n, s, gfp)	kzalloc(size_mul(n, s), gfp)
#define kvmalloc_array(n, s, gfp)	kmalloc(size_mul(n, s), gfp)
#define kfree(p)		free((void *)(p))
#define kvfree(p)		free((void *)(p))

static inline void *memchr_inv(const void *p, int c, size_t n)
{
	const u8 *b = p;

	for (; n; n--, b++)
		if (*b != (u8)c)
			return (void *)b;
	return NULL;
}

static inline bool mem_is_zero(const void *p, size_t n)
{
	return !memchr_inv(p, 0, n);
}

/* The one lock. */
struct mutex {
	pthread_mutex_t lock;
};

#define mutex_init(m)		pthread_mutex_init(&(m)->lock, NULL)
#define mutex_destroy(m)	pthread_mutex_destroy(&(m)->lock)
#define mutex_lock(m)		pthread_mutex_lock(&(m)->lock)
#define mutex_lock_killable(m)	pthread_mutex_lock(&(m)->lock)
#define mutex_unlock(m)		pthread_mutex_unlock(&(m)->lock)
#define lockdep_assert_held(m)	((void)(m))

/* Lists: liburcu's under the kernel's names. */
#define list_head			cds_list_head
#define LIST_HEAD(name)			CDS_LIST_HEAD(name)
#define INIT_LIST_HEAD(p)		CDS_INIT_LIST_HEAD(p)
#define list_add(n, h)			cds_list_add(n, h)
#define list_add_tail(n, h)		cds_list_add_tail(n, h)
#define list_del(n)			cds_list_del(n)
#define list_del_init(n)		cds_list_del_init(n)
#define list_entry(p, t, m)		cds_list_entry(p, t, m)
#define list_first_entry(h, t, m)	cds_list_first_entry(h, t, m)
#define list_last_entry(h, t, m)	cds_list_entry((h)->prev, t, m)
#define list_move(n, h)			cds_list_move(n, h)
#define list_for_each_entry(p, h, m)	cds_list_for_each_entry(p, h, m)
#define list_for_each_entry_safe(p, q, h, m) \
	cds_list_for_each_entry_safe(p, q, h, m)

/* liburcu's wants a list that may be changed. */
static inline bool list_empty(const struct list_head *h)
{
	return h->next == h;
}

static inline void list_move_tail(struct list_head *n, struct list_head *h)
{
	cds_list_del(n);
	cds_list_add_tail(n, h);
}

#define list_first_entry_or_null(h, t, m) \
	(list_empty(h) ? NULL : list_first_entry(h, t, m))

#define hlist_head			cds_hlist_head
#define hlist_node			cds_hlist_node
#define hlist_add_head(n, h)		cds_hlist_add_head(n, h)
#define hlist_del(n)			cds_hlist_del(n)
#define hlist_for_each(p, h)		for ((p) = (h)->next; (p); (p) = (p)->next)
#define hlist_for_each_safe(p, q, h) \
	for ((p) = (h)->next; (p) && ((q) = (p)->next, 1); (p) = (q))
#define hlist_entry(p, t, m)		container_of(p, t, m)

/* Bitmaps of unsigned long. */
#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define BITMAP_WORD(b, n)	((b)[(n) / BITS_PER_LONG])
#define BITMAP_BIT(n)		(1UL << ((n) % BITS_PER_LONG))

static inline bool test_bit(unsigned long n, const unsigned long *b)
{
	return BITMAP_WORD(b, n) & BITMAP_BIT(n);
}

static inline void bitmap_set(unsigned long *b, unsigned int start, int n)
{
	for (; n > 0; n--, start++)
		BITMAP_WORD(b, start) |= BITMAP_BIT(start);
}

static inline void bitmap_clear(unsigned long *b, unsigned int start, int n)
{
	for (; n > 0; n--, start++)
		BITMAP_WORD(b, start) &= ~BITMAP_BIT(start);
}

unsigned long find_next_bit(const unsigned long *b, unsigned long size,
			    unsigned long start);
unsigned long find_next_zero_bit(const unsigned long *b, unsigned long size,
				 unsigned long start);

static inline unsigned long *bitmap_zalloc(unsigned int n, gfp_t gfp)
{
	return kcalloc(BITS_TO_LONGS(n), sizeof(long), gfp);
}

#define bitmap_free(b)		kfree(b)

/* Hashes: the same values as the kernel's. */
typedef struct {
	u64 key[2];
} siphash_key_t;

u64 siphash(const void *p, size_t n, const siphash_key_t *key);
u32 crc32c(u32 crc, const void *p, size_t n);

static inline u32 hash_64(u64 v, unsigned int bits)
{
	return (v * 0x61C8864680B583EBull) >> (64 - bits);
}

#endif /* MARU_SHIM_USER_H */
