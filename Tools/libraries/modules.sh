#!/bin/sh
# Prints the options with which Swift's tools find the libraries' modules and what they import.
#   Tools/libraries/modules.sh FOLDER    where SwiftPM has built them
set -eu
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",*/\1/p' | head -1)
echo "-target $target -I $1/Modules"
for library in CMagic COpenSSL; do echo "-Xcc -fmodule-map-file=$top/Sources/$library/module.modulemap"; done
for map in "$1"/CNIO*.build/module.modulemap \
  "$top/.build/checkouts/swift-atomics/Sources/_AtomicsShims/include/module.modulemap"; do
  echo "-Xcc -fmodule-map-file=$map"
done
for folder in "$top"/.build/checkouts/swift-nio/Sources/CNIO*/include; do echo "-Xcc -I$folder"; done
