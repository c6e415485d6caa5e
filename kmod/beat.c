// SPDX-License-Identifier: GPL-2.0-only
/*
 * The beat: this node's line is written every MARU_BEAT_MS, so that no other
 * host takes the memory for abandoned, and its stop lines are read twice as
 * often.  A node that finds its line changed by somebody else, or is ordered to
 * stop, fences itself; it goes on beating, because its clients' devices may
 * still write to the memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "pool.h"
#include "trace.h"

#define LINES_BYTES	(MARU_NODES * MARU_LINE_SIZE)
#define TICKS_PER_BEAT	2

static u32 line_offset(u32 node)
{
	return MARU_SB_BEATS + (node - 1) * MARU_LINE_SIZE;
}

static int sleep_killable(unsigned int ms)
{
	schedule_timeout_killable(msecs_to_jiffies(ms));
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static void write_part(struct maru_part *part, const struct maru_beat *line)
{
	maru_beat_encode(line, &part->line);
	maru_window_write(&part->window, line_offset(line->node), &part->line,
			  sizeof(part->line));
}

/*
 * 0: the own line is as it was written last, or judged; -EBUSY; -EIO.  @floor (may be
 * NULL) is raised to the incarnation of the other one's.
 */
static int check_part(const struct maru_dev *dev, const struct maru_part *part,
		      u32 *floor)
{
	struct maru_beat_disk now;
	struct maru_beat other;
	int err;

	err = maru_window_read(&part->window, line_offset(dev->beat.beat.node),
			       &now, sizeof(now));
	if (err)
		return err;
	if (!memcmp(&now, &part->line, sizeof(now)))
		return 0;
	if (floor && !maru_beat_decode(&now, dev->beat.beat.node, &other))
		*floor = max(*floor, other.incarnation);
	return -EBUSY;
}

static void write_line(struct maru_dev *dev, u32 state)
{
	u32 nr = maru_parts_nr(&dev->parts), i;
	struct maru_pulse *pulse = &dev->beat;
	struct maru_beat line;

	pulse->beat.state = state;
	pulse->beat.beat++;
	line = pulse->beat;
	/* Another has had a later life of this line: its ids must not come again. */
	line.incarnation = max(line.incarnation, pulse->floor);
	for (i = 0; i < nr; i++)
		/* A line that somebody else has taken is not this node's to end. */
		if (state != MARU_BEAT_STOPPED || !check_part(dev, dev->parts.of[i], NULL))
			write_part(dev->parts.of[i], &line);
}

/* The same of all parts. */
static int check_line(struct maru_dev *dev)
{
	u32 nr = maru_parts_nr(&dev->parts), i;
	int err = 0, one;

	for (i = 0; i < nr; i++) {
		one = check_part(dev, dev->parts.of[i], &dev->beat.floor);
		err = err ?: one;
	}
	return err;
}

/*
 * Silence confirms nothing: after FENCED only the word STOPPED, or this very
 * machine having booted since, says that nothing of that life goes on.
 */
static bool ended(const struct maru_beat *beat, const u8 machine_id[16],
		  const u8 boot_id[16])
{
	return beat->state != MARU_BEAT_FENCED ||
	       (!memcmp(beat->machine_id, machine_id, 16) &&
		memcmp(beat->boot_id, boot_id, 16));
}

static int judge_lines(const struct maru_beat_disk *lines, u32 own,
		       struct maru_beat *next)
{
	struct maru_beat beat;
	u32 node;
	int err;

	for (node = 1; node <= MARU_NODES; node++) {
		err = maru_beat_decode(&lines[node - 1], node, &beat);
		if (err)
			return err;
		if (!ended(&beat, next->machine_id, next->boot_id))
			return -EBUSY;
		if (node == own) {
			next->incarnation = beat.incarnation + 1;
			next->beat = beat.beat;
		}
	}
	return next->incarnation > MARU_INCARNATION_MAX ? -ENOSPC : 0;
}

static int read_lines(struct maru_part *const parts[], u32 nr,
		      struct maru_beat_disk *lines)
{
	int err = 0;
	u32 i;

	for (i = 0; i < nr && !err; i++)
		err = maru_window_read(&parts[i]->window, MARU_SB_BEATS,
				       lines + i * MARU_NODES, LINES_BYTES);
	return err;
}

/* Any change is a sign of life, also that of a line that is half written. */
static int watch_lines(struct maru_part *const parts[], u32 nr,
		       struct maru_beat_disk *first, struct maru_beat_disk *now)
{
	int err, i;

	err = read_lines(parts, nr, first);
	for (i = 0; !err && i < MARU_WATCH_BEATS; i++) {
		err = sleep_killable(MARU_BEAT_MS);
		if (!err)
			err = read_lines(parts, nr, now);
		if (!err && memcmp(first, now, nr * LINES_BYTES))
			err = -EBUSY;
	}
	return err == -EIO ? -EUCLEAN : err;
}

/* The lines of @nr parts, twice. */
static struct maru_beat_disk *lines_new(u32 nr)
{
	return kvcalloc(2 * nr, LINES_BYTES, GFP_KERNEL);
}

int maru_beat_watch(struct maru_dev *dev, const u8 machine_id[16],
		    const u8 boot_id[16])
{
	struct maru_beat *next = &dev->beat.beat;
	u32 nr = dev->parts.nr, i;
	struct maru_beat_disk *lines;
	int err;

	lines = lines_new(nr);
	if (!lines)
		return -ENOMEM;
	next->node = MARU_NODE;
	memcpy(next->machine_id, machine_id, sizeof(next->machine_id));
	memcpy(next->boot_id, boot_id, sizeof(next->boot_id));
	err = watch_lines(dev->parts.of, nr, lines, lines + nr * MARU_NODES);
	/* What the others say of this node is older than what the first says. */
	for (i = nr; !err && i--; )
		err = judge_lines(lines + i * MARU_NODES, MARU_NODE, next);
	for (i = 0; i < nr; i++)
		dev->parts.of[i]->line = lines[i * MARU_NODES + MARU_NODE - 1];
	kvfree(lines);
	return err;
}

int maru_beat_claim(struct maru_dev *dev)
{
	int err, i;

	/* Still as it was judged: a pause since then may have let another in. */
	err = check_line(dev);
	if (err)
		return err == -EIO ? -EUCLEAN : err;
	dev->beat.say = MARU_BEAT_RUNNING;
	write_line(dev, MARU_BEAT_RUNNING);
	for (i = 0; !err && i < MARU_WATCH_BEATS; i++) {
		err = sleep_killable(MARU_BEAT_MS);
		if (!err)
			err = check_line(dev);
	}
	if (err)
		maru_beat_stopped(dev);
	return err == -EIO ? -EUCLEAN : err;
}

void maru_beat_stopped(struct maru_dev *dev)
{
	int err;

	if (dev->beat.beat.state == MARU_BEAT_STOPPED)
		return;
	err = check_line(dev);
	if (err)
		trace_maru_beat_error(dev->name, err);
	write_line(dev, MARU_BEAT_STOPPED);
}

/* What this node says on a part that does not beat yet, or no more. */
static void say_on_part(struct maru_dev *dev, struct maru_part *part, u32 state,
			u64 beat)
{
	struct maru_beat line = {
		.node = dev->beat.beat.node,
		.state = state,
		.incarnation = dev->beat.beat.incarnation,
		.beat = beat,
	};

	memcpy(line.machine_id, dev->beat.beat.machine_id, sizeof(line.machine_id));
	memcpy(line.boot_id, dev->beat.beat.boot_id, sizeof(line.boot_id));
	write_part(part, &line);
}

/* No node runs on @part; its line of this node is known then. */
static int watch_part(struct maru_dev *dev, struct maru_part *part)
{
	struct maru_beat own = {};
	struct maru_beat_disk *lines;
	int err;

	lines = lines_new(1);
	if (!lines)
		return -ENOMEM;
	memcpy(own.machine_id, dev->beat.beat.machine_id, sizeof(own.machine_id));
	memcpy(own.boot_id, dev->beat.beat.boot_id, sizeof(own.boot_id));
	err = watch_lines(&part, 1, lines, lines + MARU_NODES);
	if (!err)
		err = judge_lines(lines, MARU_NODE, &own);
	part->line = lines[MARU_NODE - 1];
	kvfree(lines);
	/* The incarnation of the pool is that of its first part. */
	return err == -ENOSPC ? 0 : err;
}

int maru_beat_join(struct maru_dev *dev, struct maru_part *part)
{
	int err, i;

	err = watch_part(dev, part);
	if (err)
		return err;
	/* Still as it was judged: a pause since then may have let another in. */
	err = check_part(dev, part, NULL);
	if (err)
		return err == -EIO ? -EUCLEAN : err;
	for (i = 0; !err && i < MARU_WATCH_BEATS; i++) {
		say_on_part(dev, part, MARU_BEAT_RUNNING, i);
		err = sleep_killable(MARU_BEAT_MS);
		if (!err)
			err = check_part(dev, part, NULL);
	}
	if (err)
		maru_beat_leave(dev, part);
	return err == -EIO ? -EUCLEAN : err;
}

void maru_beat_leave(struct maru_dev *dev, struct maru_part *part)
{
	/* A line that somebody else has taken is no longer this node's to end. */
	if (!check_part(dev, part, NULL))
		say_on_part(dev, part, MARU_BEAT_STOPPED, 0);
}

int maru_beat_still_ours(struct maru_dev *dev, struct maru_part *part)
{
	int err;

	lockdep_assert_held(&dev->beat.lock);
	err = check_line(dev);
	if (!err)
		err = check_part(dev, part, NULL);
	return err || READ_ONCE(dev->beat.lost) || READ_ONCE(dev->revoked) ? -ESTALE : 0;
}

static bool stop_ordered(struct maru_dev *dev)
{
	const struct maru_beat *beat = &dev->beat.beat;
	u32 row = MARU_SB_STOPS + (beat->node - 1) * LINES_BYTES;
	struct maru_stop_disk stop;
	u32 writer;
	int err;

	for (writer = 1; writer <= MARU_NODES; writer++) {
		err = maru_window_read(&dev->parts.of[0]->window,
				       row + (writer - 1) * MARU_LINE_SIZE,
				       &stop, sizeof(stop));
		if (err)
			trace_maru_beat_error(dev->name, err);
		else if (maru_stop_orders(&stop, beat->node, writer,
					  beat->incarnation))
			return true;
	}
	return false;
}

static void lose(struct maru_dev *dev, int err)
{
	struct maru_pulse *pulse = &dev->beat;

	if (pulse->lost)
		return;
	WRITE_ONCE(pulse->lost, true);
	trace_maru_beat_error(dev->name, err);
	pr_warn_ratelimited("%s: this node must stop (%d): fenced\n", dev->name,
			    err);
	queue_work(maru_wq, &dev->fence);
}

static void beat(struct maru_dev *dev)
{
	u32 say = READ_ONCE(dev->beat.say);
	int err;

	if (dev->beat.beat.state == MARU_BEAT_STOPPED)
		return;
	if (say == MARU_BEAT_STOPPED) {
		maru_beat_stopped(dev);
		return;
	}
	err = check_line(dev);
	if (!err && maru_parts_gone(&dev->parts))
		err = -ENXIO;
	if (err)
		lose(dev, err);
	write_line(dev, say);
}

static int beat_thread(void *arg)
{
	struct maru_dev *dev = arg;
	unsigned int tick = 0;

	sched_set_fifo(current);
	while (!kthread_should_stop()) {
		if (stop_ordered(dev))
			lose(dev, -ECANCELED);
		if (tick++ % TICKS_PER_BEAT == 0) {
			mutex_lock(&dev->beat.lock);
			beat(dev);
			mutex_unlock(&dev->beat.lock);
		}
		schedule_timeout_idle(msecs_to_jiffies(MARU_BEAT_MS) /
				      TICKS_PER_BEAT);
	}
	return 0;
}

int maru_beat_prepare(struct maru_dev *dev)
{
	struct task_struct *task;

	task = kthread_create(beat_thread, dev, "maru_l1/%s", dev->name);
	if (IS_ERR(task))
		return PTR_ERR(task) == -EINTR ? -EINTR : -ENOMEM;
	dev->beat.task = task;
	return 0;
}

void maru_beat_start(struct maru_dev *dev)
{
	wake_up_process(dev->beat.task);
}

void maru_beat_stop(struct maru_dev *dev)
{
	kthread_stop(dev->beat.task);
	dev->beat.task = NULL;
}
