// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim [--seed N] [--steps N] [--pairs FILE] [--save FILE] [--brief] [PROGRAM...]
 *
 * Runs worlds of fresh seeds until there were that many steps, or the programs
 * given.  One that fails is cut down, printed and saved, or, brief, only named.
 */

#include <getopt.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sim.h"

#define STEPS		20000000ULL
#define PAIR_LEAST	1000
#define PART_LEAST	100	/* kills, expiries, full pools: one of so many steps */

struct options {
	u64 seed;
	u64 steps;
	const char *pairs;
	const char *save;
	int brief;
};

/* Where the process that runs the worlds is. */
struct place {
	u64 seed;
	bool done;
	char why[2000];
};

static struct place *place;
static struct world world;

static u64 program_length(u64 seed, const struct record *first)
{
	u64 n = sim_mix(seed, ~0ULL);

	switch (world_pace(first)) {
	case PACE_CROWD:
		return 300 + n % 400;
	case PACE_LONG:
		return 12000;
	default:
		break;
	}
	/* Most are short, some are long. */
	if (n % 4)
		return 100 + n / 64 % 2000;
	return (n % 64 ? 1000 : 20000) + n / 64 % 6000;
}

static struct record *program_make(u64 seed, u64 *n)
{
	struct record first = sim_record(seed, 0);
	struct record *program;

	*n = program_length(seed, &first);
	program = malloc(*n * sizeof(*program));
	for (u64 i = 0; i < *n; i++)
		program[i] = sim_record(seed, i);
	return program;
}

static struct record *program_read(const char *file, u64 *n)
{
	FILE *in = fopen(file, "re");
	struct record *program;

	if (!in)
		return NULL;
	fseek(in, 0, SEEK_END);
	*n = ftell(in) / sizeof(*program);
	rewind(in);
	program = calloc(*n + 1, sizeof(*program));
	if (fread(program, sizeof(*program), *n, in) != *n)
		*n = 0;
	fclose(in);
	return program;
}

static void program_save(const char *file, const struct record *program, u64 n)
{
	FILE *out = fopen(file, "we");

	if (!out)
		return;
	fwrite(program, sizeof(*program), n, out);
	fclose(out);
	printf("# saved as %s\n", file);
}

static bool run(const struct record *program, u64 n)
{
	bool ok;

	memset(&world, 0, sizeof(world));
	ok = world_run(&world, program, n);
	seen.steps += world.steps;
	if (!ok)
		snprintf(place->why, sizeof(place->why), "%s", world.why);
	return ok;
}

/* Prints each operation of a failing program, in a process that may crash. */
static void trace(const struct record *program, u64 n)
{
	fflush(stdout);
	if (!fork()) {
		memset(&world, 0, sizeof(world));
		world.trace = true;
		if (!world_run(&world, program, n))
			printf("# %s\n", world.why);
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

static void report(const struct options *options, struct record *program, u64 n)
{
	printf("# %s\n", *place->why ? place->why : "crashed");
	if (options->brief)
		return;
	n = shrink(program, n);
	printf("# fails after %" PRIu64 " operations:\n", n - 1);
	trace(program, n);
	if (options->save)
		program_save(options->save, program, n);
}

static bool part_check(const char *what, u64 n)
{
	printf("# %s: %.2f %% of the steps\n", what, 100.0 * n / seen.steps);
	return n * PART_LEAST >= seen.steps;
}

static bool tally_check(const struct options *options)
{
	bool ok;

	if (!options->pairs)
		return true;
	ok = pairs_complete(options->pairs, PAIR_LEAST);
	ok &= part_check("kills", seen.kills);
	ok &= part_check("expiries", seen.expiries);
	ok &= part_check("full pools", seen.full);
	return ok;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec * 1e-9;
}

/* All worlds; exits 0, or 1 with @place saying where it failed. Counts for gcov. */
static _Noreturn void worlds(const struct options *options)
{
	double begin = seconds();
	u64 nr;
	bool ok;

	for (nr = 0; seen.steps < options->steps; nr++) {
		struct record *program;
		u64 n;

		place->seed = nr ? sim_mix(options->seed, nr) : options->seed;
		program = program_make(place->seed, &n);
		if (!run(program, n))
			_exit(1);
		free(program);
	}
	place->done = true;
	printf("# %" PRIu64 " steps in %" PRIu64 " worlds, %.0f steps/s\n",
	       seen.steps, nr, seen.steps / (seconds() - begin));
	ok = tally_check(options);
	exit(!ok);
}

static bool search(const struct options *options)
{
	struct record *program;
	int status;
	u64 n;

	printf("# seed %" PRIu64 "\n", options->seed);
	fflush(stdout);
	if (!fork())
		worlds(options);
	wait(&status);
	if (!status || place->done)
		return !status;
	printf("# failed: make sim SEED=%" PRIu64 " STEPS=1 is this world alone\n",
	       place->seed);
	program = program_make(place->seed, &n);
	report(options, program, n);
	free(program);
	return false;
}

static bool replay(const struct options *options, const char *file)
{
	struct record *program;
	int status;
	u64 n;

	program = program_read(file, &n);
	if (!program || !n) {
		printf("# %s is no program\n", file);
		return false;
	}
	fflush(stdout);
	*place->why = '\0';
	if (!fork())
		_exit(!run(program, n));
	wait(&status);
	if (status)
		report(options, program, n);
	free(program);
	return !status;
}

static bool count(const char *what, bool ok, int *passed, int *failed)
{
	printf("%s %d %s\n", ok ? "ok" : "not ok", *passed + *failed + 1, what);
	*passed += ok;
	*failed += !ok;
	return ok;
}

static void options_read(struct options *options, int argc, char **argv)
{
	const struct option known[] = {
		{ "brief", no_argument, &options->brief, 1 },
		{ "seed", required_argument, NULL, 's' },
		{ "steps", required_argument, NULL, 'n' },
		{ "pairs", required_argument, NULL, 'p' },
		{ "save", required_argument, NULL, 'o' },
		{ }
	};
	int c;

	options->steps = STEPS;
	if (getrandom(&options->seed, sizeof(options->seed), 0) < 0)
		options->seed = time(NULL);
	while ((c = getopt_long(argc, argv, "", known, NULL)) >= 0) {
		if (c == 's')
			options->seed = strtoull(optarg, NULL, 0);
		else if (c == 'n')
			options->steps = strtoull(optarg, NULL, 0);
		else if (c == 'p')
			options->pairs = optarg;
		else if (c == 'o')
			options->save = optarg;
		else if (c)
			exit(2);
	}
}

int main(int argc, char **argv)
{
	struct options options = { };
	int passed = 0, failed = 0;

	options_read(&options, argc, argv);
	place = mmap(NULL, sizeof(*place), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (place == MAP_FAILED)
		return 2;
	keys_make();
	printf("KTAP version 1\n");
	for (int i = optind; i < argc; i++)
		count(argv[i], replay(&options, argv[i]), &passed, &failed);
	if (options.steps)
		count("programs of fresh seeds answer as the model",
		      search(&options), &passed, &failed);
	printf("1..%d\nsim: %d passed, %d failed, 0 skipped\n", passed + failed,
	       passed, failed);
	return failed || !passed;
}
