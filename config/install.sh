#!/bin/sh
# Installs a built hoist with its manual page, completions, documents, sample configuration and recipes.
#   config/install.sh PROGRAM PREFIX [DESTDIR]
set -eu
[ $# -ge 2 ] || { echo "usage: $0 PROGRAM PREFIX [DESTDIR]" >&2; exit 2; }
program=$1 prefix=$2
root=${3:-}$prefix
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v python3 >/dev/null || {
  echo "install: the manual page is made with python3; install it" >&2
  exit 1
}

"$program" --experimental-dump-help > "$work/help.json"
"$here/man.py" "$("$program" --version)" < "$work/help.json" > "$work/hoist.1"
for shell in bash zsh fish; do "$program" completions $shell > "$work/$shell"; done

install -D -m 755 "$program" "$root/bin/hoist"
install -D -m 644 "$work/hoist.1" "$root/share/man/man1/hoist.1"
install -D -m 644 "$work/bash" "$root/share/bash-completion/completions/hoist"
install -D -m 644 "$work/zsh" "$root/share/zsh/site-functions/_hoist"
install -D -m 644 "$work/fish" "$root/share/fish/vendor_completions.d/hoist.fish"
# Where systemd looks for users' services beside a prefix (systemd.unit(5)).
sed "s|@PREFIX@|$prefix|" "$here/hoist-send.service" > "$work/hoist-send.service"
install -D -m 644 "$work/hoist-send.service" "$root/share/systemd/user/hoist-send.service"
install -D -m 644 "$here/config.toml" "$root/share/doc/hoist/examples/config.toml"
for page in "$here"/../docs/*.md; do
  install -D -m 644 "$page" "$root/share/doc/hoist/docs/$(basename "$page")"
done
for recipe in "$here"/recipes/*; do
  [ -f "$recipe" ] || continue
  install -D -m 644 "$recipe" "$root/share/doc/hoist/examples/recipes/$(basename "$recipe")"
done
echo "installed into $root"
