// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler of libmarul1.3 (handler.inc, see run) and a memcpy() that fails half
 * way as a read of bad memory does: a signal with the kernel's own siginfo, which
 * a process may send to itself.  Says nothing and exits 0 when all is well.
 */
#include <errno.h>
#include <libmarul1.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int code;	/* of the signal; 0: none */

static void *copy(void *to, const void *from, size_t n)
{
	siginfo_t info = { .si_signo = SIGBUS, .si_code = code };

	info.si_addr = (char *)from + n / 2;
	info.si_addr_lsb = 12;
	memmove(to, from, n / 2);
	if (code && syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGBUS, &info))
		perror("rt_tgsigqueueinfo");
	memmove((char *)to + n / 2, (const char *)from + n / 2, n - n / 2);
	return to;
}

#undef memcpy
#define memcpy copy
#include "handler.inc"

#define MUST(condition) do {						\
	if (!(condition)) {						\
		printf("line %d: %s\n", __LINE__, #condition);		\
		return 1;						\
	}								\
} while (0)

static int look(struct marul1_read *read)
{
	*read = (struct marul1_read){ .key = "k", .key_len = 1, .holds = 1 };
	return marul1_reserve_read(client, 0, read, 1) ?: (int)read->status;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	struct marul1_pool *pool;
	struct marul1_read read;
	struct marul1_ctx *ctx;
	uint32_t layout;
	char to[6] = "";

	MUST(!marul1_new(&ctx) && !marul1_open(ctx, "embedded:4M", &pool));
	MUST(!marul1_client_open(pool, 0, &client) && !marul1_map(client, 0, NULL, NULL));
	MUST(!marul1_layout(client, 4096, 0, &layout));
	MUST(!marul1_put(client, layout, "k", 1, "bytes", 6, NULL));
	MUST(!sigaction(SIGBUS, &act, NULL));
	MUST(look(&read) == MARU_L1_OK);
	MUST(!copy_out(&read, to) && !strcmp(to, "bytes"));
	code = BUS_MCEERR_AO;
	MUST(!copy_out(&read, to) && !strcmp(to, "bytes"));
	MUST(look(&read) == MARU_L1_OK);
	code = BUS_MCEERR_AR;
	MUST(copy_out(&read, to) == -EIO);
	MUST(look(&read) == MARU_L1_NOT_FOUND);
	marul1_client_close(client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return 0;
}
