#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# clean-root.sh: tries build/dist in a Debian that has nothing but its base system. The package is installed, used and
# removed; then no file of it is left. The tar.gz is unpacked and used. With the argument `image` the Dockerfile is
# built, too, by buildah: no registry is asked, the two images that it begins with are made of the same base system, one
# with this machine's Go. Runs as root; build/_clean-root keeps the base system for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
mirror=${MIRROR:-http://deb.debian.org/debian}
base=$PWD/build/_clean-root
work=$(mktemp -d)
root=$work/root
trap 'rm -rf "$work"' EXIT

fail() {
	echo "clean-root.sh: $*" >&2
	exit 1
}
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }

# has COMMAND... -- WORDS: the command prints the words.
has() {
	local command=()
	while [[ $1 != -- ]]; do command+=("$1"); shift; done
	shift
	local out
	out=$("${command[@]}" 2>&1) || fail "${command[*]}: $out"
	[[ $out == *"$*"* ]] || fail "${command[*]} printed: $out; expected: $*"
}

# files: everything in the root but what dpkg and the manual's index note down.
files() { (cd "$root" && find . -path ./proc -prune -o -path ./var/lib/dpkg -prune -o -path ./var/log -prune -o -path ./var/cache/man -prune -o -print | sort); }

if [[ ! -e $base/done ]]; then
	rm -rf "$base"
	debootstrap --variant=minbase bookworm "$base/root" "$mirror" >"$work/log" || { tail -n 5 "$work/log" >&2; exit 1; }
	touch "$base/done"
fi
cp -a "$base/root" "$root"

version=$(bin/meshwright version --json | sed -n 's/.*"release": "\([^"]*\)".*/\1/p')
arch=$(dpkg --print-architecture)
(cd build/dist && sha256sum --quiet -c SHA256SUMS)

# The package.
before=$(files)
cp "build/dist/meshwright_${version}_$arch.deb" "$root/tmp/meshwright.deb"
inside dpkg -i /tmp/meshwright.deb >"$work/log" 2>&1 || fail "dpkg -i: $(tail -n 3 "$work/log")"
rm "$root/tmp/meshwright.deb"
has inside meshwright version -- "meshwright $version, commit $(git rev-parse HEAD)"
has inside meshwright run scatter --topology mesh:8x8 --length 16 -- "every word compared"
has inside meshwright run gossip --topology torus:4x4 --machine /usr/share/doc/meshwright/examples/machines/narrow.yaml -- "every word compared"
for file in usr/share/bash-completion/completions/meshwright usr/share/zsh/vendor-completions/_meshwright \
	usr/share/fish/vendor_completions.d/meshwright.fish usr/share/doc/meshwright/html/index.html usr/share/doc/meshwright/copyright \
	usr/share/doc/meshwright/changelog.gz usr/share/man/man1/meshwright.1.gz usr/share/man/man1/meshwright-run.1.gz; do
	[[ -s $root/$file ]] || fail "the package has no $file"
done
has inside bash -c '. /usr/share/bash-completion/completions/meshwright && complete -p meshwright' -- "__start_meshwright"
inside dpkg -r meshwright >"$work/log" 2>&1 || fail "dpkg -r: $(tail -n 3 "$work/log")"
left=$(diff <(echo "$before") <(files)) || fail "dpkg -r leaves: $left"

# The tar.gz.
tar -C "$root/usr/local" --strip-components=1 -xzf "build/dist/meshwright-$version-linux-$arch.tar.gz"
has inside meshwright run gossip --topology torus:4x4 -- "every word compared"
rm -rf "$root"
echo "clean root: package and tar.gz work"
[[ ${1:-} == image ]] || exit 0

# The image.
store=(buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs)
# base_image NAME FOLDER:TARGET...: an image of the base system, and folders of this machine.
base_image() {
	local name=$1 container pair
	shift
	container=$("${store[@]}" from scratch)
	"${store[@]}" add --quiet "$container" "$base/root" / >/dev/null
	for pair in "$@"; do "${store[@]}" add --quiet "$container" "${pair%%:*}" "${pair##*:}" >/dev/null; done
	"${store[@]}" config --env PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
	"${store[@]}" commit --quiet --rm "$container" "$name" >/dev/null
}
base_image "$(sed -n '/^FROM .*debian/s/^FROM //p' Dockerfile)"
base_image "$(sed -n 's/^FROM \(.*\) AS build/\1/p' Dockerfile)" "$(go env GOROOT):/usr/local/go"
# Modules come from this machine's cache, which is what `go mod download` would fill.
"${store[@]}" bud --isolation chroot --pull=never --quiet --volume "$(go env GOMODCACHE):/root/go/pkg/mod:ro" \
	--env GOPROXY=off --tag meshwright . >"$work/log" 2>&1 || fail "buildah bud: $(tail -n 5 "$work/log")"
container=$("${store[@]}" from --pull=never localhost/meshwright)
run() { "${store[@]}" run --isolation chroot "$container" "$@"; }
has run meshwright run scatter --topology mesh:8x8 --length 16 -- "every word compared"
has run meshwright cosim scatter --topology mesh:3x3 --simulator both -- "PASS"
has run sh -c 'id -un; pwd; touch file && echo may write' -- "meshwright
/work
may write"
echo "clean root: the image works"
