#!/bin/sh
# Makes the documentation of MultipartForm with the toolchain's own docc, so that the package needs no plugin.
#   config/docs.sh MODULES ARCHIVE
set -eu
[ $# = 2 ] || { echo "usage: $0 MODULES ARCHIVE" >&2; exit 2; }
modules=$1 archive=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target=$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)",*/\1/p' | head -1)
swift symbolgraph-extract -module-name MultipartForm -target "$target" -I "$modules" -output-dir "$work" \
  -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -emit-extension-block-symbols
rm -rf "$archive"
# What docc cannot resolve is an error: a link to a symbol that was renamed, for example.
docc convert "$here/../Sources/MultipartForm/MultipartForm.docc" --additional-symbol-graph-dir "$work" \
  --fallback-display-name MultipartForm --fallback-bundle-identifier org.hoist.MultipartForm \
  --warnings-as-errors --output-path "$archive"
echo "$archive: see it with docc preview, or serve the folder"
