// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Words for numbers.  No default in the switches: the compiler then says when
 * the uapi header has a number that has no word.
 */
#include "internal.h"

const char *marul1_status_name(unsigned int status)
{
	switch ((enum maru_l1_status)status) {
	case MARU_L1_OK:		return "OK";
	case MARU_L1_NOT_FOUND:		return "NOT_FOUND";
	case MARU_L1_NOT_HELD:		return "NOT_HELD";
	case MARU_L1_NOT_READABLE:	return "NOT_READABLE";
	case MARU_L1_NOT_WRITABLE:	return "NOT_WRITABLE";
	case MARU_L1_EXPIRED:		return "EXPIRED";
	case MARU_L1_LOCKED:		return "LOCKED";
	case MARU_L1_NO_SPACE:		return "NO_SPACE";
	case MARU_L1_STALE:		return "STALE";
	case MARU_L1_PENDING:		return "PENDING";
	case MARU_L1_INVALID:		return "INVALID";
	}
	return "?";
}

const char *marul1_status_string(unsigned int status)
{
	switch ((enum maru_l1_status)status) {
	case MARU_L1_OK:
		return "done";
	case MARU_L1_NOT_FOUND:
		return "there is no such object or reservation for this client";
	case MARU_L1_NOT_HELD:
		return "this client has no live hold on it";
	case MARU_L1_NOT_READABLE:
		return "this client is writing the key and nothing is visible yet";
	case MARU_L1_NOT_WRITABLE:
		return "the key is visible already, or this client is writing it";
	case MARU_L1_EXPIRED:
		return "the lease of the write has run out, it will never be readable";
	case MARU_L1_LOCKED:
		return "somebody holds it";
	case MARU_L1_NO_SPACE:
		return "there is no room for it";
	case MARU_L1_STALE:
		return "the object vanished while held, what was read must not be trusted";
	case MARU_L1_PENDING:
		return "it goes on, an event will tell the end";
	case MARU_L1_INVALID:
		return "the key or the length is out of range";
	}
	return "unknown status";
}

const char *marul1_event_name(unsigned int kind)
{
	switch ((enum maru_l1_event_kind)kind) {
	case MARU_L1_EV_DELETED:	return "DELETED";
	case MARU_L1_EV_KEPT:		return "KEPT";
	case MARU_L1_EV_HOLD_EXPIRED:	return "HOLD_EXPIRED";
	case MARU_L1_EV_WATERMARK:	return "WATERMARK";
	case MARU_L1_EV_MEDIA_ERROR:	return "MEDIA_ERROR";
	case MARU_L1_EV_FENCED:		return "FENCED";
	case MARU_L1_EV_LOST:		return "LOST";
	}
	return "?";
}

const char *marul1_account_name(unsigned int account)
{
	switch ((enum maru_l1_account)account) {
	case MARU_L1_A_STAGED:		return "STAGED";
	case MARU_L1_A_PRIVATE:		return "PRIVATE";
	case MARU_L1_A_PUBLISHED:	return "PUBLISHED";
	case MARU_L1_A_ZOMBIE:		return "ZOMBIE";
	case MARU_L1_A_QUARANTINE:	return "QUARANTINE";
	case MARU_L1_A_LIMBO:		return "LIMBO";
	case MARU_L1_A_RETIRED:		return "RETIRED";
	case MARU_L1_A_FREE:		return "FREE";
	case MARU_L1_A_EXTENTS:		return "EXTENTS";
	case MARU_L1_A_OBJECTS:		return "OBJECTS";
	case MARU_L1_A_PINS:		return "PINS";
	case MARU_L1_A_ORPHANS:		return "ORPHANS";
	case MARU_L1_A_CLIENT:		return "CLIENT";
	case MARU_L1_A_BLOCKS:		return "BLOCKS";
	case MARU_L1_A_SEGMENTS:	return "SEGMENTS";
	case MARU_L1_A_LRU:		return "LRU";
	case MARU_L1_A_OVERLAP:		return "OVERLAP";
	case MARU_L1_A_STATE:		return "STATE";
	}
	return "?";
}
