// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler, as libmarul1.3 has it: it jumps away from a read that cannot be
 * done (BUS_MCEERR_AR), and only takes note of an error that it hears of
 * (BUS_MCEERR_AO).
 */
#include "hwpoison.h"

struct bus bus;

static const struct pool_under_test *watched;
static sigjmp_buf back;
static volatile sig_atomic_t armed;

static void on_bus(int number, siginfo_t *info, void *context)
{
	bus.signals++;
	bus.code = info->si_code;
	bus.err = marul1_sigbus(watched->reader, info, &bus.offset, &bus.length);
	if (bus.err == -ENOENT)
		bus.err = marul1_sigbus(watched->writer, info, &bus.offset, &bus.length);
	if (info->si_code == BUS_MCEERR_AO)
		return;
	/* A read that is not expected to fail would come back for ever. */
	if (!armed)
		_exit(77);
	siglongjmp(back, 1);
}

void bus_watch(const struct pool_under_test *p)
{
	struct sigaction act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO };

	watched = p;
	memset(&bus, 0, sizeof(bus));
	sigaction(SIGBUS, &act, NULL);
}

void bus_end(void)
{
	signal(SIGBUS, SIG_DFL);
}

bool bus_told(int code, uint64_t offset)
{
	if (bus.signals && bus.code == code && !bus.err &&
	    offset >= bus.offset && offset - bus.offset < bus.length)
		return true;
	printf("# %d signals, code %d, answer %d, offset %#llx, length %#llx\n", bus.signals,
	       bus.code, bus.err, (unsigned long long)bus.offset,
	       (unsigned long long)bus.length);
	return false;
}

int poison(void *at)
{
	void *page = (void *)((uintptr_t)at & ~(PAGE - 1));
	int err = 0;

	/* In memory, and mapped: what is not there cannot be declared bad. */
	*(volatile uint8_t *)at;
	armed = 1;
	if (!sigsetjmp(back, 1) && madvise(page, PAGE, MADV_HWPOISON))
		err = -errno;
	armed = 0;
	return err;
}

bool bus_at(const void *at)
{
	bool raised = true;

	armed = 1;
	if (!sigsetjmp(back, 1)) {
		*(const volatile uint8_t *)at;
		raised = false;
	}
	armed = 0;
	return raised;
}

bool can_poison(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	bool found = false;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		found = found || !strncmp(line, "HardwareCorrupted:", 18);
	if (file)
		fclose(file);
	return found;
}
