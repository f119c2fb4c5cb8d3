/// Which header fields a target may add to its requests (RFC 9110 §5).
package enum HeaderRule {
  /// Fields that only hoist sets, such as those that frame the body. Contradictory ones would allow request smuggling.
  private static let reserved: Set<String> = [
    "connection", "content-length", "content-type", "expect", "host", "te", "trailer",
    "transfer-encoding", "upgrade",
  ]

  /// Checks the name of a header field and, if it is already known, the value.
  package static func check(name: String, value: String?) throws(InvalidInput) {
    let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    guard !name.isEmpty, name.lowercased().utf8.allSatisfy(token.contains) else {
      throw InvalidInput("\"\(name)\" is not a header name")
    }
    guard !reserved.contains(name.lowercased()) else {
      throw InvalidInput("\(name) is set by hoist itself")
    }
    if let value, value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
      throw InvalidInput("the value of \(name) contains a control character")
    }
  }

  /// Whether a server refuses the whole file because of the time in this header field. Nextcloud refuses the first day of
  /// 1970 and whatever is before it (`MtimeSanitizer`); where times have 32 bits, one after 2106 fits nowhere.
  static func isRefused(name: String, value: String) -> Bool {
    guard ["x-oc-mtime", "x-oc-ctime"].contains(name.lowercased()), let time = Int128(value)
    else { return false }
    return time <= 86_400 || time > Int128(UInt32.max)
  }
}
