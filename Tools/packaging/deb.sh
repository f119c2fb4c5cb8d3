#!/bin/sh
# Makes a Debian package of a program that was built with --static-swift-stdlib.
#   Tools/packaging/deb.sh PROGRAM FOLDER
set -eu
[ $# = 2 ] || { echo "usage: $0 PROGRAM FOLDER" >&2; exit 2; }
program=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
umask 022
# So that the same sources give the same package.
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2> /dev/null || date +%s)}"
export SOURCE_DATE_EPOCH
root=$stage/root doc=$stage/root/usr/share/doc/hoist
version=$("$program" --version | awk 'NR == 1 { print $2 }')
architecture=$(dpkg --print-architecture)
# Who packages says so, as with Debian's own tools.
maintainer="${DEBFULLNAME:-The Hoist authors} <${DEBEMAIL:-hoist@hoist.invalid}>"

"$here/install.sh" "$program" /usr "$root" > /dev/null
# Debian's own places: completions of zsh are vendor's.
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_hoist" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
mkdir -p "$root/usr/lib/systemd/user"
mv "$root/usr/share/systemd/user/hoist-send.service" "$root/usr/lib/systemd/user/"
rm -r "$root/usr/share/systemd"
# Debian has these in a file of its own.
rm "$doc/LICENSE" "$doc/licenses.txt"
gzip -9n "$root/usr/share/man/man1/hoist.1"
# A login shell's interpreter line has no place in a file that is only ever read by a shell.
sed -i '1{/^#!/d}' "$root/usr/share/bash-completion/completions/hoist"
gzip -9n "$doc/CHANGELOG.md"
sed -i 's|(CHANGELOG\.md)|(CHANGELOG.md.gz)|' "$doc/README.md"
{
  printf 'hoist (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n' "$version"
  printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -Ru -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9n > "$doc/changelog.gz"
"$here/components.py" copyright > "$doc/copyright"
chmod 644 "$doc"/*.md "$doc"/*.gz "$doc/copyright"

# The packages of the libraries that the program is linked to, found where dpkg-shlibdeps looks.
mkdir -p "$stage/debian" "$root/DEBIAN"
printf 'Source: hoist\n\nPackage: hoist\nArchitecture: any\n' > "$stage/debian/control"
depends=$(cd "$stage" && dpkg-shlibdeps -O -e"$root/usr/bin/hoist" 2> "$stage/warnings") || {
  cat "$stage/warnings" >&2
  exit 1
}
cat > "$root/DEBIAN/control" <<END
Package: hoist
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(find "$root/usr" -type f -printf '%s\n' | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
Depends: ${depends#shlibs:Depends=}
Recommends: ca-certificates
Suggests: shared-mime-info
Section: net
Priority: optional
Description: upload manager for form endpoints
 Uploads files to servers that take HTML forms (multipart/form-data): from a
 terminal screen with a queue and honest progress, or without one for scripts.
 Each file that does not arrive says why. A small receiver is included.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
mkdir -p "$folder"
package=$folder/hoist_${version}_$architecture.deb
DPKG_DEB_THREADS_MAX=1 dpkg-deb --build --root-owner-group -Zxz "$root" "$package" > /dev/null
echo "$package"
