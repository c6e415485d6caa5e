// SPDX-License-Identifier: GPL-2.0-only
/* evict: objects go, by use or by name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "evict.h"
#include "print.h"

enum {
	OPT_BYTES = OPT_FIRST, OPT_PERCENT, OPT_TO, OPT_COUNT, OPT_KEY, OPT_PREFIX,
	OPT_PAGE, OPT_DRY_RUN, OPT_VERBOSE,
};

static const struct column columns[] = {
	{ "status", "STATUS", STYLE_PLAIN },
	{ "size", "SIZE", STYLE_BYTES },
	{ "key", "KEY", STYLE_PLAIN },
};

/* Up to one digit behind the point: "12.5" is 125. */
static bool parse_permille(const char *text, uint32_t *permille)
{
	char whole[8];
	uint64_t percent, tenth = 0;
	size_t n = strcspn(text, ".");

	if (n >= sizeof(whole))
		return false;
	memcpy(whole, text, n);
	whole[n] = '\0';
	if (!parse_number(whole, 100, &percent))
		return false;
	if (text[n] && !parse_number(text + n + 1, 9, &tenth))
		return false;
	*permille = 10 * percent + tenth;
	return *permille <= 1000;
}

static void add_key(const struct verb *verb, struct evict *evict, const char *text)
{
	struct key key;

	key_argument(verb, text, &key);
	for (size_t i = 0; i < evict->nr_keys; i++)
		if (evict->keys[i].len == key.len &&
		    !memcmp(evict->keys[i].bytes, key.bytes, key.len))
			return;
	evict->keys = reallocarray(evict->keys, evict->nr_keys + 1, sizeof(key));
	if (!evict->keys)
		out_of_memory();
	evict->keys[evict->nr_keys++] = key;
}

/* Only --key may come again. */
static void set_goal(const struct verb *verb, struct evict *evict, enum evict_goal goal)
{
	if (evict->goal != GOAL_NONE && (evict->goal != goal || goal != GOAL_KEYS))
		usage(verb, "there is more than one goal");
	evict->goal = goal;
}

static void read_goal(const struct verb *verb, struct evict *evict, int option)
{
	switch (option) {
	case OPT_BYTES:
		set_goal(verb, evict, GOAL_BYTES);
		if (!parse_size(optarg, &evict->bytes) || !evict->bytes)
			usage(verb, "--bytes is a size from 1, not %s", optarg);
		break;
	case OPT_PAGE:
		if (!parse_size(optarg, &evict->page_size) || !evict->page_size)
			usage(verb, "--page-size is a size from 1, not %s", optarg);
		break;
	case OPT_PERCENT:
		set_goal(verb, evict, GOAL_PERCENT);
		if (!parse_permille(optarg, &evict->permille) || !evict->permille)
			usage(verb, "--percent is from 0.1 to 100, not %s", optarg);
		break;
	case OPT_TO:
		set_goal(verb, evict, GOAL_TO);
		if (!parse_permille(optarg, &evict->permille))
			usage(verb, "--to is from 0 to 100, not %s", optarg);
		break;
	case OPT_COUNT:
		set_goal(verb, evict, GOAL_COUNT);
		if (!parse_number(optarg, UINT64_MAX, &evict->count) || !evict->count)
			usage(verb, "--count is a number from 1, not %s", optarg);
		break;
	default:
		set_goal(verb, evict, option == OPT_KEY ? GOAL_KEYS : GOAL_PREFIX);
		add_key(verb, evict, optarg);
		break;
	}
}

/* Return: whether JSON is wanted. */
static bool read_options(const struct verb *verb, int argc, char **argv,
			 struct evict *evict)
{
	static const struct option options[] = {
		{ "bytes", required_argument, NULL, OPT_BYTES },
		{ "page-size", required_argument, NULL, OPT_PAGE },
		{ "percent", required_argument, NULL, OPT_PERCENT },
		{ "to", required_argument, NULL, OPT_TO },
		{ "count", required_argument, NULL, OPT_COUNT },
		{ "key", required_argument, NULL, OPT_KEY },
		{ "prefix", required_argument, NULL, OPT_PREFIX },
		{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
		{ "verbose", no_argument, NULL, OPT_VERBOSE },
		OPTIONS_ALL
	};
	bool json = false;
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			json = true;
		else if (option == OPT_DRY_RUN)
			evict->dry_run = true;
		else if (option != OPT_VERBOSE)
			read_goal(verb, evict, option);
		evict->list |= option == OPT_VERBOSE || option == OPT_DRY_RUN || json;
	}
	evict->pool = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	if (evict->goal == GOAL_NONE)
		usage(verb, "a goal is missing: how much shall go");
	if (evict->page_size && (evict->goal != GOAL_BYTES || evict->dry_run))
		usage(verb, "--page-size goes with --bytes, and not with --dry-run");
	return json;
}

void evict_list(struct evict *evict, const void *key, size_t key_len, uint64_t size,
		const char *status)
{
	char text[ESCAPED(MARU_L1_KEY_MAX)];
	struct json_object *row;

	if (!evict->list)
		return;
	row = model_new();
	model_text(row, "key", key_text(key, key_len, text));
	model_text(row, "status", status);
	if (size)
		model_number(row, "size", size);
	model_append(evict->objects, row);
}

static bool is_met(const struct evict *evict, const struct maru_l1_usage *usage)
{
	switch (evict->goal) {
	case GOAL_TO:
		return (usage->used - (evict->dry_run ? evict->evicted_bytes : 0)) * 1000.0 <=
		       (double)usage->total * evict->permille;
	case GOAL_COUNT:
		return evict->evicted >= evict->count;
	case GOAL_KEYS:
		return !evict->held && !evict->absent;
	case GOAL_PREFIX:
		return !evict->held;
	default:
		if (evict->page_size)
			return !evict->no_room && usage->available >= evict->bytes;
		return evict->evicted_bytes >= evict->bytes;
	}
}

static void print_model(const struct evict *evict, const struct maru_l1_usage *usage,
			bool met)
{
	struct json_object *model = model_new();

	model_text(model, "name", evict->pool);
	model_bool(model, "dry_run", evict->dry_run);
	model_bool(model, "met", met);
	model_number(model, "evicted", evict->evicted);
	model_number(model, "evicted_bytes", evict->evicted_bytes);
	model_number(model, "held", evict->held);
	model_number(model, "absent", evict->absent);
	model_number(model, "available", usage->available);
	model_number(model, "used", usage->used);
	model_add(model, "objects", json_object_get(evict->objects));
	print_json(model);
	json_object_put(model);
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void print_people(const struct evict *evict, const struct maru_l1_usage *usage)
{
	char size[SIZE_TEXT], left[SIZE_TEXT];

	if (json_object_array_length(evict->objects))
		print_table(evict->objects, columns, sizeof(columns) / sizeof(columns[0]));
	if (evict->more)
		printf("... and %" PRIu64 " more\n", evict->more);
	printf("%s %" PRIu64 " object%s from %s, %s",
	       evict->dry_run ? "Would evict" : "Evicted", evict->evicted,
	       plural(evict->evicted), evict->pool, size_text(evict->evicted_bytes, size));
	if (evict->held)
		printf("; %" PRIu64 " held passed over", evict->held);
	if (!evict->dry_run)
		printf("; available now: %s", size_text(usage->available, left));
	printf(".\n");
}

static void add_way(FILE *text, bool *first, uint64_t bytes, const char *what)
{
	char size[SIZE_TEXT];

	if (!bytes)
		return;
	fprintf(text, "%s%s %s", *first ? "; in the way: " : ", ", size_text(bytes, size), what);
	*first = false;
}

/* What keeps the pool from giving more, but for what nobody can change. */
static void tell_ways(const struct evict *evict, const struct maru_l1_usage *usage, FILE *text)
{
	bool first = true;

	if (evict->held) {
		fprintf(text, "; in the way: %" PRIu64 " object%s held%s", evict->held,
			plural(evict->held), evict->page_size ? ", or beside what is" : "");
		first = false;
	}
	add_way(text, &first, usage->staged, "being written");
	add_way(text, &first, usage->private_bytes, "private");
	add_way(text, &first, usage->zombie, "deleted but still held");
	add_way(text, &first, usage->quarantined, "in quarantine");
	add_way(text, &first, usage->limbo, "in limbo");
	add_way(text, &first, usage->retired, "retired");
	if (first)
		fprintf(text, "; there is no more to evict");
	if (evict->held)
		fprintf(text, "; 'maru-l1ctl objects %s --held' shows what is held, "
			"'maru-l1ctl clients %s' by whom", evict->pool, evict->pool);
}

static void tell_goal(const struct evict *evict, const struct maru_l1_usage *usage, FILE *text)
{
	char size[SIZE_TEXT], wanted[SIZE_TEXT];

	switch (evict->goal) {
	case GOAL_TO:
		fprintf(text, "%s of %s used, wanted no more than %u.%u %%",
			size_text(usage->used, size), size_text(usage->total, wanted),
			evict->permille / 10, evict->permille % 10);
		break;
	case GOAL_COUNT:
		fprintf(text, "%" PRIu64 " of %" PRIu64 " objects", evict->evicted, evict->count);
		break;
	default:
		if (evict->page_size) {
			fprintf(text, "no room for %s in pages of %s",
				size_text(evict->bytes, wanted),
				size_text(evict->page_size, size));
			break;
		}
		fprintf(text, "%s of %s", size_text(evict->evicted_bytes, size),
			size_text(evict->bytes, wanted));
		break;
	}
}

static int not_all(const struct evict *evict)
{
	if (evict->absent)
		say("%s: %" PRIu64 " key%s without an object", evict->pool, evict->absent,
		    plural(evict->absent));
	if (evict->held)
		say("%s: %" PRIu64 " object%s held and kept; 'maru-l1ctl clients %s' shows who "
		    "holds objects", evict->pool, evict->held, plural(evict->held), evict->pool);
	return CTL_FAILED;
}

static int not_met(const struct evict *evict, const struct maru_l1_usage *usage)
{
	char *message;
	size_t size;
	FILE *text;

	if (evict->goal == GOAL_KEYS || evict->goal == GOAL_PREFIX)
		return not_all(evict);
	text = open_memstream(&message, &size);
	if (!text)
		out_of_memory();
	tell_goal(evict, usage, text);
	tell_ways(evict, usage, text);
	if (fclose(text))
		out_of_memory();
	say("%s: the goal is not met: %s", evict->pool, message);
	free(message);
	return CTL_FAILED;
}

static int finish(const struct evict *evict, bool json)
{
	struct maru_l1_usage usage = { 0 };
	int err = marul1_usage(evict->file.client, &usage);
	bool met;

	if (err)
		return pool_failed(evict->pool, err);
	met = is_met(evict, &usage);
	if (json)
		print_model(evict, &usage, met);
	else
		print_people(evict, &usage);
	return met ? CTL_OK : not_met(evict, &usage);
}

static int run(struct evict *evict, bool json)
{
	struct maru_l1_info info = { 0 };
	int ret = marul1_info(evict->file.client, &info);

	if (ret)
		return pool_failed(evict->pool, ret);
	if (evict->goal == GOAL_PERCENT)
		evict->bytes = info.capacity / 1000 * evict->permille;
	if (evict->goal == GOAL_KEYS || evict->goal == GOAL_PREFIX)
		ret = evict_by_key(evict);
	else
		ret = evict_by_goal(evict);
	return ret ? ret : finish(evict, json);
}

int cmd_evict(const struct verb *verb, int argc, char **argv)
{
	struct evict evict = { 0 };
	bool json;
	int ret;

	json = read_options(verb, argc, argv, &evict);
	if (evict.dry_run)
		ret = pool_open(evict.pool, &evict.file);
	else
		ret = pool_open_writable(evict.pool, &evict.file);
	if (!ret) {
		evict.objects = model_array();
		ret = run(&evict, json);
		json_object_put(evict.objects);
		pool_close(&evict.file);
	}
	free(evict.keys);
	return ret;
}
