import Foundation
import JSONText
import ScalarText

/// The file's address in a reply that no rule of the target describes.
extension ReplyRules {
  /// The names under which JSON replies have addresses, the best one first.
  private static let names = ["url", "link"]
  /// What replies call the parts that are about the file. An address elsewhere may be that of its owner or of a page.
  private static let parts: Set<String> = [
    "asset", "assets", "attachment", "attachments", "data", "document", "file", "files", "image",
    "images", "item", "items", "media", "object", "photo", "result", "results", "upload", "uploads",
  ]

  /// The address that the reply's JSON object has under one of the names, or else the only web address under these names
  /// in its parts; or that which is the whole reply.
  func plainAddress(in end: TransferEnd) -> String? {
    guard !end.reply.isCut, end.status.map(isOK) == true else { return nil }
    let document =
      end.reply.mayBeJSON ? end.content?.document ?? JSONValue(text: end.reply.text) : nil
    guard let document else {
      return Self.webAddress(end.reply.text.trimming(\.isWhiteSpace))
    }
    if case .object(let members) = document {
      for name in Self.names {
        guard case .string(let text)? = members[name] else { continue }
        if let address = Self.webAddress(text) ?? Self.localAddress(text, end.url) {
          return address
        }
      }
    }
    var found: Set<String> = []
    Self.collect(&found, in: document)
    return found.count == 1 ? found.first : nil
  }

  private static func collect(_ found: inout Set<String>, in value: JSONValue) {
    switch value {
    case .object(let members):
      for (name, member) in members {
        if names.contains(name), case .string(let text) = member {
          if let address = webAddress(text) { found.insert(address) }
        } else if parts.contains(name) {
          collect(&found, in: member)
        }
      }
    case .array(let values):
      for value in values { collect(&found, in: value) }
    case .null, .bool, .integer, .longInteger, .number, .string: break
    }
  }

  /// A text that is a whole web address and has no credentials in it.
  private static func webAddress(_ text: String) -> String? {
    guard !text.unicodeScalars.contains(where: \.isWhiteSpace),
      let url = URL(written: text, relativeTo: nil),
      ["http", "https"].contains(url.scheme?.lowercased()),
      url.host()?.isEmpty == false, url.user() == nil, url.password() == nil
    else { return nil }
    return url.absoluteString
  }

  /// A text that is a path on the server of `request`. Without a path, it would be the request's own address, whose query
  /// may be a secret.
  private static func localAddress(_ text: String, _ request: URL) -> String? {
    guard let first = text.unicodeScalars.first, first != "?", first != "#",
      let url = URL(written: text, relativeTo: request)?.absoluteURL,
      url.scheme == request.scheme, url.host() == request.host(), url.port == request.port
    else { return nil }
    return webAddress(url.absoluteString)
  }
}

extension Reply {
  /// Whether there is something in it that looks like an address, also as JSON may write it.
  package var mayNameAddress: Bool {
    text.contains(scalars: "://") || text.contains(scalars: #":\/\/"#)
  }
}
