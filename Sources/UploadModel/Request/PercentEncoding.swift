import Digests
import Foundation
import ScalarText

/// Percent-encoding for texts in URLs.
package enum PercentEncoding {
  private static let unreserved = ASCIISet(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Encodes everything except the unreserved characters of RFC 3986 §2.3, including the plus sign, which
  /// many servers take for a space. A byte that is not UTF-8 is encoded as it is (RFC 3986 §2.1).
  package static func encode(_ text: String) -> String { encode(bytes: text.rawBytes) }

  static func encode(bytes: some Sequence<UInt8>) -> String {
    encode(bytes, keeping: unreserved.contains)
  }

  /// Encodes the path of a file, whose slashes stay.
  package static func encode(path: [UInt8]) -> String {
    encode(path) { unreserved.contains($0) || $0 == UInt8(ascii: "/") }
  }

  /// Percent-encodes the bytes, except those for which `isKept` is true.
  package static func encode(
    _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool
  ) -> String {
    let encoded = bytes.reduce(into: [UInt8]()) { encoded, byte in
      if isKept(byte) { encoded.append(byte) } else { encoded += Self.encoded(byte) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func encoded(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%")] + [byte].hexadecimal.uppercased().utf8
  }

  /// Decodes a text from a URL. A percent sign without two hexadecimal digits after it stays.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let high = Character(Unicode.Scalar(rest[rest.startIndex])).hexDigitValue,
        let low = Character(Unicode.Scalar(rest[rest.startIndex + 1])).hexDigitValue
      {
        bytes.append(UInt8(high << 4 | low))
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// The characters that may stand unencoded in a path, a query or a fragment (RFC 3986 §3.3 to §3.5).
  private static let kept = unreserved.union(ASCIISet("!$&'()*+,;=:@/?"))

  /// Encodes the characters that a URL cannot contain; existing escapes stay as they are.
  fileprivate static func completed(_ address: String) -> String {
    let bytes = address.rawBytes
    let rest = endOfAuthority(bytes)
    // Hardly any address needs more encoding.
    if bytes.count == address.utf8.count, bytes[rest...].allSatisfy(kept.contains) {
      return address
    }
    var encoded = bytes[..<rest]
    for index in rest..<bytes.count {
      let byte = bytes[index]
      let isComplete =
        switch byte {
        case UInt8(ascii: "%"): isEncodedByte(bytes[(index + 1)...].prefix(2))
        case UInt8(ascii: "#"): bytes[..<index].firstIndex(of: byte) == nil
        default: kept.contains(byte)
        }
      if isComplete { encoded.append(byte) } else { encoded += Self.encoded(byte) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let digits = ASCIISet("0123456789ABCDEFabcdef")

  private static func isEncodedByte(_ digits: ArraySlice<UInt8>) -> Bool {
    digits.count == 2 && digits.allSatisfy(Self.digits.contains)
  }

  /// What ends an authority.
  private static let ends = ASCIISet("/?#")

  /// Where the authority ends; 0 if there is no authority. Only the authority may contain brackets, around an IPv6
  /// address.
  private static func endOfAuthority(_ address: [UInt8]) -> Int {
    guard let mark = address.firstIndex(where: ends.contains),
      address[mark...].starts(with: "//".utf8)
    else { return 0 }
    return address[(mark + 2)...].firstIndex(where: ends.contains) ?? address.count
  }
}

extension URL {
  /// Parses an address as people and servers write it, where `ä` or `[` may stand beside `%20`. Foundation alone would
  /// encode the `%` of existing escapes.
  package init?(written address: String, relativeTo base: URL? = nil) {
    self.init(string: PercentEncoding.completed(address), relativeTo: base)
  }
}
