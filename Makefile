# SPDX-License-Identifier: GPL-2.0-only
# The commands of the project.  What they do is in the makefiles and scripts
# that they call; the numbers behind the suites' names are their time slots in
# seconds: a suite that needs longer fails as "over time".
TOP	:= $(CURDIR)
O	?= $(TOP)/build
export O

SUITE	:= scripts/suite

.PHONY: all deps lib tools kmod demo demo-selftest python-check guest check check-all bench sim fuzz \
	install install-dkms uninstall deb clean help

all: lib tools	## library and tool, into build/

deps:	## installs the Debian packages that are needed
	@scripts/deps

lib:	## the library alone
	@$(MAKE) -s -C libmarul1

tools: lib	## library and tool
	@$(MAKE) -s -C tools/maru-l1ctl

kmod:	## the module for the guests' kernel
	@scripts/kmod

demo:	## a story in a booted guest; EMBEDDED=1: in this process
	@scripts/deps $(if $(EMBEDDED),build)
	@selftests/demo/run

guest:	## runs the commands it reads in a guest with the module loaded
	@scripts/deps --quiet
	@selftests/guest/shell

demo-selftest: deps	## faults put into the demo, each noticed
	@selftests/demo/selftest

bench: deps	## the benchmark: a table, and build/bench.json
	@selftests/bench/run

sim: deps	## random programs against a model of the contract; STEPS=, SEED=
	@selftests/sim/run $(or $(STEPS),20000000) $(SEED)

fuzz: deps	## the fuzzers, SECONDS= each
	@selftests/fuzz/run $(or $(SECONDS),60)

python-check: deps	## the binding for Python
	@selftests/python/run

check: deps	## every suite, in its time slot
	@$(SUITE) begin
	@$(SUITE) static	 300 selftests/static/run
	@$(SUITE) abi-layout	  60 selftests/abi/layout
	@$(SUITE) super		  60 selftests/super/run
	@$(SUITE) core		 150 selftests/core/run
	@$(SUITE) lib		 150 selftests/lib/run
	@$(SUITE) examples	 120 selftests/examples/run
	@$(SUITE) contract	 240 selftests/contract/run --engine embedded --sanitize
	@$(SUITE) tool		 200 selftests/tool/run
	@$(SUITE) install	 120 selftests/package/install
	@$(SUITE) mutants	 240 selftests/mutants/run
	@$(SUITE) guest		 540 selftests/guest/boot abi contract mmap rmmod hwpoison \
		lifetime check-guest
	@$(SUITE) guest-tool	 600 selftests/guest/boot tool -- grow
	@$(SUITE) netlink	 300 selftests/guest/boot netlink examples
	@$(SUITE) sid		 600 selftests/guest/sid
	@$(SUITE) cxl		 480 env MARU_CXL=1 selftests/guest/boot cxl abi contract mmap lifetime
	@$(SUITE) readme	 120 selftests/guest/readme
	@$(SUITE) two-guests	 300 selftests/lifetime/two-guests
	@$(SUITE) deb		 600 selftests/package/deb
	@$(SUITE) rows		  10 selftests/contract/check-rows
	@$(SUITE) total

check-all: check	## check, and the long forms
	@$(SUITE) continue
	@$(SUITE) vm-rig	 400 selftests/vm/selftest
	@$(SUITE) demo-selftest	 600 selftests/demo/selftest
	@$(SUITE) lib-thread	 300 selftests/lib/run --thread
	@$(SUITE) sim		 240 selftests/sim/run
	@$(SUITE) sim-mutants	 480 selftests/sim/mutants
	@$(SUITE) fuzz		 300 selftests/fuzz/run
	@$(SUITE) coverage	 240 selftests/core/coverage
	@$(SUITE) python	 600 selftests/python/run
	@$(SUITE) total

install: lib tools	## library, tool, units and manual pages; PREFIX=, DESTDIR=
	@$(MAKE) -s -C libmarul1 install
	@$(MAKE) -s -C tools/maru-l1ctl install
	@$(MAKE) -s -C tools/packaging install

install-dkms:	## the module's source, for dkms
	@$(MAKE) -s -C tools/packaging install-dkms

uninstall:	## takes away what install put there
	@tools/packaging/uninstall

deb:	## the Debian packages
	@scripts/deps build package
	@tools/packaging/deb

clean:	## removes build/
	rm -rf $(O)

help:	## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1\t\2/p' Makefile | expand -t 18
