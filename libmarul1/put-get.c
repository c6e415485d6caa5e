// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Storing and fetching one object by copy. */
#include "internal.h"

#include <string.h>

#define CACHE_LINE	64

/*
 * Hosts that do not see each other's stores: lines are written back before the
 * commit and dropped before the first read.  clflush does both.
 */
#ifdef __x86_64__
static int flush_lines(const uint8_t *p, uint64_t length)
{
	const uint8_t *end = p + length;

	p -= (uintptr_t)p % CACHE_LINE;
	for (; p < end; p += CACHE_LINE)
		__builtin_ia32_clflush(p);
	__builtin_ia32_mfence();
	return 0;
}
#else
static int flush_lines(const uint8_t *p, uint64_t length)
{
	return -EOPNOTSUPP;
}
#endif

/* NOT_WRITABLE has two reasons: somebody was first, or this client is writing. */
static int why_not_writable(struct marul1_client *client, const void *key,
			    size_t key_len)
{
	struct marul1_query query = { .key = key, .key_len = key_len };
	int err = marul1_query(client, &query, 1);

	if (err)
		return err;
	return query.state == MARU_L1_S_STAGED ? -EBUSY : 0;
}

static int status_errno(uint32_t status)
{
	switch (status) {
	case MARU_L1_OK:
		return 0;
	case MARU_L1_NOT_FOUND:
	case MARU_L1_NOT_READABLE:
		return -ENOENT;
	case MARU_L1_NO_SPACE:
		return -ENOSPC;
	case MARU_L1_EXPIRED:
		return -ETIMEDOUT;
	case MARU_L1_NOT_HELD:
	case MARU_L1_STALE:
		return -ESTALE;
	default:
		return -EINVAL;
	}
}

/* Our own copying is over: nothing writes there any more. */
static void give_up(struct marul1_client *client, uint64_t id)
{
	struct marul1_abort item = { .id = id };

	if (marul1_abort(client, &item, 1))
		marul1_log(client->pool->ctx, LOG_WARNING,
			   "a reservation stays until its lease ends");
}

/* Bytes of the pool; mapped now if they are not yet. */
static int find_bytes(struct marul1_client *client, uint64_t offset,
		      uint64_t length, uint8_t **bytes)
{
	int err;

	*bytes = marul1_ptr(client, offset, length);
	if (*bytes)
		return 0;
	err = marul1_map(client, 0, NULL, NULL);
	if (err)
		return err;
	*bytes = marul1_ptr(client, offset, length);
	return *bytes ? 0 : -ENOMEM;
}

static int copy_in(struct marul1_client *client, uint64_t offset,
		   const void *data, uint64_t length)
{
	uint8_t *to;
	int err = find_bytes(client, offset, length, &to);

	if (err)
		return err;
	memcpy(to, data, length);
	return client->coherent ? 0 : flush_lines(to, length);
}

int marul1_put(struct marul1_client *client, uint32_t layout, const void *key,
	       size_t key_len, const void *data, uint64_t length,
	       const void *cookie)
{
	struct marul1_reserve write = {
		.key = key, .key_len = key_len, .length = length,
	};
	struct marul1_commit commit = { .key = key, .key_len = key_len };
	int err;

	err = marul1_reserve_write(client, layout, &write, 1);
	if (err)
		return err;
	if (write.status == MARU_L1_NOT_WRITABLE)
		return why_not_writable(client, key, key_len);
	if (write.status != MARU_L1_OK)
		return status_errno(write.status);
	/* Another thread may put the key when this lease ends: not its bytes. */
	commit.reservation = write.id;
	err = copy_in(client, write.offset, data, length);
	if (!err && cookie)
		memcpy(commit.cookie, cookie, sizeof(commit.cookie));
	if (!err)
		err = marul1_commit(client, &commit, 1);
	if (!err)
		err = status_errno(commit.status);
	if (err)
		give_up(client, write.id);
	return err;
}

static int copy_out(struct marul1_client *client, const struct marul1_read *read,
		    void *buf, uint64_t room)
{
	uint8_t *from;
	int err;

	if (read->length > room)
		return -EMSGSIZE;
	err = find_bytes(client, read->offset, read->length, &from);
	if (!err && read->result & MARU_L1_R_NEEDS_INVALIDATE)
		err = flush_lines(from, read->length);
	if (!err)
		memcpy(buf, from, read->length);
	return err;
}

int marul1_get(struct marul1_client *client, const void *key, size_t key_len,
	       void *buf, uint64_t *length, void *cookie)
{
	struct marul1_read read = { .key = key, .key_len = key_len, .holds = 1 };
	struct marul1_release release = { .holds = 1 };
	int err, copied;

	err = marul1_reserve_read(client, 0, &read, 1);
	if (!err)
		err = status_errno(read.status);
	if (err)
		return err;
	copied = copy_out(client, &read, buf, *length);

	/*
	 * The answer OK is the proof that the bytes were good: the hold, taken
	 * before the copy, lived until after it.
	 */
	release.id = read.id;
	err = marul1_release(client, &release, 1);
	if (!err)
		err = status_errno(release.status);
	if (err)
		return err == -ENOENT ? -ESTALE : err;
	*length = read.length;
	if (!copied && cookie)
		memcpy(cookie, read.cookie, sizeof(read.cookie));
	return copied;
}
