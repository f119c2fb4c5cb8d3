#!/bin/sh
# Installs a built hoist with its manual page, completions, documents, licences, sample configuration and recipes, or
# removes them.
#   Tools/packaging/install.sh PROGRAM PREFIX [DESTDIR]
#   Tools/packaging/install.sh --remove PREFIX [DESTDIR]
# The program is stripped of its symbols, a quarter of its size, and of the compiler's hashes of modules, which depend on the
# folder of the sources; the one that was built keeps them. The hashes become zeros: were their section removed, binutils
# would lay out anew what is loaded, and lose which part of it is made read-only at the start (RELRO).
set -eu
[ $# -ge 2 ] || { echo "usage: $0 PROGRAM|--remove PREFIX [DESTDIR]" >&2; exit 2; }
program=$1 prefix=$2
root=${3:-}$prefix
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)

# put MODE FILE PATH: the only place that knows what it is to install or to remove a file.
if [ "$program" = --remove ]; then
  put() {
    rm -f "$root/$3"
    # And the folders that this empties.
    (cd "$root" 2> /dev/null && rmdir -p "$(dirname "$3")" 2> /dev/null) || true
  }
  done="removed from"
else
  put() { install -D -m "$1" "$2" "$root/$3"; }
  done="installed into"
  command -v python3 > /dev/null || {
    echo "install: the manual page and the licences are made with python3; install it" >&2
    exit 1
  }
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$program" != --remove ]; then
  "$program" --experimental-dump-help > "$work/help.json"
  "$here/man.py" "$("$program" --version | awk 'NR == 1 { print $2 }')" < "$work/help.json" > "$work/hoist.1"
  "$here/components.py" licenses > "$work/licenses.txt"
  for shell in bash zsh fish; do "$program" completions $shell > "$work/$shell"; done
  objcopy --strip-all --remove-section=.comment --remove-section=.note "$program" "$work/hoist"
  if readelf -SW "$work/hoist" | grep -qF ' .swift_modhash '; then
    objcopy --dump-section .swift_modhash="$work/hashes" "$work/hoist"
    head -c "$(wc -c < "$work/hashes")" /dev/zero > "$work/zeros"
    objcopy --update-section .swift_modhash="$work/zeros" "$work/hoist"
  fi
  # Where systemd looks for users' services beside a prefix (systemd.unit(5)).
  sed "s|@PREFIX@|$prefix|" "$top/config/hoist-send.service" > "$work/hoist-send.service"
fi

put 755 "$work/hoist" bin/hoist
put 644 "$work/hoist.1" share/man/man1/hoist.1
put 644 "$work/bash" share/bash-completion/completions/hoist
put 644 "$work/zsh" share/zsh/site-functions/_hoist
put 644 "$work/fish" share/fish/vendor_completions.d/hoist.fish
put 644 "$work/hoist-send.service" share/systemd/user/hoist-send.service
put 644 "$top/LICENSE" share/doc/hoist/LICENSE
put 644 "$work/licenses.txt" share/doc/hoist/licenses.txt
put 644 "$top/config/config.toml" share/doc/hoist/examples/config.toml
for page in "$top/README.md" "$top/CHANGELOG.md" "$top"/docs/*.md; do
  [ "$program" = --remove ] || "$here/page.py" "$page" > "$work/page"
  put 644 "$work/page" "share/doc/hoist/${page#"$top/"}"
done
for picture in "$top"/docs/pictures/*; do put 644 "$picture" "share/doc/hoist/${picture#"$top/"}"; done
for recipe in "$top"/config/recipes/*; do
  [ -f "$recipe" ] && put 644 "$recipe" "share/doc/hoist/examples/recipes/$(basename "$recipe")"
done
echo "$done $root"
