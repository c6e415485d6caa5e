/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DEMO_MEMFD_H
#define DEMO_MEMFD_H

/*
 * Makes memory that can be a backing, @size with M or G, prints a path that
 * opens to it, and waits for the end of stdin.  Return: exit status.
 */
int memfd_main(const char *size);

#endif
