// SPDX-License-Identifier: GPL-2.0-only
/* The accounts of a pool against what a case says that it did. */
#include "util.h"

#define FAIL_AT(file, line, ...) do {					\
	__atomic_add_fetch(&tap_now.failures, 1, __ATOMIC_SEQ_CST);	\
	printf("# %s:%d: ", file, line);				\
	printf(__VA_ARGS__);						\
	printf("\n");							\
} while (0)

struct maru_l1_usage usage(struct marul1_client *c)
{
	struct maru_l1_usage u;
	int err;

	memset(&u, 0xcc, sizeof(u));
	err = marul1_usage(c, &u);
	EXPECT_EQ(err, 0);
	return u;
}

static void equal_at(const char *file, int line, const char *what,
		     uint64_t got, uint64_t want)
{
	if (got != want)
		FAIL_AT(file, line, "%s is %" PRIu64 ", expected %" PRIu64,
			what, got, want);
}

/* Invariant 1, in bytes. */
void sums_at(const char *file, int line, const struct maru_l1_usage *u)
{
	equal_at(file, line, "used", u->used,
		 u->staged + u->private_bytes + u->published + u->zombie +
		 u->quarantined + u->limbo + u->retired);
	equal_at(file, line, "available + used + rounding",
		 u->available + u->used + u->rounding, u->total);
	if (u->rounding > u->total)
		FAIL_AT(file, line, "more is used and available than there is");
	if (u->extents > u->max_objects)
		FAIL_AT(file, line, "more extents in use than the limit");
}

void accounts_at(const char *file, int line, struct fix *f,
		 const struct maru_l1_usage *got, const struct accounts *want)
{
	struct maru_l1_usage u = *got, *b = &f->before;
	uint64_t pages = want->staged + want->private_objects +
			 want->published + want->zombie + want->quarantined;

	sums_at(file, line, &u);
	equal_at(file, line, "staged", u.staged - b->staged,
		 want->staged * PAGE);
	equal_at(file, line, "private", u.private_bytes - b->private_bytes,
		 want->private_objects * PAGE);
	equal_at(file, line, "published", u.published - b->published,
		 want->published * PAGE);
	equal_at(file, line, "zombie", u.zombie - b->zombie,
		 want->zombie * PAGE);
	equal_at(file, line, "quarantined", u.quarantined - b->quarantined,
		 want->quarantined * PAGE);
	equal_at(file, line, "orphan pins", u.orphan_pins - b->orphan_pins,
		 want->orphan_pins);
	equal_at(file, line, "objects", u.objects - b->objects,
		 want->published);
	equal_at(file, line, "extents", u.extents - b->extents, pages);
	equal_at(file, line, "limbo", u.limbo, 0);
	equal_at(file, line, "what the watching client has",
		 u.my_staged + u.my_private + u.my_held + u.my_holds +
		 u.my_unacked, 0);
}

void mine_at(const char *file, int line, struct marul1_client *c,
	     const struct mine *want)
{
	struct maru_l1_usage u = usage(c);

	equal_at(file, line, "my staged", u.my_staged, want->staged);
	equal_at(file, line, "my staged bytes", u.my_staged_bytes,
		 want->staged * PAGE);
	equal_at(file, line, "my private", u.my_private, want->private_objects);
	equal_at(file, line, "my private bytes", u.my_private_bytes,
		 want->private_objects * PAGE);
	equal_at(file, line, "my held", u.my_held, want->held);
	equal_at(file, line, "my holds", u.my_holds, want->holds);
	equal_at(file, line, "my unacknowledged", u.my_unacked, want->unacked);
	equal_at(file, line, "my unacknowledged bytes", u.my_unacked_bytes,
		 want->unacked * PAGE);
}

void check_at(const char *file, int line, struct marul1_client *c)
{
	struct maru_l1_difference d[8];
	struct maru_l1_check check = {
		.nr_items = ARRAY_SIZE(d),
		.items = (uintptr_t)d,
	};
	int err = marul1_check(c, &check);

	if (err) {
		FAIL_AT(file, line, "check: %s", strerror(-err));
		return;
	}
	if (check.differences)
		FAIL_AT(file, line, "check finds %" PRIu64 " differences",
			(uint64_t)check.differences);
	for (uint32_t i = 0; i < check.nr_items; i++)
		printf("#   %s: id %#" PRIx64 ", recorded %" PRIu64
		       ", found %" PRIu64 "\n",
		       marul1_account_name(d[i].account), (uint64_t)d[i].id,
		       (uint64_t)d[i].recorded, (uint64_t)d[i].found);
}
