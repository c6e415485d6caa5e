// SPDX-License-Identifier: GPL-2.0-only
/* The pool fills up, and an eviction makes room. */
#include "breaks.h"
#include "story.h"

#define FILL_MAX	(1U << 16)

bool tell_using(struct story *s)
{
	struct answer b;
	int used, others;

	if (!ask(s, &s->b, RELEASE, DOCUMENT_CHUNKS, STORED - DOCUMENT_CHUNKS, &b))
		return false;
	if (breaks("drop-document") &&
	    !ask(s, &s->b, RELEASE, 0, DOCUMENT_CHUNKS, &b))
		return false;
	used = held_chunks(s, 0, DOCUMENT_CHUNKS);
	others = held_chunks(s, DOCUMENT_CHUNKS, STORED - DOCUMENT_CHUNKS);
	return say(used == DOCUMENT_CHUNKS && !others,
		   "Server B goes on using document 1: %d of its chunks have a holder, and %d of documents 2 and 3.",
		   used, others);
}

bool tell_full(struct story *s)
{
	const struct maru_l1_usage *u = &s->now;
	struct answer b;

	if (!ask(s, &s->b, STORE, FILL_FIRST,
		 breaks("stop-early") ? DOCUMENT_CHUNKS : FILL_MAX, &b))
		return false;
	s->fill = b.done;
	s->new_first = document_first(document_of(FILL_FIRST + s->fill - 1) + 1);
	if (!look(s, "full"))
		return false;
	return say(b.status == MARU_L1_NO_SPACE && u->available < CHUNK_BYTES &&
		   u->objects == u->total / CHUNK_BYTES,
		   "It stores documents 5 to %u, %u chunks, until the answer is %s: %u objects use %s, and %s are left, less than a page.",
		   document_of(FILL_FIRST + s->fill - 1), s->fill,
		   marul1_status_name(b.status), COUNT(u->objects),
		   mib(u->used).text, mib(u->available).text);
}

bool tell_victims(struct story *s)
{
	struct answer b;

	if (breaks("touched") &&
	    (!ask(s, &s->b, HOLD, DOCUMENT_CHUNKS, DOCUMENT_CHUNKS, &b) ||
	     !ask(s, &s->b, RELEASE, DOCUMENT_CHUNKS, DOCUMENT_CHUNKS, &b)))
		return false;
	if (!ask(s, &s->b, EVICT, 0, DOCUMENT_CHUNKS, &b))
		return false;
	s->evicted = b.done;
	return say(b.done == DOCUMENT_CHUNKS && b.skipped == DOCUMENT_CHUNKS &&
		   b.victim == DOCUMENT_CHUNKS && b.last_victim == 2 * DOCUMENT_CHUNKS - 1,
		   "It asks for room for one more document: %u chunks, used least recently, are evicted, from chunk %u of document %u to chunk %u of document %u; %u older ones are passed over because they are held.",
		   b.done, chunk_in_document(b.victim), document_of(b.victim),
		   chunk_in_document(b.last_victim), document_of(b.last_victim),
		   COUNT(b.skipped));
}

bool tell_room(struct story *s)
{
	uint64_t before = s->now.available;

	if (!look(s, "evicted"))
		return false;
	return say(s->now.available == before + DOCUMENT_CHUNKS * CHUNK_BYTES,
		   "That makes room: %s are free instead of %s.",
		   mib(s->now.available).text, mib(before).text);
}

bool tell_refilled(struct story *s)
{
	uint32_t first = s->new_first;
	struct answer stored, found, good;

	if (!ask(s, &s->b, STORE, first, DOCUMENT_CHUNKS - breaks("store-less"), &stored) ||
	    !ask(s, &s->b, HOLD, first, DOCUMENT_CHUNKS, &found) ||
	    !ask(s, &s->b, VERIFY, first, DOCUMENT_CHUNKS, &good) ||
	    !look(s, "end"))
		return false;
	s->new = stored.done;
	return say(stored.done == DOCUMENT_CHUNKS && good.done == DOCUMENT_CHUNKS &&
		   s->now.objects == s->now.total / CHUNK_BYTES,
		   "It stores document %u there: %u chunks, of which it finds %u and verifies %u; the directory has %u objects again.",
		   document_of(first), stored.done, found.done, good.done,
		   COUNT(s->now.objects));
}

bool tell_forgotten(struct story *s)
{
	uint32_t evicted = DOCUMENT_CHUNKS * (breaks("ask-other") ? 2 : 1);
	struct answer gone, kept;

	if (!ask(s, &s->b, HOLD, evicted, DOCUMENT_CHUNKS, &gone) ||
	    !ask(s, &s->b, VERIFY, 0, DOCUMENT_CHUNKS, &kept))
		return false;
	return say(!gone.done && gone.status == MARU_L1_NOT_FOUND &&
		   kept.done == DOCUMENT_CHUNKS,
		   "Of document 2 it finds %u chunks: %s. Of document 1, held all the while, it verifies %u of %u.",
		   gone.done, marul1_status_name(gone.status), kept.done,
		   DOCUMENT_CHUNKS);
}
