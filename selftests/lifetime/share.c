// SPDX-License-Identifier: GPL-2.0-only
/*
 * Z1: an open file is a client however many descriptors, processes, sockets and
 * rings share it; the last of them ends it.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/io_uring.h>
#include <unistd.h>
#include "lifetime.h"

static void sleep_for_ever(void *arg)
{
	for (;;)
		pause();
}

static void plain_close(void)
{
	int fd = place_client(&place, O_CLOEXEC);
	uint64_t since;

	things_take(fd, place.layout);
	things_alive(&place);
	since = now_ms();
	close(fd);
	things_waiting(&place);
	things_gone(&place, since);
}

static void duplicate(void)
{
	int fd = place_client(&place, O_CLOEXEC), copy;
	uint64_t since;

	things_take(fd, place.layout);
	copy = dup(fd);
	close(fd);
	things_alive(&place);
	EXPECT_EQ(raw_peek(copy, "object"), MARU_L1_OK);
	since = now_ms();
	close(copy);
	things_waiting(&place);
	things_gone(&place, since);
}

/* The child has the file; the parent, who made it, lets go. */
static void forked(void)
{
	int fd = place_client(&place, O_CLOEXEC);
	uint64_t since;
	pid_t pid;

	things_take(fd, place.layout);
	pid = child(sleep_for_ever, NULL);
	close(fd);
	things_alive(&place);
	since = now_ms();
	child_kill(pid);
	things_waiting(&place);
	things_gone(&place, since);
}

static void give_back(void *arg)
{
	int fd = *(int *)arg;

	EXPECT_EQ(raw_release(fd, "object", 2), MARU_L1_OK);
	EXPECT_EQ(raw_release(fd, "private", 1), MARU_L1_OK);
	EXPECT_EQ(raw_abort(fd, "staged"), MARU_L1_OK);
}

/* A child is the same client: it can end what its parent began. */
static void forked_works(void)
{
	int fd = place_client(&place, O_CLOEXEC);
	struct maru_l1_usage usage;

	things_take(fd, place.layout);
	child_ended(child(give_back, &fd));
	EXPECT(account_sound(fd, &usage));
	EXPECT_EQ(usage.used, PAGE);
	EXPECT_EQ(usage.my_holds, 0);
	close(fd);
	EXPECT_EQ(raw_delete(place.observer, "object", 0), MARU_L1_OK);
}

static void *take_in_thread(void *arg)
{
	*(int *)arg = place_client(&place, O_CLOEXEC);
	things_take(*(int *)arg, place.layout);
	return NULL;
}

/* The thread that opened the file and reserved is gone, its process is not. */
static void thread_ends(void)
{
	pthread_t thread;
	uint64_t since;
	int fd = -1;

	ASSERT(!pthread_create(&thread, NULL, take_in_thread, &fd));
	pthread_join(thread, NULL);
	things_alive(&place);
	since = now_ms();
	close(fd);
	things_waiting(&place);
	things_gone(&place, since);
}

struct letter {
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	char byte;
	struct iovec iov;
	struct msghdr msg;
};

static struct msghdr *letter(struct letter *l)
{
	memset(l, 0, sizeof(*l));
	l->iov = (struct iovec){ &l->byte, 1 };
	l->msg = (struct msghdr){
		.msg_iov = &l->iov, .msg_iovlen = 1,
		.msg_control = l->control.bytes,
		.msg_controllen = sizeof(l->control.bytes),
	};
	return &l->msg;
}

static void send_file(int socket, int fd)
{
	struct letter l;
	struct msghdr *msg = letter(&l);
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	EXPECT_EQ(sendmsg(socket, msg, 0), 1);
}

static int receive_file(int socket)
{
	struct letter l;
	struct msghdr *msg = letter(&l);
	struct cmsghdr *c;
	int fd = -1;

	EXPECT_EQ(recvmsg(socket, msg, MSG_CMSG_CLOEXEC), 1);
	c = CMSG_FIRSTHDR(msg);
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	EXPECT(fd >= 0);
	return fd;
}

struct sender {
	int sockets[2];
	struct signal_pipe sent;
};

static void send_and_sleep(void *arg)
{
	struct sender *s = arg;
	int fd = place_client(&place, O_CLOEXEC);

	things_take(fd, place.layout);
	send_file(s->sockets[1], fd);
	signal_send(&s->sent);
	sleep_for_ever(NULL);
}

/* A sender that is killed with the file still in the socket. */
static bool sender_killed(struct sender *s)
{
	pid_t pid;

	EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->sockets), 0);
	if (!signal_begin(&s->sent))
		return false;
	pid = child(send_and_sleep, s);
	signal_wait(&s->sent);
	signal_end(&s->sent);
	close(s->sockets[1]);
	child_kill(pid);
	return true;
}

static void sent(void)
{
	struct sender s;
	uint64_t since;
	int fd;

	ASSERT(sender_killed(&s));
	things_alive(&place);
	fd = receive_file(s.sockets[0]);
	close(s.sockets[0]);
	things_alive(&place);
	EXPECT_EQ(raw_peek(fd, "object"), MARU_L1_OK);
	EXPECT_EQ(raw_peek(fd, "private"), MARU_L1_OK);
	since = now_ms();
	close(fd);
	things_waiting(&place);
	things_gone(&place, since);
}

static void sent_in_vain(void)
{
	struct sender s;
	uint64_t since;

	ASSERT(sender_killed(&s));
	things_alive(&place);
	since = now_ms();
	close(s.sockets[0]);
	things_waiting(&place);
	things_gone(&place, since);
}

struct executed {
	struct signal_pipe before;
	int flags;
};

/* Takes all, then becomes another program that says "x" and sleeps. */
static void execute(void *arg)
{
	struct executed *e = arg;
	int fd = place_client(&place, e->flags);

	things_take(fd, place.layout);
	dup2(e->before.fds[1], 1);
	execl("/bin/sh", "sh", "-c", "printf x; exec sleep 1000", NULL);
	_exit(1);
}

static void exec_inherits(void)
{
	struct executed e = { .flags = 0 };
	uint64_t since;
	pid_t pid;

	ASSERT(signal_begin(&e.before));
	pid = child(execute, &e);
	signal_wait(&e.before);
	things_alive(&place);
	since = now_ms();
	child_kill(pid);
	things_waiting(&place);
	things_gone(&place, since);
	signal_end(&e.before);
}

static void exec_closes(void)
{
	struct executed e = { .flags = O_CLOEXEC };
	uint64_t since;
	pid_t pid;

	ASSERT(signal_begin(&e.before));
	since = now_ms();
	pid = child(execute, &e);
	signal_wait(&e.before);
	things_waiting(&place);
	things_gone(&place, since);
	child_kill(pid);
	signal_end(&e.before);
}

/* Another process takes a descriptor of ours, as a debugger would. */
static void stolen(void)
{
	int fd = place_client(&place, O_CLOEXEC), pidfd, copy;
	uint64_t since;

	things_take(fd, place.layout);
	pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	copy = syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	EXPECT(copy >= 0);
	close(pidfd);
	close(fd);
	things_alive(&place);
	since = now_ms();
	close(copy);
	things_waiting(&place);
	things_gone(&place, since);
}

/* Only the ring knows the file; the ring's end is not waited for by its close. */
static void ring(void)
{
	struct io_uring_params params = { 0 };
	struct maru_l1_usage usage;
	int fd, ring_fd;
	uint64_t since;

	ring_fd = syscall(SYS_io_uring_setup, 4, &params);
	if (ring_fd < 0)
		SKIP("io_uring: %s", strerror(errno));
	fd = place_client(&place, O_CLOEXEC);
	things_take(fd, place.layout);
	EXPECT_EQ(syscall(SYS_io_uring_register, ring_fd, IORING_REGISTER_FILES, &fd, 1), 0);
	close(fd);
	sleep_ms(100);
	things_alive(&place);
	since = now_ms();
	close(ring_fd);
	do {
		EXPECT_EQ(raw_usage(place.observer, &usage), 0);
	} while (usage.staged && now_ms() - since < 5000);
	things_waiting(&place);
	things_gone(&place, since);
}

const struct tap_case share_cases[] = {
	{ "Z1-close", "close() returns all, once, after the quarantine", plain_close },
	{ "Z1-dup", "a duplicate descriptor keeps the client", duplicate },
	{ "Z1-fork", "a child keeps the client until it is killed", forked },
	{ "Z1-fork-works", "a child ends what its parent began", forked_works },
	{ "Z1-thread", "the end of a thread ends nothing", thread_ends },
	{ "Z1-scm", "a file in a socket outlives its killed sender", sent },
	{ "Z1-scm-lost", "a file in a socket ends with the socket", sent_in_vain },
	{ "Z1-exec", "exec() keeps an inherited client", exec_inherits },
	{ "Z1-cloexec", "exec() ends a client that is O_CLOEXEC", exec_closes },
	{ "Z1-pidfd", "a descriptor taken by another process keeps the client", stolen },
	{ "Z1-ring", "a file registered in a ring lives as long as the ring", ring },
};
CASES(share_cases);
