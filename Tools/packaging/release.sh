#!/bin/sh
# Makes what a release consists of: the sources, the program in a tarball and in a Debian package, a bill of materials,
# the notes, and the sums of all of them. Called by make release.
#   Tools/packaging/release.sh PROGRAM FOLDER
set -eu
[ $# = 2 ] || { echo "usage: $0 PROGRAM FOLDER" >&2; exit 2; }
program=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
[ -z "$(git -C "$top" status --porcelain)" ] || {
  echo "release: there are changes that are not committed: a release is made of a commit" >&2
  git -C "$top" status --short >&2
  exit 1
}
if readelf -d "$program" | grep -E "R(UN)?PATH"; then
  echo "release: the program looks for libraries in a folder of its own" >&2
  exit 1
fi
SOURCE_DATE_EPOCH=$(git -C "$top" log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022
version=$("$program" --version | awk 'NR == 1 { print $2 }')
machine=$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
rm -rf "$folder"
mkdir -p "$folder"

git -C "$top" archive --prefix="hoist-$version/" HEAD | gzip -9n > "$folder/hoist-$version.tar.gz"
"$here/install.sh" "$program" /usr/local "$stage/hoist-$version-$machine" > /dev/null
tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  -cf - "hoist-$version-$machine" | xz -9 -T1 > "$folder/hoist-$version-linux-$machine.tar.xz"
"$here/components.py" sbom "$stage/hoist-$version-$machine/usr/local/bin/hoist" > "$folder/hoist-$version.spdx.json"
"$here/deb.sh" "$program" "$folder" > /dev/null
# The page of this version.
awk -v heading="## $version" '/^## / { on = $0 == heading; next } on' "$top/CHANGELOG.md" > "$folder/NOTES.md"
grep -q . "$folder/NOTES.md" || { echo "release: CHANGELOG.md has no page \"## $version\"" >&2; exit 1; }
(cd "$folder" && sha256sum -- * > "$stage/SHA256SUMS" && mv "$stage/SHA256SUMS" . && chmod 644 SHA256SUMS && cat SHA256SUMS)
