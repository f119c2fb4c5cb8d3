#!/bin/sh
# Sends forms from one of the programs in Examples to the other: make test.
#   config/examples.sh FOLDER    with the programs in this folder
#   config/examples.sh           builds them first, from outside, as another project would: make test-long
set -eu
cd "$(dirname "$0")/.."
programs=${1:-.build/examples/debug}
# Colours on or off would each build all anew. Builds only what the examples use: MultipartForm and swift-nio.
[ $# -gt 0 ] || swift build --no-color-diagnostics --package-path Examples --scratch-path .build/examples
work=$(mktemp -d)
server=
end() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  rm -rf "$work"
}
trap end EXIT
fail() {
  echo "examples: $*" >&2
  cat "$work/log" >&2
  exit 1
}
expect() { grep -qF "$1" "$work/reply" || fail "no \"$1\" in: $(cat "$work/reply")"; }

"$programs/receive-form" "$work/inbox" > "$work/log" 2>&1 &
server=$!
tries=0
until url=$(grep -m1 '^http://' "$work/log"); do
  tries=$((tries + 1))
  { [ $tries -lt 300 ] && kill -0 $server 2> /dev/null; } || fail "the server did not begin"
  sleep 0.1
done

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
echo "the examples send and receive forms"
