#!/bin/sh
# Makes what a release consists of: the sources, the program in a tarball and in a Debian package, the documentation, a
# bill of materials, the notes, and the sums of all of them. Called by make release.
#   Tools/packaging/release.sh PROGRAM ARCHIVE FOLDER    ARCHIVE: the documentation of the libraries (make docs)
set -eu
[ $# = 3 ] || { echo "usage: $0 PROGRAM ARCHIVE FOLDER" >&2; exit 2; }
program=$1 archive=$2 folder=$3
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
readelf -lW "$stage/hoist-$version-$machine/usr/local/bin/hoist" | grep -q GNU_RELRO || {
  echo "release: nothing of the program is made read-only once its addresses are bound (RELRO)" >&2
  exit 1
}
# pack FOLDER: the same files give the same archive.
pack() {
  tar -C "$stage" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner -cf - "$1" | xz -9 -T1
}
pack "hoist-$version-$machine" > "$folder/hoist-$version-linux-$machine.tar.xz"
guides=$stage/hoist-$version-docs
mkdir -p "$guides"
# The pages lie beside each other as they do in the sources, so that their links lead somewhere.
git -C "$top" archive HEAD README.md CHANGELOG.md CONTRIBUTING.md LICENSE docs config Tools/containers Examples \
  Sources/MultipartForm/MultipartForm.docc | tar -C "$guides" -xf -
cp -r "$archive" "$guides/libraries.doccarchive"
cp "$stage/hoist-$version-$machine/usr/local/share/man/man1/hoist.1" "$guides/"
chmod -R u=rwX,go=rX "$guides"
pack "hoist-$version-docs" > "$folder/hoist-$version-docs.tar.xz"
"$here/components.py" sbom "$stage/hoist-$version-$machine/usr/local/bin/hoist" > "$folder/hoist-$version.spdx.json"
"$here/deb.sh" "$program" "$folder" > /dev/null
# The page of this version, whose heading has a date.
awk -v heading="## $version (" '/^## / { on = index($0, heading) == 1; next } on' "$top/CHANGELOG.md" > "$folder/NOTES.md"
grep -q . "$folder/NOTES.md" || { echo "release: CHANGELOG.md has no page \"## $version (DATE)\"" >&2; exit 1; }
(cd "$folder" && sha256sum -- * > "$stage/SHA256SUMS" && mv "$stage/SHA256SUMS" . && chmod 644 SHA256SUMS && cat SHA256SUMS)
