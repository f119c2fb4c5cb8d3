import Foundation
import ScalarText

// All text in here is Unicode scalars.

/// The address of a proxy: `[scheme://][name[:password]@]host[:port]`, optionally with a path, which is ignored.
struct ProxyAddress {
  /// Every form of the password that must be hidden; empty without a password.
  let secrets: [String]
  /// The host and port as written.
  let place: String

  /// Parses an address; nil if libcurl could not tell which part is the host.
  init?(_ text: String) {
    // A "/" in a password would end the authority early, so an "@" after the authority is refused.
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
    guard let match = text.wholeMatch(of: form)?.output, Int(match.port ?? "") ?? 0 <= 65_535 else {
      return nil
    }
    place = String(match.place)
    let user = String(match.user ?? "")
    let passwords = Array(user.split(scalar: ":", maxSplits: 1).dropFirst())
    // The form in which the password is sent to the proxy (RFC 7617 §2).
    let pair = Data((user.removingPercentEncoding ?? user).utf8).base64EncodedString()
    secrets =
      passwords.isEmpty ? [] : passwords + passwords.compactMap(\.removingPercentEncoding) + [pair]
  }
}
