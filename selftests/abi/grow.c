// SPDX-License-Identifier: GPL-2.0-only
/* GROW: names, descriptors, and memory that is not the pool's next part. */
#include <string.h>
#include <unistd.h>
#include "../guest/raw.h"
#include "abi.h"

static bool begin(struct frame *f)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == MARU_L1_GROW)
			return frame_begin(f, &calls[i], O_RDWR);
	abort();
}

static void read_info(struct maru_l1_info *info)
{
	int fd = raw_open(ABI_GROWING, O_RDONLY | O_CLOEXEC);

	ASSERT(fd >= 0);
	EXPECT_EQ(raw_info(fd, info), 0);
	close(fd);
}

/* Of the pool nothing may change: neither what it is nor what it says of its parts. */
static void refused_whole(struct frame *f, int want, const char *what)
{
	struct maru_l1_info was, is;

	read_info(&was);
	frame_refused(f, want, what);
	read_info(&is);
	if (memcmp(&was, &is, sizeof(was)))
		TAP_FAIL("%s: was refused and changed the pool", what);
}

static void names(void)
{
	static const struct {
		const char *name;
		size_t len;
		int want;
		const char *what;
	} bad[] = {
		{ "", 0, -EINVAL, "an empty name" },
		{ "a\0b", 3, -EINVAL, "a name with bytes behind its NUL" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32, -EINVAL, "a name without a NUL" },
		{ "a/b", 3, -ENOENT, "a name with a slash" },
		{ "nobody", 6, -ENOENT, "a pool that does not exist" },
		{ "control", 7, -ENOENT, "the control node" },
	};
	struct maru_l1_grow *arg;
	struct frame f;

	ASSERT(begin(&f));
	arg = (struct maru_l1_grow *)f.arg;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		memset(arg->name, 0, sizeof(arg->name));
		memcpy(arg->name, bad[i].name, bad[i].len);
		refused_whole(&f, bad[i].want, bad[i].what);
	}
	frame_end(&f);
}

/* The descriptor is closed. */
static void refuse_fd(struct frame *f, int fd, int want, const char *what)
{
	struct maru_l1_grow *arg = (struct maru_l1_grow *)f->arg;
	int32_t was = arg->fd;

	arg->fd = fd;
	refused_whole(f, want, what);
	arg->fd = was;
	if (fd >= 0)
		close(fd);
}

static void no_memory(void)
{
	struct medium m;
	struct frame f;

	ASSERT(begin(&f));
	refuse_fd(&f, -1, -EOPNOTSUPP, "descriptor -1");
	refuse_fd(&f, INT32_MIN, -EOPNOTSUPP, "descriptor -2^31");
	refuse_fd(&f, 900, -EOPNOTSUPP, "a descriptor that is not open");
	refuse_fd(&f, open("/dev/zero", O_RDWR), -EOPNOTSUPP, "/dev/zero");
	refuse_fd(&f, open("/tmp", O_RDONLY), -EOPNOTSUPP, "a directory");
	refuse_fd(&f, open("/tmp", O_PATH), -EOPNOTSUPP, "a descriptor without a file (O_PATH)");
	refuse_fd(&f, raw_open(ABI_GROWING, O_RDWR), -EOPNOTSUPP, "the pool itself");
	refuse_fd(&f, dup(world.control), -EOPNOTSUPP, "our control node");
	ASSERT(!medium_memfd(&m, 4 << 20, F_SEAL_GROW, false));
	medium_format_next(&m, ABI_GROWING);
	refuse_fd(&f, dup(m.fd), -EOPNOTSUPP, "a next part that can shrink");
	medium_close(&m);
	frame_end(&f);
}

static void fresh(struct medium_super *sb)
{
	sb->uuid[15] ^= 1;
}

static void first(struct medium_super *sb)
{
	sb->backing_index = 0;
}

static void again(struct medium_super *sb)
{
	sb->pool_bytes -= sb->backing_bytes[sb->backing_index];
	sb->backing_bytes[sb->backing_index--] = 0;
	sb->backing_count--;
}

static void later(struct medium_super *sb)
{
	uint64_t bytes = sb->backing_bytes[sb->backing_index++];

	sb->backing_bytes[sb->backing_index] = bytes;
	sb->backing_count++;
	sb->pool_bytes += bytes;
}

static void more_to_come(struct medium_super *sb)
{
	sb->backing_bytes[sb->backing_count++] = MEDIUM_UNIT;
	sb->pool_bytes += MEDIUM_UNIT;
}

static void other_sizes(struct medium_super *sb)
{
	sb->backing_bytes[0] += MEDIUM_UNIT;
	sb->pool_bytes += MEDIUM_UNIT;
}

static void other_segments(struct medium_super *sb)
{
	sb->segment_bytes *= 2;
}

static void no_sum(struct medium_super *sb)
{
	sb->pool_bytes += MEDIUM_UNIT;
}

static void too_long(struct medium_super *sb)
{
	sb->backing_bytes[sb->backing_index] += MEDIUM_UNIT;
	sb->pool_bytes += MEDIUM_UNIT;
}

static void no_multiple(struct medium_super *sb)
{
	sb->unit *= 2;
}

/*
 * A part whose superblock is valid by itself, or not even that.  Its memory is as long
 * as the first one, so that it can be taken for any.
 */
static void not_the_next(void)
{
	static const struct {
		void (*spoil)(struct medium_super *sb);
		int want;
		const char *what;
	} bad[] = {
		{ fresh, -EXDEV, "a part of another pool" },
		{ first, -EXDEV, "another first part" },
		{ again, -EXDEV, "the last part once more" },
		{ later, -EXDEV, "a part that leaves one out" },
		{ more_to_come, -EXDEV, "a part of a pool that is larger still" },
		{ other_sizes, -EXDEV, "a part of a pool of other sizes" },
		{ other_segments, -EXDEV, "a part of a pool with other segments" },
		{ no_sum, -EUCLEAN, "sizes that are not the sum" },
		{ too_long, -EUCLEAN, "a part longer than its memory" },
		{ no_multiple, -EUCLEAN, "sizes that are no multiples of the unit" },
	};
	static uint8_t before[MEDIUM_UNIT];
	struct medium m;
	struct frame f;

	ASSERT(begin(&f));
	ASSERT(!medium_memfd(&m, 8 << 20, MEDIUM_SEALED, false));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		medium_format_next(&m, ABI_GROWING);
		bad[i].spoil(medium_super(&m, 0));
		medium_seal_super(medium_super(&m, 0));
		memcpy(before, m.base, MEDIUM_UNIT);
		refuse_fd(&f, dup(m.fd), bad[i].want, bad[i].what);
		if (memcmp(before, m.base, MEDIUM_UNIT))
			TAP_FAIL("%s: was refused and changed the media", bad[i].what);
	}
	medium_format(&m);
	memset(m.base, 0, MEDIUM_UNIT);
	refuse_fd(&f, dup(m.fd), -EUCLEAN, "memory that is not formatted");
	medium_close(&m);
	frame_end(&f);
}

/* Once it is a part it is one of this pool's: INFO says so, and it is in use. */
static void grown(void)
{
	struct maru_l1_info was, is;
	struct frame f;

	ASSERT(begin(&f));
	read_info(&was);
	frame_accepted(&f, "the next part");
	read_info(&is);
	EXPECT_EQ(is.nr_backings, was.nr_backings + 1);
	EXPECT_EQ(is.capacity, was.capacity + MEDIUM_UNIT);
	EXPECT_EQ(is.backing_bytes[was.nr_backings], MEDIUM_UNIT);
	EXPECT_EQ(is.backing_bytes[is.nr_backings], 0);
	refused_whole(&f, -EBUSY, "the same memory once more");
	frame_end(&f);
}

const struct tap_case grow_cases[] = {
	{ "grow-names", "malformed names are EINVAL, unknown ones ENOENT", names },
	{ "grow-no-memory", "what is no memory for a pool is refused", no_memory },
	{ "grow-not-next", "what is not the pool's next part is EXDEV or EUCLEAN, and stays as it is",
	  not_the_next },
	{ "grown", "INFO tells of the new part, which is in use then", grown },
};
CASES(grow_cases);
