/* SPDX-License-Identifier: GPL-2.0-only */
/* Printing the story: sentences with their mark, and numbers for people. */
#ifndef DEMO_SAY_H
#define DEMO_SAY_H

#include <stdbool.h>
#include <stdint.h>

struct number {
	char text[32];
};

/* "37,748,736" */
struct number grouped(uint64_t n);
/* "36 MiB", "0.1 MiB" */
struct number mib(uint64_t bytes);

/* Takes the marks from the locale; call it first. */
void say_setup(void);
void say_title(const char *text);
/* Prints a sentence that is true or not. Return: @truth. */
bool say(bool truth, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
