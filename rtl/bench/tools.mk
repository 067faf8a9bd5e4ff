# SPDX-License-Identifier: Apache-2.0
# What a Makefile of an export says of a variable with a wrong value, and of a tool that is missing or too old. Its recipes
# call the latter before the tool.

# $(call SWITCH,NAME) judges a variable that is 1 or nothing, and $(call NUMBER,NAME,LEAST,MOST) one that is a number of
# digits or nothing. MOST is what the bench holds, by default 32 bits: it would take the low bits of a greater number.
SWITCH = $(if $(filter-out 1,$($(1))),$(error $(1)=$($(1)): expected 1, or nothing))
NUMBER = $(if $($(1)),$(if $(shell case "$($(1))" in (*[!0-9]*) ;; (*) test "$($(1))" -ge $(2) -a "$($(1))" -le $(or $(3),4294967295) 2> /dev/null && echo yes;; esac),,$(error $(1)=$($(1)): expected a number from $(2) to $(or $(3),4294967295))))

# $(call NEED,COMMANDS,PACKAGES) says what to install if one of the commands is missing.
NEED = @for c in $(1); do command -v "$$c" >/dev/null || { echo "$$c not found: apt-get install $(2)" >&2; exit 3; }; done

# The C++ compiler of Verilator: that of the command line, or else the one for which Verilator is installed.
COMPILER = $(firstword $(if $(filter command,$(origin CXX)),$(CXX)) $(shell { sed -n 's/^CXX = //p' "$$(verilator --getenv VERILATOR_ROOT)/include/verilated.mk"; } 2>/dev/null) g++)

# $(call RECENT,COMMAND,QUESTION,MAJOR,MINOR) says which version is needed. The first number with a point in what the
# command answers is its version. Without a MINOR any will do.
RECENT = @o=$$($(1) $(2) 2>&1); v=$${o%%.*}; v=$${v\#\#* }; w=$${o\#*.}; w=$${w%%[!0-9]*}; \
	[ "$${v:-0}" -gt $(3) ] 2>/dev/null || { [ "$${v:-0}" -eq $(3) ] && [ "$${w:-0}" -ge $(or $(4),0) ]; } 2>/dev/null || \
	{ echo "$(1) $$v$(if $(4),.$$w) is too old: version $(3)$(if $(4),.$(4)) or newer is needed" >&2; exit 3; }
