/* SPDX-License-Identifier: GPL-2.0-only */
/* One picture of top: lines of text, as wide and many as there is room for. */
#ifndef MARU_CTL_FRAME_H
#define MARU_CTL_FRAME_H

#include <stdint.h>
#include <json-c/json.h>

#define FRAME_LINES	256
#define FRAME_WIDTH	512

struct frame {
	int width;		/* 1 … FRAME_WIDTH */
	int height;		/* 1 … FRAME_LINES: no more lines than that */
	int n;
	char text[FRAME_LINES][FRAME_WIDTH + 1];
};

#define SEGMENT_SIGNS	". free, 0 empty to 9 full, o another node's"

/* Free '.', of the node @own '0' (empty) to '9' (full), another node's 'o'. */
char segment_sign(struct json_object *segment, uint64_t own);
/*
 * @before, @now: stats, @seconds apart; @before may be NULL.  @segments: an array,
 * with the fields of the family.
 */
void frame_draw(struct frame *frame, struct json_object *before, struct json_object *now,
		double seconds, struct json_object *segments);

#endif
