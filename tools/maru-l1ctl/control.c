// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "control.h"
#include "pools.h"
#include "util.h"

#define CONTROL	POOLS_DIR "/control"

int control_open(void)
{
	int fd = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENOENT || errno == ENXIO || errno == ENODEV)
		fail(MODULE_MISSING);
	else if (errno == EACCES || errno == EPERM)
		fail(CONTROL ": %s; run this as root", strerror(errno));
	else
		fail(CONTROL ": %s", strerror(errno));
	return -1;
}

/*
 * The call waits in the kernel and sees no signal but a deadly one, so what is said
 * meanwhile is said by a thread.  A call that has not been refused by then watches.
 */
#define AT_ONCE_MS	200

struct telling {
	const char *what;
	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool over;
};

static void *tell(void *arg)
{
	struct telling *telling = arg;
	struct timespec then;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &then);
	then.tv_nsec += AT_ONCE_MS * 1000000L;
	if (then.tv_nsec >= 1000000000L) {
		then.tv_nsec -= 1000000000L;
		then.tv_sec++;
	}
	pthread_mutex_lock(&telling->lock);
	while (!telling->over && !err)
		err = pthread_cond_timedwait(&telling->cond, &telling->lock, &then);
	if (!telling->over)
		say("watching %s", telling->what);
	pthread_mutex_unlock(&telling->lock);
	return NULL;
}

int control_watch(int control, unsigned long call, void *arg, const char *what)
{
	struct telling telling = {
		.what = what, .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER,
	};
	pthread_t thread;
	int ret;

	if (pthread_create(&thread, NULL, tell, &telling))
		out_of_memory();
	ret = ioctl(control, call, arg) ? -errno : 0;
	pthread_mutex_lock(&telling.lock);
	telling.over = true;
	pthread_cond_signal(&telling.cond);
	pthread_mutex_unlock(&telling.lock);
	pthread_join(thread, NULL);
	return ret;
}
