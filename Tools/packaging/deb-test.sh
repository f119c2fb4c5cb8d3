#!/bin/sh
# Installs a package on a clean Debian 12, where there is no Swift, and uploads with it. Needs root.
#   Tools/packaging/deb-test.sh PACKAGE.deb
set -eu
[ $# = 1 ] || { echo "usage: $0 PACKAGE.deb" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: making a system in a folder needs root" >&2; exit 1; }
package=$1
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

echo "lintian:"
lintian --fail-on error "$package"

if command -v systemd-analyze > /dev/null; then
  echo "the systemd unit:"
  unit=$(mktemp -d)
  dpkg-deb --fsys-tarfile "$package" | tar -C "$unit" -xf - ./usr/lib/systemd/user/hoist-send.service
  systemd-analyze security --offline=true --no-pager --threshold=40 \
    "$unit/usr/lib/systemd/user/hoist-send.service" > "$unit/exposure" 2>&1 || { cat "$unit/exposure" >&2; exit 1; }
  tail -n 1 "$unit/exposure"
  rm -r "$unit"
fi

top=$(cd "$(dirname "$0")/../.." && pwd)
system=$top/.build/deb-test
clean() {
  ! mountpoint -q "$system/proc" || umount "$system/proc"
  rm -rf --one-file-system "$system"
}
trap clean EXIT
clean
mkdir -p "$system"
echo "making a clean Debian 12 in $system"
debootstrap --variant=minbase bookworm "$system" "$mirror" > "$top/.build/debootstrap.log" 2>&1 || {
  tail "$top/.build/debootstrap.log" >&2
  exit 1
}
mount -t proc proc "$system/proc"
cp "$package" "$system/tmp/hoist.deb"
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
within() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
within apt-get -qq update
within apt-get -qq install -y --no-install-recommends /tmp/hoist.deb > "$top/.build/deb-install.log" 2>&1 || {
  tail "$top/.build/deb-install.log" >&2
  exit 1
}
if within sh -c 'command -v swift'; then echo "this Debian is not clean" >&2; exit 1; fi
within sh -eu -c '
  cd /root
  hoist --version
  head -c 3000000 /dev/urandom > a.bin
  echo hello > "b c.txt"
  hoist receive --port 0 --dir inbox > receiver 2> log &
  until grep -q receiving receiver; do sleep 0.1; done
  url=$(sed -n "s/^receiving on \([^ ]*\) .*/\1/p" receiver)
  hoist push a.bin "b c.txt" --to "$url" --report report.json
  cmp a.bin inbox/a.bin
  cmp "b c.txt" "inbox/b c.txt"
  kill $!
  wait $!
  test -s /usr/share/bash-completion/completions/hoist
  test -s /usr/share/doc/hoist/examples/config.toml
  test -s /usr/share/doc/hoist/docs/screen.md
  grep -q swift-nio /usr/share/doc/hoist/copyright
'
within dpkg --purge hoist > /dev/null
if within sh -c 'command -v hoist'; then echo "hoist is still there after its removal" >&2; exit 1; fi
echo "the package installs, uploads and goes again"
"$top/Tools/containers/container-test.py" "$system" "$package"
