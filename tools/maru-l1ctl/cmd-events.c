// SPDX-License-Identifier: GPL-2.0-only
/* events: what happens to pools, as it happens. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <linux/maru_l1_netlink.h>
#include "ending.h"
#include "family.h"
#include "print.h"
#include "stats.h"
#include "verbs.h"

enum { OPT_COUNT = OPT_FIRST };

struct follow {
	const char *pool;	/* NULL: all */
	bool json;
	uint64_t count;		/* events; 0: until the end */
	uint64_t seen;
};

static const char *event_name(int command)
{
	switch (command) {
	case 0:
		return "lost";
	case MARU_L1_CMD_ATTACHED_NTF:
		return "attached";
	case MARU_L1_CMD_DETACHED_NTF:
		return "detached";
	case MARU_L1_CMD_GROWN_NTF:
		return "grown";
	case MARU_L1_CMD_WATERMARK_NTF:
		return "watermark";
	case MARU_L1_CMD_EVICTED_NTF:
		return "evicted";
	case MARU_L1_CMD_CLIENT_GONE_NTF:
		return "client-gone";
	default:
		return "unknown";
	}
}

static void time_text(char *text, size_t size)
{
	struct timespec now;
	struct tm tm;
	size_t n;

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	n = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &tm);
	n += snprintf(text + n, size - n, ".%03ld", now.tv_nsec / 1000000);
	strftime(text + n, size - n, "%z", &tm);
}

static void print_event(int command, struct json_object *event, const char *when)
{
	char size[SIZE_TEXT];

	printf("%s  %-11s  %s", when, event_name(command),
	       event ? json_object_get_string(stats_part(event, "pool")) : "-");
	switch (command) {
	case 0:
		printf("  events came faster than they were read");
		break;
	case MARU_L1_CMD_GROWN_NTF:
		printf("  to %s", size_text(stats_number(event, "bytes"), size));
		break;
	case MARU_L1_CMD_WATERMARK_NTF:
		printf("  %.1f %% full", stats_number(event, "permille") / 10.0);
		break;
	case MARU_L1_CMD_EVICTED_NTF:
		printf("  %" PRIu64 " objects, %s", stats_number(event, "count"),
		       size_text(stats_number(event, "bytes"), size));
		break;
	case MARU_L1_CMD_CLIENT_GONE_NTF:
		printf("  client %" PRIu64 " left %" PRIu64 " writes, %" PRIu64 " private objects, holds on %"
		       PRIu64 " objects", stats_number(event, "client"),
		       stats_number(event, "staged"), stats_number(event, "private"),
		       stats_number(event, "holds"));
		break;
	}
	putchar('\n');
}

static void take(int command, struct json_object *event, void *arg)
{
	struct follow *follow = arg;
	struct json_object *model;
	char when[48];

	if (event && follow->pool &&
	    strcmp(follow->pool, json_object_get_string(stats_part(event, "pool")) ?: ""))
		return;
	if (follow->count && follow->seen == follow->count)
		return;
	follow->seen++;
	time_text(when, sizeof(when));
	if (!follow->json) {
		print_event(command, event, when);
		return;
	}
	model = model_new();
	model_text(model, "time", when);
	model_text(model, "event", event_name(command));
	if (event) {
		json_object_object_foreach(event, key, value)
			model_add(model, key, json_object_get(value));
	}
	puts(json_object_to_json_string_ext(model, JSON_C_TO_STRING_PLAIN));
	json_object_put(model);
}

static int follow_events(struct family *family, struct follow *follow)
{
	int fd = family_subscribe(family), err = 0;

	if (fd < 0)
		return fd;
	ending_begin();
	while (!err && !fflush(stdout) && (!follow->count || follow->seen < follow->count) &&
	       ending_wait(fd, -1, NULL))
		err = family_events(family, take, follow);
	return err;
}

int cmd_events(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, OPT_COUNT },
		OPTIONS_ALL
	};
	struct follow follow = { 0 };
	struct family *family;
	int option, ret;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			follow.json = true;
		else if (!parse_number(optarg, UINT64_MAX, &follow.count) || !follow.count)
			usage(verb, "--count is a number from 1, not %s", optarg);
	}
	argv = some_arguments(verb, argc, argv, 0, 1);
	if (argv[0])
		follow.pool = pool_name(verb, argv[0]);
	ret = family_open(&family);
	if (ret)
		return ret;
	ret = follow_events(family, &follow);
	family_close(family);
	return ret ? fail("events cannot be followed: %s", strerror(-ret)) : CTL_OK;
}
