# SPDX-License-Identifier: GPL-2.0-only
# Flags and folders that all userspace makefiles share.  TOP is the clone.
#   O      where everything is built
#   EXTRA  more compiler and linker flags (sanitizers, -DMUTANT=n)
O	?= $(TOP)/build
CC	?= cc
PKG_CONFIG ?= pkg-config
VERSION	:= $(shell cat $(TOP)/VERSION)
WARN	:= -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes \
	   -Wstrict-prototypes -Wshadow -Wvla -Wundef
CFLAGS	?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARN) $(CFLAGS) -D_GNU_SOURCE -I$(TOP)/uapi $(EXTRA)
ALL_LDFLAGS := $(LDFLAGS) $(EXTRA)
