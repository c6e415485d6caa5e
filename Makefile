# SPDX-License-Identifier: GPL-2.0-only
# The commands of the project.  What they do is in the makefiles and scripts
# that they call; the numbers behind the suites' names are their time slots in
# seconds: a suite that needs longer fails as "over time".
TOP	:= $(CURDIR)
O	?= $(TOP)/build
export O

SUITE	:= scripts/suite

.PHONY: all deps lib tools kmod demo demo-selftest check check-all bench \
	install clean

all: lib tools

deps:
	@scripts/deps

lib:
	@$(MAKE) -s -C libmarul1

tools: lib
	@$(MAKE) -s -C tools/maru-l1ctl


kmod:
	@scripts/kmod

demo:
	@scripts/deps $(if $(EMBEDDED),build)
	@selftests/demo/run

demo-selftest: deps
	@selftests/demo/selftest

bench: deps
	@selftests/bench/run

check: deps
	@$(SUITE) begin
	@$(SUITE) static	 300 selftests/static/run
	@$(SUITE) abi-layout	  60 selftests/abi/layout
	@$(SUITE) super		  60 selftests/super/run
	@$(SUITE) core		 150 selftests/core/run
	@$(SUITE) lib		 150 selftests/lib/run
	@$(SUITE) contract	 240 selftests/contract/run --engine embedded --sanitize
	@$(SUITE) tool		 150 selftests/tool/run
	@$(SUITE) mutants	 240 selftests/mutants/run
	@$(SUITE) guest		 480 selftests/guest/boot abi contract mmap tool rmmod
	@$(SUITE) netlink	 300 selftests/guest/boot netlink
	@$(SUITE) guest-debug	 540 selftests/guest/boot lifetime check-guest
	@$(SUITE) two-guests	 300 selftests/lifetime/two-guests
	@$(SUITE) rows		  10 selftests/contract/check-rows
	@$(SUITE) total

check-all: check
	@$(SUITE) continue
	@$(SUITE) vm-rig	 400 selftests/vm/selftest
	@$(SUITE) demo-selftest	 600 selftests/demo/selftest
	@$(SUITE) lib-thread	 300 selftests/lib/run --thread
	@$(SUITE) total

install: lib tools
	@$(MAKE) -s -C libmarul1 install
	@$(MAKE) -s -C tools/maru-l1ctl install

clean:
	rm -rf $(O)
