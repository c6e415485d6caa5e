// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>
#include "access.h"
#include "pools.h"

#define UDEV_CONTROL	"/run/udev/control"
#define UDEV_WAIT_MS	10
#define UDEV_TRIES	500

void access_mode(const struct verb *verb, const char *text, struct access *wanted)
{
	char *end;
	unsigned long mode = strtoul(text, &end, 8);

	if (*end || end == text || mode & ~0666UL || *text == '-')
		usage(verb, "--mode is an octal number such as 0660, not %s", text);
	wanted->mode = mode;
	wanted->has_mode = true;
}

void access_group(const struct verb *verb, const char *text, struct access *wanted)
{
	struct group *group = getgrnam(text);
	uint64_t gid;

	if (!group && !parse_number(text, UINT_MAX - 1, &gid))
		usage(verb, "there is no group %s", text);
	wanted->group = group ? group->gr_gid : gid;
	wanted->has_group = true;
}

/* udev has a file for each device that it has dealt with. */
static void wait_for_udev(const char *node)
{
	const struct timespec pause = { .tv_nsec = UDEV_WAIT_MS * 1000000L };
	char done[64];
	struct stat st;

	if (access(UDEV_CONTROL, F_OK) || stat(node, &st))
		return;
	snprintf(done, sizeof(done), "/run/udev/data/c%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	for (int i = 0; i < UDEV_TRIES && access(done, F_OK); i++)
		nanosleep(&pause, NULL);
}

int access_set(const struct access *wanted, const char *name)
{
	char node[PATH_MAX];

	if (!wanted->has_mode && !wanted->has_group)
		return CTL_OK;
	snprintf(node, sizeof(node), POOLS_DIR "/%s", name);
	wait_for_udev(node);
	if (wanted->has_group && chown(node, -1, wanted->group))
		return fail("%s is attached, but its group cannot be set: %s", node,
			    strerror(errno));
	if (wanted->has_mode && chmod(node, wanted->mode))
		return fail("%s is attached, but its mode cannot be set: %s", node,
			    strerror(errno));
	return CTL_OK;
}
