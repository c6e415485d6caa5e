// SPDX-License-Identifier: GPL-2.0-only
/*
 * What marul1_sigbus() makes of a siginfo.  With memory that really is bad the
 * suite hwpoison tries it.
 */
#include <signal.h>
#include "lib.h"

#define SIZE	(6ULL << 20)
#define NOTHING	0x5a5a5a5a5a5a5a5aULL

static struct lib lib;
static uint8_t *base;

/* A piece of the pool. */
struct piece {
	uint64_t offset;
	uint64_t length;
};

/* As the kernel would say it; the answer, and the piece. */
static int ask(int signal, int code, int lsb, uint64_t at, struct piece *piece)
{
	siginfo_t info = { .si_signo = signal, .si_code = code };
	int err;

	info.si_addr = base + at;
	info.si_addr_lsb = lsb;
	*piece = (struct piece){ NOTHING, NOTHING };
	errno = EDOM;
	err = marul1_sigbus(lib.client, &info, &piece->offset, &piece->length);
	EXPECT_EQ(errno, EDOM);
	return err;
}

static void expect_bad(int code, int lsb, uint64_t at, uint64_t offset, uint64_t length)
{
	struct piece piece;

	EXPECT_EQ(ask(SIGBUS, code, lsb, at, &piece), 0);
	EXPECT_EQ(piece.offset, offset);
	EXPECT_EQ(piece.length, length);
}

static void expect_not(int want, int signal, int code, uint64_t at)
{
	struct piece piece;

	EXPECT_EQ(ask(signal, code, 12, at, &piece), want);
	EXPECT_EQ(piece.offset, NOTHING);
	EXPECT_EQ(piece.length, NOTHING);
}

static void bad_memory(void)
{
	static const int codes[] = { BUS_MCEERR_AR, BUS_MCEERR_AO };

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		expect_bad(codes[i], 12, 0, 0, 4096);
		expect_bad(codes[i], 12, 4095, 0, 4096);
		expect_bad(codes[i], 12, SIZE - 1, SIZE - 4096, 4096);
		expect_bad(codes[i], 6, 100, 64, 64);
		expect_bad(codes[i], 0, 100, 100, 1);
	}
}

/* Device-dax tells no more than which page of the mapping it was. */
static void huge_pages(void)
{
	expect_bad(BUS_MCEERR_AR, 21, 0, 0, 2 << 20);
	expect_bad(BUS_MCEERR_AR, 21, (4 << 20) + 77, 4 << 20, 2 << 20);
	expect_bad(BUS_MCEERR_AR, 30, SIZE - 1, 0, SIZE);
	expect_bad(BUS_MCEERR_AR, 63, SIZE - 1, 0, SIZE);
}

static void taken_away(void)
{
	expect_not(-ENODEV, SIGBUS, BUS_ADRERR, 4096);
	expect_not(-ENODEV, SIGBUS, BUS_OBJERR, SIZE - 1);
}

static void outside(void)
{
	expect_not(-ENOENT, SIGBUS, BUS_MCEERR_AR, SIZE);
	expect_not(-ENOENT, SIGBUS, BUS_MCEERR_AR, -1ULL);
	expect_not(-ENOENT, SIGBUS, BUS_ADRERR, SIZE);
	expect_not(-ENOENT, SIGBUS, BUS_MCEERR_AO, -(uint64_t)(uintptr_t)base);
}

/* Codes above 0 mean another thing for each signal: 4 is SEGV_PKUERR too. */
static void no_bus_error(void)
{
	expect_not(-ENOENT, SIGSEGV, BUS_MCEERR_AR, 4096);
	expect_not(-ENOENT, SIGTRAP, BUS_MCEERR_AR, 4096);
	expect_not(-ENOENT, SIGBUS, SI_USER, 4096);
	expect_not(-ENOENT, SIGBUS, SI_QUEUE, 4096);
	expect_not(-ENOENT, SIGBUS, SI_TKILL, 4096);
}

static void not_mapped(void)
{
	siginfo_t info = { .si_signo = SIGBUS, .si_code = BUS_MCEERR_AR };
	struct marul1_client *other = NULL;
	uint64_t offset = NOTHING, length = NOTHING;

	ASSERT(!marul1_client_open(lib.pool, 0, &other));
	info.si_addr = base;
	EXPECT_EQ(marul1_sigbus(other, &info, &offset, &length), -ENOENT);
	EXPECT_EQ(offset, NOTHING);
	EXPECT_EQ(length, NOTHING);
	marul1_client_close(other);
}

static struct {
	volatile sig_atomic_t called;
	int err;
	struct piece piece;
} seen;

static void on_bus(int number, siginfo_t *info, void *context)
{
	seen.err = marul1_sigbus(lib.client, info, &seen.piece.offset, &seen.piece.length);
	seen.called = 1;
}

/* The siginfo of a real signal, which a program sent. */
static void sent(void)
{
	struct sigaction act = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO }, before;

	ASSERT(!sigaction(SIGBUS, &act, &before));
	seen.piece.offset = NOTHING;
	EXPECT(!kill(getpid(), SIGBUS));
	sigaction(SIGBUS, &before, NULL);
	EXPECT(seen.called);
	EXPECT_EQ(seen.err, -ENOENT);
	EXPECT_EQ(seen.piece.offset, NOTHING);
}

static const struct tap_case cases[] = {
	{ "sigbus-bad", "a media error is told with its place, required or optional", bad_memory },
	{ "sigbus-huge", "the place is a page of the mapping, and no more than the mapping",
	  huge_pages },
	{ "sigbus-gone", "a mapping that was taken away is ENODEV", taken_away },
	{ "sigbus-outside", "an address outside of the mapping is ENOENT", outside },
	{ "sigbus-other", "other signals and those that were sent are ENOENT", no_bus_error },
	{ "sigbus-unmapped", "a client without a mapping is ENOENT", not_mapped },
	{ "sigbus-handler", "it can be called in a handler", sent },
};

int main(int argc, char **argv)
{
	void *at;
	int rc;

	if (lib_open(&lib, "embedded:6M", 0) || marul1_map(lib.client, 0, &at, NULL)) {
		printf("lib-sigbus: 0 passed, 1 failed, 0 skipped\n");
		return 1;
	}
	base = at;
	rc = tap_run("lib-sigbus", cases, ARRAY_SIZE(cases), argc, argv);
	lib_close(&lib);
	return rc;
}
