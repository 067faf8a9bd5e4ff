# SPDX-License-Identifier: Apache-2.0
#
# authors.sh: whom packages name as their makers. Scripts read it with `.`.
# shellcheck disable=SC2034
authors="the authors of meshwright"
address="authors@meshwright.invalid" # Debian's fields demand one; .invalid leads nowhere (RFC 2606)
