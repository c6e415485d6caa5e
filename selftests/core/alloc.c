// SPDX-License-Identifier: GPL-2.0-only
/* malloc and calloc of everything linked here, with failures on demand. */

#include "fixture.h"

static long fail_at;		/* 0: none is to fail */
static bool fail_all;
static bool failed;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);

static bool fails(void)
{
	if (!fail_at)
		return false;
	if (fail_at > 1) {
		fail_at--;
		return false;
	}
	failed = true;
	fail_at = fail_all;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void alloc_fail(long n, bool all)
{
	fail_at = n;
	fail_all = all;
	failed = false;
}

bool alloc_failed(void)
{
	fail_at = 0;
	return failed;
}
