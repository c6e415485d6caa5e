// SPDX-License-Identifier: GPL-2.0-only
/* Writes a model, JSON on standard input, as maru-l1ctl metrics does. */
#include <stdio.h>
#include <unistd.h>
#include "metrics.h"

int main(void)
{
	struct json_object *host = json_object_from_fd(STDIN_FILENO);

	if (!host) {
		fputs(json_util_get_last_err(), stderr);
		return 1;
	}
	metrics_write(stdout, host);
	json_object_put(host);
	return 0;
}
