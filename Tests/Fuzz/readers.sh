#!/bin/sh
# Fuzzes the readers of bytes from outside: Tests/Fuzz/readers.sh [seconds for each, 120 unless given] [reader…]
# They are listed in Tests/ReaderTests/Reader.swift. An input that is too much for one stays in .build/fuzz, under the
# reader's name: mend the reader, and put the input into Tests/ReaderTests/Corpus.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-120}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(sed -n 's/^  case \([a-z]*\)$/\1/p' Tests/ReaderTests/Reader.swift)
swift build --no-color-diagnostics --build-tests
for reader in "$@"; do
  HOIST_FUZZ=$reader HOIST_FUZZ_SECONDS=$seconds "$(swift build --show-bin-path)/hoistPackageTests.xctest" \
    --testing-library swift-testing --filter 'ReaderTests.ReaderTests/fuzz' 2>&1 | grep "^$reader: " || {
    echo "$reader: it came to no good end; see .build/fuzz/$reader"
    exit 1
  }
done
