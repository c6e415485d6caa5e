// SPDX-License-Identifier: GPL-2.0-only
/*
 * G2: a node whose line on the media is not what it wrote last has company, and
 * fences itself.
 */
#include <linux/falloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-fence"
#define BEAT_MS 200

/* A line that another host might have written: valid, with another boot. */
static void overwrite_line(struct place *p, uint32_t node)
{
	struct medium_beat *line = medium_beat(&p->medium, node), other = *line;

	memset(other.boot_id, 0x5a, sizeof(other.boot_id));
	medium_seal_beat(&other);
	*line = other;
}

static bool fenced_within(int fd, unsigned int limit_ms)
{
	uint64_t start = now_ms();
	struct maru_l1_info info;

	do {
		if (raw_info(fd, &info))
			return false;
		if (info.flags & MARU_L1_I_FENCED)
			return true;
		sleep_ms(5);
	} while (now_ms() - start < limit_ms);
	return false;
}

/* The mapping goes a moment after the flag is set. */
static bool revoked_within(uint8_t *m, unsigned int limit_ms)
{
	uint64_t start = now_ms();

	do {
		if (touch_write(m) == SIGBUS)
			return true;
	} while (now_ms() - start < limit_ms);
	return false;
}

#define ITEM_IS(call, item, want) do {					\
	EXPECT_EQ(call, want);						\
	EXPECT((item).result & MARU_L1_R_FENCED);			\
} while (0)

/* @fd has staged "staged" and holds "object" twice. */
static void rows_g2(struct place *p, int fd)
{
	struct maru_l1_reserve reserve;
	struct maru_l1_commit commit = { 0 };
	struct maru_l1_release release = { .holds = 1 };
	struct maru_l1_delete delete = { 0 };
	struct maru_l1_read read;

	ITEM_IS(raw_read(fd, "object", 1, &read), read, MARU_L1_NOT_FOUND);
	ITEM_IS(raw_read(fd, "private", 1, &read), read, MARU_L1_NOT_FOUND);
	ITEM_IS(raw_reserve(fd, p->layout, "new", PAGE, 0, &reserve), reserve,
		MARU_L1_NO_SPACE);
	ITEM_IS(raw_commit(fd, "staged", 0, &commit), commit, MARU_L1_STALE);
	ITEM_IS(RAW_ONE(fd, MARU_L1_RELEASE, 0, 0, "object", &release), release,
		MARU_L1_STALE);
	ITEM_IS(RAW_ONE(fd, MARU_L1_DELETE, 0, 0, "object", &delete), delete,
		MARU_L1_LOCKED);
	ITEM_IS(RAW_ONE(p->observer, MARU_L1_DELETE, 0, 0, "object", &delete), delete,
		MARU_L1_LOCKED);
	EXPECT_EQ(raw_abort(fd, "staged"), MARU_L1_OK);
	EXPECT(account_sound(p->observer, NULL));
}

static uint64_t epoch_of(const uint8_t *status)
{
	return ((volatile struct maru_l1_client_status *)(status + PAGE))->epoch;
}

static void expect_event(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	union {
		struct maru_l1_event event;
		char bytes[2048];
	} buf;

	EXPECT_EQ(poll(&p, 1, 1000), 1);
	EXPECT(read(fd, &buf, sizeof(buf)) >= (ssize_t)sizeof(buf.event));
	EXPECT_EQ(buf.event.kind, MARU_L1_EV_FENCED);
}

static void fence_on(struct place *p)
{
	struct maru_l1_subscribe subscribe = {
		.size = sizeof(subscribe), .mask = MARU_L1_EV_MASK(MARU_L1_EV_FENCED),
		.ring_size = MARU_L1_EVENTS_MIN,
	};
	struct maru_l1_info info;
	uint8_t *m, *status;
	uint64_t epoch;
	int fd = place_client(p, O_CLOEXEC);

	ASSERT(!raw_info(fd, &info));
	EXPECT_EQ(raw_call(fd, MARU_L1_SUBSCRIBE, &subscribe), 0);
	things_take(fd, p->layout);
	m = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	status = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, MARU_L1_MMAP_STATUS);
	ASSERT(m != MAP_FAILED && status != MAP_FAILED);
	epoch = epoch_of(status);
	sleep_ms(5 * BEAT_MS);
	EXPECT_EQ(touch_write(m), 0);
	EXPECT_EQ(epoch_of(status), epoch);

	overwrite_line(p, info.node);
	EXPECT(fenced_within(fd, 3 * BEAT_MS));
	EXPECT(epoch_of(status) != epoch);
	EXPECT_EQ(((volatile struct maru_l1_pool_status *)status)->state, MARU_L1_I_FENCED);
	expect_event(fd);
	EXPECT(revoked_within(m, BEAT_MS));
	rows_g2(p, fd);
	munmap(m, BLOCK);
	munmap(status, 2 * PAGE);
	close(fd);
}

static void fence(void)
{
	struct medium_beat line;
	struct place p;

	ASSERT(place_begin(&p, NAME, 20));
	fence_on(&p);
	EXPECT(account_settle(p.observer, 20 + GRACE_MS) >= 0);
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);

	/* The next life has a higher incarnation and is not fenced. */
	line = *medium_beat(&p.medium, 1);
	EXPECT_EQ(medium_attach(&p.medium, NAME, 20), 0);
	p.observer = place_client(&p, O_CLOEXEC);
	EXPECT(!fenced_within(p.observer, 5 * BEAT_MS));
	EXPECT(medium_beat(&p.medium, 1)->incarnation > line.incarnation);
	place_end(&p);
}

/* A forced detach of a fenced pool, with all still held. */
static void fence_then_force(void)
{
	struct place p;
	struct maru_l1_info info;
	int fd;

	ASSERT(place_begin(&p, NAME, 20));
	fd = place_client(&p, O_CLOEXEC);
	things_take(fd, p.layout);
	ASSERT(!raw_info(fd, &info));
	overwrite_line(&p, info.node);
	EXPECT(fenced_within(fd, 3 * BEAT_MS));
	EXPECT_EQ(pool_detach(NAME, 0), -EBUSY);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	EXPECT_EQ(raw_release(fd, "object", 1), -ENODEV);
	close(fd);
	close(p.observer);
	medium_close(&p.medium);
}

/*
 * Whoever has the memfd can punch its pages away: the module's window then shows
 * memory that nobody else sees, and its beat is silent to all others.
 */
static void punched(void)
{
	struct place p;

	ASSERT(place_begin(&p, NAME, 20));
	EXPECT_EQ(fallocate(p.medium.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			    MEDIUM_UNIT), 0);
	EXPECT(fenced_within(p.observer, 3 * BEAT_MS));
	EXPECT(account_sound(p.observer, NULL));
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

#define NO_POISON 0xffffffffU

/* The module cannot read that byte of a superblock area: see kmod/debug.c. */
static bool poison(uint32_t offset)
{
	FILE *file = fopen("/sys/kernel/debug/maru_l1/poison_at", "w");

	if (!file)
		return false;
	fprintf(file, "%u", offset);
	return !fclose(file);
}

static uint32_t own_line(const struct maru_l1_info *info)
{
	return MEDIUM_BEATS + (info->node - 1) * MEDIUM_LINE;
}

/* Its own line may be another's by now: it cannot know. */
static void unreadable(void)
{
	struct maru_l1_info info;
	struct place p;

	ASSERT(place_begin(&p, NAME, 20));
	ASSERT(!raw_info(p.observer, &info));
	ASSERT(poison(own_line(&info) + MEDIUM_LINE - 1));
	EXPECT(fenced_within(p.observer, 3 * BEAT_MS));
	EXPECT(account_sound(p.observer, NULL));
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);

	/* It stays out until the line can be read, also after another's. */
	EXPECT_EQ(medium_attach(&p.medium, NAME, 20), -EUCLEAN);
	EXPECT(poison(MEDIUM_BEATS + 63 * MEDIUM_LINE));
	EXPECT_EQ(medium_attach(&p.medium, NAME, 20), -EUCLEAN);
	EXPECT(poison(NO_POISON));
	EXPECT_EQ(medium_attach(&p.medium, NAME, 20), 0);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/* One of the two copies of the superblock is enough. */
static void unreadable_super(void)
{
	struct place p;

	ASSERT(place_begin(&p, NAME, 20));
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	/* Copy 1 has never been written. */
	EXPECT(poison(4095));
	EXPECT_EQ(medium_attach(&p.medium, NAME, 20), -EUCLEAN);
	*medium_super(&p.medium, 1) = *medium_super(&p.medium, 0);
	for (int copy = 0; copy < 2; copy++) {
		EXPECT(poison(4096 * copy));
		EXPECT_EQ(medium_attach(&p.medium, NAME, 20), 0);
		EXPECT_EQ(pool_detach(NAME, 0), 0);
	}
	EXPECT(poison(NO_POISON));
	medium_close(&p.medium);
}

/* Nobody confirms the end of a node that was ordered to stop: it may go on. */
static void unreadable_stop(void)
{
	struct maru_l1_info info;
	struct place p;

	ASSERT(place_begin(&p, NAME, 20));
	ASSERT(!raw_info(p.observer, &info));
	ASSERT(poison(MEDIUM_STOPS + ((info.node - 1) * 64 + 7) * MEDIUM_LINE));
	EXPECT(!fenced_within(p.observer, 5 * BEAT_MS));
	/* The lines beside it are read. */
	medium_stop(&p.medium, info.node, 64, info.incarnation);
	EXPECT(fenced_within(p.observer, 2 * BEAT_MS));
	EXPECT(poison(NO_POISON));
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	medium_close(&p.medium);
}

/*
 * A stop line counts when it is whole, for this node and this life of it.  Lines
 * of others, of lives before, and damaged ones do not.
 */
static void ordered(void)
{
	struct maru_l1_info info;
	struct medium_beat *line;
	struct place p;
	uint8_t *stop;

	ASSERT(place_begin(&p, NAME, 20));
	line = medium_beat(&p.medium, 1);
	ASSERT(!raw_info(p.observer, &info));
	medium_stop(&p.medium, 2, 64, 0xffff);
	medium_stop(&p.medium, info.node, 64, info.incarnation - 1);
	medium_stop(&p.medium, info.node, 63, info.incarnation);
	stop = p.medium.base + MEDIUM_STOPS + ((info.node - 1) * 64 + 62) * MEDIUM_LINE;
	stop[60] ^= 1;
	EXPECT(!fenced_within(p.observer, 3 * BEAT_MS));
	stop[60] ^= 1;
	EXPECT(fenced_within(p.observer, 2 * BEAT_MS));
	/* It says so on the media, and goes on beating while clients are there. */
	sleep_ms(2 * BEAT_MS);
	EXPECT_EQ(line->state, 2);
	close(p.observer);
	EXPECT_EQ(pool_detach(NAME, 0), 0);
	EXPECT_EQ(line->state, 3);
	medium_close(&p.medium);
}

/* The line as it was written stays, however long: no fence without a reason. */
static void no_fence(void)
{
	struct place p;
	uint64_t beat;

	ASSERT(place_begin(&p, NAME, 20));
	beat = medium_beat(&p.medium, 1)->beat;
	EXPECT(!fenced_within(p.observer, 15 * BEAT_MS));
	beat = medium_beat(&p.medium, 1)->beat - beat;
	if (beat < 10 || beat > 16)
		TAP_FAIL("%llu beats in 15 times 200 ms", (unsigned long long)beat);
	EXPECT_EQ(medium_beat(&p.medium, 1)->state, 1);
	place_end(&p);
}

const struct tap_case fence_cases[] = {
	{ "G2", "a node whose line is overwritten fences itself", fence },
	{ "G2-force", "a fenced pool can be detached by force", fence_then_force },
	{ "G2-stop", "a node that is ordered to stop fences itself, and only then", ordered },
	{ "G2-hole", "a node whose lines were punched away fences itself", punched },
	{ "G2-not", "a line that is left alone beats and fences nobody", no_fence },
};
CASES(fence_cases);

/* What cannot be read cannot be read of any pool: nothing else is attached then. */
const struct tap_case poison_cases[] = {
	{ "M1-line", "a node that cannot read its line fences itself, and none attaches",
	  unreadable },
	{ "M1-super", "a superblock of which one copy cannot be read is taken from the other",
	  unreadable_super },
	{ "M1-stop", "a stop line that cannot be read fences nobody and hides no other",
	  unreadable_stop },
};
CASES(poison_cases);
