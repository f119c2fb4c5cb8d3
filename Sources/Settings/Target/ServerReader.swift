import UploadModel

/// Reads the requests of a target that are not uploads: its ticket and its server side.
struct ServerReader {
  let templates: TemplateReader
  /// How the replies to the target's uploads are judged, and those to its other requests where they say
  /// nothing else.
  let rules: ReplyRules

  private var response: ResponseReader { ResponseReader(templates: templates) }

  func ticket(_ node: ConfigNode) throws(ConfigError) -> Ticket {
    let entries = try node.table([
      "url", "method", "json", "ok", "fail_when", "unreadable", "upload_url", "fields",
    ])
    guard let place = entries["upload_url"] else {
      throw node.fault("\"upload_url\" is missing: where the reply holds the address for the file")
    }
    let call = try call(
      node, entries, method: "POST", scope: Template.Placeholder.ofFile, inherits: false)
    return Ticket(
      call: call, uploadURL: try response.pointer(place),
      fields: try entries["fields"].map(response.pointer))
  }

  func side(_ node: ConfigNode) throws(ConfigError) -> ServerSide {
    let entries = try node.table(["list", "delete", "create"])
    var side = ServerSide()
    if let node = entries["list"] {
      let entries = try node.table(
        [
          "url", "method", "json", "ok", "fail_when", "unreadable", "items", "id", "title", "size",
          "time",
          "location",
        ])
      guard let id = entries["id"] else {
        throw node.fault("\"id\" is missing: where an entry holds what it is called by")
      }
      let pointer = try response.pointer(id)
      var list = ServerSide.Listing(
        call: try call(node, entries, method: "GET", scope: Template.Placeholder.always),
        items: try entries["items"].map(response.pointer) ?? Self.whole,
        id: pointer, title: try entries["title"].map(response.pointer) ?? pointer)
      list.size = try entries["size"].map(response.pointer)
      list.time = try entries["time"].map(response.pointer)
      list.location = try entries["location"].map(response.pointer)
      side.list = list
    }
    if let node = entries["delete"] {
      let entries = try node.table(Self.callKeys)
      let call = try call(
        node, entries, method: "DELETE", scope: Template.Placeholder.ofEntry)
      guard call.url.asks(for: .id) || call.json?.asks(for: .id) == true else {
        throw node.fault("{id} is missing: every request would delete the same entry")
      }
      side.delete = call
    }
    if let node = entries["create"] {
      let entries = try node.table(Self.callKeys)
      side.create = try call(node, entries, method: "POST", scope: Template.Placeholder.ofResult)
    }
    return side
  }

  private static let callKeys = ["url", "method", "json", "ok", "fail_when", "unreadable"]
  private static let whole = JSONPointer.whole

  private func call(
    _ node: ConfigNode, _ entries: [String: ConfigNode], method usual: String,
    scope: [Template.Placeholder], inherits: Bool = true
  ) throws(ConfigError) -> ServerCall {
    guard let url = entries["url"] else {
      throw node.fault("\"url\" is missing: the address of the request")
    }
    var call = ServerCall(
      url: try templates.address(url, scope: scope), method: usual,
      json: try entries["json"].map { (node) throws(ConfigError) in
        try templates.json(node, scope: scope)
      })
    if let node = entries["method"] {
      let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
      let method = try node.string()
      guard methods.contains(method) else {
        throw node.fault(
          "expected one of \(methods.joined(separator: ", ")), found \"\(method)\"")
      }
      call.method = method
    }
    if let json = entries["json"], call.method == "GET" {
      throw json.fault("a GET request has no body")
    }
    if let node = entries["ok"] { call.rules.ok = try response.statuses(node) }
    if inherits { call.rules = call.rules.inheriting(rules) }
    if let node = entries["fail_when"] {
      call.rules.failures = try response.failures(node)
      if call.rules.ofWholeRequest != call.rules {
        throw node.fault("\"*\" stands for a file of an upload, and this request has none")
      }
    }
    if let node = entries["unreadable"] { call.rules.unreadable = try response.unreadable(node) }
    return call
  }
}

extension ReplyRules {
  /// These rules with what others say of a whole request's failure.
  func inheriting(_ others: ReplyRules) -> ReplyRules {
    var rules = self
    rules.failures = others.ofWholeRequest.failures
    rules.unreadable = others.unreadable
    return rules
  }
}
