// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "frame.h"
#include "print.h"
#include "rates.h"
#include "stats.h"
#include "util.h"

#define NAME_WIDTH	14
#define BAR_MAX		60

/* What does not fit is cut off. */
static void PRINTF(2) line(struct frame *frame, const char *fmt, ...)
{
	va_list args;
	char *to;

	if (frame->n >= frame->height)
		return;
	to = frame->text[frame->n++];
	va_start(args, fmt);
	vsnprintf(to, frame->width + 1, fmt, args);
	va_end(args);
}

static void bar(char *to, int width, double part)
{
	int full = part * width + 0.5;

	if (full > width)
		full = width;
	memset(to, '#', full);
	memset(to + full, '.', width - full);
	to[width] = '\0';
}

static void draw_fill(struct frame *frame, struct json_object *now)
{
	static const char * const parts[] = {
		"published", "staged", "private", "zombie", "quarantined", "limbo", "retired",
		"rounding",
	};
	struct json_object *usage = stats_part(now, "usage");
	uint64_t total = stats_number(usage, "total"), n;
	char picture[BAR_MAX + 1], text[SIZE_TEXT], all[SIZE_TEXT];
	double fill = total ? (double)stats_number(usage, "used") / total : 0;

	bar(picture, frame->width < 40 ? 10 : BAR_MAX / 2, fill);
	line(frame, "fill  [%s] %.1f %% of %s, %s available", picture, 100 * fill,
	     size_text(total, all), size_text(stats_number(usage, "available"), text));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		n = stats_number(usage, parts[i]);
		if (n || !i)
			line(frame, "      %-*s %s", NAME_WIDTH, parts[i], size_text(n, text));
	}
	line(frame, "      %" PRIu64 " objects, %" PRIu64 " clients, %" PRIu64 " orphan pins",
	     stats_number(usage, "objects"), stats_number(now, "clients"),
	     stats_number(usage, "orphan_pins"));
}

static void draw_rates(struct frame *frame, struct json_object *before,
		       struct json_object *now, double seconds)
{
	char served[SIZE_TEXT], stored[SIZE_TEXT];
	double hits, misses;

	line(frame, " ");
	if (!before) {
		line(frame, "rates after the first interval");
		return;
	}
	hits = rates_of(before, now, "reserve_read", "OK", seconds);
	misses = rates_of(before, now, "reserve_read", NULL, seconds);
	line(frame, "reads  %.0f hits/s, %.0f misses/s (%.1f %% hits), %s/s served", hits, misses,
	     hits + misses > 0 ? 100 * hits / (hits + misses) : 0,
	     size_text(rates_total(before, now, "bytes_served", seconds), served));
	line(frame, "writes %.0f stored/s, %s/s, %.0f evicted/s, %.0f lost races/s",
	     rates_of(before, now, "commit", "OK", seconds),
	     size_text(rates_total(before, now, "bytes_stored", seconds), stored),
	     rates_total(before, now, "evicted", seconds),
	     rates_total(before, now, "lost_races", seconds));
}

static void draw_latency(struct frame *frame, const char *call, struct json_object *before,
			 struct json_object *now)
{
	static const char levels[] = " .:-=+*#%@";
	struct json_object *old = stats_part(stats_part(before, "latencies"), call);
	struct json_object *histogram = stats_part(now, "histogram");
	size_t n = json_object_array_length(histogram);
	uint64_t calls[64] = { 0 }, most = 0;
	char picture[65] = "";

	old = old ? stats_part(old, "histogram") : NULL;
	for (size_t i = 0; i < n && i < 64; i++) {
		calls[i] = json_object_get_uint64(json_object_array_get_idx(histogram, i));
		if (old)
			calls[i] -= json_object_get_uint64(json_object_array_get_idx(old, i));
		if (calls[i] > most)
			most = calls[i];
	}
	if (!most)
		return;
	for (size_t i = 6; i < n && i < 64; i++)
		picture[i - 6] = levels[calls[i] ? 1 + calls[i] * 8 / most : 0];
	line(frame, "%-*s |%s|", NAME_WIDTH, call, picture);
}

/* Of the interval: one column for each power of two of ns. */
static void draw_latencies(struct frame *frame, struct json_object *before,
			   struct json_object *now)
{
	struct json_object *latencies = stats_part(now, "latencies");

	line(frame, " ");
	line(frame, "%-*s |64ns  4us   256us 16ms  1s", NAME_WIDTH, "latency");
	json_object_object_foreach(latencies, call, latency)
		if (stats_part(latency, "histogram"))
			draw_latency(frame, call, before, latency);
}

char segment_sign(struct json_object *segment, uint64_t own)
{
	uint64_t owner = stats_number(segment, "owner");
	uint64_t bytes = stats_number(segment, "bytes");
	uint64_t used = stats_number(segment, "used");

	if (!owner)
		return '.';
	if (owner != own)
		return 'o';
	return used && bytes ? '1' + used * 8 / bytes : '0';
}

static void draw_segments(struct frame *frame, struct json_object *segments)
{
	size_t n = json_object_array_length(segments), at = 0;
	int width = frame->width > 10 ? frame->width - 2 : frame->width;
	char text[FRAME_WIDTH + 1];

	line(frame, " ");
	line(frame, "%zu segments: " SEGMENT_SIGNS, n);
	while (at < n && frame->n < frame->height) {
		int i;

		for (i = 0; i < width && at < n; i++, at++)
			text[i] = segment_sign(json_object_array_get_idx(segments, at), 1);
		text[i] = '\0';
		line(frame, "%s", text);
	}
}

void frame_draw(struct frame *frame, struct json_object *before, struct json_object *now,
		double seconds, struct json_object *segments)
{
	frame->n = 0;
	line(frame, "maru-l1ctl top %s", json_object_get_string(stats_part(now, "name")));
	draw_fill(frame, now);
	draw_rates(frame, before, now, seconds);
	draw_latencies(frame, before, now);
	draw_segments(frame, segments);
}
