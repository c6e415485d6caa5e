// SPDX-License-Identifier: GPL-2.0-only
/* top: a pool as it goes, on a terminal or as text. */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <time.h>
#include <unistd.h>
#include <linux/maru_l1_netlink.h>
#include "ending.h"
#include "frame.h"
#include "stats.h"
#include "verbs.h"

/* print.h's own, which curses.h has another thing by the name of. */
struct json_object *model_array(void);

#define PLAIN_WIDTH	100
#define PLAIN_HEIGHT	60

enum { OPT_INTERVAL = OPT_FIRST, OPT_COUNT };

struct top {
	struct family *family;
	const char *pool;
	unsigned int interval_ms;
	uint64_t count;			/* pictures; 0: until the end */
	SCREEN *screen;			/* NULL: plain text */
	bool paused;
	struct json_object *before;
	struct json_object *now;
	struct json_object *segments;
	struct timespec then;
	double seconds;			/* between before and now */
	struct frame frame;
};

static int append(struct json_object *row, void *arg)
{
	json_object_array_add(arg, json_object_get(row));
	return 0;
}

static void measure(struct top *top)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	top->seconds = now.tv_sec - top->then.tv_sec + (now.tv_nsec - top->then.tv_nsec) / 1e9;
	top->then = now;
}

static int look(struct top *top)
{
	struct family_filter filter = { .pool = top->pool };
	struct json_object *now, *segments;
	int err;

	err = stats_read(top->family, top->pool, &now);
	if (err)
		return err;
	segments = model_array();
	err = family_dump(top->family, MARU_L1_CMD_SEGMENT_GET, &filter, append, segments, NULL);
	if (err) {
		json_object_put(segments);
		json_object_put(now);
		return err;
	}
	measure(top);
	json_object_put(top->before);
	json_object_put(top->segments);
	top->before = top->now;
	top->now = now;
	top->segments = segments;
	return 0;
}

static int within(int n, int most)
{
	return n < 1 ? 1 : n > most ? most : n;
}

static void draw_screen(struct top *top)
{
	struct frame *frame = &top->frame;

	frame->width = within(COLS - 1, FRAME_WIDTH);
	frame->height = within(LINES - 1, FRAME_LINES);
	frame_draw(frame, top->before, top->now, top->seconds, top->segments);
	erase();
	for (int i = 0; i < frame->n; i++)
		mvaddnstr(i, 0, frame->text[i], frame->width);
	mvprintw(LINES - 1, 0, "%.*s", within(COLS - 1, FRAME_WIDTH),
		 top->paused ? "paused: space goes on, q ends" :
			       "q ends, space pauses, + and - change the interval");
	refresh();
}

static int draw_plain(struct top *top)
{
	struct frame *frame = &top->frame;

	frame->width = PLAIN_WIDTH;
	frame->height = PLAIN_HEIGHT;
	frame_draw(frame, top->before, top->now, top->seconds, top->segments);
	for (int i = 0; i < frame->n; i++)
		puts(strcmp(frame->text[i], " ") ? frame->text[i] : "");
	putchar('\n');
	return fflush(stdout);
}

static int draw(struct top *top)
{
	if (!top->screen)
		return draw_plain(top);
	draw_screen(top);
	return 0;
}

/* Return: false: end. */
static bool take_keys(struct top *top)
{
	int key;

	while ((key = getch()) != ERR) {
		if (key == 'q' || key == 'Q')
			return false;
		if (key == ' ')
			top->paused = !top->paused;
		if (key == '+' && top->interval_ms < 60000)
			top->interval_ms *= 2;
		if (key == '-' && top->interval_ms > 250)
			top->interval_ms /= 2;
		draw_screen(top);
	}
	return true;
}

static long ms_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * 1000 + (now.tv_nsec - then->tv_nsec) / 1000000;
}

/* Until the next picture. Return: false: end. */
static bool pause_top(struct top *top)
{
	int fd = top->screen ? STDIN_FILENO : -1;
	struct timespec begin;
	bool ready;
	long left;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		left = top->interval_ms - ms_since(&begin);
		if (left < 0)
			left = 0;
		if (!ending_wait(fd, top->paused ? -1 : left, &ready))
			return false;
		/* Also after a change of the window's size, which curses tells as a key. */
		if (top->screen && !take_keys(top))
			return false;
	} while (top->paused || ms_since(&begin) < (long)top->interval_ms);
	return true;
}

static int run(struct top *top)
{
	uint64_t n = 0;
	int err;

	do {
		err = look(top);
		if (err || draw(top))
			return err;
	} while (++n != top->count && pause_top(top));
	return 0;
}

/* A terminal that curses can use; else NULL, and nothing is said. */
static SCREEN *screen_begin(void)
{
	SCREEN *screen;
	int err;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || !getenv("TERM") ||
	    setupterm(NULL, STDOUT_FILENO, &err) || !tigetstr("cup") ||
	    tigetstr("cup") == (char *)-1)
		return NULL;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return NULL;
	cbreak();
	noecho();
	nonl();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	return screen;
}

static int top(struct top *top)
{
	int err;

	top->screen = screen_begin();
	ending_begin();
	err = run(top);
	if (top->screen) {
		endwin();
		delscreen(top->screen);
	}
	json_object_put(top->before);
	json_object_put(top->now);
	json_object_put(top->segments);
	return err ? family_failed(top->pool, err) : CTL_OK;
}

int cmd_top(const struct verb *verb, int argc, char **argv)
{
	static const struct option options[] = {
		{ "interval", required_argument, NULL, OPT_INTERVAL },
		{ "count", required_argument, NULL, OPT_COUNT },
		OPTIONS_ALL
	};
	static struct top state = { .interval_ms = 1000 };
	uint64_t n;
	int option, ret;

	while ((option = next_option(verb, argc, argv, options)) != -1) {
		if (option == OPT_JSON)
			usage(verb, "there is no JSON of this; 'stats --watch 1 --json' has it");
		if (option == OPT_COUNT) {
			if (!parse_number(optarg, UINT32_MAX, &state.count) || !state.count)
				usage(verb, "--count is a number from 1, not %s", optarg);
			continue;
		}
		if (!parse_number(optarg, 3600, &n) || !n)
			usage(verb, "--interval is a number of seconds from 1 to 3600, not %s",
			      optarg);
		state.interval_ms = n * 1000;
	}
	state.pool = pool_name(verb, arguments(verb, argc, argv, 1)[0]);
	ret = family_open(&state.family);
	if (ret)
		return ret;
	ret = top(&state);
	family_close(state.family);
	return ret;
}
