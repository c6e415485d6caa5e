// SPDX-License-Identifier: GPL-2.0-only
/* format: prepares memory for a pool. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include "media.h"
#include "print.h"
#include "verbs.h"

enum { OPT_LABEL = OPT_FIRST, OPT_SEGMENT, OPT_COHERENT, OPT_FORCE };

struct format {
	const char *label;
	u64 segment_bytes;	/* 0: default */
	int coherent;		/* -1: as the kind of memory says */
	bool force;
	bool json;
};

static void read_options(const struct verb *verb, int argc, char **argv,
			 struct format *format)
{
	static const struct option options[] = {
		{ "label", required_argument, NULL, OPT_LABEL },
		{ "segment-size", required_argument, NULL, OPT_SEGMENT },
		{ "coherent", required_argument, NULL, OPT_COHERENT },
		{ "force", no_argument, NULL, OPT_FORCE },
		OPTIONS_ALL
	};
	int option;

	*format = (struct format){ .label = "", .coherent = -1 };
	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON) {
			format->json = true;
		} else if (option == OPT_FORCE) {
			format->force = true;
		} else if (option == OPT_LABEL) {
			format->label = optarg;
			if (strlen(optarg) > MARU_L1_LABEL_LEN)
				usage(verb, "--label is longer than %d bytes", MARU_L1_LABEL_LEN);
		} else if (option == OPT_COHERENT) {
			format->coherent = !strcmp(optarg, "yes");
			if (!format->coherent && strcmp(optarg, "no"))
				usage(verb, "--coherent is yes or no, not %s", optarg);
		} else if (!parse_size(optarg, &format->segment_bytes) ||
			   !format->segment_bytes ||
			   format->segment_bytes % MARU_SEGMENT_MIN) {
			usage(verb, "--segment-size is a multiple of 2M, not %s", optarg);
		}
	}
}

/* What stands in the way, told; else the new superblock. */
static int plan(const struct media *media, const struct format *format,
		struct maru_super *sb)
{
	const struct backing *backing = media->backing;
	char label[ESCAPED(MARU_L1_LABEL_LEN)], uuid[UUID_TEXT], size[SIZE_TEXT];
	enum maru_super_error found = media_read(media, sb);

	if (!format->force && found == MARU_SUPER_OK)
		return fail("%s is formatted already: pool %s, label \"%s\"; --force overwrites it",
			    backing->path, uuid_text(sb->uuid, uuid),
			    escape(sb->label, strnlen((char *)sb->label, sizeof(sb->label)),
				   label));
	if (!format->force && found != MARU_SUPER_NONE)
		return fail("%s has a superblock that is %s; --force overwrites it",
			    backing->path, maru_super_strerror(found));
	memset(sb, 0, sizeof(*sb));
	sb->unit = media->unit;
	sb->pool_bytes = media->data_bytes;
	sb->segment_bytes = format->segment_bytes ?: maru_segment_default(sb->pool_bytes);
	sb->backing_count = 1;
	sb->backing_bytes[0] = sb->pool_bytes;
	sb->coherent = format->coherent < 0 ? backing->memfd : format->coherent;
	memcpy(sb->label, format->label, strlen(format->label));
	if (sb->segment_bytes > sb->pool_bytes)
		return fail("--segment-size is more than the pool of %s",
			    size_text(sb->pool_bytes, size));
	if (sb->pool_bytes > MARU_POOL_MAX)
		return fail("%s is larger than a pool can be", backing->path);
	if (getrandom(sb->uuid, sizeof(sb->uuid), 0) != sizeof(sb->uuid))
		return fail("no random numbers for the pool's uuid");
	/* Version 4 of RFC 9562: other tools recognise it. */
	sb->uuid[6] = (sb->uuid[6] & 0x0f) | 0x40;
	sb->uuid[8] = (sb->uuid[8] & 0x3f) | 0x80;
	return 0;
}

static void report(const struct media *media, const struct maru_super *sb, bool json)
{
	u64 segments = (sb->pool_bytes - 1) / sb->segment_bytes + 1;
	char label[ESCAPED(MARU_L1_LABEL_LEN)], uuid[UUID_TEXT];
	char size[SIZE_TEXT], segment[SIZE_TEXT];
	struct json_object *model;

	escape(sb->label, strnlen((char *)sb->label, sizeof(sb->label)), label);
	if (!json) {
		printf("Formatted %s: pool %s, label \"%s\", %s in %" PRIu64 " segments of %s",
		       media->backing->path, uuid_text(sb->uuid, uuid), label,
		       size_text(sb->pool_bytes, size), segments,
		       size_text(sb->segment_bytes, segment));
		if (sb->pool_bytes % sb->segment_bytes)
			printf(" (the last has %s)",
			       size_text(sb->pool_bytes % sb->segment_bytes, size));
		printf(", %s.\n", sb->coherent ? "coherent" : "not coherent");
		return;
	}
	model = model_new();
	model_text(model, "device", media->backing->path);
	model_text(model, "uuid", uuid_text(sb->uuid, uuid));
	model_text(model, "label", label);
	model_number(model, "size", sb->pool_bytes);
	model_number(model, "map_alignment", sb->unit);
	model_number(model, "segment_size", sb->segment_bytes);
	model_number(model, "segments", segments);
	model_bool(model, "coherent", sb->coherent);
	model_signed(model, "numa_node", media->backing->numa_node);
	print_json(model);
	json_object_put(model);
}

static int format_media(const struct media *media, const struct format *format)
{
	struct maru_super sb;
	unsigned int node;
	int ret;

	ret = plan(media, format, &sb);
	if (ret)
		return ret;
	node = media_watch(media);
	if (node)
		return fail("%s is in use: node %u runs on it; detach it there first",
			    media->backing->path, node);
	if (media_write(media, &sb))
		return fail("%s does not read back as written; it is not formatted now",
			    media->backing->path);
	report(media, &sb, format->json);
	return CTL_OK;
}

int cmd_format(const struct verb *verb, int argc, char **argv)
{
	struct backing backing;
	struct format format;
	struct media media;
	int ret;

	read_options(verb, argc, argv, &format);
	ret = backing_open(arguments(verb, argc, argv, 1)[0], &backing);
	if (ret)
		return ret;
	ret = media_open(&backing, 0, &media);
	if (!ret) {
		ret = format_media(&media, &format);
		media_close(&media);
	}
	backing_close(&backing);
	return ret;
}
