// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include "lines.h"
#include "super.h"

static sigjmp_buf back;

static void on_bus_error(int signal)
{
	siglongjmp(back, 1);
}

static void flush(const void *start, size_t bytes)
{
	const uint8_t *end = (const uint8_t *)start + bytes;
	const uint8_t *p = end - bytes - (uintptr_t)start % MARU_LINE_SIZE;

	__sync_synchronize();	/* our stores are in the cache before it is written back */
	for (; p < end; p += MARU_LINE_SIZE) {
#if defined(__x86_64__)
		__builtin_ia32_clflush(p);
#elif defined(__aarch64__)
		__asm__ volatile("dc civac, %0" : : "r"(p) : "memory");
#else
#error "how are cache lines written back here?"
#endif
	}
#if defined(__aarch64__)
	__asm__ volatile("dsb sy" : : : "memory");
#else
	__sync_synchronize();
#endif
}

int lines_flush(const void *start, size_t bytes)
{
	struct sigaction action = { .sa_handler = on_bus_error }, before;
	int err = 0;

	sigaction(SIGBUS, &action, &before);
	if (sigsetjmp(back, 1))
		err = -EFAULT;
	else
		flush(start, bytes);
	sigaction(SIGBUS, &before, NULL);
	return err;
}
