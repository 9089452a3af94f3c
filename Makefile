# The front door.  Each target says which packages it needs and which tool does
# the work; what is done is written there, not here.
BUILD ?= build
PREFIX ?= /usr/local
SUITE ?= runtime

run: build
	@$(BUILD)/release/src/weir

build:
	@tools/packages build
	@tools/build.py release

test:
	@tools/packages build test
	@tools/test.py $(STAGES)

test-long:
	@tools/packages build test
	@tools/test.py --long

bench:
	@tools/packages build bench
	@bench/run.py $(SUITE)

eval:
	@tools/packages build eval
	@eval/run.py $(EVAL)

fuzz:
	@tools/packages build test
	@tools/test.py --long fuzz

tidy:
	@tools/packages build test
	@tools/test.py tidy

coverage:
	@tools/packages build test cover
	@tools/coverage.py

format:
	@tools/packages build test
	@tools/format.py

install:
	@tools/packages build
	@tools/build.py release --prefix $(PREFIX) --install

mutants:
	@tools/packages build test
	@tools/test.py mutants

.PHONY: run build test test-long bench eval fuzz tidy coverage format install mutants
