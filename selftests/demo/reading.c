// SPDX-License-Identifier: GPL-2.0-only
/* Server A stores, server B reads in place. */
#include "breaks.h"
#include "story.h"

bool tell_empty(struct story *s)
{
	const struct maru_l1_usage *u = &s->now;
	struct answer a;

	if (breaks("early") && !ask(s, &s->a, STORE, HALF_CHUNK, 1, &a))
		return false;
	if (!look(s, "empty"))
		return false;
	return say(!u->used && !u->objects && u->available == u->total,
		   "The pool has %s: %s are free, %s in use, %u objects.",
		   mib(u->total).text, mib(u->available).text, mib(u->used).text,
		   COUNT(u->objects));
}

bool tell_page(struct story *s)
{
	char what[24];
	struct answer a;

	if (!ask(s, &s->a, STORE, 0, 1, &a) || !look(s, NULL))
		return false;
	return say(a.done == 1 && a.page_size == CHUNK_BYTES &&
		   s->now.published == CHUNK_BYTES,
		   "Server A (%s) stores the first chunk of document 1, the %s bytes of 256 tokens, in a page of %s bytes; %s bytes are published.",
		   actor_what(&s->a, what), grouped(CHUNK_BYTES).text,
		   grouped(a.page_size).text, grouped(s->now.published).text);
}

bool tell_stored(struct story *s)
{
	struct answer a;

	if (!ask(s, &s->a, STORE, 1, STORED - 1, &a) || !look(s, "stored"))
		return false;
	return say(a.done == STORED - 1 && s->now.objects == STORED &&
		   s->now.published == STORED * CHUNK_BYTES && !s->now.staged,
		   "It stores the rest of documents 1, 2 and 3, chunk by chunk: %u more, so the directory has %u objects, %s.",
		   a.done, COUNT(s->now.objects), mib(s->now.published).text);
}

bool tell_found(struct story *s)
{
	char what[24];
	struct answer b;
	int held;

	if (!ask(s, &s->b, LOOK, 0, 0, &b))
		return false;
	s->anonymous = b.anonymous;
	if (!ask(s, &s->b, HOLD, 0, STORED, &b))
		return false;
	held = held_chunks(s, 0, STORED);
	return say(b.done == STORED && b.own.my_held == STORED && held == STORED,
		   "Server B (%s) looks for all of them in one call and finds %u of %u; each of %d now has one holder.",
		   actor_what(&s->b, what), b.done, STORED, held);
}

bool tell_checksums(struct story *s)
{
	struct answer *b = &s->reading;

	if (!ask(s, &s->b, VERIFY, 0, STORED, b))
		return false;
	return say(b->done == STORED,
		   "It reads them where they lie: %u of %u agree with the checksum in their cookie.",
		   b->done, STORED);
}

bool tell_addresses(struct story *s)
{
	const struct answer *b = &s->reading;

	return say(b->low >= b->base && b->high <= b->base + b->length &&
		   b->high > b->low,
		   "It read at addresses 0x%llx to 0x%llx, inside its mapping of the pool at 0x%llx to 0x%llx.",
		   (unsigned long long)b->low, (unsigned long long)b->high,
		   (unsigned long long)b->base,
		   (unsigned long long)(b->base + b->length));
}

bool tell_memory(struct story *s)
{
	uint64_t after = s->reading.anonymous;
	uint64_t grown = after > s->anonymous ? after - s->anonymous : 0;

	return say(grown < CHUNK_BYTES,
		   "Meanwhile its own anonymous memory grew by %s bytes, less than one chunk of %s.",
		   grouped(grown).text, grouped(CHUNK_BYTES).text);
}

bool tell_returned(struct story *s)
{
	struct answer b;
	int held;

	if (!ask(s, &s->b, RELEASE, 0, breaks("keep-holds") ? STORED - 1 : STORED, &b))
		return false;
	held = held_chunks(s, 0, STORED);
	return say(b.done == STORED && !b.own.my_holds && !held,
		   "It gives back the holds on %u chunks: it has %u left, and %d chunks have a holder.",
		   b.done, COUNT(b.own.my_holds), held);
}
