// SPDX-License-Identifier: GPL-2.0-only
/*
 * Row Z1, for other processes. Only the device engine has them: an embedded
 * pool is one process. The long forms are in the lifetime suite.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "one.h"
#include "tables.h"

#define ONLY_ON_DEVICE() do {						\
	if (!engine_is_device())					\
		SKIP("the embedded engine has one process");		\
} while (0)

/* In the child: own file of the pool with staging, private object and holds. */
static int take_everything(void)
{
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *c;
	struct fix f = { 0 };

	if (marul1_new(&ctx) || marul1_open(ctx, getenv("MARUL1_URI"), &pool) ||
	    marul1_client_open(pool, 0, &c))
		return 1;
	f.page = layout(c, PAGE);
	stage(&f, c, K("z1.child.staged"));
	make_private(&f, c, K("z1.child.private"), 1);
	hold(c, K("z1.child.shared"), 5);
	return tap_now.failures != 0;
}

/* Return: the child, which has everything and waits, or -1. */
static pid_t child_with_everything(int *ready_out)
{
	int ready[2];
	char ok = 0;
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child) {
		ok = take_everything() ? 'n' : 'y';
		if (write(ready[1], &ok, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(ready[1]);
	if (child > 0 && read(ready[0], &ok, 1) == 1 && ok == 'y') {
		*ready_out = ready[0];
		return child;
	}
	close(ready[0]);
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	return -1;
}

static bool all_gone(struct fix *f)
{
	struct maru_l1_usage u = usage(f->watch);

	return u.quarantined == f->before.quarantined && !u.orphan_pins;
}

CASE(z1_killed)
{
	int ready;
	pid_t child;
	struct maru_l1_usage seen;
	uint64_t killing;

	ONLY_ON_DEVICE();
	publish(f, f->a, K("z1.child.shared"));
	child = child_with_everything(&ready);
	ASSERT(child > 0);
	ACCOUNTS(f, .staged = 1, .private_objects = 1, .published = 1);
	IS(delete1(f->a, K("z1.child.shared"), NULL), LOCKED);
	killing = now_ms();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* After waitpid the accounts are settled. */
	seen = usage(f->watch);
	if (in_quarantine(f, killing))
		ACCOUNTS_OF(f, &seen, .quarantined = 2, .published = 1,
			    .orphan_pins = 1);
	EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
	EXPECT(now_ms() + 2 >= killing + f->info.quarantine_ms);
	ACCOUNTS(f, .published = 1);
	IS(delete1(f->a, K("z1.child.shared"), NULL), OK);
	close(ready);
}

/* Whoever keeps the descriptor keeps the holds. */
CASE(z1_descriptor_kept)
{
	struct marul1_client *c = client(f, 0);
	int kept;

	ONLY_ON_DEVICE();
	publish(f, f->a, K("z1.kept"));
	hold(c, K("z1.kept"), 1);
	stage(f, c, K("z1.kept.staged"));
	kept = dup(marul1_client_fd(c));
	ASSERT(kept >= 0);
	client_end(f, c);
	pass(2 * f->info.quarantine_ms);
	ACCOUNTS(f, .staged = 1, .published = 1);
	IS(delete1(f->a, K("z1.kept"), NULL), LOCKED);
	close(kept);
	EXPECT(WAIT_UNTIL(all_gone(f), settle_ms(f)));
	ACCOUNTS(f, .published = 1);
}

/* A child must not use what belongs to its parent, and does it no harm. */
CASE(z1_forked_child)
{
	uint64_t id = publish_held(f, f->a, K("z1.fork"), 1);
	int status = -1;
	pid_t child = fork();

	if (!child) {
		struct marul1_read r = { .key = "z1.fork", .key_len = 7 };
		struct maru_l1_usage u;

		if (marul1_peek(f->a, &r, 1) != -EOWNERDEAD)
			_exit(1);
		if (marul1_usage(f->a, &u) != -EOWNERDEAD)
			_exit(2);
		if (marul1_client_fd(f->a) != -1)
			_exit(3);
		marul1_client_close(f->a);
		_exit(0);
	}
	ASSERT(child > 0);
	waitpid(child, &status, 0);
	EXPECT(WIFEXITED(status));
	EXPECT_EQ(WEXITSTATUS(status), 0);
	MINE(f->a, .held = 1, .holds = 1);
	IS(release_id(f->a, id, 1, NULL), OK);
}

CASES(process_cases,
	{ "Z1", "a process killed with staging, private object and holds",
	  z1_killed },
	{ "Z1", "who keeps the descriptor keeps the holds",
	  z1_descriptor_kept },
	{ "Z1", "a forked child cannot use its parent's client",
	  z1_forked_child },
);
