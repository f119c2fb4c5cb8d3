#!/bin/sh
# Packages the same program a second time, in another folder, at another time and with other settings, and compares the
# two releases: make release-test.
#   Tools/packaging/release-test.sh PROGRAM ARCHIVE FOLDER    FOLDER: where the release is
set -eu
[ $# = 3 ] || { echo "usage: $0 PROGRAM ARCHIVE FOLDER" >&2; exit 2; }
program=$(realpath "$1") archive=$(realpath "$2") folder=$(realpath "$3")
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker's own name for the program is not in the release.
mkdir -p "$work/a longer name/bin"
cp "$program" "$work/a longer name/bin/other"
git clone -q "$top" "$work/a longer name/hoist"
cd "$work/a longer name/hoist"
# The licences of what SwiftPM has fetched are part of a release.
cp "$top/Package.resolved" .
mkdir .build
ln -s "$top/.build/checkouts" .build/checkouts
find . -path ./.git -prune -o -type f -exec touch -d 2001-02-03 {} +
(
  umask 077
  unset SOURCE_DATE_EPOCH
  HOME=$work TZ=Asia/Tokyo LC_ALL=C.UTF-8 PYTHONHASHSEED=7 Tools/packaging/release.sh ../bin/other "$archive" ../dist > /dev/null
)
for file in "$folder"/* ../dist/*; do
  cmp "$folder/$(basename "$file")" "../dist/$(basename "$file")" || {
    echo "release-test: $(basename "$file") differs the second time" >&2
    exit 1
  }
done
echo "the release is the same twice"
