#!/bin/sh
# Sends forms from one of the programs in Examples to the other: make test.
#   Tools/tests/examples.sh FOLDER    with the programs in this folder
#   Tools/tests/examples.sh           builds them first, from outside, as another project would: make test-long
set -eu
cd "$(dirname "$0")/../.."
programs=${1:-.build/examples/debug}
# Colours on or off would each build all anew. Builds only what the examples use: the libraries, swift-nio and
# async-http-client.
[ $# -gt 0 ] || swift build --no-color-diagnostics --package-path Examples --scratch-path .build/examples
work=$(mktemp -d)
if [ $# = 0 ]; then
  # A package that uses nothing but MultipartForm fetches no other package.
  mkdir -p "$work/alone/Sources/alone"
  echo 'import MultipartForm' > "$work/alone/Sources/alone/main.swift"
  cat > "$work/alone/Package.swift" << END
// swift-tools-version: 6.2
import PackageDescription
let package = Package(
  name: "alone", dependencies: [.package(name: "hoist", path: "$PWD", traits: [])],
  targets: [
    .executableTarget(name: "alone", dependencies: [.product(name: "MultipartForm", package: "hoist")])
  ])
END
  swift package --package-path "$work/alone" resolve
  [ ! -e "$work/alone/Package.resolved" ] || {
    echo "examples: a package that needs only MultipartForm fetches others:" >&2
    cat "$work/alone/Package.resolved" >&2
    exit 1
  }
fi
server= log=/dev/null
end() {
  [ -z "$server" ] || kill $server 2> /dev/null || true
  rm -rf "$work"
}
trap end EXIT
fail() {
  echo "examples: $*" >&2
  cat "$log" >&2
  exit 1
}
expect() { grep -qF "$1" "$work/reply" || fail "no \"$1\" in: $(cat "$work/reply")"; }

# begin PROGRAM FOLDER: starts a server, and waits until it says its address, which becomes $url.
begin() {
  # Made here: what runs beside makes it a moment later, and until then another server's address would be found.
  log=$work/$1.log
  : > "$log"
  "$programs/$1" "$2" > "$log" 2>&1 &
  process=$!
  server="$server $process"
  tries=0
  until url=$(grep -m1 '^http://' "$log"); do
    tries=$((tries + 1))
    { [ $tries -lt 300 ] && kill -0 $process 2> /dev/null; } || fail "$1 did not begin"
    sleep 0.1
  done
}

begin receive-form "$work/inbox"
head -c 5000000 /dev/urandom > "$work/photo \"1\".jpg"
: > "$work/empty"

"$programs/send-form" "$url" "album=Summer 2026" "photo=@$work/photo \"1\".jpg" "empty=@$work/empty" > "$work/reply" ||
  fail "send-form failed"
expect "album: Summer 2026"
expect 'photo: photo %221%22.jpg, 5000000 bytes'
expect "empty: empty, 0 bytes"
cmp "$work/photo \"1\".jpg" "$work/inbox/file-1"
cmp "$work/empty" "$work/inbox/file-2"

curl -sS -F "album=Winter" -F "photo=@\"$work/empty\";filename=\"../../x\"" "$url" > "$work/reply"
expect "album: Winter"
expect "photo: ../../x, 0 bytes"

curl -sS -d "album=Winter" "$url" > "$work/reply"
expect "multipart/form-data"
printf -- '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nhalf' |
  curl -sS -H "Content-Type: multipart/form-data; boundary=B" --data-binary @- "$url" > "$work/reply"
expect "The body ended within a part's content, before its final boundary."

if "$programs/send-form" "$url" "photo=@$work/missing" 2> "$work/reply"; then fail "a missing file was sent"; fi
expect "there is no such file"

if [ -x "$programs/send-async" ]; then
  "$programs/send-async" "$url" "$work/photo \"1\".jpg" > "$work/reply" || fail "send-async failed"
  expect 'photo: photo %221%22.jpg, 5000000 bytes'
fi

"$programs/code-form" "Summer 2026" "$work/photo \"1\".jpg" sea sun > "$work/reply" || fail "code-form failed"
expect "place[name]"
expect 'Summer 2026, ["sea", "sun"], 5000000 bytes'
expect 'The field "taken" is missing.'

begin receive-reports "$work/reports"
printf '%%PDF-1.7\n' > "$work/report.pdf"
curl -sS -F "title=May" -F "file=@$work/report.pdf;type=application/pdf" "${url}reports" > "$work/reply"
expect '{"title":"May","url":"'"${url}files/report.pdf"'"}'
curl -sS -F "file=@$work/report.pdf;type=application/pdf" "${url}reports" > "$work/reply"
expect "Send a title."
curl -sS -F "title=May" -F "file=@$work/empty;type=text/plain" "${url}reports" > "$work/reply"
expect "Send a PDF."
[ "$(ls "$work/reports")" = report.pdf ] || fail "what was refused was kept: $(ls "$work/reports")"
kill $process
wait $process || fail "receive-reports ended with $?"
expect_log() { grep -qF "$1" "$log" || fail "no \"$1\" in the log"; }
expect_log "sent report.pdf, 9 bytes"

cp "$programs/guess-type" "$work/program.png"
: > "$work/soup.recipe"
"$programs/guess-type" "$work/soup.recipe" "$work/program.png" > "$work/reply"
expect "soup.recipe: application/x-recipe by extension .recipe (guess-type)"
expect "program.png: the name says image/png, the content application/x-executable"
echo "the examples send and receive forms, and guess types"
