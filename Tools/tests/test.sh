#!/bin/sh
# Runs the tests that `swift build --build-tests` has built, and names those that failed once more at the end, for often
# the end is all that is kept of what a CI prints.
#   Tools/tests/test.sh FOLDER    where SwiftPM has built them
#
# Three processes side by side: what computes would starve what waits for servers, and the stories from end to end
# mostly wait. Each has a bound on how many tests it runs at once, for what tests do by the clock has to go on
# meanwhile.
set -u
bundle=$1/hoistPackageTests.xctest
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# What is started beside a script does not hear a ^c.
trap 'kill $(cat "$work"/*.process 2> /dev/null) 2> /dev/null; exit 130' HUP INT TERM

# Python itself before what chooses a version of it: pyenv starts twenty programs each time.
python=$(python3 -c 'import sys; print(sys.executable)') && PATH=${python%/*}:$PATH

export HOIST_KEEP_FOLDERS=1

# go NAME WIDTH [OPTION…]: without colours, and with lines cut off, for one that names a test's arguments can have a
# million characters.
go() {
  name=$1 width=$2
  shift 2
  {
    SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$width "$bundle" --testing-library swift-testing "$@" 2>&1 &
    echo $! | tee -a "$work/processes" > "$work/$name.process"
    wait $!
    echo $? > "$work/$name.status"
    rm "$work/$name.process"
  } | awk '{ gsub(/\033\[[0-9;]*m/, ""); print substr($0, 1, 500) }' > "$work/$name"
}

go stories 5 --filter '^EndToEndTests\.' &
stories=$!
go pure 8 --skip '^(HTTPTransport|UploadEngine|Receiver|EndToEnd)Tests\.' &
wait $!
cat "$work/pure"
go servers 8 --filter '^(HTTPTransport|UploadEngine|Receiver)Tests\.' &
wait $!
cat "$work/servers"
wait $stories
cat "$work/stories"

# Not earlier, for deleting makes each new file slow for a minute.
while read -r process; do rm -rf "${TMPDIR:-/tmp}/hoist-test-$process-"*; done < "$work/processes"

ended=0
for name in pure servers stories; do
  status=$(cat "$work/$name.status" 2> /dev/null)
  [ "${status:-1}" -eq 0 ] && continue
  [ $ended -ne 0 ] || echo "What failed:"
  ended=1
  # A line for each expectation with what it printed below it, and one for each test.
  grep -A 4 ' recorded an issue' "$work/$name"
  grep -E '^(✘ |error:)' "$work/$name" | grep -v ' recorded an issue'
done
exit $ended
