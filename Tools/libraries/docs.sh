#!/bin/sh
# Makes the documentation of the libraries with the toolchain's own docc, so that the package needs no plugin: make docs.
#   Tools/libraries/docs.sh FOLDER ARCHIVE    FOLDER: where SwiftPM has built them
set -eu
[ $# = 2 ] || { echo "usage: $0 FOLDER ARCHIVE" >&2; exit 2; }
built=$1 archive=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for library in MultipartForm MultipartFormCodable MediaTypes Receiver; do
  mkdir "$work/$library"
  # shellcheck disable=SC2046  # the options are meant to be split
  swift symbolgraph-extract -module-name $library $("$here/modules.sh" "$built") -output-dir "$work/$library" \
    -minimum-access-level public -skip-inherited-docs -skip-synthesized-members -emit-extension-block-symbols
  # What docc cannot resolve is an error: a link to a symbol that was renamed, for example.
  docc convert "$here/../../Sources/$library/$library.docc" --additional-symbol-graph-dir "$work/$library" \
    --fallback-display-name $library --fallback-bundle-identifier org.hoist.$library \
    --warnings-as-errors --output-path "$work/$library.doccarchive"
done
rm -rf "$archive"
docc merge "$work"/*.doccarchive --output-path "$archive" --synthesized-landing-page-name hoist
echo "$archive: to look at it,"
echo "  python3 -m http.server --bind 127.0.0.1 --directory $archive 8000"
echo "and open http://127.0.0.1:8000/documentation/ in a browser"
