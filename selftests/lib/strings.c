// SPDX-License-Identifier: GPL-2.0-only
/* Words for every number of the uapi header, and for none beside. */
#include "lib.h"

#include <limits.h>

static bool is_name(const char *s)
{
	return *s && strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == strlen(s);
}

/*
 * @last: the last number of the enum.  The compiler refuses the library when a
 * switch lacks one; here it is seen that the words differ and that they end.
 */
static void check_names(const char *(*name)(unsigned int), unsigned int last)
{
	for (unsigned int i = 0; i <= last; i++) {
		EXPECT(is_name(name(i)));
		for (unsigned int j = 0; j < i; j++)
			EXPECT(strcmp(name(i), name(j)));
	}
	EXPECT(!strcmp(name(last + 1), "?"));
	EXPECT(!strcmp(name(UINT_MAX), "?"));
}

static void status_names(void)
{
	check_names(marul1_status_name, MARU_L1_INVALID);
	EXPECT(!strcmp(marul1_status_name(MARU_L1_OK), "OK"));
	EXPECT(!strcmp(marul1_status_name(MARU_L1_NOT_WRITABLE), "NOT_WRITABLE"));
	EXPECT(!strcmp(marul1_status_name(MARU_L1_STALE), "STALE"));
}

static void status_sentences(void)
{
	const char *unknown = marul1_status_string(MARU_L1_INVALID + 1);

	EXPECT(!strcmp(unknown, marul1_status_string(UINT_MAX)));
	for (unsigned int i = 0; i <= MARU_L1_INVALID; i++) {
		EXPECT(strcmp(marul1_status_string(i), unknown));
		for (unsigned int j = 0; j < i; j++)
			EXPECT(strcmp(marul1_status_string(i),
				      marul1_status_string(j)));
	}
}

static void event_names(void)
{
	check_names(marul1_event_name, MARU_L1_EV_LOST);
	EXPECT(!strcmp(marul1_event_name(MARU_L1_EV_HOLD_EXPIRED), "HOLD_EXPIRED"));
}

static void account_names(void)
{
	check_names(marul1_account_name, MARU_L1_A_STATE);
	EXPECT(!strcmp(marul1_account_name(MARU_L1_A_PINS), "PINS"));
}

static void version(void)
{
	EXPECT(!strcmp(marul1_version(), TEST_VERSION));
}

static const struct tap_case cases[] = {
	{ "status-name", "every status has its own name", status_names },
	{ "status-string", "every status has its own sentence", status_sentences },
	{ "event-name", "every event has its own name", event_names },
	{ "account-name", "every account has its own name", account_names },
	{ "version", "the version is that of the file VERSION", version },
};

int main(int argc, char **argv)
{
	return tap_run("lib-strings", cases, ARRAY_SIZE(cases), argc, argv);
}
