// SPDX-License-Identifier: GPL-2.0-only
/* Programs of the simulator: any bytes are one. */

#include "fuzz.h"
#include "sim.h"

#define RECORDS_MAX	1500

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	keys_make();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct record program[RECORDS_MAX];
	static struct world world;
	size_t n = min(size / sizeof(*program), (size_t)RECORDS_MAX);

	if (!n)
		return 0;
	memset(program, 0, sizeof(program));
	memcpy(program, bytes, n * sizeof(*program));
	memset(&world, 0, sizeof(world));
	if (!world_run(&world, program, n))
		FUZZ_FAIL("%s", world.why);
	return 0;
}
