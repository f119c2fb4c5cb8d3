import Foundation
import ScalarText

// All text in here is Unicode scalars.

/// The address of a proxy: `[scheme://][name[:password]@]host[:port]`, perhaps with a path, which is
/// ignored.
struct ProxyAddress {
  /// What must not be shown.
  let secrets: [String]
  /// Its host and port, as they were written.
  let place: String

  /// Reads one; nil if libcurl could not tell a host from it.
  init?(_ text: String) {
    // A "/" in a password would end the authority early: no "@" may follow it.
    let form =
      #/
      (?: (?i:https?|socks4a?|socks5h?) :// | (?! .* :// ) )
      (?: (?<user> [^/?\#\x00-\x20\x7F]* ) @ )?
      (?<place>
        (?: \[ [\-._~:%A-Za-z0-9\u{80}-\u{10FFFF}]+ \] | [\-._~A-Za-z0-9\u{80}-\u{10FFFF}]+ )
        (?: : (?<port> [0-9]{0,5} ) )?
      )
      (?: [/?\#] [^@]* )?
      /#.matchingSemantics(.unicodeScalar)
    guard let match = text.wholeMatch(of: form)?.output,
      match.port.map({ $0.isEmpty || Int($0) ?? .max <= 65_535 }) ?? true
    else { return nil }
    place = String(match.place)
    let user = match.user.map { String($0) } ?? ""
    let passwords = Array(user.split(scalar: ":", maxSplits: 1).dropFirst())
    // As it goes to the proxy (RFC 7617 §2).
    let pair = Data((user.removingPercentEncoding ?? user).utf8).base64EncodedString()
    secrets =
      passwords.isEmpty ? [] : passwords + passwords.compactMap(\.removingPercentEncoding) + [pair]
  }
}
