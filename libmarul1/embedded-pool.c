// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A pool of the embedded engine: sealed memory, the core, and one thread that
 * ends what is due, as the module's timer does.
 */
#include "embedded.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define REAP_MS		100

u64 embedded_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

void *embedded_page(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	void *page = aligned_alloc(size, size);

	if (page)
		memset(page, 0, size);
	return page;
}

/* Waits a while, or without limit when nothing can become due. False: end. */
static bool reaper_wait(struct embedded *e)
{
	u64 until = embedded_now() + REAP_MS * NSEC_PER_MSEC;
	struct timespec t = {
		.tv_sec = until / NSEC_PER_SEC,
		.tv_nsec = until % NSEC_PER_SEC,
	};
	bool go_on;

	pthread_mutex_lock(&e->lock);
	if (!e->stop && (e->clients || !maru_pool_settled(e->core)))
		pthread_cond_timedwait(&e->wake, &e->lock, &t);
	else
		while (!e->stop && !e->clients)
			pthread_cond_wait(&e->wake, &e->lock);
	go_on = !e->stop;
	pthread_mutex_unlock(&e->lock);
	return go_on;
}

static void *reaper_main(void *arg)
{
	struct embedded *e = arg;

	pthread_setname_np(pthread_self(), "marul1-reaper");
	while (reaper_wait(e))
		while (maru_pool_reap(e->core, embedded_now()))
			;
	return NULL;
}

/* The thread takes no signals: they are for the program's own. */
static int reaper_start(struct embedded *e)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&e->reaper, NULL, reaper_main, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

static void reaper_stop(struct embedded *e)
{
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_signal(&e->wake);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->reaper, NULL);
}

void embedded_count_client(struct embedded *e, int n)
{
	pthread_mutex_lock(&e->lock);
	e->clients += n;
	pthread_cond_signal(&e->wake);
	pthread_mutex_unlock(&e->lock);
}

static int make_memory(u64 bytes, int *memfd)
{
	int fd = memfd_create("marul1", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, bytes) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		err = errno == EFBIG ? -EINVAL : -errno;
		close(fd);
		return err;
	}
	*memfd = fd;
	return 0;
}

static int make_core(struct embedded *e, const struct embedded_options *options)
{
	struct maru_pool_params params = {
		.bytes = options->bytes,
		.max_objects = options->max_objects,
		.max_client_bytes = options->max_client_bytes,
		.quarantine_ns = (options->quarantine_ms ? : 2000) * NSEC_PER_MSEC,
		.node = 1,
		.incarnation = 1,
		.coherent = options->coherent,
		.status = e->status,
	};

	/* Never short for so few bytes once the kernel's pool is seeded. */
	if (getrandom(params.hash_key, sizeof(params.hash_key), 0) !=
	    sizeof(params.hash_key))
		return -EIO;
	return maru_pool_create(&params, &e->core);
}

static void init_lock(struct embedded *e)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->wake, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&e->lock, NULL);
}

static void destroy_lock(struct embedded *e)
{
	pthread_cond_destroy(&e->wake);
	pthread_mutex_destroy(&e->lock);
}

int embedded_open(struct marul1_pool *pool, const char *address)
{
	struct embedded_options options;
	struct embedded *e;
	int err;

	err = embedded_options_parse(pool->ctx, address, &options);
	if (err)
		return err;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	init_lock(e);
	err = -ENOMEM;
	e->status = embedded_page();
	if (!e->status)
		goto free_engine;
	err = make_memory(options.bytes, &e->memfd);
	if (err)
		goto free_status;
	err = make_core(e, &options);
	if (err)
		goto close_memory;
	err = reaper_start(e);
	if (err)
		goto destroy_core;
	pool->priv = e;
	return 0;

destroy_core:
	maru_pool_destroy(e->core);
close_memory:
	close(e->memfd);
free_status:
	free(e->status);
free_engine:
	destroy_lock(e);
	free(e);
	marul1_log(pool->ctx, LOG_ERR, "embedded:%s: cannot be made (errno %d)",
		   address, -err);
	return err;
}

/*
 * In a child the core is as some thread left it, perhaps locked, and its own
 * thread does not exist: the copy of it is left alone.
 */
void embedded_close(struct marul1_pool *pool, bool here)
{
	struct embedded *e = pool->priv;

	if (here) {
		reaper_stop(e);
		maru_pool_destroy(e->core);
		destroy_lock(e);
	}
	close(e->memfd);
	free(e->status);
	free(e);
}
