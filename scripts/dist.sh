#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# dist.sh: what users install, in build/dist: a Debian package and a tar.gz for each architecture, and SHA256SUMS.
# The same commit gives the same bytes, with the same Go: all times are the commit's, all orders are fixed.
# `make dist` builds the site and the manual pages before.
set -euo pipefail
cd "$(dirname "$0")/.."
GO=${GO:-go}
umask 022
export LC_ALL=C TZ=UTC CGO_ENABLED=0
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

version=$(bin/meshwright version --json | sed -n 's/.*"release": "\([^"]*\)".*/\1/p')
. scripts/authors.sh
maintainer="$authors <$address>"
noted=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
if [[ $noted != "$version" ]]; then
	echo "CHANGELOG.md: the first version is $noted, expected $version" >&2
	exit 1
fi

rm -rf build/dist build/_dist
work=build/_dist # Go passes over names like this one
share=$work/share
doc=$share/doc/meshwright
trap 'rm -rf "$work"' EXIT

# What every architecture has: manual pages, completions, documentation, examples.
mkdir -p "$doc" "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
cp build/man/*.1 "$share/man/man1"
gzip -9n "$share"/man/man1/*
bin/meshwright completion bash >"$share/bash-completion/completions/meshwright"
bin/meshwright completion zsh >"$share/zsh/vendor-completions/_meshwright"
bin/meshwright completion fish >"$share/fish/vendor_completions.d/meshwright.fish"
cp -r build/site "$doc/html"
git archive HEAD examples | tar -x -C "$doc"
rm -r "$doc/examples/demo" # scatters the sources
GO=$GO scripts/copyright.sh >"$doc/copyright"
{
	echo "meshwright ($version) unstable; urgency=medium"
	echo
	scripts/changes.sh "$version" <CHANGELOG.md
	echo
	echo " -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n >"$doc/changelog.gz"

# settle FOLDER: rights and times that do not depend on who builds, and when.
settle() {
	chmod -R u=rwX,go=rX "$1"
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

mkdir build/dist
for arch in amd64 arm64; do
	GOOS=linux GOARCH=$arch GOFLAGS= "$GO" build -trimpath -buildvcs=true -ldflags='-s -w' -o "$work/$arch/meshwright" ./cmd/meshwright

	name=meshwright-$version-linux-$arch
	tree=$work/$name
	mkdir -p "$tree/bin"
	cp "$work/$arch/meshwright" "$tree/bin"
	cp -r "$share" "$tree"
	cp LICENSE "$tree/share/doc/meshwright"
	settle "$tree"
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --format=ustar -c "$name" | gzip -9n >"build/dist/$name.tar.gz"
	rm -r "$tree"

	deb=$work/deb
	mkdir -p "$deb/usr/bin" "$deb/usr/share/lintian/overrides" "$deb/DEBIAN"
	echo "meshwright: statically-linked-binary [usr/bin/meshwright]" >"$deb/usr/share/lintian/overrides/meshwright" # as Go builds without C
	mv "$work/$arch/meshwright" "$deb/usr/bin"
	cp -rT "$share" "$deb/usr/share"
	(cd "$deb" && find usr -type f | sort | xargs -d '\n' md5sum) >"$deb/DEBIAN/md5sums"
	cat >"$deb/DEBIAN/control" <<-CONTROL
		Package: meshwright
		Version: $version
		Architecture: $arch
		Maintainer: $maintainer
		Installed-Size: $(find "$deb/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
		Recommends: g++, iverilog, make, verilator (>= 5), yosys
		Suggests: fpga-icestorm, gtkwave, nextpnr-ice40, tshark, z3
		Section: electronics
		Priority: optional
		Description: cycle-level emulator of mesh routing chips
		 meshwright runs collective operations as generated firmware on a model of mesh
		 routing chips, cycle by cycle. It checks whether the messages of a schedule
		 collide, and exports the same chips as synthesizable Verilog with test vectors,
		 which Icarus Verilog and Verilator compare in every cycle.
	CONTROL
	settle "$deb"
	dpkg-deb --root-owner-group -Zxz --build "$deb" "build/dist/meshwright_${version}_$arch.deb" >"$work/log" || { cat "$work/log" >&2; exit 1; }
	rm -r "$deb"
done
(cd build/dist && sha256sum -- *.deb *.tar.gz >SHA256SUMS && cat SHA256SUMS)
