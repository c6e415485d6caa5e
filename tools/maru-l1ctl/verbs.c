// SPDX-License-Identifier: GPL-2.0-only
/* What each verb is called, takes and says about itself. */
#include "verbs.h"

#define GROUP(title)	{ NULL, NULL, title, NULL, NULL, NULL }

const struct verb verbs[] = {
	GROUP("Memory and pools"),
	{ "devices", "[OPTION...]", "list dax devices and what is on them",
	  "Looks at every device-dax device of this host, and only reads.  What cannot be\n"
	  "looked at without root, or while a device is disabled or system memory, says so.\n",
	  "", cmd_devices },
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
	{ "attach", "NAME DEVICE... [OPTION...]", "make a pool of formatted memory",
	  "The pool is /dev/maru_l1/NAME.  Takes two seconds, in which first the lines of\n"
	  "all nodes and then the own one are watched.  A pool that has grown has several\n"
	  "devices: all are named, in any order, or found by --uuid.\n",
	  "  --uuid UUID          instead of DEVICE: those that this pool is on\n"
	  "  --wait SECONDS       with --uuid: wait so long for devices that are missing\n"
	  "  --mode MODE          of the node, octal (default: 0660, or udev's)\n"
	  "  --group GROUP        of the node (default: root, or udev's)\n"
	  "  --max-objects N      most objects at a time (default: 4 for each MiB, at\n"
	  "                       least 65536)\n"
	  "  --quarantine-ms N    how long memory waits when its writer vanished, 1 to\n"
	  "                       600000 (default: 2000)\n"
	  "  --max-client-bytes SIZE\n"
	  "                       most bytes that one client may have staged and private\n"
	  "                       (default: no limit)\n",
	  cmd_attach },
	{ "grow", "POOL DEVICE [OPTION...]", "add a device to a pool in use",
	  "Clients go on meanwhile.  All that was on DEVICE is lost; it is formatted as the\n"
	  "next part of the pool, and needed for each later attach.  There is no way back.\n",
	  "  --force              overwrite a superblock that is there\n",
	  cmd_grow },
	{ "detach", "POOL [OPTION...]", "end a pool; its objects are given up",
	  "A pool in use is refused: its files are open or mapped, or a quarantine has not\n"
	  "passed.\n",
	  "  --force              also when in use: mappings are revoked, holds are void\n"
	  "                       and open files answer ENODEV\n"
	  "  --wait SECONDS       try for so long while it is in use\n",
	  cmd_detach },
	{ "list", "[OPTION...]", "list the pools of this host", "", "", cmd_list },
	{ "info", "POOL [OPTION...]", "tell all about a pool", "", "", cmd_info },
	{ "check", "POOL [OPTION...]", "recompute every account of a pool",
	  "Walks clients, segments and directory and compares what it finds with what is\n"
	  "recorded.  Exits 1 on a difference.  The pool is locked meanwhile, about a\n"
	  "microsecond for each extent.\n", "",
	  cmd_check },
	GROUP("Objects"),
	{ "put", "POOL KEY FILE|- [OPTION...]", "store a file as an object",
	  "An object that is there is kept, and the file refused.  '-' is standard input.\n",
	  "  --page-size SIZE     size of the object's page, so that objects of several\n"
	  "                       sizes share one (default: that of the file)\n",
	  cmd_put },
	{ "get", "POOL KEY [FILE] [OPTION...]", "write an object to a file",
	  "Without FILE, to standard output.  A file that is there is kept unless --force\n"
	  "is given, and is complete or not changed.\n",
	  "  --force              replace FILE\n",
	  cmd_get },
	{ "query", "POOL KEY...", "tell what is known of keys",
	  "Exits 1 when one of them is absent.  A query does not count as a use.  In a KEY\n"
	  "\\xNN is a byte and \\\\ a backslash; hex:NN... is all of it in hexadecimal.\n",
	  "", cmd_query },
	{ "evict", "POOL GOAL [OPTION...]", "delete objects that nobody holds",
	  "Exactly one goal is given.  By size, fill or number the least recently used\n"
	  "objects go, and those that are held are passed over.  Exits 1 when the goal is\n"
	  "not met.\n",
	  "  --bytes SIZE         until so much has become available\n"
	  "  --page-size SIZE     with --bytes: until so much can be stored in pages of\n"
	  "                       this size, with what is free already\n"
	  "  --percent PERCENT    the same, as a part of the pool\n"
	  "  --to PERCENT         until no more than this part of the pool is used\n"
	  "  --count N            so many objects\n"
	  "  --key KEY            the object of this key; may be given several times\n"
	  "  --prefix KEY         all objects whose keys begin so\n"
	  "  --dry-run            tell what would be evicted, and change nothing\n"
	  "  --verbose            list what is evicted; a dry run always does\n",
	  cmd_evict },
	{ "purge", "POOL [OPTION...]", "delete all objects that nobody holds",
	  "Does not ask: a pool is a cache.\n", "", cmd_purge },
	{ "retire", "POOL OFFSET [OPTION...]", "give up memory that has gone bad",
	  "The page at OFFSET (bytes in the pool: decimal, in K, M, G or T, or 0x...) is\n"
	  "not used again while the pool is attached.  The object in it is lost.  Does not\n"
	  "ask.\n",
	  "", cmd_retire },
	GROUP("Use"),
	{ "objects", "POOL [OPTION...]", "list the objects of a pool",
	  "In no order, unless one is asked for.  Says so when objects came or went\n"
	  "meanwhile.\n",
	  "  --prefix KEY         only keys that begin so\n"
	  "  --held               only objects that somebody holds\n"
	  "  --older-than TIME    only those not used for so long: 500ms, 10s, 5m, 2h\n"
	  "  --sort lru|size|age  least recently used, largest or oldest first\n"
	  "  --limit N            no more than so many\n",
	  cmd_objects },
	{ "show", "POOL KEY [OPTION...]", "tell all about an object and who holds it", "", "",
	  cmd_show },
	{ "clients", "POOL [OPTION...]", "list the open files of a pool",
	  "A client is an open file: what it stages, holds and has not acknowledged.\n", "",
	  cmd_clients },
	{ "holds", "POOL [OPTION...]", "list what clients hold",
	  "Lost holds have expired or gone stale and were not released yet.\n",
	  "  --client ID          of this client only\n",
	  cmd_holds },
	{ "layouts", "POOL [OPTION...]", "list the page sizes of a pool", "", "", cmd_layouts },
	{ "segments", "POOL [OPTION...]", "list the segments of a pool and their owners", "", "",
	  cmd_segments },
	{ "stats", "POOL [OPTION...]", "show the counters of a pool",
	  "Items answered since the pool was attached, by call and answer, and how long\n"
	  "calls took: half and 99 % of them were not longer than the time told.\n",
	  "  --watch SECONDS      a line of rates each so many seconds; with --json all\n"
	  "                       counters, one object a line\n",
	  cmd_stats },
	{ "metrics", "[POOL] [OPTION...]", "print or serve all counters for Prometheus",
	  "Those of all pools, in its text format.  Needs no root.\n",
	  "  --listen ADDRESS:PORT\n"
	  "                       serve them over HTTP under /metrics until SIGINT or\n"
	  "                       SIGTERM; 127.0.0.1:9464, or [::1]:9464\n",
	  cmd_metrics },
	{ "top", "POOL [OPTION...]", "watch a pool",
	  "Fill, rates, how long calls take, and a map of the segments.  On a terminal q\n"
	  "ends it, space pauses, + and - change the interval; elsewhere it is text.\n",
	  "  --interval SECONDS   between two pictures (default: 1)\n"
	  "  --count N            end after so many\n",
	  cmd_top },
	{ "events", "[POOL] [OPTION...]", "follow what happens to pools",
	  "Pools that are attached, detached or grow, watermarks, evictions, and clients\n"
	  "that left something when they were closed.  One line each.\n",
	  "  --count N            end after so many\n",
	  cmd_events },
	GROUP("This program"),
	{ "completion", "bash|zsh", "print a script that completes command lines",
	  "For bash: source <(maru-l1ctl completion bash), or install it as bash and zsh\n"
	  "expect it.\n", "", cmd_completion },
	{ "version", "[OPTION...]", "print the version", "", "", cmd_version },
	{ "help", "[VERB]", "tell how to use this program, or a verb", "", "", cmd_help },
};

const size_t nr_verbs = sizeof(verbs) / sizeof(verbs[0]);
