// SPDX-License-Identifier: GPL-2.0-only
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "touch.h"

static __thread sigjmp_buf back;

static void on_fault(int number)
{
	siglongjmp(back, number);
}

static int touch(volatile uint8_t *at, bool store)
{
	struct sigaction act = { .sa_handler = on_fault }, bus, segv;
	int raised;

	sigaction(SIGBUS, &act, &bus);
	sigaction(SIGSEGV, &act, &segv);
	raised = sigsetjmp(back, 1);
	if (!raised) {
		uint8_t byte = *at;

		if (store)
			*at = byte;
	}
	sigaction(SIGBUS, &bus, NULL);
	sigaction(SIGSEGV, &segv, NULL);
	return raised;
}

int touch_read(const volatile uint8_t *at)
{
	return touch((volatile uint8_t *)at, false);
}

int touch_write(volatile uint8_t *at)
{
	return touch(at, true);
}
