/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP for C tests: a table of cases, one line each, the suite's count last.
 *
 *	static void w1_new(void) { EXPECT(status == MARU_L1_OK); }
 *	static const struct tap_case cases[] = {
 *		{ "W1", "a new key is reserved", w1_new },
 *	};
 *	int main(int argc, char **argv) { return tap_run("contract", cases, ARRAY_SIZE(cases), argc, argv); }
 *
 * Arguments choose cases by id or by a part of their text; none: all.
 * A failed EXPECT marks the case and goes on; ASSERT leaves the function.
 */
#ifndef MARU_TAP_H
#define MARU_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

struct tap_case {
	const char *id;		/* contract row, invariant or short name */
	const char *text;	/* what it holds */
	void (*run)(void);
};

struct tap_state {
	int failures;
	char skip[200];
};

/* Weak: one for all files of a suite, of which only one calls tap_run(). */
__attribute__((weak)) struct tap_state tap_now;

#define TAP_FAIL(...) do {						\
	__atomic_add_fetch(&tap_now.failures, 1, __ATOMIC_SEQ_CST);	\
	printf("# %s:%d: ", __FILE__, __LINE__);			\
	printf(__VA_ARGS__);						\
	printf("\n");							\
} while (0)

#define EXPECT(c) do {							\
	if (!(c))							\
		TAP_FAIL("expected %s", #c);				\
} while (0)

#define EXPECT_EQ(a, b) do {						\
	long long tap_a = (long long)(a), tap_b = (long long)(b);	\
	if (tap_a != tap_b)						\
		TAP_FAIL("%s is %lld, expected %s = %lld", #a, tap_a, #b, tap_b); \
} while (0)

#define ASSERT(c) do {							\
	if (!(c)) {							\
		TAP_FAIL("needed %s", #c);				\
		return;							\
	}								\
} while (0)

/* In a case: leave it as skipped; selftests/skips.allowed must list it. */
#define SKIP(...) do {							\
	snprintf(tap_now.skip, sizeof(tap_now.skip), __VA_ARGS__);	\
	return;								\
} while (0)

static inline bool tap_wanted(const struct tap_case *c, int argc, char **argv)
{
	if (argc < 2)
		return true;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], c->id) || strstr(c->text, argv[i]))
			return true;
	return false;
}

static inline int tap_run(const char *suite, const struct tap_case *cases,
			  size_t n, int argc, char **argv)
{
	int passed = 0, failed = 0, skipped = 0, nr = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n");
	for (size_t i = 0; i < n; i++) {
		const struct tap_case *c = &cases[i];

		if (!tap_wanted(c, argc, argv))
			continue;
		tap_now.failures = 0;
		tap_now.skip[0] = '\0';
		c->run();
		nr++;
		if (tap_now.failures) {
			failed++;
			printf("not ok %d %s %s\n", nr, c->id, c->text);
		} else if (tap_now.skip[0]) {
			skipped++;
			printf("ok %d %s %s # SKIP %s\n", nr, c->id, c->text,
			       tap_now.skip);
		} else {
			passed++;
			printf("ok %d %s %s\n", nr, c->id, c->text);
		}
	}
	printf("1..%d\n", nr);
	printf("%s: %d passed, %d failed, %d skipped\n", suite, passed, failed,
	       skipped);
	return failed || !nr;
}

#endif /* MARU_TAP_H */
