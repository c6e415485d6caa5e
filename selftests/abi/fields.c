// SPDX-License-Identifier: GPL-2.0-only
/* Every field of every struct of uapi/linux/maru_l1.h, in order. */
#include "abi.h"

#define FIELD(type, member, what) \
	{ #member, offsetof(struct type, member), sizeof(((struct type *)0)->member), what }
#define SHAPE(type) \
	{ #type, sizeof(struct type), ARRAY_SIZE(type##_fields), type##_fields }

#define S(member) FIELD(T, member, F_SIZE)
#define I(member) FIELD(T, member, F_IN)
#define O(member) FIELD(T, member, F_OUT)
#define IO(member) FIELD(T, member, F_INOUT)
#define R(member) FIELD(T, member, F_RESERVED)
#define FL(member) FIELD(T, member, F_FLAGS)

#define T maru_l1_batch
static const struct field maru_l1_batch_fields[] = {
	S(size), FL(flags), I(nr_items), I(layout), I(items), I(keys),
	I(keys_len), R(reserved),
};
#undef T
#define T maru_l1_reserve
static const struct field maru_l1_reserve_fields[] = {
	I(key_off), I(key_len), I(length), I(tag), FL(flags), R(reserved),
	O(status), O(result), O(offset), O(page_size), O(id),
};
#undef T
#define T maru_l1_commit
static const struct field maru_l1_commit_fields[] = {
	I(key_off), I(key_len), I(tag), I(reservation),
	IO(cookie), I(holds), R(reserved),
	O(status), O(result), O(offset), O(length), O(id),
};
#undef T
#define T maru_l1_abort
static const struct field maru_l1_abort_fields[] = {
	I(key_off), I(key_len), I(tag), I(id), O(status), O(result),
};
#undef T
#define T maru_l1_read
static const struct field maru_l1_read_fields[] = {
	I(key_off), I(key_len), I(holds), R(reserved), O(status), O(result),
	O(offset), O(length), O(id), O(cookie),
};
#undef T
#define T maru_l1_release
static const struct field maru_l1_release_fields[] = {
	I(key_off), I(key_len), I(id), I(holds), O(released), O(status),
	O(result),
};
#undef T
#define T maru_l1_renew
static const struct field maru_l1_renew_fields[] = {
	I(key_off), I(key_len), I(id), O(status), O(result),
};
#undef T
#define T maru_l1_delete
static const struct field maru_l1_delete_fields[] = {
	I(key_off), I(key_len), O(status), O(result), O(id),
};
#undef T
#define T maru_l1_touch
static const struct field maru_l1_touch_fields[] = {
	I(key_off), I(key_len), O(status), O(result),
};
#undef T
#define T maru_l1_query
static const struct field maru_l1_query_fields[] = {
	I(key_off), I(key_len), O(status), O(result), O(state), O(flags),
	O(my_holds), O(holders), O(length), O(id),
};
#undef T
#define T maru_l1_setup
static const struct field maru_l1_setup_fields[] = {
	S(size), FL(flags), I(read_lease_ms), I(write_lease_ms),
};
#undef T
#define T maru_l1_layout
static const struct field maru_l1_layout_fields[] = {
	S(size), FL(flags), I(bytes), I(alignment), O(layout),
	O(stride),
};
#undef T
#define T maru_l1_clear
static const struct field maru_l1_clear_fields[] = {
	S(size), FL(flags), O(staged), O(private_objects), O(holds), R(reserved),
};
#undef T
#define T maru_l1_purge
static const struct field maru_l1_purge_fields[] = {
	S(size), FL(flags), O(deleted), O(locked),
};
#undef T
#define T maru_l1_victim
static const struct field maru_l1_victim_fields[] = {
	O(id), O(length), O(key_off), O(key_len),
};
#undef T
#define T maru_l1_evict
static const struct field maru_l1_evict_fields[] = {
	S(size), FL(flags), IO(nr_items), I(target_permille), I(items), I(keys),
	I(keys_len), O(more), I(bytes), I(count), O(evicted), O(evicted_bytes),
	O(skipped), I(layout), R(reserved),
};
#undef T
#define T maru_l1_usage
static const struct field maru_l1_usage_fields[] = {
	S(size), FL(flags), O(total), O(available), O(used), O(staged),
	O(private_bytes), O(published), O(zombie), O(quarantined), O(limbo),
	O(retired), O(rounding), O(objects), O(max_objects), O(extents),
	O(orphan_pins), O(my_staged), O(my_staged_bytes), O(my_private),
	O(my_private_bytes), O(my_held), O(my_holds), O(my_unacked),
	O(my_unacked_bytes),
};
#undef T
#define T maru_l1_subscribe
static const struct field maru_l1_subscribe_fields[] = {
	S(size), FL(flags), I(mask), I(ring_size), I(watermark_permille),
	R(reserved),
};
#undef T
#define T maru_l1_report_bad
static const struct field maru_l1_report_bad_fields[] = {
	S(size), FL(flags), I(offset), O(id), O(retired),
};
#undef T
#define T maru_l1_counter
static const struct field maru_l1_counter_fields[] = {
	O(op), O(status), O(count),
};
#undef T
#define T maru_l1_stats
static const struct field maru_l1_stats_fields[] = {
	S(size), FL(flags), IO(nr_items), R(reserved), I(items),
	O(bytes_stored), O(bytes_served), O(lost_races), O(evicted), O(purged),
	O(expired_holds), O(expired_writes), O(quarantined), O(clients),
};
#undef T
#define T maru_l1_difference
static const struct field maru_l1_difference_fields[] = {
	O(account), O(reserved), O(id), O(recorded), O(found),
};
#undef T
#define T maru_l1_check
static const struct field maru_l1_check_fields[] = {
	S(size), FL(flags), IO(nr_items), R(reserved), I(items), O(differences),
	O(walked),
};
#undef T
#define T maru_l1_info
static const struct field maru_l1_info_fields[] = {
	S(size), O(flags), O(features), O(name), O(label), O(uuid), O(capacity),
	O(map_align), O(segment_size), O(max_objects), O(max_client_bytes),
	O(quarantine_ms), O(nr_segments), O(nr_layouts), O(nr_backings),
	O(node), O(incarnation), O(numa_node), O(reserved), O(backing_bytes),
};
#undef T
#define T maru_l1_attach
static const struct field maru_l1_attach_fields[] = {
	S(size), FL(flags), I(fds), I(nr_fds), I(quarantine_ms), I(max_objects),
	I(max_client_bytes), I(name), I(machine_id), I(boot_id), I(numa_node),
	R(reserved),
};
#undef T
#define T maru_l1_grow
static const struct field maru_l1_grow_fields[] = {
	S(size), FL(flags), I(name), I(fd), R(reserved),
};
#undef T
#define T maru_l1_detach
static const struct field maru_l1_detach_fields[] = {
	S(size), FL(flags), I(name),
};
#undef T
#define T maru_l1_event
static const struct field maru_l1_event_fields[] = {
	O(size), O(kind), O(id), O(value), O(flags), O(key_len),
};
#undef T
#define T maru_l1_pool_status
static const struct field maru_l1_pool_status_fields[] = {
	O(total), O(used), O(available), O(state),
};
#undef T
#define T maru_l1_client_status
static const struct field maru_l1_client_status_fields[] = {
	O(epoch), O(events),
};
#undef T

const struct shape shapes[] = {
	SHAPE(maru_l1_batch), SHAPE(maru_l1_reserve), SHAPE(maru_l1_commit),
	SHAPE(maru_l1_abort), SHAPE(maru_l1_read), SHAPE(maru_l1_release),
	SHAPE(maru_l1_renew), SHAPE(maru_l1_delete), SHAPE(maru_l1_touch),
	SHAPE(maru_l1_query), SHAPE(maru_l1_setup), SHAPE(maru_l1_layout),
	SHAPE(maru_l1_clear), SHAPE(maru_l1_purge), SHAPE(maru_l1_victim),
	SHAPE(maru_l1_evict), SHAPE(maru_l1_usage), SHAPE(maru_l1_subscribe),
	SHAPE(maru_l1_report_bad), SHAPE(maru_l1_counter), SHAPE(maru_l1_stats),
	SHAPE(maru_l1_difference), SHAPE(maru_l1_check), SHAPE(maru_l1_info),
	SHAPE(maru_l1_attach), SHAPE(maru_l1_grow), SHAPE(maru_l1_detach),
	SHAPE(maru_l1_event), SHAPE(maru_l1_pool_status), SHAPE(maru_l1_client_status),
};

const size_t nr_shapes = ARRAY_SIZE(shapes);
