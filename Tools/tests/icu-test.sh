#!/bin/sh
# Links a program once with all of ICU's data and once with the part that Tools/build/icu.py makes for hoist, and
# compares what the two print in several locales and time zones.
set -eu
cd "$(dirname "$0")/../.."
static=$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)".*|\1_static|p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker that a release is made with.
linker=
[ ! -x "${static%/lib/*}/bin/ld.lld" ] || linker=-use-ld=lld
cat > "$work/main.swift" << 'END'
import Foundation

let moment = Date(timeIntervalSince1970: 1_777_638_600.25)
for format in [
  "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy",
  "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ssXXXXX", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXXXX",
] {
  let formatter = DateFormatter()
  formatter.locale = Locale(identifier: "en_US_POSIX")
  formatter.timeZone = TimeZone(secondsFromGMT: 0)
  formatter.twoDigitStartDate = moment.addingTimeInterval(-50 * 365.25 * 86_400)
  formatter.dateFormat = format
  let text = formatter.string(from: moment)
  print(text, formatter.date(from: text)?.timeIntervalSince1970 ?? "nil")
}
let zones = ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "GMT+3"]
for zone in [TimeZone.current] + zones.compactMap(TimeZone.init(identifier:)) {
  let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: zone)
  for seconds: Double in [0, 1_777_638_600, 1_800_000_000] {
    let date = Date(timeIntervalSince1970: seconds)
    print(zone.identifier, date.formatted(style), zone.isDaylightSavingTime(for: date))
  }
}
print(Calendar.current.startOfDay(for: moment), Calendar.current.component(.weekday, from: moment))
for name in ["en_US_POSIX", "en_US"] {
  print(1234.5.formatted(.number.locale(Locale(identifier: name))))
}
print(Decimal(string: "1234.5", locale: Locale(identifier: "en_US_POSIX")) as Any)
print(URL(string: "http://bücher.example/straße") as Any, URL(string: "http://a\u{0}b/") as Any)
print(String(format: "%02X %.3f %g %@", 10, 1.5, 30.0, "x"), "É".compare("e\u{301}", options: .caseInsensitive).rawValue)
print("e\u{301}ﬁ".precomposedStringWithCompatibilityMapping, "straße".uppercased(with: .current))
print("2026-05-01".replacingOccurrences(of: #"(\d+)-(\d+)"#, with: "$2/$1", options: .regularExpression))
for encoding in [String.Encoding.isoLatin1, .windowsCP1252, .utf16BigEndian] {
  print(String(data: Data([0x80, 0x41]), encoding: encoding) as Any)
}
print(NSError(domain: NSPOSIXErrorDomain, code: 2).localizedDescription, Locale.current.identifier)
END
# shellcheck disable=SC2086  # no linker named is none
link() { swiftc -static-stdlib $linker "$work/main.o" "$@"; }
swiftc -swift-version 6 -static-stdlib -c "$work/main.swift" -o "$work/main.o"
options=$(Tools/build/icu.py "$static/linux/lib_FoundationICU.a" "$work/icu.o")
link -o "$work/all"
# shellcheck disable=SC2086  # several options
link $options -Xlinker --gc-sections -o "$work/part"
# A part that is as large as all would show nothing.
[ "$(($(wc -c < "$work/part") + 20000000))" -lt "$(wc -c < "$work/all")" ] || {
  echo "icu-test: the linker left all of ICU's data in the program" >&2
  exit 1
}
for variables in "TZ=UTC LC_ALL=C" "TZ=Europe/Berlin LC_ALL=de_DE.UTF-8" "TZ=:/etc/localtime LC_ALL=ja_JP.UTF-8"; do
  for program in all part; do
    # shellcheck disable=SC2086  # two variables
    env $variables "$work/$program" > "$work/$program.txt" || echo "ended with $?" >> "$work/$program.txt"
  done
  diff "$work/all.txt" "$work/part.txt" || {
    echo "icu-test: $variables: hoist's part of ICU's data gives other results than all of it" >&2
    exit 1
  }
done
[ "$(wc -l < "$work/part.txt")" -gt 30 ] || { cat "$work/part.txt" >&2; exit 1; }
echo "formats and time zones are as with all of ICU's data"
