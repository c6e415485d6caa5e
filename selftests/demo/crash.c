// SPDX-License-Identifier: GPL-2.0-only
/* Server A dies in the middle of a store, with holds. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include "breaks.h"
#include "story.h"

#define REAP_MS		1000	/* invariant 9: quarantine_ms and this */

/* Clients open now, ours included. */
static unsigned int clients(struct story *s)
{
	struct maru_l1_stats stats = { 0 };

	return marul1_stats(s->client, &stats) ? 0 : COUNT(stats.clients);
}

bool tell_holds(struct story *s)
{
	struct answer a;
	int held;

	if (!ask(s, &s->a, HOLD, 0, breaks("no-hold") ? 1 : DOCUMENT_CHUNKS, &a))
		return false;
	held = held_chunks(s, 0, STORED);
	return say(a.own.my_held == DOCUMENT_CHUNKS && held == DOCUMENT_CHUNKS,
		   "Server A reads document 1: it holds %u chunks, and %d chunks have a holder.",
		   COUNT(a.own.my_held), held);
}

bool tell_staged(struct story *s)
{
	struct answer a;

	if (!ask(s, &s->a, WRITE_HALF, HALF_CHUNK, 1, &a))
		return false;
	if (breaks("early-commit") && !ask(s, &s->a, COMMIT, 0, 0, &a))
		return false;
	if (!look(s, "writing"))
		return false;
	return say(a.own.my_staged == 1 && s->now.staged == CHUNK_BYTES &&
		   s->now.objects == STORED,
		   "It begins to store document 4 and has written half of a chunk: %s are staged, the directory still has %u objects.",
		   mib(s->now.staged).text, COUNT(s->now.objects));
}

bool tell_unreadable(struct story *s)
{
	uint32_t number = breaks("other-key") ? STORED - 1 : HALF_CHUNK;
	struct answer b;

	if (!ask(s, &s->b, HOLD, number, 1, &b))
		return false;
	return say(b.status == MARU_L1_NOT_FOUND && !b.own.my_holds,
		   "Server B looks for that chunk: %s.", marul1_status_name(b.status));
}

bool tell_locked(struct story *s)
{
	struct answer b;

	if (!ask(s, &s->b, DELETE, breaks("other-delete") ? DOCUMENT_CHUNKS : 0, 1, &b))
		return false;
	return say(b.status == MARU_L1_LOCKED,
		   "It tries to delete a chunk that server A holds: %s.",
		   marul1_status_name(b.status));
}

static bool kill_process(struct story *s)
{
	int status, signal_of_death = 0;
	char what[24];

	actor_what(&s->a, what);
	status = actor_kill(&s->a);
	if (status != -1 && WIFSIGNALED(status))
		signal_of_death = WTERMSIG(status);
	return say(signal_of_death == SIGKILL && clients(s) == 2,
		   "Server A (%s) is killed while it writes on: waitpid() tells of signal %d, and the pool has %u clients left; server B and the narrator make 2.",
		   what, signal_of_death, clients(s));
}

/* The end of a client that had no time to tidy up, without a process to kill. */
static bool drop_client(struct story *s)
{
	actor_drop(&s->a);
	return say(clients(s) == 2,
		   "No process can be killed here, all are clients of this one: instead server A's client is closed without an abort. The pool has %u clients left; server B and the narrator make 2.",
		   clients(s));
}

bool tell_killed(struct story *s)
{
	struct answer a;

	if (breaks("abort") && !ask(s, &s->a, ABORT, 0, 0, &a))
		return false;
	s->killed_ms = now_ms();
	return s->embedded ? drop_client(s) : kill_process(s);
}

bool tell_quarantine(struct story *s)
{
	const struct maru_l1_usage *u = &s->now;

	if (!look(s, "killed"))
		return false;
	return say(!u->staged && u->quarantined == CHUNK_BYTES &&
		   u->orphan_pins == DOCUMENT_CHUNKS,
		   "Right after that %s are staged, %s are in quarantine, for a device might still write there, and %u orphan pins guard what was held.",
		   mib(u->staged).text, mib(u->quarantined).text,
		   COUNT(u->orphan_pins));
}

bool tell_guarded(struct story *s)
{
	uint32_t guarded = breaks("unguarded") ? DOCUMENT_CHUNKS : 0;
	struct answer half, held;

	if (!ask(s, &s->b, HOLD, HALF_CHUNK, 1, &half) ||
	    !ask(s, &s->b, DELETE, guarded, 1, &held))
		return false;
	return say(half.status == MARU_L1_NOT_FOUND && held.status == MARU_L1_LOCKED,
		   "Server B asks again: the half chunk is %s, a chunk of document 1 is %s.",
		   marul1_status_name(half.status), marul1_status_name(held.status));
}

/* Until nothing waits any more or the limit; false: said why. */
static bool wait_for_quarantine(struct story *s)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	uint64_t limit = now_ms() + s->info.quarantine_ms + REAP_MS;

	do {
		if (!look(s, NULL))
			return false;
		if (!s->now.quarantined && !s->now.orphan_pins)
			return true;
		nanosleep(&moment, NULL);
	} while (now_ms() < limit && !breaks("no-wait"));
	return true;
}

bool tell_gone(struct story *s)
{
	const struct maru_l1_usage *u = &s->now;
	uint64_t ms;
	int held;

	if (!wait_for_quarantine(s))
		return false;
	ms = now_ms() - s->killed_ms;
	held = held_chunks(s, 0, STORED);
	if (!look(s, "settled"))
		return false;
	return say(!u->quarantined && !u->orphan_pins && !held &&
		   u->available == u->total - STORED * CHUNK_BYTES &&
		   ms >= s->info.quarantine_ms,
		   "%s ms later, the quarantine being %s ms: %s in quarantine, %u orphan pins, %d chunks with a holder; all but the %u objects is free, %s.",
		   grouped(ms).text, grouped(s->info.quarantine_ms).text,
		   mib(u->quarantined).text, COUNT(u->orphan_pins), held,
		   COUNT(u->objects), mib(u->available).text);
}

bool tell_survived(struct story *s)
{
	struct answer b;

	if (!ask(s, &s->b, HOLD, 0, STORED, &b))
		return false;
	if (breaks("scribble") && !ask(s, &s->b, SCRIBBLE, 0, 1, &b))
		return false;
	if (!ask(s, &s->b, VERIFY, 0, STORED, &b))
		return false;
	return say(b.done == STORED,
		   "What server A had stored outlives it: server B holds and verifies %u of %u chunks.",
		   b.done, STORED);
}
