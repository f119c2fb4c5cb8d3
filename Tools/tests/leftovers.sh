#!/bin/sh
# Fails where processes are left that the tests have started, and names and ends them.
#   Tools/tests/leftovers.sh [- [LOOKS]]
# They are known by a mark in their arguments, their environment or their folder: the name of the folders that
# tests work in, or with "-" a line of standard input. (As an argument, this script's own processes had it.)
set -u
mark=hoist-test-
[ "${1:-}" != - ] || read -r mark
[ -e /proc/self/ns/mnt ] || exit 0
here=$(readlink /proc/self/ns/mnt)

# Prints their numbers. A few programs look at all processes, for a program for each would take seconds. None of them has
# the mark among its arguments.
left() {
  {
    echo "$mark"
    find /proc/[0-9]*/ns/mnt /proc/[0-9]*/cwd -maxdepth 0 -printf '%p %l\n'
    echo "$mark" | grep -lsaF -f - /proc/[0-9]*/cmdline /proc/[0-9]*/environ
  } 2>/dev/null | awk -v here="$here" '
    NR == 1 { mark = $0; next }
    { split($1, part, "/"); number = part[3] }
    # Elsewhere, the same paths are other files.
    part[4] == "ns" { if ($2 == here) local[number]; next }
    part[4] != "cwd" || index($0, mark) { found[number] }
    END { for (number in found) if (number in local) print number }'
}

# Processes that have just been ended may take a moment: this many more looks, half a second apart.
looks=${2:-6}
tries=0
found=$(left)
while [ -n "$found" ] && [ $tries -lt "$looks" ]; do
  sleep 0.5
  tries=$((tries + 1))
  found=$(left)
done
status=0
for number in $found; do
  words=$(tr '\0' ' ' 2>/dev/null < "/proc/$number/cmdline")
  kill -KILL "$number" 2>/dev/null
  # Swift's crash reporter may outlive a program that a test has crashed on purpose.
  case "$words" in *swift-backtrace\ *) continue ;; esac
  [ $status != 0 ] || echo "the tests have left processes behind:" >&2
  echo "  $number: $words" >&2
  status=1
done
exit $status
