/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* crc32c() moved from linux/crc32c.h to linux/crc32.h; Kbuild looks where it is. */
#ifndef MARU_COMPAT_CRC32C_H
#define MARU_COMPAT_CRC32C_H

#ifdef MARU_HAVE_CRC32C_H
#include <linux/crc32c.h>
#else
#include <linux/crc32.h>
#endif

#endif
