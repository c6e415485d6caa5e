// SPDX-License-Identifier: GPL-2.0-only
/* ATTACH and DETACH: names, descriptors, and files that are no memory for us. */
#include <dirent.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../guest/raw.h"
#include "abi.h"

static bool begin(struct frame *f, unsigned long nr)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == nr)
			return frame_begin(f, &calls[i], O_RDWR);
	abort();
}

/* Nodes in /dev/maru_l1 and users of the module: a refusal leaves both. */
static int count_nodes(void)
{
	DIR *dir = opendir("/dev/maru_l1");
	int nr = 0;

	while (dir && readdir(dir))
		nr++;
	if (dir)
		closedir(dir);
	return nr;
}

static long module_users(void)
{
	FILE *file = fopen("/sys/module/maru_l1/refcnt", "r");
	long users = -1;

	if (file && fscanf(file, "%ld", &users) != 1)
		users = -1;
	if (file)
		fclose(file);
	return users;
}

static void refused_whole(struct frame *f, int want, const char *what)
{
	int nodes = count_nodes();
	long users = module_users();

	frame_refused(f, want, what);
	if (count_nodes() != nodes)
		TAP_FAIL("%s: left a node", what);
	if (module_users() != users)
		TAP_FAIL("%s: module users were %ld, are %ld", what, users, module_users());
}

static const struct {
	const char *name;
	size_t len;
	const char *what;
} bad_names[] = {
	{ "", 0, "an empty name" },
	{ ".", 1, "the name \".\"" },
	{ "..", 2, "the name \"..\"" },
	{ ".hidden", 7, "a name that begins with a dot" },
	{ "../x", 4, "a name with ../" },
	{ "a/b", 3, "a name with a slash" },
	{ "/abs", 4, "a name that begins with a slash" },
	{ "a b", 3, "a name with a blank" },
	{ "a\nb", 3, "a name with a line feed" },
	{ "a\tb", 3, "a name with a tab" },
	{ "a%sb", 4, "a name with a per cent sign" },
	{ "a!b", 3, "a name with a '!', which sysfs would turn into a slash" },
	{ "p\xc3\xb6l", 4, "a name with a letter beyond ASCII" },
	{ "a\x7f", 2, "a name with DEL" },
	{ "a\0b", 3, "a name with bytes behind its NUL" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 32, "a name of 32 bytes without a NUL" },
};

static void attach_names(void)
{
	struct maru_l1_attach *arg;
	struct frame f;

	ASSERT(begin(&f, MARU_L1_ATTACH));
	arg = (struct maru_l1_attach *)f.arg;
	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++) {
		memset(arg->name, 0, sizeof(arg->name));
		memcpy(arg->name, bad_names[i].name, bad_names[i].len);
		refused_whole(&f, -EINVAL, bad_names[i].what);
	}
	frame_end(&f);
}

/* What is no name at all is EINVAL; what no pool can have is just not there. */
static void detach_names(void)
{
	struct maru_l1_detach *arg;
	struct frame f;

	ASSERT(begin(&f, MARU_L1_DETACH));
	arg = (struct maru_l1_detach *)f.arg;
	for (size_t i = 0; i < ARRAY_SIZE(bad_names); i++) {
		bool padded = bad_names[i].len && bad_names[i].len < MARU_L1_NAME_LEN &&
			      !memchr(bad_names[i].name, 0, bad_names[i].len);

		memset(arg->name, 0, sizeof(arg->name));
		memcpy(arg->name, bad_names[i].name, bad_names[i].len);
		refused_whole(&f, padded ? -ENOENT : -EINVAL, bad_names[i].what);
	}
	memset(arg->name, 0, sizeof(arg->name));
	strcpy((char *)arg->name, "nobody");
	refused_whole(&f, -ENOENT, "a pool that does not exist");
	strcpy((char *)arg->name, "control");
	refused_whole(&f, -ENOENT, "the control node");
	frame_end(&f);
}

static void detach_busy(void)
{
	struct frame f;
	int fd;

	ASSERT(begin(&f, MARU_L1_DETACH));
	fd = raw_open(ABI_VICTIM, O_RDONLY | O_CLOEXEC);
	ASSERT(fd >= 0);
	refused_whole(&f, -EBUSY, "a file is open");
	close(fd);
	frame_end(&f);
}

static void fds_nowhere(void)
{
	struct maru_l1_attach *arg;
	struct frame f;
	uint64_t was;

	ASSERT(begin(&f, MARU_L1_ATTACH));
	arg = (struct maru_l1_attach *)f.arg;
	was = arg->fds;
	arg->fds = 0;
	refused_whole(&f, -EFAULT, "fds NULL");
	arg->fds = (uintptr_t)world.unmapped;
	refused_whole(&f, -EFAULT, "fds not mapped");
	arg->fds = (uintptr_t)world.items_end - 2;
	refused_whole(&f, -EFAULT, "fds half mapped");
	arg->fds = 0xffff888000001000UL;
	refused_whole(&f, -EFAULT, "fds in the kernel");
	arg->fds = was;
	frame_end(&f);
}

/* Attaches @fd alone; the descriptor is closed. */
static void refuse_fd(struct frame *f, int fd, int want, const char *what)
{
	struct maru_l1_attach *arg = (struct maru_l1_attach *)f->arg;
	int32_t fds[1] = { fd };
	uint64_t was = arg->fds;

	arg->fds = (uintptr_t)fds;
	refused_whole(f, want, what);
	arg->fds = was;
	if (fd >= 0)
		close(fd);
}

static int regular_file(void)
{
	char path[] = "/tmp/maru-abi-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	if (ftruncate(fd, 8 << 20))
		abort();
	return fd;
}

static int pipe_end(void)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		abort();
	close(fds[1]);
	return fds[0];
}

static void no_memory(void)
{
	struct frame f;

	ASSERT(begin(&f, MARU_L1_ATTACH));
	refuse_fd(&f, -1, -EOPNOTSUPP, "descriptor -1");
	refuse_fd(&f, INT32_MIN, -EOPNOTSUPP, "descriptor -2^31");
	refuse_fd(&f, 900, -EOPNOTSUPP, "a descriptor that is not open");
	refuse_fd(&f, regular_file(), -EOPNOTSUPP, "a regular file");
	refuse_fd(&f, pipe_end(), -EOPNOTSUPP, "a pipe");
	refuse_fd(&f, open("/dev/zero", O_RDWR), -EOPNOTSUPP, "/dev/zero");
	refuse_fd(&f, open("/dev/null", O_RDWR), -EOPNOTSUPP, "/dev/null");
	refuse_fd(&f, open("/tmp", O_RDONLY), -EOPNOTSUPP, "a directory");
	refuse_fd(&f, open("/tmp", O_PATH), -EOPNOTSUPP, "a descriptor without a file (O_PATH)");
	refuse_fd(&f, raw_open(ABI_POOL, O_RDWR), -EOPNOTSUPP, "a pool of ours");
	refuse_fd(&f, dup(world.control), -EOPNOTSUPP, "our control node");
	frame_end(&f);
}

/* A memfd with these seals, formatted, is no backing. */
static void refuse_seals(struct frame *f, int seals, const char *what)
{
	struct medium m;

	ASSERT(!medium_memfd(&m, 8 << 20, seals, true));
	refuse_fd(f, dup(m.fd), -EOPNOTSUPP, what);
	medium_close(&m);
}

static void seals(void)
{
	struct medium m;
	struct frame f;
	char path[64];
	int fd;

	ASSERT(begin(&f, MARU_L1_ATTACH));
	refuse_seals(&f, 0, "a memfd without seals");
	refuse_seals(&f, F_SEAL_SHRINK, "a memfd sealed against shrinking only");
	refuse_seals(&f, F_SEAL_GROW, "a memfd sealed against growing only");
	refuse_seals(&f, F_SEAL_SEAL, "a memfd sealed against sealing only");
	refuse_seals(&f, MEDIUM_SEALED | F_SEAL_FUTURE_WRITE,
		     "a memfd sealed against new writers");
	ASSERT(!medium_memfd(&m, 8 << 20, MEDIUM_SEALED, true));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", m.fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT(fd >= 0);
	refuse_fd(&f, fd, -EOPNOTSUPP, "a memfd opened read-only");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ASSERT(fd >= 0);
	refuse_fd(&f, fd, -EOPNOTSUPP, "a memfd opened write-only");
	medium_close(&m);
	frame_end(&f);
}

static void dax_read_only(void)
{
	const char *dax = getenv("MARU_DAX");
	struct frame f;
	int fd;

	if (!dax)
		SKIP("MARU_DAX names no device-dax node");
	ASSERT(begin(&f, MARU_L1_ATTACH));
	fd = open(dax, O_RDONLY | O_CLOEXEC);
	ASSERT(fd >= 0);
	refuse_fd(&f, fd, -EOPNOTSUPP, "a device-dax node opened read-only");
	frame_end(&f);
}

/* Two names for one pool, one memory for two pools, one memory twice in a pool. */
static void twice(void)
{
	struct maru_l1_attach *arg;
	struct frame f;
	struct medium m;
	int32_t fds[2];

	ASSERT(begin(&f, MARU_L1_ATTACH));
	arg = (struct maru_l1_attach *)f.arg;
	memset(arg->name, 0, sizeof(arg->name));
	strcpy((char *)arg->name, ABI_POOL);
	refused_whole(&f, -EEXIST, "a name that a pool has");
	memset(arg->name, 0, sizeof(arg->name));
	strcpy((char *)arg->name, "control");
	refused_whole(&f, -EEXIST, "the name of the control node");
	memset(arg->name, 0, sizeof(arg->name));
	ASSERT(!medium_memfd(&m, 8 << 20, MEDIUM_SEALED, true));
	ASSERT(!medium_attach(&m, "abi-twice", 1));
	strcpy((char *)arg->name, ABI_FRESH);
	fds[0] = m.fd;
	fds[1] = m.fd;
	arg->fds = (uintptr_t)fds;
	refused_whole(&f, -EBUSY, "a memory that is attached");
	EXPECT_EQ(pool_detach("abi-twice", 0), 0);
	arg->nr_fds = 2;
	refused_whole(&f, -EBUSY, "a memory that is given twice");
	medium_close(&m);
	frame_end(&f);
}

/* A name of 31 letters of every allowed kind works and is the node's. */
static void longest_name(void)
{
	static const char name[] = "Az09-_.Az09-_.Az09-_.Az09-_.xyz";
	struct maru_l1_info info;
	struct frame f;
	int fd;

	_Static_assert(sizeof(name) == MARU_L1_NAME_LEN, "with its NUL it just fits");
	ASSERT(begin(&f, MARU_L1_ATTACH));
	memcpy(((struct maru_l1_attach *)f.arg)->name, name, sizeof(name));
	frame_accepted(&f, "the longest name");
	fd = raw_open(name, O_RDONLY | O_CLOEXEC);
	ASSERT(fd >= 0);
	EXPECT_EQ(raw_info(fd, &info), 0);
	EXPECT(!memcmp(info.name, name, sizeof(name)));
	close(fd);
	EXPECT_EQ(pool_detach(name, 0), 0);
	frame_end(&f);
}

const struct tap_case attach_cases[] = {
	{ "attach-names", "bad names are EINVAL and leave no node", attach_names },
	{ "detach-names", "malformed names are EINVAL, unknown ones ENOENT", detach_names },
	{ "detach-busy", "a pool with an open file is EBUSY", detach_busy },
	{ "fds-nowhere", "descriptors that are nowhere are EFAULT", fds_nowhere },
	{ "no-memory", "what is no memory for a pool is refused", no_memory },
	{ "seals", "a memfd needs both seals, reading and writing", seals },
	{ "dax-read-only", "a device-dax node must be open for writing", dax_read_only },
	{ "twice", "one name, one memory, one pool", twice },
	{ "longest-name", "a name of 31 bytes is kept whole", longest_name },
};
CASES(attach_cases);
