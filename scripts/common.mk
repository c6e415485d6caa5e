# SPDX-License-Identifier: GPL-2.0-only
# Flags and folders that all userspace makefiles share.  TOP is the clone.
#   O      where everything is built
#   EXTRA  more compiler and linker flags (sanitizers, -DMUTANT=n)
#   PREFIX, LIBDIR, SYSLIBDIR (units, udev rules)	where things are installed
O	?= $(TOP)/build
CC	?= cc
PKG_CONFIG ?= pkg-config
PREFIX	?= /usr/local
LIBDIR	?= $(PREFIX)/lib
SYSLIBDIR ?= $(PREFIX)/lib
BINDIR	:= $(PREFIX)/bin
MANDIR	:= $(PREFIX)/share/man
VERSION	:= $(shell cat $(TOP)/VERSION)
WARN	:= -Wall -Wextra -Werror -Wno-unused-parameter -Wmissing-prototypes \
	   -Wstrict-prototypes -Wshadow -Wvla -Wundef
CFLAGS	?= -O2 -g
ALL_CFLAGS := -std=gnu11 $(WARN) $(CPPFLAGS) $(CFLAGS) -D_GNU_SOURCE -I$(TOP)/uapi $(EXTRA)
ALL_LDFLAGS := $(LDFLAGS) $(EXTRA)
