/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * crc32c() is in linux/crc32.h.  Where linux/crc32c.h is left it is a module's,
 * and linux/crc32.h has the same, built in, under another name; Kbuild looks.
 */
#ifndef MARU_COMPAT_CRC32C_H
#define MARU_COMPAT_CRC32C_H

#include <linux/crc32.h>

#ifdef MARU_HAVE_CRC32C_H
#define crc32c(crc, p, n)	__crc32c_le(crc, p, n)
#endif

#endif
