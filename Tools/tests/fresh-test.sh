#!/bin/sh
# Runs `make demo` and `make test` on a bare Debian 12 or 13 with nothing but Swift's own prerequisites, make and git, as
# root in a home that nobody else may enter. Needs root, debootstrap and a Swift toolchain. Takes ten minutes.
#   Tools/tests/fresh-test.sh [bookworm|trixie]
set -eu
release=${1:-bookworm}
case $release in
bookworm) number=12 ;;
trixie) number=13 ;;
*) echo "usage: $0 [bookworm|trixie]" >&2; exit 2 ;;
esac
# The library of C++ has the number of the compiler in its name.
library=libstdc++-$((number == 12 ? 12 : 14))-dev
[ "$(id -u)" = 0 ] || { echo "$0: making a system in a folder needs root" >&2; exit 1; }
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
top=$(cd "$(dirname "$0")/../.." && pwd)
system=$top/.build/fresh-test
swift=$(readlink -f "$(command -v swift)")
toolchain=${swift%/usr/bin/*}
[ -d "$toolchain/usr/lib/swift" ] || { echo "$0: no toolchain around $swift" >&2; exit 1; }
# Where git gets packages from on this machine, if that is a folder.
packages=$(git config --get-regexp '^url\..*\.insteadof$' | sed -n 's/^url\.\(\/.*\)\.insteadof .*/\1/p' | sort -u)

clean() {
  for place in "$toolchain" $packages /proc /dev/pts /dev/shm /dev; do
    ! mountpoint -q "$system$place" || umount "$system$place"
  done
  rm -rf --one-file-system "$system"
}
trap clean EXIT
clean
mkdir -p "$system"
echo "making a bare Debian $number in $system"
debootstrap --variant=minbase "$release" "$system" "$mirror" > "$top/.build/debootstrap.log" 2>&1 || {
  tail "$top/.build/debootstrap.log" >&2
  exit 1
}
bind() {
  mkdir -p "$system$1"
  mount --bind "$1" "$system$1"
}
mount -t proc proc "$system/proc"
for place in /dev /dev/pts /dev/shm; do bind "$place"; done
for place in "$toolchain" $packages; do
  bind "$place"
  mount -o remount,bind,ro "$system$place"
done
cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || true
for folder in $packages; do
  git config --file "$system/etc/gitconfig" --add "url.$folder.insteadOf" https://github.com/
done
git config --file "$system/etc/gitconfig" --add safe.directory '*'
within() {
  # pip has a list of authorities of its own.
  chroot "$system" env -i "PATH=/usr/sbin:/usr/bin:/sbin:/bin:$toolchain/usr/bin" HOME=/root TERM=xterm-256color \
    LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt "$@"
}
# https://www.swift.org/install/linux/debian/12
within apt-get -qq update
within apt-get -qq install -y --no-install-recommends binutils-gold gcc git libcurl4-openssl-dev libedit-dev \
  libicu-dev libncurses-dev libpython3-dev libsqlite3-dev "$library" libxml2-dev pkg-config tzdata uuid-dev \
  make ca-certificates > "$top/.build/fresh-install.log" 2>&1 || {
  tail "$top/.build/fresh-install.log" >&2
  exit 1
}
# Where registries are reached through a proxy of this machine's network, its authority is known here.
for authority in /usr/local/share/ca-certificates/*.crt; do
  [ ! -e "$authority" ] || cp "$authority" "$system/usr/local/share/ca-certificates/"
done
within update-ca-certificates > /dev/null 2>&1
git clone -q "$top" "$system/root/hoist"
chmod 700 "$system/root"

echo "make demo"
# Without a terminal it ends by itself.
within sh -eu -c 'cd /root/hoist; make demo < /dev/null > demo.log || { cat demo.log; exit 1; }; cat demo.log'
echo "make test"
within sh -eu -c 'cd /root/hoist && make test'
echo "both commands work on a bare Debian $number"
