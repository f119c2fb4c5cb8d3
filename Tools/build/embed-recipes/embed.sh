#!/bin/sh
# Writes the recipes of a folder as Swift: embed.sh FOLDER OUTPUT
set -eu
{
  echo 'enum RecipeFiles {'
  echo '  static let all: [(name: String, text: String)] = ['
  for recipe in "$1"/*.toml; do
    printf '("%s", ###"""\n' "$(basename "$recipe" .toml)"
    cat "$recipe"
    printf '"""###),\n'
  done
  echo '  ]'
  echo '}'
} > "$2"
