#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# copyright.sh: the licences of everything that is in the program, in Debian's machine-readable format: of meshwright,
# of Go's own library, and of each module that is linked.
set -euo pipefail
cd "$(dirname "$0")/.."
GO=${GO:-go}
. scripts/authors.sh

# text FILE...: the field of a licence's text: lines begin with a space, empty ones are a dot.
text() { cat "$@" | tr -d '\r' | expand | sed -e 's/[[:space:]]*$//' -e 's/^$/./' -e 's/^/ /'; }

# kind FILE: the short name of a licence.
kind() {
	case $(tr -s ' \n\r' ' ' <"$1") in
	*"Apache License"*"Version 2.0, January 2004"*) echo Apache-2.0 ;;
	*"Permission is hereby granted, free of charge"*"Licensed under the Apache License"*) echo "Expat and Apache-2.0" ;;
	*"Attribution 4.0 International"*) echo CC-BY-4.0 ;;
	*"SIL OPEN FONT LICENSE"* | *"SIL Open Font License"*) echo OFL-1.1 ;;
	*"FreeType License"* | *"FreeType Project LICENSE"*) echo FTL ;;
	*"Permission is hereby granted, free of charge"*) echo Expat ;;
	*"Neither the name"*) echo BSD-3-clause ;;
	*"Redistribution and use"*) echo BSD-2-clause ;;
	*"public domain"*) echo public-domain ;;
	*) echo "copyright.sh: $1: unknown licence, expected one that kind() knows" >&2 && return 1 ;;
	esac
}

# holders FILE...: who holds the copyright, one a line.
holders() {
	grep -hiE '^[^a-z]*(portions )?(are )?copyright .*([0-9]{4}|\(c\)|©)' "$@" | tr -d '\r' | sed -e 's/^[^A-Za-z]*//' -e 's/[[:space:]]*$//' | LC_ALL=C sort -u | sed -e '1!s/^/ /'
}

# stanza FILES LICENCE...: one part of the program.
stanza() {
	local files=$1 name who
	shift
	name=$(kind "$1")
	who=$(holders "$@" || true)
	printf '\nFiles: %s\nCopyright: %s\nLicense: %s\n' "$files" "${who:-its authors}" "$name"
	if [[ $name == Apache-2.0 ]]; then
		echo " The text is in /usr/share/common-licenses/Apache-2.0."
	else
		text "$@"
	fi
}

cat <<HEAD
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: meshwright

Files: *
Copyright: $authors
License: Apache-2.0
 The text is in /usr/share/common-licenses/Apache-2.0.
HEAD
stanza "go/*" "$("$GO" env GOROOT)/LICENSE"
"$GO" list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}' ./cmd/meshwright | LC_ALL=C sort -u | while read -r module folder; do
	mapfile -t licences < <(find "$folder" -maxdepth 2 -type f \( -iname 'licen[sc]e*' -o -name NOTICE -o -path '*/licenses/ftl.txt' \) \
		-not -iname '*.go' -not -iname '*logo*' -not -iname '*link*' | LC_ALL=C sort)
	[[ ${#licences[@]} -gt 0 ]] || { echo "copyright.sh: $module: no licence, expected a file LICENSE" >&2 && exit 1; }
	stanza "$module/*" "${licences[@]}"
done
