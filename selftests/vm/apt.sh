# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A private apt root: it downloads packages of a suite that the machine does
# not use, without a change to the machine's own sources, lists or pins. Mirror
# and keyring are those of the machine, so proxies, local mirrors and signature
# checks work as they do for the machine itself.

# Prints "URI SUITE COMPONENT KEYRING" (KEYRING is "-" if none is named) for
# each binary source of the machine, whichever of the two formats it is in.
apt_sources() {
	local list parts file
	eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
	for file in "$list" "${parts%/}"/*.{list,sources}; do
		[[ -f $file ]] || continue
		case $file in
		*.list) apt_one_line "$file" ;;
		*.sources) apt_deb822 "$file" ;;
		esac
	done
}

apt_one_line() {
	awk '$1 == "deb" {
		key = "-"
		if (match($0, /\[[^]]*\]/)) {
			n = split(substr($0, RSTART + 1, RLENGTH - 2), option, " ")
			for (i = 1; i <= n; i++)
				if (sub(/^signed-by=/, "", option[i]))
					key = option[i]
			$0 = substr($0, 1, RSTART - 1) " " substr($0, RSTART + RLENGTH)
		}
		for (i = 4; i <= NF && $i !~ /^#/; i++)
			print $2, $3, $i, key
	}' "$1"
}

apt_deb822() {
	grep -v '^#' "$1" | awk -v RS= -F'\n' '{
		split("", field)
		for (i = 1; i <= NF; i++) {
			if ($i !~ /^[ \t]/) {
				name = tolower(substr($i, 1, index($i, ":") - 1))
				sub(/^[^:]*:/, "", $i)
			}
			field[name] = field[name] " " $i
		}
		if (field["types"] !~ /(^| )deb( |$)/ || field["enabled"] ~ /no/)
			next
		# A key may also stand in the file itself; then a path is missing.
		key = field["signed-by"] ~ /^ *\/[^ ]+ *$/ ? field["signed-by"] : "-"
		gsub(/ /, "", key)
		u = split(field["uris"], uri, " ")
		s = split(field["suites"], suite, " ")
		c = split(field["components"], component, " ")
		for (i = 1; i <= u; i++)
			for (j = 1; j <= s; j++)
				for (k = 1; k <= c; k++)
					print uri[i], suite[j], component[k], key
	}'
}

# apt_find SUITE: "URI KEYRING" of the Debian source that serves SUITE here.
# Others (Docker's, say) use Debian's suite names too, but not "main".
apt_find() {
	apt_sources | awk -v suite="$1" '
		$2 == suite && $3 == "main" && $1 ~ /debian/ && !n++ { print $1, $4 }'
}

# apt_setup NAME SUITE...: a private apt root that sees these suites, updated.
apt_setup() {
	local name=$1 codename main security suite uri key
	shift
	need apt-get apt-config dpkg-deb
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	main=$(apt_find "$codename")
	security=$(apt_find "$codename-security")
	[[ $main ]] || die "no source of $codename main in this machine's apt configuration"

	APT_ROOT=$CACHE/apt/$name
	mkdir -p "$APT_ROOT"/{lists/partial,archives/partial}
	: >"$APT_ROOT/status"
	: >"$APT_ROOT/sources.sources"
	for suite; do
		read -r uri key <<<"$main"
		if [[ $suite == *-security ]]; then
			[[ $security ]] || continue
			read -r uri key <<<"$security"
		fi
		apt_stanza "$uri" "$suite" "$key" >>"$APT_ROOT/sources.sources"
	done
	say "reading the package lists of $*"
	apt_private apt-get -q -o APT::Update::Error-Mode=any update >"$APT_ROOT/log" 2>&1 || {
		cat "$APT_ROOT/log" >&2
		die "apt-get update failed: check the network, or the machine's apt sources and keyring"
	}
}

apt_stanza() {
	local key=$3 debian=/usr/share/keyrings/debian-archive-keyring.gpg
	[[ -r $key ]] || key=$debian
	[[ -r $key ]] || die "$debian is missing: apt-get install debian-archive-keyring"
	printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n\n' \
		"$1" "$2" "$key"
}

# Options on the command line win over the machine's configuration, which still
# gives proxies and the like. As root, apt would drop to a user that cannot
# enter a private cache.
apt_private() {
	local tool=$1
	shift
	"$tool" -o Dir::Etc::sourcelist="$APT_ROOT/sources.sources" \
		-o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
		-o Dir::State="$APT_ROOT" -o Dir::State::Lists="$APT_ROOT/lists" \
		-o Dir::State::status="$APT_ROOT/status" \
		-o Dir::Cache="$APT_ROOT" -o Dir::Cache::archives="$APT_ROOT/archives" \
		-o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none \
		-o Acquire::Retries=2 "$@"
}

# apt_size PACKAGE...: MB to download.
apt_size() {
	apt_private apt-cache show --no-all-versions "$@" |
		awk '$1 == "Size:" { n += $2 } END { printf "%d\n", n / 1e6 + 1 }'
}

# apt_unpack DIR PACKAGE...: downloads and unpacks, without their dependencies.
# What has been downloaded stays until the caller is done, for the next try.
apt_unpack() {
	local dir=$1 package deb
	shift
	say "downloading $* ($(apt_size "$@") MB)"
	(cd "$APT_ROOT/archives" && apt_private apt-get -q download "$@" >"$APT_ROOT/log" 2>&1) || {
		cat "$APT_ROOT/log" >&2
		die "the download failed: run it again, it takes up where it stopped"
	}
	for package; do
		for deb in "$APT_ROOT/archives/${package%%[=/]*}"_*.deb; do
			say "unpacking ${deb##*/}"
			dpkg-deb -x "$deb" "$dir" || die "cannot unpack $deb: delete it and try again"
		done
	done
}
