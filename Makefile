# hoist: run `make` for the list of targets.
SWIFT ?= swift
# With or without colours, or every change between a terminal and a pipe would build all anew.
BUILD = $(SWIFT) build --no-color-diagnostics
FORMAT = $(SWIFT) format lint --strict --configuration config/swift-format.json --recursive Package.swift Sources Tests Benchmarks
RELEASE = .build/release

.PHONY: help setup build demo test lint format record bench fuzz soak clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: ## install what the tests need (apt, PyPI)
	@config/setup.sh test

build: ## build the program for release
	@config/setup.sh build
	$(BUILD) -c release --product hoist

demo: build ## see hoist at work against its own receiver
	@$(RELEASE)/hoist demo

test: setup lint ## run all tests
	$(BUILD) --build-tests
	$(SWIFT) test --no-color-diagnostics --skip-build

lint: ## check the format of the sources
	$(FORMAT)

format: ## format the sources
	$(SWIFT) format --in-place --configuration config/swift-format.json --recursive Package.swift Sources Tests Benchmarks

record: ## record the golden frames anew; look at the difference before you commit it
	HOIST_RECORD=1 $(SWIFT) test --filter ScreensTests

bench: ## measure hoist beside curl and other peers; prints ratios
	@config/setup.sh bench
	$(BUILD) -c release --product hoist
	$(BUILD) -c release --product multipart-bench
	python3 Benchmarks/upload/run.py $(RELEASE)/hoist
	Benchmarks/multipart.sh

fuzz: ## fuzz the multipart parser
	Tests/Fuzz/run.sh

soak: ## 20,000 uploads into servers that misbehave
	HOIST_SOAK=20000 $(SWIFT) test --filter SoakTests

clean: ## remove what was built
	rm -rf .build
