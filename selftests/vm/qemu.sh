# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2054,SC2154
#
# It shares the variables of "run"; QEMU's options have commas in them.
#
# From the options of "run" to a QEMU command line, in the array qemu.

gib=$((1 << 30))

# bytes SIZE: SIZE is a number with K, M or G.
bytes() {
	[[ $1 =~ ^[0-9]+[KMG]?$ ]] || die "'$1' is no size: write 512M or 2G"
	numfmt --from=iec "$1"
}

# Commas separate QEMU's options; one in a value is doubled.
value() {
	echo "${1//,/,,}"
}

# Emulated processors with a host thread each may run an instruction that the
# kernel has just patched ("Oops: int3"). It takes a QEMU before 8.1 some ten
# seconds of switching static keys on and off, a newer one minutes. So a newer one
# is used, and the kernel does nearly all of its patching before the other
# processors come up: see guest. Without a newer one all share one thread.
qemu_choose() {
	if [[ $cxl ]]; then
		qemu_binary=$("$here/fetch-qemu")
	elif [[ $accel == tcg ]] && ! qemu_binary=$("$here/fetch-qemu"); then
		warn "going on with the installed QEMU and one thread for all processors"
		qemu_binary="qemu-system-x86_64"
		accel=tcg-single
	fi
	qemu=("$qemu_binary")
}

add_accel() {
	local lpj
	case $accel in
	kvm) qemu+=(-accel kvm) && cpu=host ;;
	tcg-single) qemu+=(-accel tcg,thread=single) && cpu=max ;;
	tcg)
		qemu+=(-accel tcg,thread=multi) && cpu=max
		# Measuring the delay loop takes 1.5 s a processor later on; the
		# host's value will do (bogomips is lpj * HZ / 500000).
		lpj=$(awk '/^bogomips/ && !n++ { print int($3 * 500000 / 250) }' /proc/cpuinfo)
		append+=" maxcpus=1 lpj=$lpj"
		;;
	esac
}

qemu_arguments() {
	local append machine=q35 cpu
	append="console=ttyS0 loglevel=7 printk.devkmsg=on panic=-1 oops=panic"
	# Emulated processors that wait for a busy host look like hung ones.
	append+=" nowatchdog rcupdate.rcu_cpu_stall_timeout=180 workqueue.watchdog_thresh=180"
	# A hung task ends the run, as an oops does, before the time limit would.
	append+=" sysctl.kernel.hung_task_panic=1 mitigations=off apparmor=0 audit=0"
	qemu+=(-nodefaults -no-user-config -no-reboot -display none
		-smp "$smp" -kernel "$VMLINUZ" -initrd "$tmp/initrd.cpio"
		-chardev "file,id=log,path=$(value "$log")" -serial chardev:log
		-fsdev "local,id=root,path=$(value "$root"),readonly=on,security_model=none,multidevs=remap"
		-device virtio-9p-pci,fsdev=root,mount_tag=root
		-fsdev "local,id=share,path=$(value "$share"),security_model=none,multidevs=remap"
		-device virtio-9p-pci,fsdev=share,mount_tag=share
		-device virtio-serial-pci
		-chardev "file,id=out,path=$(value "$tmp/out")"
		-device virtserialport,chardev=out,name=out
		-chardev "file,id=status,path=$(value "$tmp/status")"
		-device virtserialport,chardev=status,name=status)
	add_accel
	if [[ $cxl ]]; then
		add_cxl
	elif [[ $nvdimm ]]; then
		add_nvdimm
	else
		add_pmem
	fi
	qemu+=(-cpu "$cpu")
	qemu+=(-M "$machine" -append "$append${cmdline:+ $cmdline}")
}

# A host bridge, a root port and a type 3 memory device below it, whose memory
# appears in one fixed window. With the hypervisor bit in CPUID the kernel would
# refuse to commit a region, because it cannot flush the caches of a guest.
add_cxl() {
	local size
	[[ ! $nvdimm ]] || die "--cxl and --nvdimm both make /dev/dax0.0: give one of them"
	size=$(bytes "${pmem:-256M}")
	dax=cxl
	cpu+=,-hypervisor
	machine+=,cxl=on
	qemu+=(-m "$(bytes "$mem")B"
		-object "memory-backend-ram,id=vmem0,share=on,size=$size"
		-device pxb-cxl,bus_nr=12,bus=pcie.0,id=cxl.1
		-device cxl-rp,port=0,bus=cxl.1,id=rp0,chassis=0,slot=2
		-device cxl-type3,bus=rp0,volatile-memdev=vmem0,id=cxl-vmem0
		-M cxl-fmw.0.targets.0=cxl.1,cxl-fmw.0.size=4G)
}

# Part of the RAM is called persistent memory. It starts at 4 GiB, clear of what
# the boot loader places, so the memory below must not fill it up.
add_pmem() {
	local size low below
	size=$(bytes "${pmem:-512M}")
	low=$(bytes "$mem")
	dax=
	if ((size)); then
		dax=nd_e820
		below=$((low < 2 * gib ? low : 2 * gib))
		machine+=,max-ram-below-4g=$below
		append+=" memmap=$size!4G"
	fi
	qemu+=(-m "$((low + size))B")
}

# A guest that finds an unprepared file prepares it while it boots. So that two
# do not do it at once, the file is locked (7) until the first one is ready.
add_nvdimm() {
	local file=${nvdimm%:*} size
	size=$(bytes "${nvdimm##*:}")
	[[ ! $pmem ]] || die "--pmem and --nvdimm both make /dev/dax0.0: give one of them"
	[[ -e $file ]] || truncate -s "$size" "$file" || die "cannot create $file"
	(($(stat -c %s "$file") == size)) || die "$file has another size than $size: delete it first"
	exec 7<"$file"
	flock 7
	! nvdimm_prepared || exec 7<&-
	dax=nfit
	machine+=,nvdimm=on
	qemu+=(-m "$(bytes "$mem")B,slots=2,maxmem=$(($(bytes "$mem") + size))B"
		-object "memory-backend-file,id=nv0,share=on,mem-path=$(value "$file"),size=$size"
		-device nvdimm,memdev=nv0)
}

# The kernel's info block of a devdax namespace.
nvdimm_prepared() {
	cmp -s -n 15 -i 4096:0 "${nvdimm%:*}" <(printf NVDIMM_DAX_INFO)
}

nvdimm_release() {
	[[ $nvdimm && -e /proc/self/fd/7 ]] || return 0
	while kill -0 "$vm" 2>/dev/null && [[ ! -s $tmp/status ]]; do
		sleep 0.2
	done
	exec 7<&-
}
