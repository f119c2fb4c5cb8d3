# hoist: run `make` for the list of targets.
SWIFT ?= swift
# With or without colours, or every change between a terminal and a pipe would build all anew.
BUILD = $(SWIFT) build --no-color-diagnostics
# Swift's own libraries in the program, and C++'s, without a symbol for others to find: it starts sooner, and runs
# where there is no Swift.
# The linker looks into the folder of the build first, and finds C++'s library there without its shared twin.
LINKED = @folder=$$($(SWIFT) build -c release --show-bin-path) && mkdir -p "$$folder" && \
  library=$$(clang++ -print-file-name=libstdc++.a 2> /dev/null); \
  if test -f "$$library"; then ln -sf "$$library" "$$folder/"; fi
# LLVM's linker, where the toolchain has it: a program by gold takes 4 MB more. Half of that are relocations, which LLVM's
# can pack and glibc unpacks from 2.36 on.
TOOLS = $(shell $(SWIFT) -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
PACKED = $(shell getconf GNU_LIBC_VERSION 2> /dev/null | \
  awk '$$2 >= 2.36 { print "-Xlinker -z -Xlinker pack-relative-relocs" }')
LINKER = $(if $(wildcard $(TOOLS)/ld.lld),-Xswiftc -use-ld=lld $(PACKED))
# The functions of a push side by side (Tools/build/start-order.py), each in a section of its own, for the kernel maps a
# program in portions of 64 KiB: all over the program, they take 8 MB more of memory.
ORDER = $(if $(LINKER),$(shell mkdir -p .build && gzip -dc Tools/build/start-order.gz > .build/start-order) \
  -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcxx -ffunction-sections \
  -Xlinker --symbol-ordering-file=$(CURDIR)/.build/start-order -Xlinker --no-warn-symbol-ordering)
# ICU's data, which Foundation brings, would be half of the program: a fifteenth of it is enough.
# Without Python, all of it is linked.
ICU = icu=$$(Tools/build/icu.py "$(TOOLS)/../lib/swift_static/linux/lib_FoundationICU.a" .build/icu.o);
# Addresses are bound and made read-only at the start, and functions in C watch their stacks. Libraries are not looked for
# in the program's folder, which may be one of downloads.
HARDENED = --disable-local-rpath -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xcc -fstack-protector-strong -Xcxx -fstack-protector-strong
# Nothing in the program names this folder, so that a release is the same from any folder.
MAPPED = -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." -Xcxx "-ffile-prefix-map=$(CURDIR)=."
# What `hoist --version` says of the commit; a plus after it means changes.
COMMIT = $(shell git describe --always --exclude '*' --abbrev=12 --dirty=+ 2> /dev/null)
# Without debugging information, which takes a tenth of the time and 40 MB; functions keep their names. Optimized for size:
# 2 MB less, also of memory, and a tenth less to compile, for 6 % more CPU time with small files and none with large ones.
PROGRAM = $(ICU) HOIST_COMMIT=$(COMMIT) $(BUILD) -c release -Xswiftc -Osize -debug-info-format none --static-swift-stdlib $$icu $(LINKER) $(ORDER) $(HARDENED) $(MAPPED) -Xlinker --no-export-dynamic --product
FORMAT = $(SWIFT) format lint --strict --parallel --configuration Tools/lint/swift-format.json --recursive Package.swift Sources Tests Benchmarks Examples
RELEASE = .build/release

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help setup build demo start-order install uninstall man sbom deb deb-test release release-test api api-record fresh-test test test-long lint docs format record pictures bench fuzz soak monkey attack resume-test clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

setup: ## install what the tests need (apt, PyPI)
	@Tools/build/setup.sh test

build: ## build the program for release
	@Tools/build/setup.sh build
	$(LINKED)
	$(PROGRAM) hoist

demo: build ## see hoist at work against its own receiver
	@$(RELEASE)/hoist demo

start-order: build ## list anew which functions a push runs, for the next build to lay side by side
	@Tools/build/setup.sh bench
	Tools/build/start-order.py $(RELEASE)/hoist | gzip -9n > Tools/build/start-order.gz
	rm $(RELEASE)/hoist

install: build ## install it; PREFIX=/usr/local and DESTDIR= say where
	@Tools/build/setup.sh install
	Tools/packaging/install.sh $(RELEASE)/hoist "$(PREFIX)" "$(DESTDIR)"

uninstall: ## remove what make install has installed; the same PREFIX and DESTDIR
	Tools/packaging/install.sh --remove "$(PREFIX)" "$(DESTDIR)"

man: build ## make the manual page, .build/hoist.1
	$(RELEASE)/hoist --experimental-dump-help | Tools/packaging/man.py "$$($(RELEASE)/hoist --version | awk 'NR == 1 { print $$2 }')" > .build/hoist.1

sbom: build ## make a bill of materials (SPDX), .build/hoist.spdx.json
	Tools/packaging/components.py sbom $(RELEASE)/hoist > .build/hoist.spdx.json

# Packages run elsewhere: Ubuntu 22.04 has glibc 2.35.
deb release: PACKED =
deb: ## make a Debian package in .build that needs no Swift
	@Tools/build/setup.sh deb
	$(LINKED)
	$(PROGRAM) hoist
	Tools/packaging/deb.sh $(RELEASE)/hoist .build

release: docs ## make what a release consists of, in .build/dist
	@Tools/build/setup.sh deb
	$(LINKED)
	$(PROGRAM) hoist
	Tools/packaging/release.sh $(RELEASE)/hoist .build/hoist.doccarchive .build/dist

release-test: release ## package the release a second time elsewhere, and compare
	Tools/packaging/release-test.sh $(RELEASE)/hoist .build/hoist.doccarchive .build/dist

deb-test: release ## try the package and the tarball on clean Debians 12 and 13 (needs root; six minutes)
	Tools/packaging/deb-test.sh .build/dist/hoist_*.deb .build/dist/hoist-*-linux-*.tar.xz

fresh-test: ## run make demo and make test on a bare Debian 12, or 13 with DEBIAN=trixie (needs root; ten minutes)
	@Tools/build/setup.sh deb
	Tools/tests/fresh-test.sh $(DEBIAN)

test: ## run all tests
	@Tools/build/setup.sh install
# The peers come from the network while the tests are built, and packages while the sources are checked.
	@Tools/build/setup.sh test & peers=$$!; $(SWIFT) package -q resolve & packages=$$!; \
	  trap 'kill $$peers $$packages 2> /dev/null' EXIT HUP INT TERM; \
	  $(MAKE) --no-print-directory lint && wait $$packages && $(BUILD) --build-tests && wait $$peers && trap - EXIT
	HOIST_ALL_TESTS=1 Tools/tests/test.sh "$$($(SWIFT) build --show-bin-path)"
	Tools/tests/examples.sh "$$($(SWIFT) build --show-bin-path)"
	Tools/tests/icu-test.sh
	Tools/tests/leftovers.sh

test-long: setup build ## run all tests at length, attacks and soaks, other clients; an hour
	$(BUILD) --build-tests
	HOIST_LONG=1 HOIST_ALL_TESTS=1 HOIST_SOAK=20000 HOIST_MONKEY=100000 Tools/tests/test.sh "$$($(SWIFT) build --show-bin-path)"
	Tools/tests/examples.sh
	python3 Tests/Attack/attack.py $(RELEASE)/hoist
	Tools/tests/leftovers.sh

lint: ## check the format, the handling of text, the map of rooms, the documents and their pictures
	$(FORMAT)
	Tools/lint/text.py
	Tools/lint/rooms.py
	Tools/lint/docs.py
	Tools/lint/pictures.py

docs: ## make the documentation of the libraries, .build/hoist.doccarchive
	$(BUILD) --target MultipartFormCodable
	$(BUILD) --target MediaTypes
	$(BUILD) --target Receiver
	Tools/libraries/docs.sh .build/debug .build/hoist.doccarchive

api: ## compare the libraries' public interface with the one in Tools/libraries
	$(BUILD) --target MultipartFormCodable
	$(BUILD) --target MediaTypes
	$(BUILD) --target Receiver
	Tools/libraries/api.py check .build/debug

api-record: ## keep the libraries' public interface in Tools/libraries, as that of a release
	$(BUILD) --target MultipartFormCodable
	$(BUILD) --target MediaTypes
	$(BUILD) --target Receiver
	Tools/libraries/api.py record .build/debug

format: ## format the sources
	$(SWIFT) format --in-place --configuration Tools/lint/swift-format.json --recursive Package.swift Sources Tests Benchmarks Examples

record: ## record the golden frames anew; look at the difference before you commit it
	HOIST_RECORD=1 $(SWIFT) test --filter 'ScreensTests|PaintedTests'

pictures: build ## take the README's pictures anew
	@Tools/build/setup.sh test
	Tools/documents/pictures.py $(RELEASE)/hoist docs/pictures

bench: ## measure hoist beside curl and other peers; prints ratios
	@Tools/build/setup.sh bench
	$(LINKED)
	$(PROGRAM) hoist
	$(PROGRAM) transport-bench
	$(PROGRAM) multipart-bench
	$(PROGRAM) queue-bench
	$(PROGRAM) scheduler-bench
	$(PROGRAM) screen-bench
	python3 Benchmarks/upload/run.py $(RELEASE)/hoist
	python3 Benchmarks/upload/truth.py $(RELEASE)/hoist
	python3 Benchmarks/upload/limits.py $(RELEASE)/hoist
	python3 Benchmarks/upload/pieces.py $(RELEASE)/hoist
	python3 Benchmarks/upload/lanes.py $(RELEASE)/hoist
	python3 Benchmarks/upload/queue.py $(RELEASE)/hoist
	python3 Benchmarks/receive/run.py $(RELEASE)/hoist
	Benchmarks/multipart.sh
	$(RELEASE)/queue-bench
	$(RELEASE)/scheduler-bench
	python3 Benchmarks/screen/run.py $(RELEASE)/hoist $(RELEASE)/screen-bench
	python3 Benchmarks/screen/attached.py $(RELEASE)/hoist
	python3 Benchmarks/screen/bars.py $(RELEASE)/hoist --seconds 20

fuzz: ## fuzz the multipart parser, and the readers of replies, files and settings
	Tests/Fuzz/run.sh
	Tests/Fuzz/readers.sh

soak: ## 20,000 uploads into servers that misbehave
	HOIST_SOAK=20000 $(SWIFT) test --filter SoakTests

monkey: ## press 100,000 random keys; two windows of one queue, ten random minutes
	HOIST_MONKEY=100000 $(SWIFT) test --filter 'ScreenMonkeyTests|TwoWindowsTests|TwoScreensTests'

resume-test: build ## cut and kill a 1 GiB upload 120 times; other tus servers and clients
	python3 Tests/Attack/attack.py $(RELEASE)/hoist --only resuming --only tus

attack: build ## attack the program and count what held (ATTACK=--quick: a tenth of it)
	python3 Tests/Attack/attack.py $(RELEASE)/hoist $(ATTACK)

clean: ## remove what was built
	rm -rf .build
