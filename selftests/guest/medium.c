// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "medium.h"
#include "raw.h"

_Static_assert(sizeof(struct medium_super) == 4096, "format v1");
_Static_assert(sizeof(struct medium_beat) == MEDIUM_LINE, "format v1");
_Static_assert(sizeof(struct medium_stop) == MEDIUM_LINE, "format v1");

/* Castagnoli's polynomial, reflected; slow and short. */
static uint32_t crc32c(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint32_t crc = ~0U;

	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78U : crc >> 1;
	}
	return ~crc;
}

struct medium_super *medium_super(struct medium *m, int copy)
{
	return (struct medium_super *)(m->base + copy * sizeof(struct medium_super));
}

struct medium_beat *medium_beat(struct medium *m, unsigned int node)
{
	return (struct medium_beat *)(m->base + MEDIUM_BEATS +
				      (node - 1) * MEDIUM_LINE);
}

void medium_seal_super(struct medium_super *sb)
{
	sb->crc = crc32c(sb, offsetof(struct medium_super, crc));
}

void medium_seal_beat(struct medium_beat *beat)
{
	beat->crc = crc32c(beat, offsetof(struct medium_beat, crc));
}

void medium_stop(struct medium *m, unsigned int node, unsigned int writer,
		 uint32_t incarnation)
{
	struct medium_stop stop = {
		.magic = MEDIUM_STOP_MAGIC, .node = node, .writer = writer,
		.incarnation = incarnation,
	};
	uint64_t line = (node - 1) * 64 + writer - 1;

	stop.crc = crc32c(&stop, offsetof(struct medium_stop, crc));
	memcpy(m->base + MEDIUM_STOPS + line * MEDIUM_LINE, &stop, sizeof(stop));
}

void medium_format(struct medium *m)
{
	struct medium_super sb = {
		.magic = "MARU_L1",
		.version = 1,
		.flags = 1,
		.generation = 1,
		.label = "selftest",
		.unit = MEDIUM_UNIT,
		.segment_bytes = MEDIUM_UNIT,
		.pool_bytes = m->bytes - MEDIUM_UNIT,
		.backing_count = 1,
		.backing_bytes = { m->bytes - MEDIUM_UNIT },
	};

	if (getrandom(sb.uuid, sizeof(sb.uuid), 0) != sizeof(sb.uuid))
		memset(sb.uuid, 7, sizeof(sb.uuid));
	medium_seal_super(&sb);
	memset(m->base, 0, MEDIUM_UNIT);
	*medium_super(m, 0) = sb;
}

static int medium_map(struct medium *m)
{
	int ret;

	m->base = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (m->base != MAP_FAILED)
		return 0;
	ret = -errno;
	close(m->fd);
	m->fd = -1;
	return ret;
}

int medium_memfd(struct medium *m, uint64_t bytes, int seals, bool format)
{
	int ret;

	m->bytes = bytes;
	m->fd = memfd_create("maru-selftest", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (m->fd < 0)
		return -errno;
	if (ftruncate(m->fd, bytes)) {
		ret = -errno;
		close(m->fd);
		return ret;
	}
	ret = medium_map(m);
	if (ret)
		return ret;
	if (format)
		medium_format(m);
	if (seals && fcntl(m->fd, F_ADD_SEALS, seals)) {
		ret = -errno;
		medium_close(m);
		return ret;
	}
	return 0;
}

/* The size of a device-dax node, 0 when it cannot be read. */
static uint64_t dax_bytes(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned long long bytes = 0;
	char file[128];
	FILE *size;

	snprintf(file, sizeof(file), "/sys/bus/dax/devices/%s/size", name ? name + 1 : path);
	size = fopen(file, "r");
	if (!size)
		return 0;
	if (fscanf(size, "%llu", &bytes) != 1)
		bytes = 0;
	fclose(size);
	return bytes;
}

int medium_dax(struct medium *m, const char *path)
{
	int ret;

	m->bytes = dax_bytes(path);
	if (!m->bytes)
		return -ENODEV;
	m->fd = open(path, O_RDWR | O_CLOEXEC);
	if (m->fd < 0)
		return -errno;
	ret = medium_map(m);
	if (ret)
		return ret;
	medium_format(m);
	return 0;
}

void medium_close(struct medium *m)
{
	if (m->fd < 0)
		return;
	munmap(m->base, m->bytes);
	close(m->fd);
	m->fd = -1;
}

struct maru_l1_attach medium_attach_arg(const char *name, const int32_t *fds,
					uint32_t nr_fds)
{
	struct maru_l1_attach arg = {
		.size = sizeof(arg),
		.fds = (uintptr_t)fds,
		.nr_fds = nr_fds,
		.machine_id = "selftest-machine",
		.boot_id = "selftest-boot-id",
		.numa_node = -1,
	};

	memcpy(arg.name, name, strnlen(name, sizeof(arg.name)));
	return arg;
}

int medium_attach(struct medium *m, const char *name, uint32_t quarantine_ms)
{
	struct maru_l1_attach arg = medium_attach_arg(name, &m->fd, 1);
	int control, ret;

	arg.quarantine_ms = quarantine_ms;
	control = open(RAW_CONTROL, O_RDWR | O_CLOEXEC);
	if (control < 0)
		return -errno;
	ret = raw_call(control, MARU_L1_ATTACH, &arg);
	close(control);
	return ret;
}

int pool_detach(const char *name, uint32_t flags)
{
	struct maru_l1_detach arg = { .size = sizeof(arg), .flags = flags };
	int control, ret;

	memcpy(arg.name, name, strnlen(name, sizeof(arg.name)));
	control = open(RAW_CONTROL, O_RDWR | O_CLOEXEC);
	if (control < 0)
		return -errno;
	ret = raw_call(control, MARU_L1_DETACH, &arg);
	close(control);
	return ret;
}
