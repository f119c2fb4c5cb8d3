#!/bin/sh
# Makes a release a second time of the same program, in another folder, at another time and with other settings, and
# compares the two: make release-test.
#   config/release-test.sh PROGRAM FOLDER    FOLDER: where the release is
set -eu
[ $# = 2 ] || { echo "usage: $0 PROGRAM FOLDER" >&2; exit 2; }
program=$(realpath "$1") folder=$(realpath "$2")
top=$(dirname "$(cd "$(dirname "$0")" && pwd)")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker's own name for the program is not in the release.
mkdir -p "$work/a longer name/bin"
cp "$program" "$work/a longer name/bin/other"
git clone -q "$top" "$work/a longer name/hoist"
cd "$work/a longer name/hoist"
# What SwiftPM has fetched, whose licences go along.
cp "$top/Package.resolved" .
mkdir .build
ln -s "$top/.build/checkouts" .build/checkouts
find . -path ./.git -prune -o -type f -exec touch -d 2001-02-03 {} +
(
  umask 077
  unset SOURCE_DATE_EPOCH
  HOME=$work TZ=Asia/Tokyo LC_ALL=C.UTF-8 PYTHONHASHSEED=7 config/release.sh ../bin/other ../dist > /dev/null
)
for file in "$folder"/* ../dist/*; do
  cmp "$folder/$(basename "$file")" "../dist/$(basename "$file")" || {
    echo "release-test: $(basename "$file") is another the second time" >&2
    exit 1
  }
done
echo "the release is the same twice"
