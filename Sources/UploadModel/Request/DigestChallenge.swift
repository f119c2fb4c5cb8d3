import Digests
import ScalarText

/// A server's challenge for digest authentication (RFC 7616 §3.3), and the answers to it (§3.4).
package struct DigestChallenge: Hashable, Sendable {
  /// The hash functions of the answers that can be given, the stronger one last.
  private enum Hash: Int, Comparable {
    case md5, sha256

    static func < (a: Hash, b: Hash) -> Bool { a.rawValue < b.rawValue }

    func callAsFunction(_ text: String) -> String {
      switch self {
      case .md5: MD5.hash(text.utf8).hexadecimal
      case .sha256: SHA256.hash(text.utf8).hexadecimal
      }
    }
  }

  let realm: String
  /// The value by which the server recognises that an answer is to its own, recent challenge.
  var nonce: String
  private let opaque: String?
  /// The algorithm as the server has written it; nil if it names none.
  private let algorithm: String?
  private let hash: Hash
  /// Whether the password is hashed once for each nonce (`-sess`).
  private let isForSession: Bool
  /// Whether answers count how often the nonce has been used (`qop=auth`).
  private let counts: Bool
  /// Whether the user name is hashed as well.
  private let hidesUser: Bool
  /// Whether the last answer was right but for its nonce.
  let isStale: Bool

  /// The challenge that can be answered in a `WWW-Authenticate` field; nil if there is none. Of several, the one with
  /// the strongest hash counts.
  package init?(in field: String) {
    let answerable = AuthenticationParameters.schemes(in: field)
      .filter { $0.name == "digest" }.compactMap { DigestChallenge($0.parameters) }
    guard let best = answerable.max(by: { $0.hash < $1.hash }) else { return nil }
    self = best
  }

  private init?(_ values: [String: String]) {
    guard let realm = values["realm"], let nonce = values["nonce"] else { return nil }
    (self.realm, self.nonce, opaque) = (realm, nonce, values["opaque"])
    algorithm = values["algorithm"]
    let name = algorithm?.lowercased() ?? "md5"
    isForSession = name.hasSuffix(scalars: "-sess")
    switch isForSession ? String(name.unicodeScalars.dropLast(5)) : name {
    case "md5": hash = .md5
    case "sha-256": hash = .sha256
    default: return nil
    }
    let ways = values["qop"].map {
      $0.lowercased().split(scalar: ",").map { $0.trimming(\.isWhiteSpace) }
    }
    guard ways?.contains("auth") ?? true else { return nil }  // not text
    counts = ways != nil
    hidesUser = values["userhash"]?.lowercased() == "true"
    isStale = values["stale"]?.lowercased() == "true"
  }

  /// The value of `Authorization` for a request. `count` says how often the nonce is used with it, and `clientNonce` is
  /// the same each time.
  func answer(
    user: String, password: String, method: String, uri: String, count: Int, clientNonce: String
  ) -> String {
    var secret = hash("\(user):\(realm):\(password)")
    if isForSession { secret = hash("\(secret):\(nonce):\(clientNonce)") }
    let times = String(count, radix: 16)
    let number = String(repeating: "0", count: max(0, 8 - times.utf8.count)) + times
    let middle = counts ? "\(number):\(clientNonce):auth:" : ""
    let response = hash("\(secret):\(nonce):\(middle)\(hash("\(method):\(uri)"))")
    var parts = [
      "username=\(Self.quoted(hidesUser ? hash("\(user):\(realm)") : user))",
      "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))", "uri=\(Self.quoted(uri))",
      "response=\"\(response)\"",
    ]
    if counts || isForSession { parts.append("cnonce=\"\(clientNonce)\"") }
    if counts { parts += ["nc=\(number)", "qop=auth"] }
    if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
    if let algorithm { parts.append("algorithm=\(algorithm)") }
    if hidesUser { parts.append("userhash=true") }
    return "Digest " + parts.joined(separator: ", ")
  }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing(scalars: "\\", with: "\\\\").replacing(scalars: "\"", with: "\\\""))\""
  }
}
