// SPDX-License-Identifier: GPL-2.0-only
#include "one.h"

static const struct {
	uint32_t bit;
	const char *name;
} flag_names[] = {
	{ MARU_L1_R_LOST_RACE, "LOST_RACE" },
	{ MARU_L1_R_PRIVATE, "PRIVATE" },
	{ MARU_L1_R_NEEDS_INVALIDATE, "NEEDS_INVALIDATE" },
	{ MARU_L1_R_CLAMPED, "CLAMPED" },
	{ MARU_L1_R_CUT_OFF, "CUT_OFF" },
	{ MARU_L1_R_FENCED, "FENCED" },
};

static const char *answer_text(answer_t a, char *text, size_t size)
{
	uint32_t flags = a >> 32 & 0x7fffffff;
	int n;

	if (a >> 63) {
		snprintf(text, size, "errno %s", strerrorname_np((uint32_t)a));
		return text;
	}
	n = snprintf(text, size, "%s", marul1_status_name((uint32_t)a));
	for (size_t i = 0; i < ARRAY_SIZE(flag_names); i++)
		if (flags & flag_names[i].bit)
			n += snprintf(text + n, size - n, "+%s",
				      flag_names[i].name);
	if (flags & ~0x3fU)
		snprintf(text + n, size - n, "+%#x", flags);
	return text;
}

bool answer_at(const char *file, int line, const char *what, answer_t got,
	       answer_t want)
{
	char g[160], w[160];

	if (got == want)
		return true;
	__atomic_add_fetch(&tap_now.failures, 1, __ATOMIC_SEQ_CST);
	printf("# %s:%d: %s answers %s, expected %s\n", file, line, what,
	       answer_text(got, g, sizeof(g)), answer_text(want, w, sizeof(w)));
	return false;
}

#define POISON(r)	memset(&(r), 0xcc, sizeof(r))

/* An item that was not done tells no place and no id, not even an old one. */
static void expect_blank(const char *call, uint32_t status, uint64_t offset,
			 uint64_t size, uint64_t id)
{
	if (status != MARU_L1_OK && (offset || size || id))
		TAP_FAIL("%s answers %s with offset %" PRIu64 ", size %" PRIu64
			 ", id %#" PRIx64, call, marul1_status_name(status),
			 offset, size, id);
}

/* The answer of a call with one item @r, copied to @out when that is wanted. */
#define FINISH(err, r, out) do {					\
	if (err)							\
		return ANSWER_ERRNO(err);				\
	if (out)							\
		*(out) = (r);						\
	return ANSWER((r).status, (r).result);				\
} while (0)

void cookie_of(uint64_t id, uint8_t *cookie)
{
	uint64_t state = id, w[2] = { random_next(&state), id };

	memcpy(cookie, w, MARU_L1_COOKIE_LEN);
}

bool cookie_is(uint64_t id, const uint8_t *cookie)
{
	uint8_t want[MARU_L1_COOKIE_LEN];

	cookie_of(id, want);
	return !memcmp(cookie, want, sizeof(want));
}

static answer_t reserve_flags1(struct marul1_client *c, uint32_t layout_id,
			       struct key k, uint64_t length, uint64_t tag,
			       uint32_t flags, struct marul1_reserve *out)
{
	struct marul1_reserve r;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.length = length;
	r.tag = tag;
	r.flags = flags;
	err = marul1_reserve_write(c, layout_id, &r, 1);
	if (!err)
		expect_blank("reserve_write", r.status, r.offset, r.page_size,
			     r.id);
	FINISH(err, r, out);
}

answer_t reserve1(struct marul1_client *c, uint32_t layout_id, struct key k,
		  uint64_t length, uint64_t tag, struct marul1_reserve *out)
{
	return reserve_flags1(c, layout_id, k, length, tag, 0, out);
}

answer_t reserve_temp1(struct marul1_client *c, uint32_t layout_id,
		       struct key k, uint64_t length, uint64_t tag,
		       struct marul1_reserve *out)
{
	return reserve_flags1(c, layout_id, k, length, tag, MARU_L1_TEMPORARY,
			      out);
}

answer_t commit1(struct marul1_client *c, struct key k, uint64_t tag,
		 uint32_t holds, uint64_t cookie_id, struct marul1_commit *out)
{
	struct marul1_commit r;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.tag = tag;
	r.reservation = 0;
	r.holds = holds;
	cookie_of(cookie_id, r.cookie);
	err = marul1_commit(c, &r, 1);
	if (!err)
		expect_blank("commit", r.status, r.offset, r.length, r.id);
	FINISH(err, r, out);
}

static answer_t abort_one(struct marul1_client *c, struct key k, uint64_t tag,
			  uint64_t id)
{
	struct marul1_abort r, *none = NULL;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.tag = tag;
	r.id = id;
	err = marul1_abort(c, &r, 1);
	FINISH(err, r, none);
}

answer_t abort1(struct marul1_client *c, struct key k, uint64_t tag)
{
	return abort_one(c, k, tag, 0);
}

answer_t abort_id(struct marul1_client *c, uint64_t id)
{
	return abort_one(c, (struct key){ NULL, 0 }, 0, id);
}

static answer_t read_flags1(struct marul1_client *c, struct key k,
			    uint32_t holds, unsigned int flags,
			    struct marul1_read *out)
{
	struct marul1_read r;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.holds = holds;
	err = marul1_reserve_read(c, flags, &r, 1);
	if (!err)
		expect_blank("reserve_read", r.status, r.offset, r.length,
			     r.id);
	FINISH(err, r, out);
}

answer_t read1(struct marul1_client *c, struct key k, uint32_t holds,
	       struct marul1_read *out)
{
	return read_flags1(c, k, holds, 0, out);
}

answer_t read_strict1(struct marul1_client *c, struct key k, uint32_t holds,
		      struct marul1_read *out)
{
	return read_flags1(c, k, holds, MARU_L1_B_STRICT, out);
}

answer_t peek1(struct marul1_client *c, struct key k, struct marul1_read *out)
{
	struct marul1_read r;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.holds = 0;
	err = marul1_peek(c, &r, 1);
	if (!err)
		expect_blank("peek", r.status, r.offset, r.length, r.id);
	FINISH(err, r, out);
}

answer_t release1(struct marul1_client *c, struct key k, uint64_t id,
		  uint32_t holds, uint32_t *released)
{
	struct marul1_release r, *none = NULL;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.id = id;
	r.holds = holds;
	err = marul1_release(c, &r, 1);
	if (!err && r.status != MARU_L1_OK)
		EXPECT_EQ(r.released, 0);
	if (!err && released)
		*released = r.released;
	FINISH(err, r, none);
}

answer_t release_id(struct marul1_client *c, uint64_t id, uint32_t holds,
		    uint32_t *released)
{
	return release1(c, (struct key){ NULL, 0 }, id, holds, released);
}

answer_t renew1(struct marul1_client *c, struct key k, uint64_t id)
{
	struct marul1_renew r, *none = NULL;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	r.id = id;
	err = marul1_renew(c, &r, 1);
	FINISH(err, r, none);
}

answer_t renew_id(struct marul1_client *c, uint64_t id)
{
	return renew1(c, (struct key){ NULL, 0 }, id);
}

static answer_t delete_flags1(struct marul1_client *c, struct key k,
			      unsigned int flags, uint64_t *id)
{
	struct marul1_delete r, *none = NULL;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	err = marul1_delete(c, flags, &r, 1);
	if (!err && id)
		*id = r.id;
	FINISH(err, r, none);
}

answer_t delete1(struct marul1_client *c, struct key k, uint64_t *id)
{
	return delete_flags1(c, k, 0, id);
}

answer_t delete_force1(struct marul1_client *c, struct key k, uint64_t *id)
{
	return delete_flags1(c, k, MARU_L1_B_FORCE, id);
}

answer_t touch1(struct marul1_client *c, struct key k)
{
	struct marul1_touch r, *none = NULL;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	err = marul1_touch(c, &r, 1);
	FINISH(err, r, none);
}

answer_t query1(struct marul1_client *c, struct key k, struct marul1_query *out)
{
	struct marul1_query r;
	int err;

	POISON(r);
	r.key = k.bytes;
	r.key_len = k.len;
	err = marul1_query(c, &r, 1);
	FINISH(err, r, out);
}

uint32_t state_of(struct marul1_client *c, struct key k)
{
	struct marul1_query q;

	IS(query1(c, k, &q), OK);
	return q.state;
}
