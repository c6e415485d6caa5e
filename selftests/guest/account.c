// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include "account.h"
#include "raw.h"

#define FIELD(name) { #name, offsetof(struct maru_l1_usage, name) }

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	FIELD(total), FIELD(available), FIELD(used), FIELD(staged),
	FIELD(private_bytes), FIELD(published), FIELD(zombie),
	FIELD(quarantined), FIELD(limbo), FIELD(retired), FIELD(rounding),
	FIELD(objects), FIELD(max_objects), FIELD(extents), FIELD(orphan_pins),
	FIELD(my_staged), FIELD(my_staged_bytes), FIELD(my_private),
	FIELD(my_private_bytes), FIELD(my_held), FIELD(my_holds),
	FIELD(my_unacked), FIELD(my_unacked_bytes),
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static unsigned long long value(const struct maru_l1_usage *usage, size_t i)
{
	return *(const __u64 *)((const char *)usage + fields[i].offset);
}

uint64_t now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000ULL + now.tv_nsec / 1000;
}

uint64_t now_ms(void)
{
	return now_us() / 1000;
}

void sleep_ms(unsigned int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&left, &left))
		;
}

void account_print(const struct maru_l1_usage *usage)
{
	printf("#");
	for (size_t i = 0; i < NR_FIELDS; i++)
		if (value(usage, i))
			printf(" %s=%llu", fields[i].name, value(usage, i));
	printf("\n");
}

static bool check_finds_nothing(int fd)
{
	struct maru_l1_difference found[8] = { 0 };
	struct maru_l1_check check = {
		.size = sizeof(check),
		.nr_items = 8,
		.items = (uintptr_t)found,
	};
	int ret = raw_call(fd, MARU_L1_CHECK, &check);

	if (ret)
		printf("# CHECK answered %d\n", ret);
	for (uint32_t i = 0; !ret && i < check.nr_items; i++)
		printf("# account %u of object %#llx: recorded %llu, found %llu\n",
		       found[i].account, (unsigned long long)found[i].id,
		       (unsigned long long)found[i].recorded,
		       (unsigned long long)found[i].found);
	return !ret && !check.differences;
}

bool account_sound(int fd, struct maru_l1_usage *usage)
{
	struct maru_l1_usage own;
	int ret;

	usage = usage ? usage : &own;
	ret = raw_usage(fd, usage);
	if (ret) {
		printf("# USAGE answered %d\n", ret);
		return false;
	}
	if (usage->used != usage->staged + usage->private_bytes + usage->published +
			   usage->zombie + usage->quarantined + usage->limbo +
			   usage->retired ||
	    usage->total != usage->used + usage->available + usage->rounding) {
		printf("# the sums of the accounts are wrong\n");
		account_print(usage);
		return false;
	}
	return check_finds_nothing(fd);
}

bool account_idle(const struct maru_l1_usage *u)
{
	return !u->staged && !u->private_bytes && !u->zombie &&
	       !u->quarantined && !u->orphan_pins;
}

int account_settle(int fd, unsigned int limit_ms)
{
	struct maru_l1_usage usage;
	uint64_t start = now_ms();

	for (;;) {
		if (raw_usage(fd, &usage))
			return -1;
		if (account_idle(&usage))
			return now_ms() - start;
		if (now_ms() - start > limit_ms)
			break;
		sleep_ms(2);
	}
	account_print(&usage);
	return -1;
}

bool account_equal(const struct maru_l1_usage *a, const struct maru_l1_usage *b)
{
	bool equal = true;

	for (size_t i = 0; i < NR_FIELDS; i++) {
		if (value(a, i) == value(b, i))
			continue;
		printf("# %s was %llu, is %llu\n", fields[i].name, value(a, i), value(b, i));
		equal = false;
	}
	return equal;
}
