# SPDX-License-Identifier: Apache-2.0
# make -C FOLDER CURDIR=. -f verilator.mk NAME=bench VM_PARALLEL_BUILDS=0 OPT_FAST=-O0: compiles the C++ that Verilator
# wrote into FOLDER for the top module NAME, as one file: the headers take longer than a small network. With
# OPT_FAST=-O1 that takes twice as long, and the program half as long.
#
# Verilator's run-time library takes longer, too, and is the same for all networks; so are its headers. So the library is
# one object, and the headers are compiled by themselves. Both are kept in the user's cache folder under names made of all
# that decides their content. Without a cache that can be written they are compiled each time.
NAME := bench

.PHONY: program
program:

include V$(NAME).mk

LIBRARY := $(VM_GLOBAL_FAST) $(VM_GLOBAL_SLOW)

program: $(VM_PREFIX)__ALL.o library.o
	$(LINK) $(LDFLAGS) $^ $(LOADLIBES) $(LDLIBS) $(LIBS) -o $(NAME)

# KEPT: where something is kept, for the shell; with the compiler's flags and what else decides its content. What appears
# in the cache has another name first: others may read or write it at the same time.
KEPT = cache="$${XDG_CACHE_HOME:-$${HOME:+$$HOME/.cache}}"; \
	kept="$${cache:-.}/meshwright/verilated-$$({ verilator --version; $(CXX) --version; echo "$(CXX) $(CXXFLAGS) $(1)"; } | cksum | tr ' ' -)"; \
	mkdir -p "$$(dirname "$$kept")" 2> /dev/null

library.o: V$(NAME).mk
	printf '#include "%s.cpp"\n' $(LIBRARY) > library.cc
	$(call KEPT,$(CPPFLAGS) $(LIBRARY)); \
	cp "$$kept.o" $@ 2> /dev/null || { \
		$(OBJCACHE) $(CXX) $(CXXFLAGS) $(CPPFLAGS) -O0 -c -o $@ library.cc || exit; \
		{ cp $@ "$$kept.o.$$$$" && mv "$$kept.o.$$$$" "$$kept.o"; } 2> /dev/null || true; \
	}

# The compiler takes headers.h.gch in place of headers.h if it is there and fits.
HEADER_FLAGS := $(CPPFLAGS) $(OPT_FAST)
headers.h: V$(NAME).mk
	printf '#include "%s.h"\n' verilated verilated_timing > $@
	$(call KEPT,$(HEADER_FLAGS)); \
	{ test -e "$$kept.gch" || { test -w "$$(dirname "$$kept")" && $(CXX) $(CXXFLAGS) $(HEADER_FLAGS) -MF /dev/null -x c++-header -o "$$kept.gch.$$$$" $@ && mv "$$kept.gch.$$$$" "$$kept.gch" || { rm -f "$$kept.gch.$$$$"; false; }; }; } 2> /dev/null && \
	ln -sf "$$kept.gch" $@.gch || true

$(VM_PREFIX)__ALL.o: headers.h
$(VM_PREFIX)__ALL.o: CPPFLAGS += -include headers.h
