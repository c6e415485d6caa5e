// SPDX-License-Identifier: GPL-2.0-only
/* Row G3: a pool that is detached by force. Ends MARUL1_URI_DOOMED. */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "one.h"
#include "tables.h"

static int detach(const char *uri)
{
	struct maru_l1_detach d = {
		.size = sizeof(d), .flags = MARU_L1_DETACH_FORCE,
	};
	const char *slash = strrchr(uri, '/');
	const char *name = slash ? slash + 1 : strchr(uri, ':') + 1;
	int fd = open("/dev/maru_l1/control", O_RDWR | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	snprintf((char *)d.name, sizeof(d.name), "%s", name);
	if (ioctl(fd, MARU_L1_DETACH, &d))
		err = -errno;
	close(fd);
	return err;
}

static void expect_gone(struct marul1_client *c, struct fix *f, uint64_t id)
{
	struct maru_l1_evict e = { .count = 1 };
	struct maru_l1_usage u;
	uint32_t l;

	FAILS(reserve1(c, f->page, K("g3x"), PAGE, 0, NULL), ENODEV);
	FAILS(commit1(c, K("g3s"), 0, 0, 1, NULL), ENODEV);
	FAILS(abort1(c, K("g3s"), 0), ENODEV);
	FAILS(read1(c, K("g3"), 1, NULL), ENODEV);
	FAILS(peek1(c, K("g3"), NULL), ENODEV);
	FAILS(release_id(c, id, 1, NULL), ENODEV);
	FAILS(renew_id(c, id), ENODEV);
	FAILS(delete1(c, K("g3"), NULL), ENODEV);
	FAILS(touch1(c, K("g3")), ENODEV);
	FAILS(query1(c, K("g3"), NULL), ENODEV);
	EXPECT_EQ(marul1_usage(c, &u), -ENODEV);
	EXPECT_EQ(marul1_layout(c, PAGE, 0, &l), -ENODEV);
	EXPECT_EQ(marul1_clear(c, 0, NULL), -ENODEV);
	EXPECT_EQ(marul1_evict(c, &e), -ENODEV);
}

static void g3_detached(void)
{
	const char *uri = getenv("MARUL1_URI_DOOMED");
	struct fix f = { 0 };
	struct marul1_pool *pool;
	struct marul1_client *c;
	uint64_t id, epoch;

	if (!engine_is_device())
		SKIP("an embedded pool is not attached");
	if (!uri)
		SKIP("MARUL1_URI_DOOMED is not set");
	ASSERT(!marul1_open(context(), uri, &pool));
	ASSERT(!marul1_client_open(pool, 0, &c));
	f.page = layout(c, PAGE);
	stage(&f, c, K("g3s"));
	id = publish_held(&f, c, K("g3"), 2);
	epoch = marul1_epoch(c);
	EXPECT_EQ(detach(uri), 0);
	EXPECT(!marul1_valid(c, epoch));
	expect_gone(c, &f, id);
	marul1_client_close(c);
	marul1_pool_unref(pool);
}

CASES(detach_cases,
	{ "G3", "every call fails with ENODEV", g3_detached },
);
