// SPDX-License-Identifier: GPL-2.0-only
/* A program as a user writes it: only the header and the library. */
#include <libmarul1.h>
#include <string.h>

int main(void)
{
	struct marul1_client *client;
	struct marul1_pool *pool;
	struct marul1_ctx *ctx;
	uint64_t length = 16;
	uint32_t layout;
	char text[16];

	if (marul1_new(&ctx) || marul1_open(ctx, "embedded:2M", &pool) ||
	    marul1_client_open(pool, 0, &client) ||
	    marul1_layout(client, 64, 0, &layout) ||
	    marul1_put(client, layout, "key", 3, "hello", 6, NULL) ||
	    marul1_get(client, "key", 3, text, &length, NULL))
		return 1;
	marul1_client_close(client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	return strcmp(text, "hello") ? 2 : 0;
}
