// SPDX-License-Identifier: GPL-2.0-only
/*
 * story [--ids] URI	tells the story on the pool at URI
 * story --breaks	lists the faults that MARU_DEMO_BREAK can put into it
 * story --server URI	is a server of it
 * story --memfd SIZE	holds sealed memory and prints its path, until stdin ends
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "breaks.h"
#include "memfd.h"
#include "story.h"

static const struct sentence sentences[] = {
	{ "A pool for the KV cache of Qwen3-8B", "empty", tell_empty },
	{ "Server A stores three documents", "page", tell_page },
	{ NULL, "stored", tell_stored },
	{ "Server B reads them in place", "found", tell_found },
	{ NULL, "checksums", tell_checksums },
	{ NULL, "addresses", tell_addresses },
	{ NULL, "memory", tell_memory },
	{ NULL, "returned", tell_returned },
	{ "Server A dies in the middle of a store", "holds", tell_holds },
	{ NULL, "staged", tell_staged },
	{ NULL, "unreadable", tell_unreadable },
	{ NULL, "locked", tell_locked },
	{ NULL, "killed", tell_killed },
	{ NULL, "quarantine", tell_quarantine },
	{ NULL, "guarded", tell_guarded },
	{ NULL, "gone", tell_gone },
	{ NULL, "survived", tell_survived },
	{ "Room for new documents", "using", tell_using },
	{ NULL, "full", tell_full },
	{ NULL, "victims", tell_victims },
	{ NULL, "room", tell_room },
	{ NULL, "refilled", tell_refilled },
	{ NULL, "forgotten", tell_forgotten },
	{ "The accounts", "left", tell_left },
	{ NULL, "sums", tell_sums },
	{ NULL, "directory", tell_directory },
	{ NULL, "check", tell_check },
};

#define NR_SENTENCES (sizeof(sentences) / sizeof(sentences[0]))

uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

bool look(struct story *s, const char *moment)
{
	int err = marul1_usage(s->client, &s->now);

	if (err)
		return say(false, "The pool does not answer for its accounts: %s.",
			   strerror(-err));
	if (moment)
		ledger_note(&s->ledger, moment, &s->now);
	return true;
}

bool ask(struct story *s, struct actor *actor, enum deed deed, uint32_t first,
	 uint32_t count, struct answer *answer)
{
	struct request request = { .deed = deed, .first = first, .count = count };
	int err = actor_ask(actor, &request, answer);

	if (!err)
		return true;
	return say(false, "Server %c fails: %s.", actor == &s->a ? 'A' : 'B',
		   strerror(-err));
}

int held_chunks(struct story *s, uint32_t first, uint32_t count)
{
	struct marul1_query query;
	char key[CHUNK_KEY_ROOM];
	int held = 0;

	for (uint32_t i = 0; i < count; i++) {
		query = (struct marul1_query) {
			.key = key, .key_len = chunk_key(first + i, key),
		};
		if (marul1_query(s->client, &query, 1) || query.holders > 1)
			return -1;
		held += query.holders;
	}
	return held;
}

static int open_all(struct story *s, const char *uri)
{
	int err;

	*s = (struct story) {
		.uri = uri, .embedded = !strncmp(uri, "embedded:", 9),
	};
	err = marul1_new(&s->ctx);
	if (!err)
		err = marul1_open(s->ctx, uri, &s->pool);
	if (!err)
		err = marul1_client_open(s->pool, MARUL1_RDONLY, &s->client);
	if (!err)
		err = marul1_info(s->client, &s->info);
	if (!err)
		err = actor_start(&s->a, uri, s->embedded ? s->pool : NULL);
	if (!err)
		err = actor_start(&s->b, uri, s->embedded ? s->pool : NULL);
	if (err)
		fprintf(stderr, "demo: cannot begin on %s: %s\n", uri, strerror(-err));
	return err;
}

static void close_all(struct story *s)
{
	actor_stop(&s->a);
	actor_stop(&s->b);
	marul1_client_close(s->client);
	marul1_pool_unref(s->pool);
	marul1_unref(s->ctx);
}

/* Return: the sentence that turned out untrue, or NULL. */
static const struct sentence *tell_all(struct story *s, bool ids)
{
	for (size_t i = 0; i < NR_SENTENCES; i++) {
		if (sentences[i].title)
			say_title(sentences[i].title);
		if (ids)
			printf("  [%s]\n", sentences[i].id);
		if (!sentences[i].tell(s))
			return &sentences[i];
	}
	return NULL;
}

static int tell(const char *uri, bool ids)
{
	const struct sentence *untrue = NULL;
	uint64_t start = now_ms();
	struct story s;
	int err;

	say_setup();
	err = open_all(&s, uri);
	if (!err)
		untrue = tell_all(&s, ids);
	close_all(&s);
	if (untrue)
		fprintf(stderr, "demo: not true: sentence '%s'\n", untrue->id);
	else if (!err)
		printf("\n%zu sentences, all true; told in %.1f s.\n", NR_SENTENCES,
		       (now_ms() - start) / 1000.0);
	return err || untrue;
}

static int usage(void)
{
	fprintf(stderr, "usage: story [--ids] URI | --breaks | --server URI | --memfd SIZE\n");
	return 2;
}

int main(int argc, char **argv)
{
	if (!breaks_known())
		return 2;
	if (argc == 2 && !strcmp(argv[1], "--breaks")) {
		breaks_list();
		return 0;
	}
	if (argc == 2 && argv[1][0] != '-')
		return tell(argv[1], false);
	if (argc != 3)
		return usage();
	if (!strcmp(argv[1], "--ids"))
		return tell(argv[2], true);
	if (!strcmp(argv[1], "--server"))
		return actor_main(argv[2]);
	if (!strcmp(argv[1], "--memfd"))
		return memfd_main(argv[2]);
	return usage();
}
