// SPDX-License-Identifier: GPL-2.0-only
/*
 * device URI: the rows of a device pool, in one boot.
 *
 * device.read128.vs_embedded	what the system calls cost
 * device.bytes_per_object	memory of the kernel for one published object
 */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMES		4	/* all keys so often in a round */
#define OBJECTS		100000	/* for the memory; a multiple of BATCH is stored */

/* Bytes of the kernel's memory that grow with the pool. */
static double kernel_bytes(void)
{
	static const char *const words[] = {
		"Slab:", "VmallocUsed:", "PageTables:", "Percpu:",
	};
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long long kib, sum = 0;
	char line[200], word[64];
	size_t i, found = 0;

	if (!file)
		fail("/proc/meminfo", 2);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %llu", word, &kib) != 2)
			continue;
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (!strcmp(word, words[i])) {
				sum += kib;
				found++;
			}
		}
	}
	fclose(file);
	if (found != sizeof(words) / sizeof(words[0]))
		fail("/proc/meminfo lacks a line", 2);
	return sum * 1024.0;
}

static void read_rows(struct pairs *device)
{
	struct row row = { .name = "device.read128.vs_embedded",
			   .unit = "ns/key", .goal = 3 };
	struct pairs *embedded = pairs_open("embedded:64M");
	int i;

	pairs_run(embedded, TIMES);
	pairs_run(device, TIMES);
	for (i = 0; i < ROUNDS; i++) {
		row.references[i] = pairs_run(embedded, TIMES) * 1e9;
		row.values[i] = pairs_run(device, TIMES) * 1e9;
	}
	row_print(&row);
	pairs_close(embedded);
}

/*
 * Each round stores OBJECTS more and deletes none: what is freed stays with the
 * slab allocator, and the next round would look cheaper than it is.
 */
static void memory_rows(struct pairs *device)
{
	uint32_t n = OBJECTS / BATCH * BATCH, first = HOT_KEYS;
	struct row row = { .name = "device.bytes_per_object", .unit = "bytes",
			   .goal = 256 + KEY_LEN };
	int i;

	for (i = 0; i < ROUNDS; i++, first += n) {
		double before = kernel_bytes();

		pairs_store(device, first, n);
		row.values[i] = (kernel_bytes() - before) / n;
	}
	row_print(&row);
}

int main(int argc, char **argv)
{
	struct pairs *device;

	if (argc != 2) {
		fprintf(stderr, "usage: %s device:NAME\n", argv[0]);
		return 2;
	}
	device = pairs_open(argv[1]);
	read_rows(device);
	memory_rows(device);
	pairs_close(device);
	return 0;
}
