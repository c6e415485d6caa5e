// SPDX-License-Identifier: GPL-2.0-only
/* What each verb is called, takes and says about itself. */
#include "verbs.h"

const struct verb verbs[] = {
	{ "format", "DEVICE [OPTION...]", "prepare memory for a pool",
	  "DEVICE is a device-dax node, or a path that opens to a memfd sealed against\n"
	  "resizing.  All that was on it is lost.  Memory on which a node runs is refused.\n",
	  "  --label TEXT         name for people, up to 32 bytes\n"
	  "  --segment-size SIZE  unit of ownership, a multiple of 2M (default: 1G, or\n"
	  "                       1/64 of a pool under 64G)\n"
	  "  --coherent yes|no    whether hosts see each other's stores by themselves\n"
	  "                       (default: no; yes on a memfd)\n"
	  "  --force              overwrite a superblock that is there\n",
	  cmd_format },
	{ "attach", "NAME DEVICE [OPTION...]", "make a pool of formatted memory",
	  "The pool is /dev/maru_l1/NAME.  Takes two seconds, in which first the lines of\n"
	  "all nodes and then the own one are watched.\n",
	  "  --max-objects N      most objects at a time (default: 4 for each MiB, at\n"
	  "                       least 65536)\n"
	  "  --quarantine-ms N    how long memory waits when its writer vanished, 1 to\n"
	  "                       600000 (default: 2000)\n"
	  "  --max-client-bytes SIZE\n"
	  "                       most bytes that one client may have staged and private\n"
	  "                       (default: no limit)\n",
	  cmd_attach },
	{ "detach", "NAME [OPTION...]", "end a pool; its objects are given up",
	  "A pool in use is refused: its files are open or mapped, or a quarantine has not\n"
	  "passed.\n",
	  "  --force              also when in use: mappings are revoked, holds are void\n"
	  "                       and open files answer ENODEV\n",
	  cmd_detach },
	{ "list", "[OPTION...]", "list the pools of this host", "", "", cmd_list },
	{ "info", "NAME [OPTION...]", "tell all about a pool", "", "", cmd_info },
	{ "stats", "NAME [OPTION...]", "show the counters of a pool",
	  "Items answered since the pool was attached, by call and answer.\n", "",
	  cmd_stats },
	{ "check", "NAME [OPTION...]", "recompute every account of a pool",
	  "Walks clients, segments and directory and compares what it finds with what is\n"
	  "recorded.  Exits 1 on a difference.  The pool is locked meanwhile, about a\n"
	  "microsecond for each extent.\n", "",
	  cmd_check },
	{ "version", "[OPTION...]", "print the version", "", "", cmd_version },
	{ "help", "[VERB]", "tell how to use this program, or a verb", "", "", cmd_help },
};

const size_t nr_verbs = sizeof(verbs) / sizeof(verbs[0]);
