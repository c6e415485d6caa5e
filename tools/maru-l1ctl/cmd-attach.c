// SPDX-License-Identifier: GPL-2.0-only
/* attach: makes a pool of formatted memory. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "access.h"
#include "control.h"
#include "media.h"
#include "parts.h"
#include "pools.h"
#include "print.h"
#include "verbs.h"
#include "wait.h"

#define OBJECTS_MAX	(16 << 20)	/* of the module */

enum {
	OPT_OBJECTS = OPT_FIRST, OPT_QUARANTINE, OPT_CLIENT_BYTES, OPT_UUID, OPT_WAIT, OPT_MODE,
	OPT_GROUP,
};

/* What the command line says of an attach. */
struct order {
	struct maru_l1_attach attach;
	bool by_uuid, json;
	uint8_t uuid[16];
	struct wait wait;
	struct access access;
};

/* The memory of one attach. */
struct memory {
	unsigned int n;
	struct backing of[MARU_L1_BACKINGS_MAX];
	struct maru_super super[MARU_L1_BACKINGS_MAX];
	struct maru_super first;	/* that of the first part */
};

static void attach_option(const struct verb *verb, int option, struct order *order)
{
	struct maru_l1_attach *attach = &order->attach;
	uint64_t number;

	switch (option) {
	case OPT_JSON:
		order->json = true;
		break;
	case OPT_UUID:
		if (!parse_id(optarg, order->uuid))
			usage(verb, "--uuid has 32 hexadecimal digits, not %s", optarg);
		order->by_uuid = true;
		break;
	case OPT_WAIT:
		wait_parse(verb, optarg, &order->wait);
		break;
	case OPT_MODE:
		access_mode(verb, optarg, &order->access);
		break;
	case OPT_GROUP:
		access_group(verb, optarg, &order->access);
		break;
	case OPT_OBJECTS:
		if (!parse_number(optarg, OBJECTS_MAX, &number) || !number)
			usage(verb, "--max-objects is a number from 1 to %d, not %s", OBJECTS_MAX,
			      optarg);
		attach->max_objects = number;
		break;
	case OPT_QUARANTINE:
		if (!parse_number(optarg, MARU_L1_QUARANTINE_MS_MAX, &number) || !number)
			usage(verb, "--quarantine-ms is a number from 1 to %d, not %s",
			      MARU_L1_QUARANTINE_MS_MAX, optarg);
		attach->quarantine_ms = number;
		break;
	default:
		if (!parse_size(optarg, &number) || !number)
			usage(verb, "--max-client-bytes is a size from 1, not %s", optarg);
		attach->max_client_bytes = number;
	}
}

static void attach_options(const struct verb *verb, int argc, char **argv, struct order *order)
{
	static const struct option options[] = {
		{ "uuid", required_argument, NULL, OPT_UUID },
		{ "wait", required_argument, NULL, OPT_WAIT },
		{ "mode", required_argument, NULL, OPT_MODE },
		{ "group", required_argument, NULL, OPT_GROUP },
		{ "max-objects", required_argument, NULL, OPT_OBJECTS },
		{ "quarantine-ms", required_argument, NULL, OPT_QUARANTINE },
		{ "max-client-bytes", required_argument, NULL, OPT_CLIENT_BYTES },
		OPTIONS_ALL
	};
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1)
		attach_option(verb, option, order);
	if (order->wait.end_ms && !order->by_uuid)
		usage(verb, "--wait is for devices that --uuid finds");
}

/*
 * Who we are, for people and for the agents of other hosts.  A container may
 * have no machine-id: the firmware's id or, failing that, zeros.
 */
static void read_ids(struct maru_l1_attach *attach)
{
	if (!read_id("/etc/machine-id", attach->machine_id))
		read_id("/sys/class/dmi/id/product_uuid", attach->machine_id);
	read_id("/proc/sys/kernel/random/boot_id", attach->boot_id);
}

/* What the module would answer with a bare EUCLEAN is told here in full. */
static int read_super(const struct backing *backing, struct maru_super *sb)
{
	enum maru_super_error found;
	struct media media;
	int ret;

	ret = media_open(backing, 0, &media);
	if (ret)
		return ret;
	found = media_read(&media, sb);
	media_close(&media);
	if (found == MARU_SUPER_NONE)
		return fail("%s is not formatted: maru-l1ctl format %s", backing->path,
			    backing->path);
	if (found != MARU_SUPER_OK)
		return fail("%s: the superblock is %s; to give up what was there: "
			    "maru-l1ctl format --force %s", backing->path,
			    maru_super_strerror(found), backing->path);
	return 0;
}

static int attach_failed(int error, const char *name, const char *path)
{
	switch (error) {
	case EBUSY:
		return fail("%s is in use: attached on this host, held by files that a forced "
			    "detach has left open, or a node runs on it elsewhere", path);
	case EEXIST:
		return fail("there is a pool of the name %s already; see 'maru-l1ctl list'", name);
	case EUCLEAN:
		return fail("%s: the superblock or a node's line is damaged; to give up what was "
			    "there: maru-l1ctl format --force %s", path, path);
	case ENOSPC:
		return fail("%s has been attached as often as its format allows (format it anew), "
			    "or this host has too many pools", path);
	case EOPNOTSUPP:
		return fail("%s is no memory that a pool can be made of", path);
	case EINVAL:
		return fail("the module refuses these parameters");
	case EPERM:
		return fail("attaching needs root (CAP_SYS_ADMIN)");
	default:
		return fail("%s cannot be attached: %s", path, strerror(error));
	}
}

/* Where part @index of the pool is, from 0; NULL: nowhere. */
static const char *find_part(const struct memory *memory, unsigned int index)
{
	for (unsigned int i = 0; i < memory->n; i++)
		if (memory->super[i].backing_index == index)
			return memory->of[i].path;
	return NULL;
}

static int part_missing(const struct memory *memory)
{
	const struct maru_super *sb = &memory->first;
	char uuid[UUID_TEXT];
	unsigned int part = 0;

	while (part < sb->backing_count && find_part(memory, part))
		part++;
	return fail("part %u of %u of pool %s is missing: name all its devices, or attach it by "
		    "its uuid (--uuid %s)", part + 1, sb->backing_count,
		    uuid_text(sb->uuid, uuid), uuid);
}

static int part_foreign(const struct memory *memory)
{
	const struct maru_super *first = &memory->first;
	char ours[UUID_TEXT], theirs[UUID_TEXT];
	const char *other;

	uuid_text(first->uuid, ours);
	for (unsigned int i = 0; i < memory->n; i++) {
		const struct maru_super *sb = &memory->super[i];

		if (memcmp(sb->uuid, first->uuid, sizeof(sb->uuid)))
			return fail("%s is of another pool: %s, not %s", memory->of[i].path,
				    uuid_text(sb->uuid, theirs), ours);
		other = find_part(memory, sb->backing_index);
		if (other != memory->of[i].path)
			return fail("%s and %s both say that they are part %u of pool %s", other,
				    memory->of[i].path, sb->backing_index + 1, ours);
		if (sb->backing_index >= first->backing_count)
			return fail("%s is no part of pool %s, which has %u: growing it was "
				    "interrupted; attach it without, then grow it again",
				    memory->of[i].path, ours, first->backing_count);
	}
	return fail("the devices are not the parts of one pool, or of different states of it; "
		    "see 'maru-l1ctl devices'");
}

static void report_attach(const char *name, const struct memory *memory, bool json)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], label[ESCAPED(MARU_L1_LABEL_LEN)];
	const struct maru_super *sb = &memory->first;
	struct json_object *model, *devices;

	uuid_text(sb->uuid, uuid);
	escape(sb->label, strnlen((char *)sb->label, sizeof(sb->label)), label);
	if (!json) {
		printf("Attached %s", memory->of[0].path);
		for (unsigned int i = 1; i < memory->n; i++)
			printf(" and %s", memory->of[i].path);
		printf(" as " POOLS_DIR "/%s: pool %s, label \"%s\", %s.\n", name, uuid, label,
		       size_text(sb->pool_bytes, size));
		return;
	}
	model = model_new();
	model_text(model, "name", name);
	devices = model_array();
	for (unsigned int i = 0; i < memory->n; i++)
		model_append(devices, model_string(memory->of[i].path));
	model_text(model, "device", memory->of[0].path);
	model_add(model, "devices", devices);
	model_text(model, "uuid", uuid);
	model_text(model, "label", label);
	model_number(model, "size", sb->pool_bytes);
	model_signed(model, "numa_node", memory->of[0].numa_node);
	print_json(model);
	json_object_put(model);
}

/* All superblocks; that of the first part tells about the pool. */
static int read_supers(struct memory *memory)
{
	int ret;

	for (unsigned int i = 0; i < memory->n; i++) {
		const struct maru_super *sb = &memory->super[i];

		ret = read_super(&memory->of[i], &memory->super[i]);
		if (ret)
			return ret;
		if (!i || (!sb->backing_index && memory->first.backing_index))
			memory->first = *sb;
	}
	return 0;
}

/* The call itself. */
static int make_pool(int control, const char *name, const struct memory *memory,
		     struct maru_l1_attach *attach)
{
	const char *path = memory->of[0].path;
	int32_t fds[MARU_L1_BACKINGS_MAX];
	char what[PATH_MAX];
	int err;

	for (unsigned int i = 0; i < memory->n; i++)
		fds[i] = memory->of[i].fd;
	attach->size = sizeof(*attach);
	attach->fds = (uintptr_t)fds;
	attach->nr_fds = memory->n;
	attach->numa_node = memory->of[0].numa_node;
	memcpy(attach->name, name, strlen(name));
	read_ids(attach);
	snprintf(what, sizeof(what), "%s for two seconds for other nodes that run", path);
	err = control_watch(control, MARU_L1_ATTACH, attach, what);
	if (err == -ENXIO)
		return part_missing(memory);
	if (err == -EXDEV)
		return part_foreign(memory);
	return err ? attach_failed(-err, name, path) : 0;
}

static int attach_memory(const char *name, struct memory *memory, struct order *order)
{
	int control, ret;

	control = control_open();
	if (control < 0)
		return CTL_FAILED;
	ret = read_supers(memory);
	if (!ret)
		ret = make_pool(control, name, memory, &order->attach);
	if (!ret)
		ret = access_set(&order->access, name);
	close(control);
	if (!ret)
		report_attach(name, memory, order->json);
	return ret;
}

static int open_memory(struct memory *memory, const char *path)
{
	int ret = backing_open(path, &memory->of[memory->n]);

	if (!ret)
		memory->n++;
	return ret;
}

/* By the devices' names, or those that have the uuid. */
static int open_all(struct memory *memory, struct order *order, char **paths)
{
	static struct parts parts;
	int ret = 0;

	if (!order->by_uuid) {
		while (*paths && !ret)
			ret = open_memory(memory, *paths++);
		return ret;
	}
	ret = parts_find(order->uuid, &order->wait, &parts);
	for (unsigned int i = 0; i < parts.count && !ret; i++)
		ret = open_memory(memory, parts.path[i]);
	return ret;
}

int cmd_attach(const struct verb *verb, int argc, char **argv)
{
	struct memory memory = { 0 };
	struct order order = { 0 };
	const char *name;
	int ret;

	attach_options(verb, argc, argv, &order);
	argv = order.by_uuid ? arguments(verb, argc, argv, 1) :
	       some_arguments(verb, argc, argv, 2, 1 + MARU_L1_BACKINGS_MAX);
	name = pool_name(verb, argv[0]);
	ret = open_all(&memory, &order, argv + 1);
	if (!ret)
		ret = attach_memory(name, &memory, &order);
	while (memory.n)
		backing_close(&memory.of[--memory.n]);
	return ret;
}
