/* SPDX-License-Identifier: GPL-2.0-only */
/* What a command line can go on with, for the scripts of 'completion'. */
#ifndef MARU_CTL_COMPLETE_H
#define MARU_CTL_COMPLETE_H

/*
 * @words: what follows the program's name, the last one being typed still.  Prints
 * what it can become, one a line, with a tab and a description where there is one;
 * ":files" says that a file can stand there.
 */
void complete(int nr, char **words);

#endif
