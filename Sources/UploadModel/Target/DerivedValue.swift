import Digests
import ScalarText

/// A value that a target computes for each request: the digest or the HMAC of a text. Its placeholder is
/// `{value.NAME}`.
package struct DerivedValue: Hashable, Sendable {
  package enum Algorithm: String, CaseIterable, Sendable {
    case md5, sha1, sha256
    case hmacSHA1 = "hmac_sha1"
    case hmacSHA256 = "hmac_sha256"

    package var isKeyed: Bool { self == .hmacSHA1 || self == .hmacSHA256 }
  }

  /// What the configuration calls it.
  package let name: String
  package let algorithm: Algorithm
  /// The text that the value is computed from.
  package let text: Template
  /// The key of an HMAC; nil for a digest.
  package let key: Template?

  package init(name: String, _ algorithm: Algorithm, of text: Template, key: Template? = nil) {
    (self.name, self.algorithm, self.text, self.key) = (name, algorithm, text, key)
  }

  /// The text between the braces of its placeholder, without filters.
  var source: String { "value.\(name)" }

  var secrets: [Template.Secret] { text.secrets + (key?.secrets ?? []) }

  /// The value in lower-case hexadecimal digits.
  func digits(with values: Template.Values) -> String {
    let text = text.filled(with: values).rawBytes
    let key = Array((key?.filled(with: values) ?? "").utf8)
    let bytes =
      switch algorithm {
      case .md5: MD5.hash(text)
      case .sha1: SHA1.hash(text)
      case .sha256: SHA256.hash(text)
      case .hmacSHA1: MessageAuthentication.code(of: text, key: key, with: SHA1.self)
      case .hmacSHA256: MessageAuthentication.code(of: text, key: key)
      }
    return bytes.hexadecimal
  }

  /// The value as it is sent, marked as a secret if it is made from one; or its placeholder, if that stays as it is.
  func stretch(_ writing: Template.Writing, with values: Template.Values) -> Template.Filled {
    if values.leaves(self) { return .unfilled("{\(source)}") }
    let digits = digits(with: values)
    let written = writing(digest: digits)
    guard !secrets.isEmpty else { return .text(written) }
    let label = (["value", name] + writing.filters.map(\.source)).joined(separator: "_")
    return .secret(Template.Secret(name: label, value: digits, source: .derived), written: written)
  }
}
