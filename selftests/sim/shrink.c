// SPDX-License-Identifier: GPL-2.0-only
/* A failing program is cut down: what can be left out is left out. */

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "sim.h"

/* In a process of its own: a failure may be a crash. */
static bool fails(const struct record *program, u64 n)
{
	static struct world w;
	int status, null;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		alarm(60);
		_exit(!world_run(&w, program, n));
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status;
}

/* @program without @len records from @from. */
static void without(const struct record *program, u64 n, u64 from, u64 len,
		    struct record *to)
{
	memcpy(to, program, from * sizeof(*program));
	memcpy(to + from, program + from + len,
	       (n - from - len) * sizeof(*program));
}

/* Leaves out pieces of @len where it still fails. */
static u64 pass(struct record *program, u64 n, u64 len, struct record *shorter)
{
	u64 at = 1;

	while (at < n) {
		u64 part = min(len, n - at);

		without(program, n, at, part, shorter);
		if (!fails(shorter, n - part)) {
			at += part;
			continue;
		}
		n -= part;
		memcpy(program, shorter, n * sizeof(*program));
	}
	return n;
}

/* One item where there are several. */
static void thin(struct record *program, u64 n)
{
	const u64 place = offsetof(struct op, n);

	for (u64 i = 1; i < n; i++) {
		u8 before = program[i].bytes[place];

		program[i].bytes[place] = 0;
		if (!fails(program, n))
			program[i].bytes[place] = before;
	}
}

u64 shrink(struct record *program, u64 n)
{
	struct record *shorter = calloc(n, sizeof(*shorter));
	u64 before;

	for (u64 len = max(n / 2, (u64)1); len > 1; len /= 2)
		n = pass(program, n, len, shorter);
	thin(program, n);
	do {
		before = n;
		n = pass(program, n, 1, shorter);
	} while (n < before);
	free(shorter);
	return n;
}
