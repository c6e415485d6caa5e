// SPDX-License-Identifier: GPL-2.0-only
/* Steps that many cases begin with. */
#include "one.h"

uint64_t stage(struct fix *f, struct marul1_client *c, struct key k)
{
	struct marul1_reserve r = { 0 };

	IS(reserve1(c, f->page, k, PAGE, 0, &r), OK);
	return r.id;
}

uint64_t stage_temp(struct fix *f, struct marul1_client *c, struct key k)
{
	struct marul1_reserve r = { 0 };

	IS(reserve_temp1(c, f->page, k, PAGE, 0, &r), OK);
	return r.id;
}

uint64_t publish_held(struct fix *f, struct marul1_client *c, struct key k,
		      uint32_t holds)
{
	uint64_t id = stage(f, c, k);

	IS(commit1(c, k, 0, holds, id, NULL), OK);
	return id;
}

uint64_t publish(struct fix *f, struct marul1_client *c, struct key k)
{
	return publish_held(f, c, k, 0);
}

uint64_t make_private(struct fix *f, struct marul1_client *c, struct key k,
		      uint32_t holds)
{
	uint64_t id = stage_temp(f, c, k);

	IS(commit1(c, k, 0, holds, id, NULL), OK, PRIVATE);
	return id;
}

uint64_t hold(struct marul1_client *c, struct key k, uint32_t holds)
{
	struct marul1_read r = { 0 };
	answer_t a = read1(c, k, holds, &r);

	if (a != ANSWER(MARU_L1_OK, MARU_L1_R_PRIVATE))
		IS(a, OK);
	return r.id;
}

uint64_t expired_write(struct fix *f, struct marul1_client *c, struct key k)
{
	uint64_t id = stage(f, c, k);

	pass(SHORT_MS);
	return id;
}

uint8_t *map_pool(struct marul1_client *c)
{
	void *base = NULL;
	uint64_t length = 0;
	int err = marul1_map(c, 0, &base, &length);

	EXPECT_EQ(err, 0);
	return err ? NULL : base;
}
