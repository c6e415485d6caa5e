/* SPDX-License-Identifier: GPL-2.0-only */
/* The cases, by noun. main.c runs them in this order. */
#ifndef CONTRACT_TABLES_H
#define CONTRACT_TABLES_H

#include "util.h"

extern const struct case_table write_cases, full_cases, commit_cases,
	private_cases, abort_cases, read_cases, release_cases, lease_cases,
	delete_cases, force_cases, evict_cases, room_cases,
	recency_cases, query_cases, usage_cases, layout_cases, rule_cases,
	together_cases, events_cases, status_page_cases,
	close_cases, process_cases, readonly_cases, key_cases, size_cases,
	rounding_cases, churn_cases, race_cases, elsewhere_cases,
	media_cases, detach_cases;

#endif /* CONTRACT_TABLES_H */
