// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices take the pages of a mapping as they take any: io_uring's fixed
 * buffers, direct I/O and vmsplice pin them or count references to them.
 *
 * MARU_DIRECT names a block device (guest/run makes a brd ram disk) from which
 * O_DIRECT reads.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include "mmap.h"

#define IO_BYTES (1UL << 20)

/* A ring of four entries, used for one request at a time. */
struct ring {
	int fd;
	uint8_t *sq, *cq;
	struct io_uring_sqe *sqes;
	struct io_uring_params params;
};

static bool ring_begin(struct ring *r)
{
	size_t sq, cq;

	memset(r, 0, sizeof(*r));
	r->fd = syscall(SYS_io_uring_setup, 4, &r->params);
	if (r->fd < 0)
		return false;
	sq = r->params.sq_off.array + r->params.sq_entries * sizeof(uint32_t);
	cq = r->params.cq_off.cqes + r->params.cq_entries * sizeof(struct io_uring_cqe);
	r->sq = mmap(NULL, sq, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_SQ_RING);
	r->cq = mmap(NULL, cq, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, IORING_OFF_CQ_RING);
	r->sqes = mmap(NULL, r->params.sq_entries * sizeof(*r->sqes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, r->fd, IORING_OFF_SQES);
	return r->sq != MAP_FAILED && r->cq != MAP_FAILED && r->sqes != MAP_FAILED;
}

/* One request; its result. */
static int ring_do(struct ring *r, const struct io_uring_sqe *sqe)
{
	uint32_t *tail = (void *)(r->sq + r->params.sq_off.tail);
	uint32_t mask = *(uint32_t *)(r->sq + r->params.sq_off.ring_mask);
	uint32_t *array = (void *)(r->sq + r->params.sq_off.array);
	uint32_t *head = (void *)(r->cq + r->params.cq_off.head);
	uint32_t cq_mask = *(uint32_t *)(r->cq + r->params.cq_off.ring_mask);
	struct io_uring_cqe *cqes = (void *)(r->cq + r->params.cq_off.cqes);
	int res;

	r->sqes[*tail & mask] = *sqe;
	array[*tail & mask] = *tail & mask;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -errno;
	res = cqes[__atomic_load_n(head, __ATOMIC_ACQUIRE) & cq_mask].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return res;
}

/* Words that tell each other apart. */
static void pattern(uint8_t *buf, uint32_t seed)
{
	for (size_t i = 0; i < IO_BYTES / 4; i++) {
		seed += 0x9e3779b9;
		((uint32_t *)buf)[i] = seed ^ seed >> 15;
	}
}

/* A file that supports O_DIRECT, with a pattern in its first MiB; -1: none. */
static int direct_file(uint8_t *want)
{
	const char *path = getenv("MARU_DIRECT");
	int fd = path ? open(path, O_RDWR | O_DIRECT | O_CLOEXEC) : -1;
	void *buf;

	if (fd < 0)
		return -1;
	pattern(want, 42);
	if (posix_memalign(&buf, PAGE, IO_BYTES))
		abort();
	memcpy(buf, want, IO_BYTES);
	EXPECT_EQ(pwrite(fd, buf, IO_BYTES, 0), IO_BYTES);
	free(buf);
	return fd;
}

static uint8_t want[IO_BYTES];

static void fixed_buffer(struct pool_under_test *p)
{
	struct io_uring_sqe sqe = { .opcode = IORING_OP_READ_FIXED, .len = IO_BYTES };
	uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, 0);
	struct iovec iov = { m, p->unit };
	struct ring r;
	int fd, ret;

	ASSERT(m);
	fd = direct_file(want);
	if (fd < 0)
		SKIP("MARU_DIRECT names no file for O_DIRECT");
	ASSERT(ring_begin(&r));
	memset(m, 0, p->unit);
	ret = syscall(SYS_io_uring_register, r.fd, IORING_REGISTER_BUFFERS, &iov, 1);
	if (ret)
		TAP_FAIL("%s: the buffer cannot be registered: %s", p->kind, strerror(errno));
	sqe.fd = fd;
	sqe.addr = (uintptr_t)m + PAGE;
	ret = ring_do(&r, &sqe);
	if (ret != (int)IO_BYTES)
		TAP_FAIL("%s: the read answered %d", p->kind, ret);
	EXPECT(!memcmp(m + PAGE, want, IO_BYTES));
	EXPECT(!memcmp(p->medium.base + p->unit + PAGE, want, IO_BYTES));
	EXPECT_EQ(m[PAGE - 1], 0);
	EXPECT_EQ(m[PAGE + IO_BYTES], 0);

	/* And back: what a device writes out is what lies in the pool. */
	memset(m, 0x5a, IO_BYTES);
	sqe.opcode = IORING_OP_WRITE_FIXED;
	sqe.addr = (uintptr_t)m;
	EXPECT_EQ(ring_do(&r, &sqe), IO_BYTES);
	EXPECT_EQ(pread(fd, m + PAGE, PAGE, 0), PAGE);
	EXPECT_EQ(m[PAGE], 0x5a);
	close(r.fd);
	close(fd);
	munmap(m, p->unit);
}

static void ring_reads(void)
{
	each_pool(fixed_buffer);
}

/* Without a ring: read(2) straight into the pool. */
static void direct(struct pool_under_test *p)
{
	uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, p->unit);
	int fd = direct_file(want);

	ASSERT(m);
	if (fd < 0)
		SKIP("MARU_DIRECT names no file for O_DIRECT");
	memset(m, 0, p->unit);
	EXPECT_EQ(pread(fd, m, IO_BYTES, 0), IO_BYTES);
	EXPECT(!memcmp(m, want, IO_BYTES));
	close(fd);
	munmap(m, p->unit);
}

static void direct_reads(void)
{
	each_pool(direct);
}

/* A reader's mapping can be written out of, never read into. */
static void reader(struct pool_under_test *p)
{
	uint8_t *m = map(p->ro, p->unit, PROT_READ, p->unit);
	struct iovec iov = { m, p->unit };
	int fd = direct_file(want);
	struct ring r;

	ASSERT(m);
	if (fd < 0)
		SKIP("MARU_DIRECT names no file for O_DIRECT");
	EXPECT_EQ(pwrite(fd, m, IO_BYTES, 0), IO_BYTES);
	EXPECT(pread(fd, m, IO_BYTES, 0) < 0 && errno == EFAULT);
	ASSERT(ring_begin(&r));
	EXPECT(syscall(SYS_io_uring_register, r.fd, IORING_REGISTER_BUFFERS, &iov, 1) < 0 &&
	       errno == EFAULT);
	close(r.fd);
	close(fd);
	munmap(m, p->unit);
}

static void reader_out_only(void)
{
	each_pool(reader);
}

/* References to the pages, not copies: the pipe sees a later store. */
static void spliced(struct pool_under_test *p)
{
	uint8_t *m = map(p->rw, p->unit, PROT_READ | PROT_WRITE, 0);
	struct iovec iov = { m, 4 * PAGE };
	static uint8_t got[4 * PAGE];
	int fds[2];

	ASSERT(m && !pipe2(fds, O_CLOEXEC));
	memset(m, 0x11, 4 * PAGE);
	EXPECT_EQ(vmsplice(fds[1], &iov, 1, 0), 4 * PAGE);
	m[2 * PAGE] = 0x22;
	EXPECT_EQ(read(fds[0], got, sizeof(got)), sizeof(got));
	EXPECT_EQ(got[0], 0x11);
	EXPECT_EQ(got[2 * PAGE], 0x22);
	EXPECT(!memcmp(got, m, sizeof(got)));
	close(fds[0]);
	close(fds[1]);
	munmap(m, p->unit);
}

static void splices(void)
{
	each_pool(spliced);
}

const struct tap_case device_cases[] = {
	{ "fixed-buffer", "an O_DIRECT read into a fixed io_uring buffer", ring_reads },
	{ "direct", "an O_DIRECT read straight into the pool", direct_reads },
	{ "direct-reader", "a reader's mapping is no target for I/O", reader_out_only },
	{ "vmsplice", "vmsplice() takes the pages themselves", splices },
};
CASES(device_cases);
