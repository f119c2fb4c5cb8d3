import ScalarText

/// How folders are made on a target's server, once the server has said that one on the way to a file is missing.
package struct FolderRule: Hashable, Sendable {
  /// The method of the request that makes a folder, in upper case.
  package var method: String
  /// The statuses by which the server says that the folder is there, now or already.
  package var ok: [ClosedRange<Int>]

  package init(method: String = "MKCOL", ok: [ClosedRange<Int>] = [201...201, 405...405]) {
    (self.method, self.ok) = (method, ok)
  }

  /// As in WebDAV, where a 405 means that there is something of this name already (RFC 4918 §9.3.1).
  package static let webdav = FolderRule()

  /// Whether a status may mean that a folder on the way to an address is missing. In WebDAV, that is 409 (RFC 4918
  /// §9.3.1, §9.7.1), but some servers answer 404.
  package static func isMissing(_ status: Int?) -> Bool { status == 404 || status == 409 }

  /// Whether the reply to a file's request may mean the same. nginx's dav module answers 500.
  package static func isMissing(_ end: TransferEnd) -> Bool {
    isMissing(end.status)
      || end.status == 500 && end.headers["server"]?.hasPrefix(scalars: "nginx") == true
  }

  /// The rules for the reply to a request that makes a folder.
  package var rules: ReplyRules {
    var rules = ReplyRules()
    rules.ok = ok
    return rules
  }
}
