#!/bin/sh
# Runs tests by the command given, and names those that failed once more at the end, for often the end is all that is
# kept of what a CI prints. Lines are cut off: one that names a test's arguments can have a million characters.
set -u

output=$(mktemp) && status=$(mktemp) || exit 1
trap 'rm -f "$output" "$status"' EXIT
{
  "$@" 2>&1
  echo $? > "$status"
} | awk '{ print substr($0, 1, 500); fflush() }' | tee "$output"

ended=$(cat "$status")
if [ "${ended:-1}" -ne 0 ]; then
  echo "What failed:"
  # A line for each expectation with what it printed below it, and one for each test.
  grep -A 4 ' recorded an issue' "$output"
  grep -E '^(✘ |error:)' "$output" | grep -v ' recorded an issue'
fi
exit "${ended:-1}"
