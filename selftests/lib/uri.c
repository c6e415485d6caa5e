// SPDX-License-Identifier: GPL-2.0-only
/* Where a pool is: what is accepted, and that all else is refused with advice. */
#include "internal.h"
#include "lib.h"

static const char *const bad[] = {
	"", "embedded", "device", "embedded:", "device:", " embedded:2M",
	"EMBEDDED:2M", "file:/tmp/x", "embedded:512M ", "embedded: 512M",
	"embedded:+2M", "embedded:-2M", "embedded:0", "embedded:0M", "embedded:M",
	"embedded:1", "embedded:1M", "embedded:3M", "embedded:2m", "embedded:2MB",
	"embedded:2MiB", "embedded:2P", "embedded:2KM", "embedded:0x200000",
	"embedded:2.5G", "embedded:2097153", "embedded:18446744073709551616",
	"embedded:9223372036854775808", "embedded:18446744073711648768",
	"embedded:16777216T", "embedded:8388608T", "embedded:99999999999999999999T",
	"embedded:2M,", "embedded:2M,,coherent=1", "embedded:2M,coherent",
	"embedded:2M;coherent=1", "embedded:2M,coherent=", "embedded:2M,coherent=2",
	"embedded:2M,coherent=01", "embedded:2M,coherent=yes",
	"embedded:2M,coherent=1,coherent=1", "embedded:2M,coherent=0,coherent=1",
	"embedded:2M,Coherent=1", "embedded:2M,max_objects=0",
	"embedded:2M,max_objects=", "embedded:2M,max_objects=-1",
	"embedded:2M,max_objects=1K", "embedded:2M,max_objects=16777217",
	"embedded:2M,max_objects=1,max_objects=1",
	"embedded:2M,max_objects=18446744073709551617", "embedded:2M,max_object=1",
	"embedded:2M,max_objects_=1", "embedded:2M,max_objects=1 ",
	"embedded:2M,quarantine_ms=0", "embedded:2M,quarantine_ms=600001",
	"embedded:2M,quarantine_ms=1s", "embedded:2M,quarantine_ms=1.5",
	"embedded:2M,max_client_bytes=0", "embedded:2M,max_client_bytes=0G",
	"embedded:2M,max_client_bytes=8388608T",
	"embedded:2M,=1", "embedded:2M,unknown=1", "embedded:max_objects=1,2M",
	"device:/", "device:.", "device:..", "device:.pool", "device:a/b",
	"device:../null", "device:/dev/null", "device:/dev/maru_l1/",
	"device:/dev/maru_l1/../null", "device:/dev/maru_l1/.pool",
	"device:/dev/maru_l1//pool", "device:/dev/maru_l1/a/b",
	"device:/dev/maru_l1", "device:dev/maru_l1/pool", "device:pool ",
	"device:po ol", "device:pool\n", "device:p\xc3\xb6l", "device:pool,x=1",
	"device:control", "device:/dev/maru_l1/control",
	"device:a2345678901234567890123456789012",
};

static void bad_uris(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct lib l;
		int err = lib_open(&l, bad[i], 0);

		if (err != -EINVAL)
			TAP_FAIL("\"%s\" gives %d", bad[i], err);
		if (l.log.messages != 1 || l.log.priority != LOG_ERR ||
		    !strstr(l.log.text, "write "))
			TAP_FAIL("\"%s\" logs: %s", bad[i], l.log.text);
		EXPECT(!l.pool);
		lib_close(&l);
	}
}

static void no_uri(void)
{
	struct lib l;

	EXPECT_EQ(lib_open(&l, NULL, 0), -EINVAL);
	EXPECT_EQ(l.log.messages, 1);
	lib_close(&l);
}

static void defaults(void)
{
	struct embedded_options o;
	struct lib l = { 0 };

	ASSERT(!marul1_new(&l.ctx));
	EXPECT_EQ(embedded_options_parse(l.ctx, "512M", &o), 0);
	EXPECT_EQ(o.bytes, 512 << 20);
	EXPECT_EQ(o.max_objects, 0);
	EXPECT_EQ(o.quarantine_ms, 0);
	EXPECT_EQ(o.max_client_bytes, 0);
	EXPECT_EQ(o.coherent, true);
	marul1_unref(l.ctx);
}

static void all_options(void)
{
	struct embedded_options o;
	struct lib l = { 0 };

	ASSERT(!marul1_new(&l.ctx));
	EXPECT_EQ(embedded_options_parse(l.ctx,
		"2T,coherent=0,max_client_bytes=3K,quarantine_ms=600000,max_objects=16777216",
		&o), 0);
	EXPECT_EQ(o.bytes, 2LL << 40);
	EXPECT_EQ(o.coherent, false);
	EXPECT_EQ(o.max_client_bytes, 3 << 10);
	EXPECT_EQ(o.quarantine_ms, 600000);
	EXPECT_EQ(o.max_objects, 16777216);
	EXPECT_EQ(embedded_options_parse(l.ctx, "2097152", &o), 0);
	EXPECT_EQ(o.bytes, 2 << 20);
	EXPECT_EQ(embedded_options_parse(l.ctx, "2048K,coherent=1", &o), 0);
	EXPECT_EQ(o.bytes, 2 << 20);
	EXPECT_EQ(o.coherent, true);
	EXPECT_EQ(embedded_options_parse(l.ctx, "8388607T", &o), 0);
	EXPECT_EQ(o.bytes, 8388607LL << 40);
	marul1_unref(l.ctx);
}

/* What was asked for is what the pool says of itself. */
static void options_reach_the_pool(void)
{
	struct maru_l1_info info;
	struct lib l;

	ASSERT(!lib_open(&l, "embedded:64M,max_objects=1000,quarantine_ms=77,"
			     "max_client_bytes=4M,coherent=0", 0));
	ASSERT(!marul1_info(l.client, &info));
	EXPECT_EQ(info.capacity, 64 << 20);
	EXPECT_EQ(info.max_objects, 1000);
	EXPECT_EQ(info.quarantine_ms, 77);
	EXPECT_EQ(info.max_client_bytes, 4 << 20);
	EXPECT_EQ(info.flags & (MARU_L1_I_COHERENT | MARU_L1_I_READ_ONLY), 0);
	EXPECT(!strcmp((char *)info.name, "embedded"));
	EXPECT_EQ(info.size, sizeof(info));
	EXPECT_EQ(info.nr_backings, 1);
	EXPECT_EQ(info.numa_node, -1);
	EXPECT_EQ(info.map_align, 2 << 20);
	lib_close(&l);

	ASSERT(!lib_open(&l, "embedded:2M", MARUL1_RDONLY));
	ASSERT(!marul1_info(l.client, &info));
	EXPECT_EQ(info.quarantine_ms, 2000);
	EXPECT_EQ(info.max_client_bytes, 0);
	EXPECT_EQ(info.flags & (MARU_L1_I_COHERENT | MARU_L1_I_READ_ONLY),
		  MARU_L1_I_COHERENT | MARU_L1_I_READ_ONLY);
	lib_close(&l);
}

/* The longest name is one byte shorter than the field. */
static void no_such_device(void)
{
	static const char *const names[] = {
		"device:no-such_pool.0", "device:/dev/maru_l1/no-such_pool.0",
		"device:a234567890123456789012345678901",
	};

	/* Whether this machine has the module: device.c tells the two apart by force. */
	int absent = access("/dev/maru_l1/control", F_OK) ? -ENODEV : -ENOENT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct lib l;

		EXPECT_EQ(lib_open(&l, names[i], 0), absent);
		EXPECT(strstr(l.log.text, "/dev/maru_l1/"));
		lib_close(&l);
	}
}

/* More than the machine can address: an error, not a crash. */
static void too_large(void)
{
	struct lib l;
	int err = lib_open(&l, "embedded:8388607T", 0);

	EXPECT(err == -ENOMEM || err == -EINVAL);
	EXPECT_EQ(l.log.priority, LOG_ERR);
	lib_close(&l);
}

static const struct tap_case cases[] = {
	{ "uri-bad", "malformed URIs are refused, the log says what to write", bad_uris },
	{ "uri-null", "no URI at all is refused", no_uri },
	{ "uri-defaults", "embedded:SIZE alone leaves the defaults", defaults },
	{ "uri-options", "all options in any order, with units", all_options },
	{ "uri-info", "the options are the pool's", options_reach_the_pool },
	{ "uri-device", "a device that does not exist is ENOENT, or ENODEV without the module", no_such_device },
	{ "uri-large", "a size beyond all memory is an error", too_large },
};

int main(int argc, char **argv)
{
	return tap_run("lib-uri", cases, ARRAY_SIZE(cases), argc, argv);
}
