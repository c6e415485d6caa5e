#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh [CASE...]: maru-l1ctl with the module and /dev/dax0.0, in the booted
# guest.
exec "$(dirname "$0")/run" --guest "$@"
