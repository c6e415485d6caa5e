// SPDX-License-Identifier: GPL-2.0-only
/* What must hold of the core's text and structs. */

#include <dirent.h>
#include "fixture.h"

#define KEY_TYPICAL	110

static char *file_read(const char *name)
{
	char path[4096];
	char *text;
	FILE *file;
	long n;

	snprintf(path, sizeof(path), "%s/%s", CORE_DIR, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	fseek(file, 0, SEEK_END);
	n = ftell(file);
	rewind(file);
	text = calloc(1, n + 1);
	if (fread(text, 1, n, file) != (size_t)n) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

/* Only the shim's header asks where it is built: what is tested is what ships. */
static void no_kernel_ifdef(void)
{
	DIR *dir = opendir(CORE_DIR);
	struct dirent *entry;
	int files = 0;

	ASSERT(dir);
	while ((entry = readdir(dir))) {
		size_t n = strlen(entry->d_name);
		char *text;

		if (n < 3 || (strcmp(entry->d_name + n - 2, ".c") &&
			      strcmp(entry->d_name + n - 2, ".h")))
			continue;
		text = file_read(entry->d_name);
		ASSERT(text);
		files++;
		if (!strstr(text, "__KERNEL__") == !strcmp(entry->d_name, "shim.h"))
			TAP_FAIL("%s: __KERNEL__", entry->d_name);
		free(text);
	}
	closedir(dir);
	EXPECT(files > 20);
}

/* A published object of a usual key fits the slab of 256 bytes. */
static void object_size(void)
{
	EXPECT(sizeof(struct maru_object) + KEY_TYPICAL <= 256);
}

CASES(source_cases,
	{ "source-kernel", "no #ifdef __KERNEL__ outside of shim.h", no_kernel_ifdef },
	{ "source-object", "an object with its key fits 256 bytes", object_size });
