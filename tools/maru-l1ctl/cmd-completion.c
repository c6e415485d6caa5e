// SPDX-License-Identifier: GPL-2.0-only
/* completion: scripts that make shells ask us; the answers are in complete.c. */
#include <stdio.h>
#include <string.h>
#include "verbs.h"

static const char bash[] =
	"# bash completion of maru-l1ctl, by the program itself\n"
	"_maru_l1ctl() {\n"
	"\tlocal line\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase $line in\n"
	"\t\t:files) compopt -o filenames -o default ;;\n"
	"\t\t*) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
	"\t\tesac\n"
	"\tdone < <(\"${COMP_WORDS[0]}\" complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	"}\n"
	"complete -F _maru_l1ctl maru-l1ctl\n";

static const char zsh[] =
	"#compdef maru-l1ctl\n"
	"# zsh completion of maru-l1ctl, by the program itself\n"
	"_maru-l1ctl() {\n"
	"\tlocal line files=\n"
	"\tlocal -a found\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tif [[ $line == :files ]]; then\n"
	"\t\t\tfiles=yes\n"
	"\t\telse\n"
	"\t\t\tfound+=(\"${${line//:/\\\\:}/$'\\t'/:}\")\n"
	"\t\tfi\n"
	"\tdone < <(\"${words[1]}\" complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
	"\t(( $#found )) && _describe -V maru-l1ctl found\n"
	"\t[[ -z $files ]] || _files\n"
	"}\n"
	"if [[ ${funcstack[1]} == _maru-l1ctl ]]; then\n"
	"\t_maru-l1ctl \"$@\"\n"
	"else\n"
	"\tcompdef _maru-l1ctl maru-l1ctl\n"
	"fi\n";

int cmd_completion(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = { OPTIONS_ALL };
	const char *shell;

	while (next_option(verb, argc, argv, options) != -1)
		usage(verb, "there is no JSON of this");
	shell = arguments(verb, argc, argv, 1)[0];
	if (!strcmp(shell, "bash"))
		fputs(bash, stdout);
	else if (!strcmp(shell, "zsh"))
		fputs(zsh, stdout);
	else
		usage(verb, "bash or zsh, not %s", shell);
	return CTL_OK;
}
