// SPDX-License-Identifier: GPL-2.0-only
// The header is C++ as well, and its functions are found under their C names.
#include <libmarul1.h>
#include <cstring>
#include <vector>

int main()
{
	marul1_ctx *ctx = nullptr;
	marul1_pool *pool = nullptr;
	marul1_client *client = nullptr;
	std::vector<marul1_read> items(2);

	if (marul1_new(&ctx) || marul1_open(ctx, "embedded:2M", &pool) ||
	    marul1_client_open(pool, 0, &client))
		return 1;
	items[0].key = "a";
	items[0].key_len = 1;
	items[1].key = "b";
	items[1].key_len = 1;
	if (marul1_reserve_read(client, 0, items.data(), items.size()))
		return 2;
	marul1_client_close(client);
	marul1_pool_unref(pool);
	marul1_unref(ctx);
	for (const marul1_read &item : items)
		if (std::strcmp(marul1_status_name(item.status), "NOT_FOUND"))
			return 3;
	return 0;
}
