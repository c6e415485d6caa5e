// SPDX-License-Identifier: GPL-2.0-only
/* detach: ends a pool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "control.h"
#include "pools.h"
#include "print.h"
#include "verbs.h"
#include "wait.h"

enum { OPT_FORCE = OPT_FIRST, OPT_WAIT };

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

/* Return: 0 or an errno. */
static int detach_pool(int control, struct maru_l1_detach *detach, const struct wait *wait)
{
	while (ioctl(control, MARU_L1_DETACH, detach))
		if (errno != EBUSY || !wait_more(wait))
			return errno;
	return 0;
}

int cmd_detach(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, OPT_FORCE },
		{ "wait", required_argument, NULL, OPT_WAIT },
		OPTIONS_ALL
	};
	struct maru_l1_detach detach = { .size = sizeof(detach) };
	int option, control, ret;
	struct wait wait = { 0 };
	bool json = false;
	const char *name;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			json = true;
		else if (option == OPT_WAIT)
			wait_parse(verb, optarg, &wait);
		else
			detach.flags = MARU_L1_DETACH_FORCE;
	}
	name = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	memcpy(detach.name, name, strlen(name));
	control = control_open();
	if (control < 0)
		return CTL_FAILED;
	ret = detach_pool(control, &detach, &wait);
	if (ret)
		ret = detach_failed(ret, name);
	else
		report_detach(name, detach.flags, json);
	close(control);
	return ret;
}
