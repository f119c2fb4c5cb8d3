import Foundation

/// The fields by which a person recognises a certificate (RFC 5280 §4.1).
///
/// Only reads the fields; libcurl judges whether the certificate is valid.
package struct X509Certificate: Sendable {
  /// The holder: `CN=host, O=Company`.
  package let subject: String
  /// The issuer, in the same format.
  package let issuer: String
  /// The first moment at which it is valid, in UTC: `2026-11-20 23:35:55`.
  package let notBefore: String
  /// The last moment at which it is valid, in the same format.
  package let notAfter: String
  /// The DNS names and IP addresses that it is for (RFC 5280 §4.2.1.6).
  package let names: [String]
  /// The SubjectPublicKeyInfo in DER, of which a pin is the hash.
  package let publicKeyInfo: [UInt8]

  /// Reads a certificate in DER; nil if the bytes are not one.
  package init?(der: [UInt8]) {
    var whole = DER(der[...])
    guard var certificate = whole.next(0x30)?.content,
      var body = certificate.next(0x30)?.content
    else { return nil }
    if body.tag == 0xA0 { _ = body.next() }  // version
    guard body.next(0x02) != nil, body.next(0x30) != nil,  // serial number, signature algorithm
      let issuer = body.next(0x30), var validity = body.next(0x30)?.content,
      let subject = body.next(0x30), let key = body.next(0x30),
      let notBefore = validity.next(), let notAfter = validity.next()
    else { return nil }
    self.issuer = Self.name(issuer.content)
    self.subject = Self.name(subject.content)
    self.notBefore = Self.time(notBefore)
    self.notAfter = Self.time(notAfter)
    publicKeyInfo = Array(key.whole)
    var names: [String] = []
    while let field = body.next() {
      guard field.tag == 0xA3 else { continue }
      var field = field.content
      if let extensions = field.next(0x30) { names = Self.names(in: extensions.content) }
    }
    self.names = names
  }

  // MARK: Parts

  private static let attributes: [[UInt8]: String] = [
    [0x55, 4, 3]: "CN", [0x55, 4, 6]: "C", [0x55, 4, 7]: "L", [0x55, 4, 8]: "ST",
    [0x55, 4, 10]: "O", [0x55, 4, 11]: "OU",
  ]

  private static func name(_ sets: DER) -> String {
    var (sets, parts) = (sets, [String]())
    while var set = sets.next(0x31)?.content {
      while var pair = set.next(0x30)?.content {
        guard let type = pair.next(0x06), let value = pair.next(),
          let label = attributes[Array(type.content.bytes)]
        else { continue }
        parts.append("\(label)=\(String(decoding: value.content.bytes, as: UTF8.self))")
      }
    }
    return parts.isEmpty ? "(no name)" : parts.joined(separator: ", ")
  }

  /// UTCTime has two digits for the year; 50 and above mean 1950 to 1999.
  private static func time(_ element: DER.Element) -> String {
    var text = String(decoding: element.content.bytes, as: UTF8.self)
    if element.tag == 0x17 { text = (text < "50" ? "20" : "19") + text }
    let digits = Array(text.prefix { $0.isNumber })
    guard digits.count >= 14 else { return text }
    let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<12, 12..<14].map { String(digits[$0]) }
    return parts[..<3].joined(separator: "-") + " " + parts[3...].joined(separator: ":")
  }

  private static func names(in extensions: DER) -> [String] {
    var (extensions, names) = (extensions, [String]())
    while var entry = extensions.next(0x30)?.content {
      guard let id = entry.next(0x06), Array(id.content.bytes) == [0x55, 0x1D, 0x11] else {
        continue
      }
      if entry.tag == 0x01 { _ = entry.next() }  // critical
      guard var octets = entry.next(0x04)?.content, var list = octets.next(0x30)?.content
      else { continue }
      while let name = list.next() {
        let bytes = name.content.bytes
        switch name.tag {
        case 0x82: names.append(String(decoding: bytes, as: UTF8.self))
        case 0x87: names += address(Array(bytes)).map { [$0] } ?? []
        default: break
        }
      }
    }
    return names
  }

  /// An IP address as text; nil if it has neither 4 nor 16 bytes.
  private static func address(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
