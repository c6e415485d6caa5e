// SPDX-License-Identifier: GPL-2.0-only
/*
 * Once a forced detach has returned, no store of any CPU reaches the memory,
 * whatever faults were under way.  The test watches through a mapping of its own.
 *
 * A debug build of the module can hold each fault for some milliseconds between
 * its check of the revocation and its work.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lifetime.h"

#define NAME "lifetime-revoke"
#define THREADS 4
#define ROUNDS 3
#define FAULT_DELAY "/sys/kernel/debug/maru_l1/fault_delay_ms"

/**
 * struct storm - threads that store
 * @map: of the client
 * @stores: of each thread
 * @ended: threads that got SIGBUS
 * @stop: it has been long enough: those that got none are to end
 */
struct storm {
	uint8_t *map;
	volatile uint32_t stores[THREADS];
	volatile int ended;
	volatile bool stop;
};

static __thread sigjmp_buf bus_back;

static void on_bus(int number)
{
	siglongjmp(bus_back, 1);
}

struct storm_thread {
	struct storm *storm;
	int index;
};

/*
 * Each thread has a block of its own.  Half of them drop their page table entry
 * before they store again, so that there is a fault every time; the others store
 * as fast as they can.
 */
static void *store(void *arg)
{
	struct storm_thread *t = arg;
	volatile uint32_t *word = (void *)(t->storm->map + t->index * BLOCK);

	if (sigsetjmp(bus_back, 1)) {
		__atomic_add_fetch(&t->storm->ended, 1, __ATOMIC_SEQ_CST);
		return NULL;
	}
	for (uint32_t i = 1; !t->storm->stop; i++) {
		*word = i;
		t->storm->stores[t->index] = i;
		if (t->index % 2)
			madvise((void *)word, BLOCK, MADV_DONTNEED);
	}
	return NULL;
}

static void wait_for_stores(struct storm *s)
{
	uint64_t start = now_ms();

	for (int i = 0; i < THREADS; i++)
		while (s->stores[i] < 3 && now_ms() - start < 10000)
			sleep_ms(1);
	for (int i = 0; i < THREADS; i++)
		EXPECT(s->stores[i] >= 3);
}

/* The words as they lie in the memory. */
static void look(struct place *p, uint32_t words[THREADS])
{
	for (int i = 0; i < THREADS; i++)
		words[i] = *(volatile uint32_t *)(p->medium.base + MEDIUM_UNIT + i * BLOCK);
}

static void round_on(struct place *p)
{
	struct storm_thread threads[THREADS];
	uint32_t before[THREADS], after[THREADS];
	pthread_t ids[THREADS];
	struct storm storm = { 0 };
	int fd = place_client(p, O_CLOEXEC);

	storm.map = mmap(NULL, THREADS * BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ASSERT(storm.map != MAP_FAILED);
	for (int i = 0; i < THREADS; i++) {
		threads[i] = (struct storm_thread){ &storm, i };
		ASSERT(!pthread_create(&ids[i], NULL, store, &threads[i]));
	}
	wait_for_stores(&storm);
	EXPECT_EQ(pool_detach(NAME, MARU_L1_DETACH_FORCE), 0);
	look(p, before);
	sleep_ms(200);
	storm.stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	look(p, after);
	EXPECT_EQ(storm.ended, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (before[i] != after[i])
			TAP_FAIL("thread %d stored %u after the detach had returned (%u was the last before)",
				 i, after[i], before[i]);
	munmap(storm.map, THREADS * BLOCK);
	close(fd);
	close(p->observer);
	medium_close(&p->medium);
}

static void rounds(bool dax)
{
	struct sigaction act = { .sa_handler = on_bus }, was;

	sigaction(SIGBUS, &act, &was);
	for (int i = 0; i < ROUNDS; i++) {
		struct place p;

		if (!(dax ? place_begin_dax(&p, NAME, 20) : place_begin(&p, NAME, 20)))
			break;
		round_on(&p);
		/* Only then is a device let go of. */
		sleep_ms(20 + GRACE_MS);
	}
	sigaction(SIGBUS, &was, NULL);
}

static void revoke_memfd(void)
{
	rounds(false);
}

static void revoke_dax(void)
{
	if (!getenv("MARU_DAX"))
		SKIP("MARU_DAX names no device-dax node");
	rounds(true);
}

/* The same with faults that take long: the detach waits for those under way. */
static void delayed(bool dax)
{
	FILE *file = fopen(FAULT_DELAY, "w");

	if (!file)
		SKIP("not a debug build: no fault can be held");
	fprintf(file, "50\n");
	fclose(file);
	rounds(dax);
	file = fopen(FAULT_DELAY, "w");
	ASSERT(file);
	fprintf(file, "0\n");
	fclose(file);
}

static void delayed_memfd(void)
{
	delayed(false);
}

static void delayed_dax(void)
{
	if (!getenv("MARU_DAX"))
		SKIP("MARU_DAX names no device-dax node");
	delayed(true);
}

const struct tap_case revoke_cases[] = {
	{ "revoke", "no store gets through after a forced detach of a memfd", revoke_memfd },
	{ "revoke-dax", "no store gets through after a forced detach of a device", revoke_dax },
	{ "revoke-delayed", "nor when faults are held under way (debug build)", delayed_memfd },
	{ "revoke-delayed-dax", "nor on a device (debug build)", delayed_dax },
};
CASES(revoke_cases);
