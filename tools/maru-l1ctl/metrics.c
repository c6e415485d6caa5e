// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <linux/maru_l1.h>
#include "libmarul1.h"
#include "metrics.h"
#include "print.h"

/* Shorter calls are in the first bucket, longer ones only in +Inf: 1 us to 17 s. */
#define BUCKET_FIRST	10
#define BUCKET_LAST	34

/**
 * struct metric - one name
 * @name: without the prefix
 * @type: of Prometheus
 * @help: one line
 * @part: where in a pool's model its numbers are; NULL: the pool's own
 * @key: there
 * @series: writes those of one pool
 */
struct metric {
	const char *name;
	const char *type;
	const char *help;
	const char *part;
	const char *key;
	void (*series)(FILE *out, const struct metric *metric, struct json_object *pool);
};

static struct json_object *part(struct json_object *model, const char *key)
{
	struct json_object *found = NULL;

	json_object_object_get_ex(model, key, &found);
	return found;
}

/* Texts come escaped to ASCII; what is special here is escaped once more. */
static void write_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

/* Up to the last label; @suffix: of a histogram. */
static void begin(FILE *out, const struct metric *metric, const char *suffix,
		  struct json_object *pool)
{
	fprintf(out, "maru_l1_%s%s{", metric->name, suffix);
	write_label(out, "pool", model_get_text(pool, "name"));
}

static void more_label(FILE *out, const char *name, const char *value)
{
	fputc(',', out);
	write_label(out, name, value);
}

static void end(FILE *out, uint64_t value)
{
	fprintf(out, "} %" PRIu64 "\n", value);
}

static struct json_object *part_of(const struct metric *metric, struct json_object *pool)
{
	return metric->part ? part(pool, metric->part) : pool;
}

static void number(FILE *out, const struct metric *metric, struct json_object *pool)
{
	begin(out, metric, "", pool);
	end(out, model_get_number(part_of(metric, pool), metric->key));
}

static void fenced(FILE *out, const struct metric *metric, struct json_object *pool)
{
	begin(out, metric, "", pool);
	end(out, !!(model_get_number(pool, "flags") & MARU_L1_I_FENCED));
}

static void info(FILE *out, const struct metric *metric, struct json_object *pool)
{
	static const char *const labels[] = { "uuid", "label", "node", "incarnation", "numa_node" };

	begin(out, metric, "", pool);
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		more_label(out, labels[i], model_get_text(pool, labels[i]));
	end(out, 1);
}

static void states(FILE *out, const struct metric *metric, struct json_object *pool)
{
	static const char *const all[] = {
		"staged", "private", "published", "zombie", "quarantined", "limbo", "retired",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		begin(out, metric, "", pool);
		more_label(out, "state", all[i]);
		end(out, model_get_number(part_of(metric, pool), all[i]));
	}
}

static void backings(FILE *out, const struct metric *metric, struct json_object *pool)
{
	struct json_object *all = part(pool, metric->key);
	size_t n = all ? json_object_array_length(all) : 0;
	char index[24];

	for (size_t i = 0; i < n; i++) {
		snprintf(index, sizeof(index), "%zu", i);
		begin(out, metric, "", pool);
		more_label(out, "backing", index);
		end(out, json_object_get_uint64(json_object_array_get_idx(all, i)));
	}
}

static void owners(FILE *out, const struct metric *metric, struct json_object *pool)
{
	struct json_object *all = part(pool, "owners"), *one;

	for (size_t i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		begin(out, metric, "", pool);
		more_label(out, "owner", model_get_text(one, "owner"));
		end(out, model_get_number(one, metric->key));
	}
}

/* { op: { status: n } } */
static void items(FILE *out, const struct metric *metric, struct json_object *pool)
{
	json_object_object_foreach(part(part_of(metric, pool), "operations"), op, statuses) {
		json_object_object_foreach(statuses, status, count) {
			begin(out, metric, "", pool);
			more_label(out, "op", op);
			more_label(out, "status", status);
			end(out, json_object_get_uint64(count));
		}
	}
}

/* { cause: { objects, bytes } } */
static void removed(FILE *out, const struct metric *metric, struct json_object *pool)
{
	json_object_object_foreach(part(part_of(metric, pool), "removed"), cause, counts) {
		begin(out, metric, "", pool);
		more_label(out, "cause", cause);
		end(out, model_get_number(counts, metric->key));
	}
}

/* { reason: n } */
static void refused(FILE *out, const struct metric *metric, struct json_object *pool)
{
	json_object_object_foreach(part(part_of(metric, pool), "refused"), reason, count) {
		begin(out, metric, "", pool);
		more_label(out, "reason", reason);
		end(out, json_object_get_uint64(count));
	}
}

static void call_errors(FILE *out, const struct metric *metric, struct json_object *pool)
{
	json_object_object_foreach(part(part_of(metric, pool), "latencies"), op, latency) {
		begin(out, metric, "", pool);
		more_label(out, "op", op);
		end(out, model_get_number(latency, metric->key));
	}
}

/* ns as seconds, exactly: what a double would round. */
static void end_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "} %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void write_bucket(FILE *out, const struct metric *metric, struct json_object *pool,
			 const char *op, const char *le, uint64_t count)
{
	begin(out, metric, "_bucket", pool);
	more_label(out, "op", op);
	more_label(out, "le", le);
	end(out, count);
}

/*
 * The module's element n has calls of less than 2^(n+1) ns.  They are counted on each
 * processor and read one by one: the count is their sum, whatever else was counted.
 */
static void histogram(FILE *out, const struct metric *metric, struct json_object *pool,
		      const char *op, struct json_object *latency)
{
	struct json_object *elements = part(latency, "histogram");
	size_t n = elements ? json_object_array_length(elements) : 0;
	uint64_t seen = 0;
	char le[32];

	for (size_t i = 0; i < n; i++) {
		seen += json_object_get_uint64(json_object_array_get_idx(elements, i));
		if (i + 1 < BUCKET_FIRST || i + 1 > BUCKET_LAST)
			continue;
		snprintf(le, sizeof(le), "%.10g", (double)(1ULL << (i + 1)) / 1e9);
		write_bucket(out, metric, pool, op, le, seen);
	}
	write_bucket(out, metric, pool, op, "+Inf", seen);
	begin(out, metric, "_sum", pool);
	more_label(out, "op", op);
	end_seconds(out, model_get_number(latency, "total_ns"));
	begin(out, metric, "_count", pool);
	more_label(out, "op", op);
	end(out, seen);
}

static void latencies(FILE *out, const struct metric *metric, struct json_object *pool)
{
	json_object_object_foreach(part(part_of(metric, pool), "latencies"), op, latency)
		histogram(out, metric, pool, op, latency);
}

#define GAUGE(name, help, ...)		{ name, "gauge", help, __VA_ARGS__ }
#define COUNTER(name, help, ...)	{ name "_total", "counter", help, __VA_ARGS__ }

static const struct metric metrics[] = {
	GAUGE("pool_info", "1; what does not change while the pool is attached.",
	      NULL, NULL, info),
	GAUGE("pool_fenced", "Whether this node has stopped granting and must let go.",
	      NULL, NULL, fenced),
	GAUGE("pool_size_bytes", "Bytes of the pool.", NULL, "capacity", number),
	GAUGE("pool_available_bytes", "Bytes that can be allocated now.",
	      "usage", "available", number),
	GAUGE("pool_used_bytes", "Bytes of extents that are not free, by state.",
	      "usage", NULL, states),
	GAUGE("pool_rounding_bytes", "Bytes lost to rounding.", "usage", "rounding", number),
	GAUGE("pool_backing_bytes", "Bytes that each backing gives to the pool.",
	      NULL, "backing_bytes", backings),
	GAUGE("pool_layouts", "Layouts in use.", NULL, "layouts", number),
	GAUGE("pool_segments", "Segments, by the node that owns them.",
	      NULL, "segments", owners),
	GAUGE("pool_segments_bytes", "Bytes of segments, by the node that owns them.",
	      NULL, "bytes", owners),
	GAUGE("objects", "Published objects.", "usage", "objects", number),
	GAUGE("extents", "Extents in use, in any state.", "usage", "extents", number),
	GAUGE("max_extents", "Most extents in use at a time.", NULL, "max_objects", number),
	GAUGE("clients", "Open files.", NULL, "clients", number),
	GAUGE("held_objects", "Objects that somebody holds.", "stats", "held", number),
	GAUGE("holds", "Holds on them, those of closed files included.",
	      "stats", "holds", number),
	GAUGE("orphan_pins", "Pins of closed files that wait for their quarantine.",
	      "usage", "orphan_pins", number),
	COUNTER("items", "Items of calls, by call and answer.", "stats", NULL, items),
	COUNTER("refused_items", "Items of reserve_write answered NO_SPACE, by reason.",
		"stats", NULL, refused),
	COUNTER("lost_races", "Commits that were not the first of their key.",
		"stats", "lost_races", number),
	COUNTER("stored_bytes", "Bytes of objects published.",
		"stats", "bytes_stored", number),
	COUNTER("served_bytes", "Bytes of objects on which a client took its first hold.",
		"stats", "bytes_served", number),
	COUNTER("removed_objects", "Objects that went, by cause.", "stats", "objects", removed),
	COUNTER("removed_bytes", "Bytes of their extents, by cause.", "stats", "bytes", removed),
	COUNTER("expired_holds", "Holds whose lease ran out.",
		"stats", "expired_holds", number),
	COUNTER("expired_writes", "Writes whose lease ran out.",
		"stats", "expired_writes", number),
	COUNTER("quarantined_extents", "Extents that went to quarantine.",
		"stats", "quarantined", number),
	COUNTER("quarantined_bytes", "Their bytes.", "stats", "quarantined_bytes", number),
	COUNTER("unquarantined_extents", "Extents that left quarantine.",
		"stats", "unquarantined", number),
	COUNTER("unquarantined_bytes", "Their bytes.",
		"stats", "unquarantined_bytes", number),
	COUNTER("lost_events", "Events that did not fit into the ring of a client.",
		"stats", "events_lost", number),
	COUNTER("call_errors", "Calls that failed as a whole.",
		"stats", "errors", call_errors),
	{ "call_duration_seconds", "histogram", "Time that calls took.",
	  "stats", NULL, latencies },
};

static void write_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP maru_l1_%s %s\n# TYPE maru_l1_%s %s\n", name, help, name, type);
}

void metrics_write(FILE *out, struct json_object *host)
{
	struct json_object *pools = part(host, "pools");
	size_t n = json_object_array_length(pools);

	write_head(out, "up", "gauge", "Whether the module answers.");
	fprintf(out, "maru_l1_up %d\n", json_object_get_boolean(part(host, "up")));
	write_head(out, "build_info", "gauge", "1; the version of maru-l1ctl.");
	fputs("maru_l1_build_info{", out);
	write_label(out, "version", marul1_version());
	end(out, 1);
	for (size_t i = 0; n && i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		write_head(out, metrics[i].name, metrics[i].type, metrics[i].help);
		for (size_t pool = 0; pool < n; pool++)
			metrics[i].series(out, &metrics[i], json_object_array_get_idx(pools, pool));
	}
}
