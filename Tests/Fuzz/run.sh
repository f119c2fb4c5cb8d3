#!/bin/sh
# Fuzzes the multipart parser: Tests/Fuzz/run.sh [executions, 10000000 unless given] [seed]
# With libFuzzer and AddressSanitizer where the toolchain has them, with our own mutator otherwise.
# Finds are kept in Tests/Fuzz/corpus, reduced to those that reach something new.
set -eu
cd "$(dirname "$0")/../.."
runs=${1:-10000000}
seed=${2:-1}
corpus=Tests/Fuzz/corpus
out=.build/fuzz
mkdir -p "$out/found"

module() { # name, sources…: one instrumented static library
  name=$1
  shift
  swiftc -O -swift-version 6 -parse-as-library -sanitize=fuzzer,address -I "$out" -module-name "$name" \
    -emit-module -emit-module-path "$out/$name.swiftmodule" -emit-library -static -o "$out/lib$name.a" "$@"
}

if module MultipartForm $(find Sources/MultipartForm -name "*.swift") 2>"$out/log"; then
  module MultipartOracle Tests/MultipartOracle/*.swift
  swiftc -O -swift-version 6 -parse-as-library -sanitize=fuzzer,address -I "$out" -L "$out" \
    Tests/Fuzz/LibFuzzer.swift -lMultipartOracle -lMultipartForm -o "$out/multipart-fuzz"
  # New finds go to the first directory; what is in the corpus is only read.
  "$out/multipart-fuzz" -runs="$runs" -seed="$seed" -max_len=4096 -timeout=10 -rss_limit_mb=1024 \
    -dict=Tests/Fuzz/dictionary -artifact_prefix="$out/" -print_final_stats=1 "$out/found" "$corpus"
  "$out/multipart-fuzz" -merge=1 -max_len=4096 "$corpus" "$out/found" 2>"$out/merge.log"
  echo "corpus: $(ls "$corpus" | wc -l) inputs"
else
  echo "no libFuzzer in this toolchain (see $out/log): mutating the corpus ourselves"
  swift build -c release --product multipart-fuzz
  "$(swift build -c release --show-bin-path)/multipart-fuzz" "$runs" "$seed" "$corpus"
fi
