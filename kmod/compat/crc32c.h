/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * crc32c() is in linux/crc32.h.  Before, that had the same, built in, under
 * another name, and crc32c() was a module's; Kbuild looks for the name.
 */
#ifndef MARU_COMPAT_CRC32C_H
#define MARU_COMPAT_CRC32C_H

#include <linux/crc32.h>

#ifdef MARU_HAVE_CRC32C_LE
#define crc32c(crc, p, n)	__crc32c_le(crc, p, n)
#endif

#endif
