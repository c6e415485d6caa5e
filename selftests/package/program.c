// SPDX-License-Identifier: GPL-2.0-only
/*
 * program URI: a program of a user, built by what pkg-config says. It stores an
 * object in the pool and reads it back.
 */
#include <libmarul1.h>
#include <linux/maru_l1.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	return 1;
}

int main(int argc, char **argv)
{
	struct marul1_client *client;
	struct marul1_pool *pool;
	struct marul1_ctx *ctx;
	uint32_t layout;
	uint64_t length = 16;
	char text[16];
	int err;

	if (argc != 2)
		return 2;
	err = marul1_new(&ctx);
	if (err)
		return fail("marul1_new", err);
	err = marul1_open(ctx, argv[1], &pool);
	if (err)
		return fail(argv[1], err);
	err = marul1_client_open(pool, 0, &client);
	if (err)
		return fail("marul1_client_open", err);
	err = marul1_layout(client, 64, 0, &layout);
	if (!err)
		err = marul1_put(client, layout, "key", 3, "hello", 6, NULL);
	if (!err)
		err = marul1_get(client, "key", 3, text, &length, NULL);
	if (err)
		return fail("put and get", err);
	marul1_client_close(client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return strcmp(text, "hello") ? 3 : 0;
}
