/// Hides secrets in the URLs that a text contains: the values of query items whose names give them away, such as the
/// signature of a presigned URL, and user information before an `@`.
///
/// The text may be a server's reply, so URLs are not parsed: a name, an equals sign and a value suffice, as spelled in
/// URLs, HTML and JSON.
package enum SecretQuery {
  /// `text` with these secrets replaced.
  package static func hidden(in text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    /// Where the name now being read begins.
    var name = 0
    var place = 0
    while place < bytes.count {
      if let length = equality(bytes, at: place) {
        let start = place + length
        let end = end(ofValueAt: start, in: bytes)
        result += bytes[place..<start]
        let isSecret =
          end > start && SecretName.matches(String(decoding: bytes[name..<place], as: UTF8.self))
        if isSecret { result += Secrets.mark.utf8 }
        place = isSecret ? end : start
        name = place
      } else if let host = host(afterUserAt: place, in: bytes) {
        result += "://\(Secrets.mark)@".utf8
        place = host
        name = place
      } else {
        result.append(bytes[place])
        if !isOfName(bytes[place]) { name = place + 1 }
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The length of the equals sign here, literal or percent-encoded; nil if there is no such sign.
  private static func equality(_ bytes: [UInt8], at place: Int) -> Int? {
    if bytes[place] == UInt8(ascii: "=") { return 1 }
    return bytes[place...].starts(with: "%3D".utf8) || bytes[place...].starts(with: "%3d".utf8)
      ? 3 : nil
  }

  /// Whether a byte may be part of a name: a letter, a digit or a separator. A percent sign may encode any of these.
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

  /// Where the host begins, if `://`, user information and an `@` come here.
  private static func host(afterUserAt place: Int, in bytes: [UInt8]) -> Int? {
    guard bytes[place...].starts(with: "://".utf8) else { return nil }
    let authority = bytes[(place + 3)...].prefix { $0 > 0x20 && !"/?#\"'<>\\".utf8.contains($0) }
    return authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 }
  }
}
