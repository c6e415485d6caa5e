/* SPDX-License-Identifier: GPL-2.0-only */
/* What the targets share. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define FUZZ_FAIL(...) do {						\
	fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);			\
	fprintf(stderr, __VA_ARGS__);					\
	fprintf(stderr, "\n");						\
	abort();							\
} while (0)

#define FUZZ_EXPECT(c) do {						\
	if (!(c))							\
		FUZZ_FAIL("expected %s", #c);				\
} while (0)

#endif
