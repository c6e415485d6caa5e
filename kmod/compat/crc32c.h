/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* crc32c() moved from linux/crc32c.h to linux/crc32.h. */
#ifndef MARU_COMPAT_CRC32C_H
#define MARU_COMPAT_CRC32C_H

#if __has_include(<linux/crc32c.h>)
#include <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

#endif
