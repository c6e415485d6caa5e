// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * reader URI KEY...
 *
 * Reads objects in place: one call takes holds on all keys, the bytes are used where
 * they lie, one call gives the holds back.  Prints size and sum of each object.
 *
 * Exit status: 0 all were there, 1 some were not, 2 something went wrong.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libmarul1.h>

struct reader {
	struct marul1_ctx *ctx;
	struct marul1_pool *pool;
	struct marul1_client *client;
};

static int failed(const char *what, int error)
{
	fprintf(stderr, "reader: %s: %s\n", what, strerror(-error));
	return 2;
}

/* Stands for what a cache server does with the bytes. */
static uint64_t use(const uint8_t *bytes, uint64_t length)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < length; i++)
		sum += bytes[i];
	return sum;
}

static int reader_open(struct reader *reader, const char *uri)
{
	int err;

	err = marul1_new(&reader->ctx);
	if (!err)
		err = marul1_open(reader->ctx, uri, &reader->pool);
	if (!err)
		err = marul1_client_open(reader->pool, MARUL1_RDONLY, &reader->client);
	/* Before the first read: a pointer to an object needs the mapping. */
	if (!err)
		err = marul1_map(reader->client, 0, NULL, NULL);
	return err;
}

/* Also of a reader that was not opened as a whole. */
static void reader_close(struct reader *reader)
{
	marul1_client_close(reader->client);
	marul1_pool_unref(reader->pool);
	marul1_unref(reader->ctx);
}

/* NULL: the pool is gone. */
static const uint8_t *bytes_of(struct reader *reader, const struct marul1_read *read)
{
	const uint8_t *bytes = marul1_ptr(reader->client, read->offset, read->length);

	/* The pool has grown since it was mapped, and the object is in the new part. */
	if (!bytes && !marul1_map(reader->client, 0, NULL, NULL))
		bytes = marul1_ptr(reader->client, read->offset, read->length);
	return bytes;
}

/* Return: how many of @n were not there. */
static int use_all(struct reader *reader, const struct marul1_read *reads, size_t n)
{
	int missing = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *bytes;

		if (reads[i].status != MARU_L1_OK) {
			/* NOT_FOUND, or NOT_READABLE while this client writes it: a miss. */
			printf("%s: %s\n", (char *)reads[i].key,
			       marul1_status_name(reads[i].status));
			missing++;
			continue;
		}
		bytes = bytes_of(reader, &reads[i]);
		if (!bytes) {
			printf("%s: cannot be mapped\n", (char *)reads[i].key);
			missing++;
			continue;
		}
		printf("%s: %" PRIu64 " bytes, sum %" PRIu64 "\n", (char *)reads[i].key,
		       reads[i].length, use(bytes, reads[i].length));
	}
	return missing;
}

/* By id: that of the object which was read, whatever the key names by now. */
static int release_all(struct reader *reader, const struct marul1_read *reads, size_t n)
{
	struct marul1_release *items = calloc(n, sizeof(*items));
	size_t held = 0;
	int err;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (reads[i].status == MARU_L1_OK)
			items[held++] = (struct marul1_release){ .id = reads[i].id, .holds = 1 };
	err = marul1_release(reader->client, items, held);
	for (size_t i = 0; !err && i < held; i++)
		/*
		 * STALE or NOT_HELD: the hold ended while the bytes were in use.
		 * CLAMPED: fewer were held than given back, so a count is wrong here.
		 */
		if (items[i].status != MARU_L1_OK || items[i].result & MARU_L1_R_CLAMPED)
			err = -ESTALE;
	free(items);
	return err;
}

static int read_keys(struct reader *reader, char **keys, size_t n)
{
	struct marul1_read *reads = calloc(n, sizeof(*reads));
	int err, missing = 0;
	uint64_t epoch;

	if (!reads)
		return failed("calloc", -ENOMEM);
	for (size_t i = 0; i < n; i++)
		reads[i] = (struct marul1_read){
			.key = keys[i], .key_len = strlen(keys[i]), .holds = 1,
		};
	/* Before the holds are taken: one that ends at once must be noticed. */
	epoch = marul1_epoch(reader->client);
	err = marul1_reserve_read(reader->client, 0, reads, n);
	if (!err) {
		missing = use_all(reader, reads, n);
		/* No system call.  False: some hold has ended, so ask for each. */
		if (!marul1_valid(reader->client, epoch))
			fprintf(stderr, "reader: a hold has ended meanwhile\n");
		err = release_all(reader, reads, n);
	}
	free(reads);
	if (err)
		return failed("read", err);
	return missing ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct reader reader = { 0 };
	int ret;

	if (argc < 3) {
		fprintf(stderr, "usage: reader URI KEY...\n");
		return 2;
	}
	ret = reader_open(&reader, argv[1]);
	if (ret)
		ret = failed(argv[1], ret);
	else
		ret = read_keys(&reader, argv + 2, argc - 2);
	reader_close(&reader);
	return ret;
}
