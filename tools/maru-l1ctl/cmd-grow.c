// SPDX-License-Identifier: GPL-2.0-only
/* grow: one more device for a pool that is in use. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "control.h"
#include "media.h"
#include "pools.h"
#include "print.h"
#include "verbs.h"

enum { OPT_FORCE = OPT_FIRST };

/* The superblock of the next part of the pool that @info is about. */
static int plan(const struct media *media, const struct maru_l1_info *info,
		struct maru_super *sb)
{
	memset(sb, 0, sizeof(*sb));
	memcpy(sb->uuid, info->uuid, sizeof(sb->uuid));
	memcpy(sb->label, info->label, sizeof(sb->label));
	sb->unit = info->map_align;
	sb->segment_bytes = info->segment_size;
	sb->coherent = info->flags & MARU_L1_I_COHERENT;
	sb->backing_index = info->nr_backings;
	sb->backing_count = info->nr_backings + 1;
	memcpy(sb->backing_bytes, info->backing_bytes,
	       info->nr_backings * sizeof(sb->backing_bytes[0]));
	sb->backing_bytes[sb->backing_index] = media->data_bytes;
	sb->pool_bytes = info->capacity + media->data_bytes;
	return sb->pool_bytes > MARU_POOL_MAX ?
		fail("with %s the pool would be larger than a pool can be",
		     media->backing->path) : 0;
}

/* An earlier try may have got that far. */
static bool is_planned(const struct maru_super *found, const struct maru_super *planned)
{
	struct maru_super same = *planned;

	same.generation = found->generation;
	return !memcmp(&same, found, sizeof(same));
}

/* Formats it as a part, unless something is in the way, which is told. */
static int prepare(const struct media *media, const struct maru_l1_info *info, bool force)
{
	const char *path = media->backing->path;
	struct maru_super planned, sb;
	enum maru_super_error found;
	char uuid[UUID_TEXT];
	unsigned int node;
	int ret;

	ret = plan(media, info, &planned);
	if (ret)
		return ret;
	memset(&sb, 0, sizeof(sb));
	found = media_read(media, &sb);
	if (found == MARU_SUPER_OK && is_planned(&sb, &planned))
		return 0;
	if (found == MARU_SUPER_OK && !memcmp(sb.uuid, info->uuid, sizeof(sb.uuid)) && !force)
		return fail("%s is part %u of this pool already; --force makes it a new part, if "
			    "it is not in use", path, sb.backing_index + 1);
	if (found == MARU_SUPER_OK && !force)
		return fail("%s is formatted already: pool %s; --force gives it up", path,
			    uuid_text(sb.uuid, uuid));
	if (found != MARU_SUPER_NONE && found != MARU_SUPER_OK && !force)
		return fail("%s has a superblock that is %s; --force overwrites it", path,
			    maru_super_strerror(found));
	node = media_watch(media);
	if (node)
		return fail("%s is in use: node %u runs on it; detach it there first", path, node);
	if (media_write(media, &planned))
		return fail("%s does not read back as written; it is not formatted now", path);
	return 0;
}

static int grow_failed(int error, const char *name, const char *path)
{
	switch (error) {
	case ENOENT:
		return fail(NO_POOL, name);
	case EBUSY:
		return fail("%s is growing already, or %s is in use: attached on this host, or a "
			    "node runs on it elsewhere", name, path);
	case ENOSPC:
		return fail("%s has all the %d parts that a pool can have", name,
			    MARU_L1_BACKINGS_MAX);
	case ESTALE:
		return fail("%s is fenced: detach it, and attach it again", name);
	case EXDEV:
	case EUCLEAN:
		return fail("%s was changed meanwhile; try again with --force", path);
	case EOPNOTSUPP:
		return fail("%s is no memory that a pool can be made of", path);
	case ENOTTY:
		return fail("the module is older than this program");
	case EPERM:
		return fail("growing needs root (CAP_SYS_ADMIN)");
	default:
		return fail("%s cannot be added: %s", path, strerror(error));
	}
}

static void report(const char *name, const struct media *media,
		   const struct maru_l1_info *info, bool json)
{
	char more[SIZE_TEXT], all[SIZE_TEXT];
	uint64_t size = info->capacity + media->data_bytes;
	struct json_object *model;

	if (!json) {
		printf("Grew %s by %s to %s: %s is part %u.\n", name,
		       size_text(media->data_bytes, more), size_text(size, all),
		       media->backing->path, info->nr_backings + 1);
		return;
	}
	model = model_new();
	model_text(model, "name", name);
	model_text(model, "device", media->backing->path);
	model_number(model, "part", info->nr_backings + 1);
	model_number(model, "added", media->data_bytes);
	model_number(model, "size", size);
	print_json(model);
	json_object_put(model);
}

static int add(int control, const char *name, const struct media *media)
{
	struct maru_l1_grow grow = { .size = sizeof(grow), .fd = media->backing->fd };
	char what[PATH_MAX];
	int err;

	memcpy(grow.name, name, strlen(name));
	snprintf(what, sizeof(what), "%s for two seconds for nodes that run",
		 media->backing->path);
	err = control_watch(control, MARU_L1_GROW, &grow, what);
	return err ? grow_failed(-err, name, media->backing->path) : 0;
}

static int grow(const char *name, const struct backing *backing, bool force, bool json)
{
	struct maru_l1_info info = { 0 };
	struct pool_file file;
	struct media media;
	int control, ret;

	ret = pool_open(name, &file);
	if (ret)
		return ret;
	ret = marul1_info(file.client, &info);
	pool_close(&file);
	if (ret)
		return pool_failed(name, ret);
	if (info.nr_backings == MARU_L1_BACKINGS_MAX)
		return grow_failed(ENOSPC, name, backing->path);
	control = control_open();
	if (control < 0)
		return CTL_FAILED;
	ret = media_open(backing, info.map_align, &media);
	if (!ret) {
		ret = prepare(&media, &info, force);
		if (!ret)
			ret = add(control, name, &media);
		if (!ret)
			report(name, &media, &info, json);
		media_close(&media);
	}
	close(control);
	return ret;
}

int cmd_grow(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, OPT_FORCE },
		OPTIONS_ALL
	};
	bool force = false, json = false;
	struct backing backing;
	const char *name;
	int option, ret;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			json = true;
		else
			force = true;
	}
	argv = arguments(verb, argc, argv, 2);
	name = pool_name(verb, argv[0]);
	ret = backing_open(argv[1], &backing);
	if (ret)
		return ret;
	ret = grow(name, &backing, force, json);
	backing_close(&backing);
	return ret;
}
