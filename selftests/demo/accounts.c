// SPDX-License-Identifier: GPL-2.0-only
/* Everybody leaves, and the accounts are added up. */
#include <stdio.h>
#include "breaks.h"
#include "story.h"

#define DIFFERENCES	4

bool tell_left(struct story *s)
{
	const struct maru_l1_usage *u = &s->now;
	struct maru_l1_stats stats = { 0 };
	struct answer b;

	if (!breaks("leave-holding") &&
	    (!ask(s, &s->b, RELEASE, 0, DOCUMENT_CHUNKS, &b) ||
	     !ask(s, &s->b, RELEASE, s->new_first, DOCUMENT_CHUNKS, &b)))
		return false;
	actor_stop(&s->b);
	if (!look(s, NULL))
		return false;
	if (marul1_stats(s->client, &stats))
		return say(false, "The pool does not answer for its counters.");
	return say(stats.clients == 1 && !u->staged && !u->quarantined &&
		   !u->orphan_pins && !u->zombie,
		   "Server B gives back its holds and leaves: %u client is left, the narrator; %s are staged, %s in quarantine, %u pins are orphans.",
		   COUNT(stats.clients), mib(u->staged).text,
		   mib(u->quarantined).text, COUNT(u->orphan_pins));
}

bool tell_sums(struct story *s)
{
	int sound;

	if (breaks("account"))
		s->ledger.usage[1].published--;
	ledger_print(&s->ledger);
	sound = ledger_sound(&s->ledger);
	return say(sound == s->ledger.columns && sound == LEDGER_COLUMNS,
		   "%d of %d columns add up to the size of the pool, each byte of it in one account.",
		   sound, s->ledger.columns);
}

bool tell_directory(struct story *s)
{
	unsigned int stored = STORED + s->fill + s->new;
	unsigned int left = stored - (breaks("forget-eviction") ? 0 : s->evicted);
	struct maru_l1_stats stats = { 0 };

	if (!look(s, NULL))
		return false;
	if (marul1_stats(s->client, &stats))
		return say(false, "The pool does not answer for its counters.");
	return say(stats.bytes_stored == stored * CHUNK_BYTES &&
		   stats.evicted == s->evicted && s->now.objects == left &&
		   s->now.published == left * CHUNK_BYTES && stats.quarantined == 1,
		   "The story tells of %u + %u + %u chunks stored and %u evicted, so %u are left; the pool has counted %s stored, %u evicted, %u quarantined, and has %u objects of %s.",
		   STORED, s->fill, s->new, s->evicted, left,
		   mib(stats.bytes_stored).text, COUNT(stats.evicted),
		   COUNT(stats.quarantined), COUNT(s->now.objects),
		   mib(s->now.published).text);
}

bool tell_check(struct story *s)
{
	struct maru_l1_difference found[DIFFERENCES] = { 0 };
	struct maru_l1_check check = {
		.nr_items = DIFFERENCES, .items = (uintptr_t)found,
	};
	int err = marul1_check(s->client, &check);

	if (err)
		return say(false, "The pool does not recompute its accounts: error %d.", -err);
	check.differences += breaks("difference");
	for (uint32_t i = 0; i < check.nr_items; i++)
		printf("      %s: recorded %s, found %s\n",
		       marul1_account_name(found[i].account),
		       grouped(found[i].recorded).text, grouped(found[i].found).text);
	return say(!check.differences && check.walked == s->now.extents,
		   "The pool recomputes every account: %u extents walked, %u differences.",
		   COUNT(check.walked), COUNT(check.differences));
}
