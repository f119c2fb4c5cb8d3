import UploadModel

/// The tables `open` and `close` of a target: the requests before the first and after the last file of a run.
extension Schema where Root == Call {
  static let open = Schema.step(Template.Placeholder.always, .values(.opened))
  fileprivate static let close = Schema.step(Template.Placeholder.always + [.opened])
}

extension Schema where Root == RunRules.Closing {
  static let close = Schema<Call>.close.within(
    \.call,
    [
      Key("on_failure", \.onFailure, .choice),
      Key("abort", \.abort, from: Call(method: "DELETE"), Schema<Call>.close),
    ])
}

extension RunRules {
  /// Checks that `open` gives each `{open.…}` its value, that each request has an address, and that the target's
  /// keys can be combined.
  func check(
    _ node: ConfigNode, _ entries: [String: ConfigNode], of target: Target
  ) throws(ConfigError) {
    for template in target.templates {
      for value in template.names(of: .opened) where !names.contains(value) {
        throw node.fault("{open.\(value)} has no value: define it in \"values\" of \"open\"")
      }
    }
    for (name, call) in calls {
      let place = entries[name == "abort" ? "close" : name] ?? node
      let words = name == "abort" ? "\"abort\"" : "the request"
      switch call.address {
      case .own: break
      case .base: throw place.fault("\(words) has no \"url\"")
      case .reply:
        guard call.templates.flatMap(\.secrets).isEmpty else {
          throw place.fault(
            "the address of \(words) comes from a reply, so the request cannot contain secrets")
        }
      }
    }
    try entries.refuse(
      "open",
      "cannot be combined with \"exists\": this request would be sent even if no file needs to be sent",
      if: entries["exists"] != nil)
    guard let close, close.onFailure == .abort else { return }
    try entries.refuse(
      "close", "on_failure = \"abort\" needs the request \"abort\"", if: close.abort == nil)
    try entries.refuse(
      "after",
      "cannot be combined with on_failure = \"abort\": an abort may discard files that the server already has",
      if: target.after.way != nil)
  }
}
