#!/bin/sh
# Installs what is missing to build, test or measure hoist, and says what and why.
#   Tools/build/setup.sh build|install|test|bench|deb
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case "${1:-}" in
  build) lists="build" ;;
  install) lists="build install" ;;
  test) lists="build install test" ;;
  bench) lists="build install test bench" ;;
  deb) lists="build install deb" ;;
  *) echo "usage: $0 build|install|test|bench|deb" >&2; exit 2 ;;
esac

command -v swift >/dev/null || {
  echo "setup: no Swift toolchain found; hoist needs Swift 6.3 (https://swift.org/install)" >&2
  exit 1
}

wanted=""
for list in $lists; do
  while read -r name reason; do
    case "$name" in ''|'#'*) continue ;; esac
    if ! dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed'; then
      printf 'setup: installing %s: %s\n' "$name" "$reason"
      wanted="$wanted $name"
    fi
  done < "$here/packages/$list"
done

if [ -n "$wanted" ]; then
  command -v apt-get >/dev/null || {
    echo "setup: no apt-get on this system; install the equivalents of:$wanted" >&2
    exit 1
  }
  root=""
  [ "$(id -u)" = 0 ] || root="sudo"
  errors=$(mktemp)
  trap 'rm -f "$errors"' EXIT
  # Runs apt-get, again as long as another process holds one of its locks: on a fresh system, the unattended
  # upgrades may for many minutes. apt's own waiting (DPkg::Lock::Timeout) leaves the lock of the lists out.
  apt() {
    holder=""
    while ! $root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" > /dev/null 2> "$errors"; do
      if ! grep -qE 'Could not get lock|Unable to (lock|acquire)' "$errors"; then
        cat "$errors" >&2
        return 1
      fi
      # "It is held by process 123 (unattended-upgr)"
      now=$(sed -n 's/.*held by \(process [0-9]* ([^)]*)\).*/\1/p' "$errors" | head -n 1)
      now=${now:-another process}
      [ "$now" = "$holder" ] || echo "setup: waiting for $now, which holds the package manager's lock"
      holder=$now
      sleep "${SETUP_PAUSE:-3}"
    done
    cat "$errors" >&2
  }
  apt update
  # shellcheck disable=SC2086  # the list is meant to be split
  apt install -y --no-install-recommends $wanted
fi

if [ "$1" = test ] || [ "$1" = bench ]; then
  peers="$here/../../.build/peers"
  # The list is part of the name: a changed list makes a new environment.
  stamp="$peers/$(cksum < "$here/packages/peers" | tr ' ' '-')"
  if [ ! -e "$stamp" ]; then
    printf 'setup: installing from PyPI into .build/peers: servers and clients to test with\n'
    rm -rf "$peers"
    mkdir -p "$(dirname "$peers")"
    python3 -m venv "$peers"
    grep -v '^#' "$here/packages/peers" | xargs "$peers/bin/pip" -q --disable-pip-version-check install
    touch "$stamp"
  fi
fi
