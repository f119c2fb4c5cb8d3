/// A function of the script that uploads a file in pieces (`PieceScript`). A script contains only the functions that it
/// calls.
enum ShellFunction: String, CaseIterable {
  case value, header, pointer, pattern, absolute, pad, url, xml, escaped, digest, digest64, hmac,
    hmac64, piece64
  case base64 = "in_base64"

  /// The programs that the function needs, besides those that every script needs.
  var programs: [String] {
    switch self {
    case .value, .absolute, .pad, .xml, .escaped, .base64, .digest: []
    case .header, .url: ["awk"]
    case .pointer: ["jq"]
    case .pattern: ["perl"]
    case .digest64, .hmac, .hmac64, .piece64: ["openssl"]
    }
  }

  var definition: String {
    switch self {
    case .value:
      #"""
      # Prints the value that a command finds in the reply. The value must exist.
      value() {
        found=$("$@") || found=
        case $found in
          '' | *[[:cntrl:]]*) stop "the reply has no usable $2: $(reply)" ;;
        esac
        printf %s "$found"
      }
      """#
    case .header:
      #"""
      # Prints a header field. The argument is its name in lower case.
      header() {
        awk -v name="$1:" '
          { sub(/[ \t\r]+$/, "") }
          tolower(substr($0, 1, length(name))) == name { found = substr($0, length(name) + 1) }
          END { sub(/^[ \t]+/, "", found); print found }' "$work/head"
      }
      """#
    case .pointer:
      #"""
      pointer() { jq -r "$1 | strings, numbers, booleans" "$work/reply"; }
      """#
    case .pattern:
      #"""
      # Prints what a regular expression finds in a text: the first group if there is one, else the whole match.
      pattern() {
        perl -0777 -e '$e = shift; $_ = <STDIN>; /$e/a or exit 1;
          @groups = grep { defined } @{^CAPTURE}; print @groups ? $groups[0] : $&;' -- "$1"
      }
      """#
    case .absolute:
      #"""
      # Makes an address in a reply absolute. The first argument is the origin of the server.
      absolute() {
        case $2 in
          /*) printf %s "$1$2"; return ;;
          https://* | "${1%%:*}"://*) host=${2#*://} ;;
          *) host= ;;
        esac
        case ${host%%[/?#]*} in
          '' | *@* | *\\*) stop "the reply names an address that cannot be used: $2" ;;
        esac
        printf %s "$2"
      }
      """#
    case .pad:
      #"""
      pad() {
        padded=$2
        while [ "${#padded}" -lt "$1" ]; do padded=0$padded; done
        printf %s "$padded"
      }
      """#
    case .url:
      #"""
      url() {
        printf %s "$1" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) {
          c = sprintf("%c", $i + 0)
          printf "%s", c ~ /[A-Za-z0-9._~-]/ ? c : sprintf("%%%02X", $i) } }'
      }
      """#
    case .xml:
      #"""
      xml() {
        printf %s "$1" |
          sed "s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/\"/\&quot;/g; s/'/\&apos;/g"
      }
      """#
    case .escaped:
      #"""
      escaped() { printf %s "$1" | sed 's/["\\]/\\&/g'; }
      """#
    case .base64:
      #"""
      in_base64() { printf %s "$1" | base64 | tr -d '\n'; }
      """#
    case .digest:
      #"""
      digest() { printf %s "$2" | "$1sum" | cut -d ' ' -f 1; }
      """#
    case .digest64:
      #"""
      digest64() { printf %s "$2" | openssl dgst "-$1" -binary | openssl base64 -A; }
      """#
    case .hmac:
      #"""
      hmac() { printf %s "$3" | openssl dgst "-$1" -hmac "$2" -r | cut -d ' ' -f 1; }
      """#
    case .hmac64:
      #"""
      hmac64() { printf %s "$3" | openssl dgst "-$1" -hmac "$2" -binary | openssl base64 -A; }
      """#
    case .piece64:
      #"""
      piece64() { openssl dgst "-$1" -binary "$work/piece" | openssl base64 -A; }
      """#
    }
  }
}
