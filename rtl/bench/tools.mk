# SPDX-License-Identifier: Apache-2.0
# What a Makefile of an export says of a tool that is missing or too old. Its recipes call these before the tool.

# $(call NEED,COMMAND,PACKAGES) says what to install.
NEED = @command -v $(1) >/dev/null || { echo "$(1) not found: apt-get install $(2)" >&2; exit 3; }

# $(call RECENT,COMMAND,QUESTION,MAJOR,MINOR) says which version is needed. The first number with a point in what the
# command answers is its version. Without a MINOR any will do.
RECENT = @o=$$($(1) $(2) 2>&1); v=$${o%%.*}; v=$${v\#\#* }; w=$${o\#*.}; w=$${w%%[!0-9]*}; \
	[ "$${v:-0}" -gt $(3) ] 2>/dev/null || { [ "$${v:-0}" -eq $(3) ] && [ "$${w:-0}" -ge $(or $(4),0) ]; } 2>/dev/null || \
	{ echo "$(1) $$v$(if $(4),.$$w) is too old: version $(3)$(if $(4),.$(4)) or newer is needed" >&2; exit 3; }
