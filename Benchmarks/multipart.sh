#!/bin/sh
# How fast the multipart core is, as ratios: Benchmarks/multipart.sh [rounds, 7 unless given]
# Needs a release build of multipart-bench, Go, and python-multipart in .build/peers (make setup).
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-7}
bench=.build/release/multipart-bench
python=.build/peers/bin/python3
out=.build/bench
boundary=------------------------0123456789ABCDEFGHIJKL
mkdir -p "$out"
for tool in "$bench" "$python" go; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: run make setup, swift build -c release"; exit 1; }
done
go build -o "$out/go-parser" Benchmarks/multipart/go/main.go

[ -f "$out/random" ] || head -c 536870912 /dev/urandom >"$out/random"
[ -f "$out/text" ] || yes "$(printf 'a line of plain text, which ends as lines do in files from Windows\r')" |
  head -c 268435456 >"$out/text"
# Every 50 bytes a delimiter but for its last byte: the worst that a sender can do to a search.
[ -f "$out/near" ] || yes "$(printf '\r\n--%s\r' "${boundary%?}")" | head -c 268435456 >"$out/near"
[ -f "$out/dashes" ] || head -c 268435456 /dev/zero | tr '\0' '-' >"$out/dashes"
for file in random text near dashes; do
  [ -f "$out/$file.body" ] || "$bench" body "$out/$file" "$boundary" >"$out/$file.body"
done

echo "encoder beside a pread loop over the same file, 512 MiB, 64 KiB reads (goal: ratio 0.9)"
"$bench" encode "$out/random" "$rounds"
for file in random text near dashes; do
  echo "parser beside memmem over the same bytes: $file"
  "$bench" search "$out/$file.body" "$boundary" "$rounds"
done

# A boundary that its sender chose to make every byte look like the end of one.
worst=$(printf -- '-%.0s' $(seq 70))
[ -f "$out/worst" ] || yes "$(printf '\r%65000s' | tr ' ' -)" | tr -d '\n' | head -c 134217728 >"$out/worst"
[ -f "$out/worst.body" ] || "$bench" body "$out/worst" "$worst" >"$out/worst.body"
echo "parser beside memmem over the same bytes: CR and dashes, with a boundary of 70 dashes"
"$bench" search "$out/worst.body" "$worst" "$rounds"

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
rate() { awk '{ printf "%.3f\n", $1 / $2 / 1e9 }'; }
for file in random text; do
  echo "parser beside other parsers, in turns: $file (goal: 2 GB/s, twice the best of the others)"
  rm -f "$out"/rate-*
  for _ in $(seq "$rounds"); do
    "$bench" parse "$out/$file.body" "$boundary" | rate >>"$out/rate-hoist"
    "$out/go-parser" "$out/$file.body" "$boundary" | rate >>"$out/rate-go"
    "$python" Benchmarks/multipart/python_multipart_peer.py "$out/$file.body" "$boundary" |
      rate >>"$out/rate-python-multipart"
  done
  ours=$(median <"$out/rate-hoist")
  echo "hoist $ours GB/s"
  for peer in go python-multipart; do
    theirs=$(median <"$out/rate-$peer")
    echo "$peer $theirs GB/s, ratio $(awk "BEGIN { printf \"%.1f\", $ours / $theirs }")"
  done
done
