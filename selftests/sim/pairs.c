// SPDX-License-Identifier: GPL-2.0-only
/* Whether everything occurred that can. */

#include "sim.h"

#define NAME_MAX_LEN	100	/* of a line of the table, too */

static const char * const statuses[] = {
	"OK", "NOT_FOUND", "NOT_HELD", "NOT_READABLE", "NOT_WRITABLE", "EXPIRED",
	"LOCKED", "NO_SPACE", "STALE", "PENDING", "INVALID",
};

static const char * const flags[] = {
	"LOST_RACE", "PRIVATE", "NEEDS_INVALIDATE", "CLAMPED", "CUT_OFF", "FENCED",
};

static const char *errno_name(int err)
{
	switch (err) {
	case 0:		return "done";
	case EINVAL:	return "EINVAL";
	case E2BIG:	return "E2BIG";
	case EACCES:	return "EACCES";
	case EBUSY:	return "EBUSY";
	case ENOSPC:	return "ENOSPC";
	default:	return "?";
	}
}

struct wanted {
	char name[NAME_MAX_LEN];
	bool found;
};

static struct wanted wanted[512];
static u32 nr_wanted;

static bool pairs_read(const char *file)
{
	FILE *in = fopen(file, "re");
	char line[NAME_MAX_LEN];

	if (!in)
		return false;
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "#\n")] = '\0';
		for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
			line[n - 1] = '\0';
		if (*line && nr_wanted < ARRAY_SIZE(wanted))
			strcpy(wanted[nr_wanted++].name, line);
	}
	fclose(in);
	return true;
}

/* Return: whether the pair is in the table and occurred often enough. */
static bool pair_check(const char *name, u64 count, u64 least)
{
	for (u32 i = 0; i < nr_wanted; i++) {
		if (strcmp(wanted[i].name, name))
			continue;
		wanted[i].found = true;
		if (count < least)
			printf("# %s: %llu times, %llu wanted\n", name,
			       (unsigned long long)count, (unsigned long long)least);
		return count >= least;
	}
	printf("# %s: %llu times, but not in the table of pairs\n", name,
	       (unsigned long long)count);
	return false;
}

static void answer_name(char *name, u32 op, u32 status, u32 result)
{
	int n = snprintf(name, NAME_MAX_LEN, "%s %s", op_name(op), statuses[status]);

	for (u32 i = 0; i < ARRAY_SIZE(flags); i++)
		if (result & BIT(i))
			n += snprintf(name + n, NAME_MAX_LEN - n, "+%s", flags[i]);
}

static bool answers_check(u64 least)
{
	char name[NAME_MAX_LEN];
	bool ok = true;

	for (u32 i = 0; i < NR_BATCH_OPS * (MARU_L1_INVALID + 1) * 64; i++) {
		u32 op = i / 64 / (MARU_L1_INVALID + 1);
		u32 status = i / 64 % (MARU_L1_INVALID + 1), result = i % 64;
		u64 count = seen.answers[op][status][result];

		if (!count)
			continue;
		answer_name(name, op, status, result);
		ok &= pair_check(name, count, least);
	}
	return ok;
}

static bool calls_check(u64 least)
{
	char name[NAME_MAX_LEN];
	bool ok = true;

	for (u32 op = 0; op < NR_OPS; op++) {
		for (u32 err = 0; err < ARRAY_SIZE(seen.calls[op]); err++) {
			if (!seen.calls[op][err])
				continue;
			snprintf(name, sizeof(name), "%s %s", op_name(op),
				 errno_name(err));
			ok &= pair_check(name, seen.calls[op][err], least);
		}
	}
	return ok;
}

bool pairs_complete(const char *file, u64 least)
{
	bool ok;

	if (!pairs_read(file)) {
		printf("# %s cannot be read\n", file);
		return false;
	}
	ok = answers_check(least);
	ok &= calls_check(least);
	for (u32 i = 0; i < nr_wanted; i++) {
		if (wanted[i].found)
			continue;
		printf("# %s: never\n", wanted[i].name);
		ok = false;
	}
	return ok;
}
