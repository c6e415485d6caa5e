// SPDX-License-Identifier: GPL-2.0-only
/* attach and detach: pools come and go through the module's control node. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "media.h"
#include "pools.h"
#include "print.h"
#include "verbs.h"

#define CONTROL	POOLS_DIR "/control"

enum { OPT_OBJECTS = OPT_FIRST, OPT_QUARANTINE, OPT_CLIENT_BYTES, OPT_FORCE };

/* Return: a descriptor, or -1 after saying what to do. */
static int open_control(void)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
		fail(MODULE_MISSING);
	else if (errno == EACCES || errno == EPERM)
		fail(CONTROL ": %s; run this as root", strerror(errno));
	else
		fail(CONTROL ": %s", strerror(errno));
	return -1;
}

static bool attach_options(const struct verb *verb, int argc, char **argv,
			   struct maru_l1_attach *attach)
{
	static const struct option options[] = {
		{ "max-objects", required_argument, NULL, OPT_OBJECTS },
		{ "quarantine-ms", required_argument, NULL, OPT_QUARANTINE },
		{ "max-client-bytes", required_argument, NULL, OPT_CLIENT_BYTES },
		OPTIONS_ALL
	};
	bool json = false;
	uint64_t number;
	int option;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON) {
			json = true;
		} else if (option == OPT_OBJECTS) {
			if (!parse_number(optarg, UINT64_MAX, &number) || !number)
				usage(verb, "--max-objects is a number from 1, not %s", optarg);
			attach->max_objects = number;
		} else if (option == OPT_QUARANTINE) {
			if (!parse_number(optarg, MARU_L1_QUARANTINE_MS_MAX, &number) || !number)
				usage(verb, "--quarantine-ms is a number from 1 to %d, not %s",
				      MARU_L1_QUARANTINE_MS_MAX, optarg);
			attach->quarantine_ms = number;
		} else if (!parse_size(optarg, &number) || !number) {
			usage(verb, "--max-client-bytes is a size from 1, not %s", optarg);
		} else {
			attach->max_client_bytes = number;
		}
	}
	return json;
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

	ret = media_open(backing, &media);
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
	if (sb->backing_count > 1)
		return fail("%s is one of %u parts of a pool; pools of several parts cannot be "
			    "attached yet", backing->path, sb->backing_count);
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

static void report_attach(const char *name, const struct backing *backing,
			  const struct maru_super *sb, bool json)
{
	char uuid[UUID_TEXT], size[SIZE_TEXT], label[ESCAPED(MARU_L1_LABEL_LEN)];
	struct json_object *model;

	uuid_text(sb->uuid, uuid);
	escape(sb->label, strnlen((char *)sb->label, sizeof(sb->label)), label);
	if (!json) {
		printf("Attached %s as " POOLS_DIR "/%s: pool %s, label \"%s\", %s.\n",
		       backing->path, name, uuid, label, size_text(sb->pool_bytes, size));
		return;
	}
	model = model_new();
	model_text(model, "name", name);
	model_text(model, "device", backing->path);
	model_text(model, "uuid", uuid);
	model_text(model, "label", label);
	model_number(model, "size", sb->pool_bytes);
	model_signed(model, "numa_node", backing->numa_node);
	print_json(model);
	json_object_put(model);
}

static int attach_backing(const char *name, const struct backing *backing,
			  struct maru_l1_attach *attach, bool json)
{
	int32_t fd = backing->fd;
	struct maru_super sb;
	int control, ret;

	control = open_control();
	if (control < 0)
		return CTL_FAILED;
	ret = read_super(backing, &sb);
	if (!ret) {
		attach->size = sizeof(*attach);
		attach->fds = (uintptr_t)&fd;
		attach->nr_fds = 1;
		attach->numa_node = backing->numa_node;
		memcpy(attach->name, name, strlen(name));
		read_ids(attach);
		say("watching %s for two seconds for other nodes that run", backing->path);
		if (ioctl(control, MARU_L1_ATTACH, attach))
			ret = attach_failed(errno, name, backing->path);
		else
			report_attach(name, backing, &sb, json);
	}
	close(control);
	return ret;
}

int cmd_attach(const struct verb *verb, int argc, char **argv)
{
	struct maru_l1_attach attach = { 0 };
	struct backing backing;
	const char *name;
	bool json;
	int ret;

	json = attach_options(verb, argc, argv, &attach);
	argv = arguments(verb, argc, argv, 2);
	name = pool_name(verb, argv[0]);
	ret = backing_open(argv[1], &backing);
	if (ret)
		return ret;
	ret = attach_backing(name, &backing, &attach, json);
	backing_close(&backing);
	return ret;
}

static int detach_failed(int error, const char *name)
{
	switch (error) {
	case ENOENT:
		return fail(NO_POOL, name);
	case EBUSY:
		return fail("%s is in use: files are open or mapped, or a quarantine has not "
			    "passed; --force takes the pool from them", name);
	case EPERM:
		return fail("detaching needs root (CAP_SYS_ADMIN)");
	default:
		return fail("%s cannot be detached: %s", name, strerror(error));
	}
}

static void report_detach(const char *name, bool force, bool json)
{
	struct json_object *model;

	if (!json) {
		printf("Detached %s%s.\n", name,
		       force ? " by force: its mappings are revoked, its holds are void" : "");
		return;
	}
	model = model_new();
	model_text(model, "name", name);
	model_bool(model, "forced", force);
	print_json(model);
	json_object_put(model);
}

int cmd_detach(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, OPT_FORCE },
		OPTIONS_ALL
	};
	struct maru_l1_detach detach = { .size = sizeof(detach) };
	int option, control, ret = CTL_OK;
	bool json = false;
	const char *name;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			json = true;
		else
			detach.flags = MARU_L1_DETACH_FORCE;
	}
	name = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	memcpy(detach.name, name, strlen(name));
	control = open_control();
	if (control < 0)
		return CTL_FAILED;
	if (ioctl(control, MARU_L1_DETACH, &detach))
		ret = detach_failed(errno, name);
	else
		report_detach(name, detach.flags, json);
	close(control);
	return ret;
}
