// SPDX-License-Identifier: GPL-2.0-only
/*
 * The contract suite: what every operation answers, row by row, on either
 * engine. The id of a case is the row that it holds; rows lists them.
 */
#include "tables.h"

static const struct case_table *const tables[] = {
	&write_cases, &full_cases, &commit_cases, &private_cases, &abort_cases,
	&read_cases, &release_cases, &lease_cases, &delete_cases, &force_cases,
	&evict_cases, &room_cases, &recency_cases, &query_cases, &usage_cases, &rule_cases,
	&together_cases, &events_cases, &status_page_cases, &close_cases,
	&process_cases, &readonly_cases, &key_cases, &size_cases,
	&rounding_cases, &churn_cases, &race_cases, &elsewhere_cases,
	/* From here on they use up what cannot be given back. */
	&media_cases, &layout_cases, &detach_cases,
};

int main(int argc, char **argv)
{
	static struct tap_case cases[400];
	size_t n = 0;
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (n + tables[i]->n > ARRAY_SIZE(cases)) {
			fprintf(stderr, "contract: too many cases\n");
			return 2;
		}
		memcpy(cases + n, tables[i]->cases,
		       tables[i]->n * sizeof(cases[0]));
		n += tables[i]->n;
	}
	if (pools_open())
		return 2;
	status = tap_run(suite_name(), cases, n, argc, argv);
	pools_close();
	return status;
}
