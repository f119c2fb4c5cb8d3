#!/bin/sh
# Fails where processes are left that the tests have started, and names and ends them.
#   config/leftovers.sh [- [LOOKS]]
# They are known by a mark in their arguments, their environment or their folder: the name of the folders that
# tests work in, or with "-" a line of standard input. (As an argument, this script's own processes had it.)
set -u
mark=hoist-test-
[ "${1:-}" != - ] || read -r mark
[ -e /proc/self/ns/mnt ] || exit 0
here=$(readlink /proc/self/ns/mnt)

# Prints their numbers.
left() {
  for process in /proc/[0-9]*; do
    number=${process#/proc/}
    # Elsewhere, the same paths are other files.
    [ "$(readlink "$process/ns/mnt" 2>/dev/null)" = "$here" ] || continue
    case "$(readlink "$process/cwd" 2>/dev/null)" in *"$mark"*) echo "$number"; continue ;; esac
    # Read by the shell, for another program would have the mark among its own arguments.
    text=$(tr '\0' '\n' 2>/dev/null < "$process/cmdline"; tr '\0' '\n' 2>/dev/null < "$process/environ") \
      2>/dev/null
    case "$text" in *"$mark"*) echo "$number" ;; esac
  done
}

# What has just been ended may take a moment: so many looks more, half a second apart.
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
