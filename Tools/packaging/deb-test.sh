#!/bin/sh
# Installs a package on clean Debians, 12 and 13, where there is no Swift: uploads with it, upgrades it while a queue is
# being sent, removes it, and does the same with the tarball. Needs root.
#   Tools/packaging/deb-test.sh PACKAGE.deb TARBALL
set -eu
[ $# = 2 ] || { echo "usage: $0 PACKAGE.deb TARBALL" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "$0: making a system in a folder needs root" >&2; exit 1; }
package=$1 tarball=$2
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

echo "lintian:"
lintian --fail-on error "$package"

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
system=$top/.build/deb-test
clean() {
  ! mountpoint -q "$system/proc" || umount "$system/proc"
  rm -rf --one-file-system "$system"
}
trap 'clean; rm -rf "$work"' EXIT

if command -v systemd-analyze > /dev/null; then
  echo "the systemd unit:"
  dpkg-deb --fsys-tarfile "$package" | tar -C "$work" -xf - ./usr/lib/systemd/user/hoist-send.service
  systemd-analyze security --offline=true --no-pager --threshold=40 \
    "$work/usr/lib/systemd/user/hoist-send.service" > "$work/exposure" 2>&1 || { cat "$work/exposure" >&2; exit 1; }
  tail -n 1 "$work/exposure"
fi

# The same package as a later version, to upgrade to.
dpkg-deb -R "$package" "$work/later"
sed -i 's/^Version: .*/&+later/' "$work/later/DEBIAN/control"
dpkg-deb --build --root-owner-group "$work/later" "$work/later.deb" > /dev/null

within() {
  chroot "$system" env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
# install PACKAGE: with what it depends on.
install() {
  within apt-get -qq install -y --no-install-recommends "$1" > "$work/install" 2>&1 || { tail "$work/install" >&2; exit 1; }
}
# All files and folders of the system, but for what belongs to nobody's package and to people.
files() {
  within find / -xdev \( -path /proc -o -path /root -o -path /tmp -o -path /var/log -o -path /var/cache \
    -o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print | sort
}

# What every installation has to do: `hoist` sends to a receiver, byte for byte.
upload='
  cd "$(mktemp -d)"
  hoist --version
  head -c 3000000 /dev/urandom > a.bin
  echo hello > "b c.txt"
  : > receiver
  hoist receive --port 0 --dir inbox > receiver 2> log &
  until grep -q receiving receiver; do sleep 0.1; done
  url=$(sed -n "s/^receiving on \([^ ]*\) .*/\1/p" receiver)
  hoist push a.bin "b c.txt" --to "$url" --report report.json
  cmp a.bin inbox/a.bin
  cmp "b c.txt" "inbox/b c.txt"
  kill $!
  wait $!
'
# The program is replaced while it sends; the new one adds to the queue that the old one still sends.
upgrade='
  cd "$(mktemp -d)"
  head -c 12000000 /dev/urandom > large.bin
  echo hello > small.txt
  : > receiver
  hoist receive --port 0 --dir inbox > receiver 2> log &
  receiver=$!
  until grep -q receiving receiver; do sleep 0.1; done
  url=$(sed -n "s/^receiving on \([^ ]*\) .*/\1/p" receiver)
  hoist add large.bin --to "$url"
  hoist send --limit 1MB/s > sender 2>&1 &
  sender=$!
  until hoist queue --json | grep -q "\"state\":\"sending\""; do sleep 0.1; done
  apt-get -qq install -y --no-install-recommends /tmp/later.deb > upgraded 2>&1 || { cat upgraded >&2; exit 1; }
  dpkg-query -W hoist | grep -q later
  hoist queue --json | grep -q "\"state\":\"sending\"" || { echo "the upgrade has ended the upload" >&2; exit 1; }
  hoist add small.txt --to "$url"
  wait $sender
  cmp large.bin inbox/large.bin
  cmp small.txt inbox/small.txt
  [ "$(hoist history --json --last 2 | grep -c "\"outcome\":\"done\"")" = 2 ]
  kill $receiver
  wait $receiver
'

for release in bookworm trixie; do
  clean
  mkdir -p "$system"
  echo "making a clean Debian ($release) in $system"
  debootstrap --variant=minbase "$release" "$system" "$mirror" > "$top/.build/debootstrap.log" 2>&1 || {
    tail "$top/.build/debootstrap.log" >&2
    exit 1
  }
  mount -t proc proc "$system/proc"
  cp "$package" "$system/tmp/hoist.deb"
  cp "$work/later.deb" "$system/tmp/"
  cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
  within apt-get -qq update
  # What it depends on stays when it goes.
  install /tmp/hoist.deb
  within dpkg --purge hoist > /dev/null
  files > "$work/before"
  if within sh -c 'command -v swift hoist'; then echo "this Debian is not clean" >&2; exit 1; fi

  install /tmp/hoist.deb
  within sh -eu -c "$upload"
  within sh -eu -c '
    test -s /usr/share/bash-completion/completions/hoist
    test -s /usr/share/doc/hoist/examples/config.toml
    test -s /usr/share/doc/hoist/docs/screen.md
    grep -q swift-nio /usr/share/doc/hoist/copyright
  '
  within sh -eu -c "$upgrade"
  within dpkg --purge hoist > /dev/null
  files > "$work/after"
  diff "$work/before" "$work/after" || { echo "the package has left this behind" >&2; exit 1; }
  [ -s "$system/root/.local/state/hoist/queue.sqlite" ] || { echo "the queue of a person is gone" >&2; exit 1; }
  echo "the package installs, uploads, is upgraded while it sends, and goes again"

  tar -C "$system" --strip-components=1 -xf "$tarball"
  within sh -eu -c "$upload"
  tar -tf "$tarball" | sed -n 's|^[^/]*/\(.*[^/]\)$|\1|p' | (cd "$system" && xargs -d '\n' rm)
  echo "the tarball uploads"
  # The Containerfile builds on Debian 12.
  [ "$release" != bookworm ] || "$top/Tools/containers/container-test.py" "$system" "$package"
done
