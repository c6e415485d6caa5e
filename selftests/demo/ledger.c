// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "ledger.h"

#define ACCOUNT(name, field) { name, offsetof(struct maru_l1_usage, field) }

struct account {
	const char *name;
	size_t field;
};

/* Every byte of the pool is in exactly one of these (invariant 1). */
static const struct account parts[] = {
	ACCOUNT("free", available),
	ACCOUNT("staged", staged),
	ACCOUNT("private", private_bytes),
	ACCOUNT("published", published),
	ACCOUNT("zombie", zombie),
	ACCOUNT("quarantine", quarantined),
	ACCOUNT("limbo", limbo),
	ACCOUNT("retired", retired),
	ACCOUNT("rounding", rounding),
};

static const struct account counts[] = {
	ACCOUNT("objects", objects),
	ACCOUNT("orphan pins", orphan_pins),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static uint64_t value(const struct maru_l1_usage *usage, const struct account *a)
{
	return *(const __u64 *)((const char *)usage + a->field);
}

static uint64_t sum(const struct maru_l1_usage *usage)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < COUNT(parts); i++)
		bytes += value(usage, &parts[i]);
	return bytes;
}

void ledger_note(struct ledger *ledger, const char *moment,
		 const struct maru_l1_usage *usage)
{
	if (ledger->columns == LEDGER_COLUMNS)
		return;
	ledger->moment[ledger->columns] = moment;
	ledger->usage[ledger->columns++] = *usage;
}

int ledger_sound(const struct ledger *ledger)
{
	int sound = 0;

	for (int i = 0; i < ledger->columns; i++) {
		const struct maru_l1_usage *u = &ledger->usage[i];

		sound += sum(u) == u->total &&
			 sum(u) - u->available - u->rounding == u->used;
	}
	return sound;
}

static void print_rule(const struct ledger *ledger)
{
	printf("  ------------");
	for (int i = 0; i < ledger->columns; i++)
		printf("--------");
	printf("\n");
}

static void print_bytes(uint64_t bytes)
{
	if (bytes % (1 << 20))
		printf("%8.1f", bytes / (double)(1 << 20));
	else
		printf("%8llu", (unsigned long long)bytes >> 20);
}

static void print_row(const struct ledger *ledger, const struct account *a,
		      bool bytes)
{
	printf("  %-12s", a->name);
	for (int i = 0; i < ledger->columns; i++) {
		uint64_t n = value(&ledger->usage[i], a);

		if (bytes)
			print_bytes(n);
		else
			printf("%8llu", (unsigned long long)n);
	}
	printf("\n");
}

void ledger_print(const struct ledger *ledger)
{
	const struct account total = ACCOUNT("the pool", total);

	printf("\n  %-12s", "MiB");
	for (int i = 0; i < ledger->columns; i++)
		printf("%8s", ledger->moment[i]);
	printf("\n");
	print_rule(ledger);
	for (size_t i = 0; i < COUNT(parts); i++)
		print_row(ledger, &parts[i], true);
	print_rule(ledger);
	printf("  %-12s", "sum");
	for (int i = 0; i < ledger->columns; i++)
		print_bytes(sum(&ledger->usage[i]));
	printf("\n");
	print_row(ledger, &total, true);
	print_rule(ledger);
	for (size_t i = 0; i < COUNT(counts); i++)
		print_row(ledger, &counts[i], false);
	printf("\n");
}
