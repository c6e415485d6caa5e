// SPDX-License-Identifier: GPL-2.0-only
/* URIs of pools as libmarul1 takes them. */

#include <regex.h>
#include <string.h>
#include "fuzz.h"
#include "internal.h"

#define EMBEDDED	"embedded:"
#define SYNTAX		"^[0-9]+[KMGT]?(,(max_objects=[0-9]+|quarantine_ms=[0-9]+|" \
			"max_client_bytes=[0-9]+[KMGT]?|coherent=[01]))*$"

static struct marul1_ctx *ctx;
static regex_t syntax;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	FUZZ_EXPECT(!marul1_new(&ctx));
	FUZZ_EXPECT(!regcomp(&syntax, SYNTAX, REG_EXTENDED | REG_NOSUB));
	return 0;
}

static void options(const char *text)
{
	struct embedded_options o;
	int err = embedded_options_parse(ctx, text, &o);

	FUZZ_EXPECT(!err || err == -EINVAL);
	if (err)
		return;
	FUZZ_EXPECT(!regexec(&syntax, text, 0, NULL, 0));
	FUZZ_EXPECT(o.bytes && o.bytes % ALIGN_2M == 0 && o.bytes <= INT64_MAX);
	FUZZ_EXPECT(o.max_objects <= 16 << 20);
	FUZZ_EXPECT(o.quarantine_ms <= MARU_L1_QUARANTINE_MS_MAX);
	FUZZ_EXPECT(o.max_client_bytes <= INT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = malloc(size + 1);
	struct marul1_pool *pool;

	memcpy(text, bytes, size);
	text[size] = '\0';
	options(text);
	/* Memory of any size is not made here, nor a node opened. */
	if (strncmp(text, EMBEDDED, strlen(EMBEDDED))) {
		if (!marul1_open(ctx, text, &pool)) {
			FUZZ_EXPECT(!strncmp(text, "device:", 7));
			marul1_pool_unref(pool);
		}
	} else {
		options(text + strlen(EMBEDDED));
	}
	free(text);
	return 0;
}
