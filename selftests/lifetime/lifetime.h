/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the end of a file, a process, a mapping or a pool does to what it owned:
 * Documentation/dev/lifetime.rst, held to its word.
 */
#ifndef MARU_LIFETIME_H
#define MARU_LIFETIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "../guest/account.h"
#include "../guest/medium.h"
#include "../guest/raw.h"
#include "../guest/touch.h"
#include "../tap.h"

#define PAGE		4096
#define BLOCK		(2UL << 20)
#define POOL		"lifetime"
#define QUARANTINE_MS	600
#define GRACE_MS	1000	/* invariant 9: quarantine_ms + 1 s */

/**
 * struct place - a pool of a case, and a client that looks at it
 * @name: of the pool
 * @quarantine_ms: of the pool
 * @observer: owns nothing
 * @layout: pages of 4096 bytes
 */
struct place {
	struct medium medium;
	const char *name;
	unsigned int quarantine_ms;
	int observer;
	uint32_t layout;
};

/* 64 MiB of memfd. False after saying why. */
bool place_begin(struct place *p, const char *name, unsigned int quarantine_ms);
/* The device that MARU_DAX names; its content is given up. */
bool place_begin_dax(struct place *p, const char *name, unsigned int quarantine_ms);
/* Nothing may be left in it. */
void place_end(struct place *p);
/* A client, open for reading and writing; -1 after a failed EXPECT. */
int place_client(struct place *p, int flags);

/* The pool that most cases share. */
extern struct place place;

/* Each of these has one page: staging, private object, object with a hold. */
void things_take(int fd, uint32_t layout);
/* As another client sees them while their file is open. */
void things_alive(struct place *p);
/* At once after the close: two extents wait, the hold is an orphan pin. */
void things_waiting(struct place *p);
/*
 * They go not before quarantine_ms and not after quarantine_ms + 1 s.  @since:
 * now_ms() before the close.  The object stays and nobody holds it; it is
 * deleted here.
 */
void things_gone(struct place *p, uint64_t since);

/* A child that runs @run and then _exit(0); -1 after a failed EXPECT. */
pid_t child(void (*run)(void *arg), void *arg);
/* SIGKILL and waitpid(). */
void child_kill(pid_t pid);
/* Waits for the end of a child and expects exit status 0. */
void child_ended(pid_t pid);

/* One-way signals between processes. */
struct signal_pipe {
	int fds[2];
};

bool signal_begin(struct signal_pipe *s);
void signal_send(struct signal_pipe *s);
/* Ten seconds at most; false: nobody sent. */
bool signal_wait(struct signal_pipe *s);
void signal_end(struct signal_pipe *s);

extern const struct tap_case share_cases[], mapped_cases[], detach_cases[],
	revoke_cases[], fence_cases[], kill_cases[], exit_cases[], unbind_cases[],
	poison_cases[];
extern const size_t nr_share_cases, nr_mapped_cases, nr_detach_cases,
	nr_revoke_cases, nr_fence_cases, nr_kill_cases, nr_exit_cases,
	nr_unbind_cases, nr_poison_cases;

#define CASES(name) const size_t nr_##name = ARRAY_SIZE(name)

#endif /* MARU_LIFETIME_H */
