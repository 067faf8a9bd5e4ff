#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# changes.sh VERSION: the entries of a version, from the standard input in the form of CHANGELOG.md, in that of Debian's changelog.
set -euo pipefail
version=${1:?changes.sh: no version}
awk -v headline="## $version" '/^## / { inside = $0 == headline } inside && /^\* / { print "  " $0 }' |
	fold -s -w 78 | sed -e '/^  \* /!s/^/    /' -e 's/ *$//'
