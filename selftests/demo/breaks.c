// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "breaks.h"

static const struct {
	const char *name;
	const char *what;
} faults[] = {
	{ "early", "a chunk is stored before the story begins" },
	{ "page", "the server asks for pages of another size" },
	{ "lost-chunk", "one chunk is not stored" },
	{ "wrong-key", "the reader looks for a key that nobody stored" },
	{ "cookie", "one cookie has a wrong checksum" },
	{ "bytes", "one chunk has a wrong bit" },
	{ "address", "the reader reads copies and says so" },
	{ "copy", "the reader reads copies and says they are the pool" },
	{ "keep-holds", "the reader keeps a hold" },
	{ "no-hold", "the writer holds less than it should" },
	{ "early-commit", "the half chunk is published" },
	{ "other-key", "another chunk is asked for than the one being written" },
	{ "other-delete", "a chunk is deleted that nobody holds" },
	{ "no-kill", "the writer is not killed" },
	{ "abort", "the writer gives its store up before it dies" },
	{ "unguarded", "a chunk is deleted that the dead writer did not hold" },
	{ "no-wait", "the end of the quarantine is not waited for" },
	{ "scribble", "a server writes over a published chunk" },
	{ "drop-document", "the reader gives back the document that it uses" },
	{ "stop-early", "the pool is not filled" },
	{ "touched", "the document that should go is used once more" },
	{ "dry-run", "nothing is evicted, it is only told what would be" },
	{ "store-less", "the new document lacks a chunk" },
	{ "ask-other", "another document is asked for than the one evicted" },
	{ "leave-holding", "the reader leaves without giving back its holds" },
	{ "account", "one account is noted wrong" },
	{ "forget-eviction", "the evicted objects are not counted" },
	{ "difference", "the check of the pool finds a difference" },
};

#define NR_FAULTS (sizeof(faults) / sizeof(faults[0]))

static bool known(const char *name)
{
	for (size_t i = 0; i < NR_FAULTS; i++)
		if (!strcmp(faults[i].name, name))
			return true;
	return false;
}

bool breaks(const char *name)
{
	const char *wanted = getenv("MARU_DEMO_BREAK");

	/* A misspelt name here would be a fault that never happens. */
	if (!known(name))
		abort();
	return wanted && !strcmp(wanted, name);
}

bool breaks_known(void)
{
	const char *wanted = getenv("MARU_DEMO_BREAK");

	if (!wanted || !*wanted || known(wanted))
		return true;
	fprintf(stderr, "demo: MARU_DEMO_BREAK=%s is no fault; see --breaks\n", wanted);
	return false;
}

void breaks_list(void)
{
	for (size_t i = 0; i < NR_FAULTS; i++)
		printf("%-16s %s\n", faults[i].name, faults[i].what);
}
