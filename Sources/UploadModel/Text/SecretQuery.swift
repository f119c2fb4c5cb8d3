/// Secrets in the addresses that a text contains: values of query items that a name gives away, such as the signature
/// of a presigned URL, and what stands before an `@`.
///
/// A text may be a reply of a server, so an address is not parsed: a name, a sign of equality and a value suffice, in
/// the spellings of URLs, of HTML and of JSON.
package enum SecretQuery {
  /// `text` with these secrets replaced.
  package static func hidden(in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    /// Where the name began that is being read.
    var name = 0
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if let length = equality(bytes, at: place) {
        result += bytes[place..<place + length]
        let value = end(ofValueAt: place + length, in: bytes)
        let isSecret =
          SecretName.matches(String(decoding: bytes[name..<place], as: UTF8.self))
          && value > place + length
        place += length
        name = place
        if isSecret {
          result += Secrets.mark.utf8
          place = value
          name = place
        }
        continue
      }
      if let host = host(afterUserAt: place, in: bytes) {
        result += "://\(Secrets.mark)@".utf8
        place = host
        name = place
        continue
      }
      result.append(byte)
      place += 1
      if !isOfName(byte) { name = place }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The length of a sign of equality here, as it is or percent-encoded.
  private static func equality(_ bytes: [UInt8], at place: Int) -> Int? {
    if bytes[place] == UInt8(ascii: "=") { return 1 }
    return bytes[place...].starts(with: "%3D".utf8) || bytes[place...].starts(with: "%3d".utf8)
      ? 3 : nil
  }

  /// Letters, digits, and what joins them in names. A percent sign may encode any of them.
  private static func isOfName(_ byte: UInt8) -> Bool {
    byte.isAlphanumeric || "_-.%".utf8.contains(byte)
  }

  private static func end(ofValueAt start: Int, in bytes: [UInt8]) -> Int {
    var place = start
    while place < bytes.count, bytes[place] > 0x20, !"&#\"'<>\\".utf8.contains(bytes[place]),
      !bytes[place...].starts(with: "%26".utf8)
    { place += 1 }
    return place
  }

  /// Where the host begins, if `://`, a user and an `@` stand here.
  private static func host(afterUserAt place: Int, in bytes: [UInt8]) -> Int? {
    guard bytes[place...].starts(with: "://".utf8) else { return nil }
    let authority = bytes[(place + 3)...].prefix { $0 > 0x20 && !"/?#\"'<>\\".utf8.contains($0) }
    return authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 }
  }
}
