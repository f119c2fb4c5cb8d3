import ScalarText
import UploadModel

/// `type = "hoist"`: a target that is hoist's own receiver and needs only its address.
///
/// The keys that follow from the type are added to the target's own keys. So the same reader handles all of them, and
/// `hoist config show` shows the result.
enum ReceiverPreset {
  /// Adds the keys that the type determines to a target's entries, if they contain a type.
  static func complete(
    _ entries: [String: ConfigNode], of target: ConfigNode
  ) throws(ConfigError) -> [String: ConfigNode] {
    guard let node = entries["type"] else { return entries }
    let type = try node.string()
    guard type == "hoist" else {
      throw node.fault(
        "expected \"hoist\", for hoist's own receiver, found \"\(type)\"; other targets have no type"
      )
    }
    for key in ["method", "body", "ticket", "response", "server"] {
      try entries.refuse(key, "the type decides this; leave out \"\(key)\" or \"type\"")
    }
    guard let url = entries["url"] else { return entries }
    let base = try address(url)
    func added(_ key: String, _ value: ConfigNode.Value) -> ConfigNode {
      ConfigNode(value: value, path: "\(target.path).\(key)")
    }
    var entries = entries
    let (path, result) = place(entries)
    entries["url"] = ConfigNode(value: .string("\(base)/\(path)"), path: url.path)
    // Turn on resuming, unless it conflicts with other keys.
    if !["resume", "batch", "prepare"].contains(where: { entries[$0] != nil }) {
      entries["resume"] = added("resume", .string(ResumeRules.Mode.http.rawValue))
      // Sending a small file again is cheap; an additional request for each of many small files is not.
      if entries["resume_from"] == nil {
        entries["resume_from"] = added("resume_from", .string("1 MiB"))
      }
    }
    if let result { entries["response"] = added("response", .table(["url": .string(result)])) }
    entries["server"] = added(
      "server",
      .table([
        "list": .table([
          "url": .string("\(base)/"), "items": .string("/files"), "id": .string("/name"),
          "size": .string("/size"), "location": .string("/url"),
          "time": .table(["pointer": .string("/modified"), "format": .string("iso8601")]),
        ]),
        "delete": .table(["url": .string("\(base)/files/{id}")]),
      ]))
    return entries
  }

  /// The path that files go to, and the place of their URLs in the reply; nil if the header field Location has the URL.
  private static func place(_ entries: [String: ConfigNode]) -> (path: String, result: String?) {
    if case .string(ResumeRules.Mode.tus.rawValue)? = entries["resume"]?.value {
      return ("files", nil)
    }
    return entries["batch"] == nil ? ("upload", nil) : ("multiupload", "/files/*/url")
  }

  /// The receiver's address without trailing slashes.
  private static func address(_ node: ConfigNode) throws(ConfigError) -> String {
    let written = try node.string()
    guard !written.utf8.contains(where: { "{}".utf8.contains($0) }) else {
      throw node.fault("the receiver's own address cannot have placeholders")
    }
    let end = written.unicodeScalars.lastIndex { $0 != "/" }
    let text = end.map { String(written.unicodeScalars[...$0]) } ?? ""
    for path in ["/upload", "/multiupload", "/files"] where text.hasSuffix(scalars: path) {
      throw node.fault("the receiver's own address is enough; leave out \(path)")
    }
    guard !text.unicodeScalars.contains("?") else {
      throw node.fault("the receiver's own address must not have a query")
    }
    return text
  }
}
