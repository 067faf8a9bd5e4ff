# SPDX-License-Identifier: Apache-2.0
# make -C FOLDER CURDIR=. -f verilator.mk NAME=bench VM_PARALLEL_BUILDS=0 OPT_FAST=-O0: compiles the C++ that Verilator
# wrote into FOLDER for the top module NAME, as one file: the headers take longer than a small network. With
# OPT_FAST=-O1 that takes twice as long, and the program half as long.
#
# Verilator's run-time library takes longer, too, and is the same for all networks. So it is one object, which is kept in
# the user's cache folder under a name made of all that decides its content. Without a cache that can be written it is
# compiled each time.
NAME := bench

.PHONY: program
program:

include V$(NAME).mk

LIBRARY := $(VM_GLOBAL_FAST) $(VM_GLOBAL_SLOW)

program: $(VM_PREFIX)__ALL.o library.o
	$(LINK) $(LDFLAGS) $^ $(LOADLIBES) $(LDLIBS) $(LIBS) -o $(NAME)

# The object appears in the cache under another name first: others may read or write it at the same time.
library.o: V$(NAME).mk
	printf '#include "%s.cpp"\n' $(LIBRARY) > library.cc
	cache="$${XDG_CACHE_HOME:-$${HOME:+$$HOME/.cache}}"; \
	kept="$${cache:-.}/meshwright/verilated-$$({ verilator --version; $(CXX) --version; echo "$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(LIBRARY)"; } | cksum | tr ' ' -).o"; \
	cp "$$kept" $@ 2> /dev/null || { \
		$(OBJCACHE) $(CXX) $(CXXFLAGS) $(CPPFLAGS) -O0 -c -o $@ library.cc || exit; \
		{ mkdir -p "$$(dirname "$$kept")" && cp $@ "$$kept.$$$$" && mv "$$kept.$$$$" "$$kept"; } 2> /dev/null || true; \
	}
