import UploadModel

/// Reads the requests of a target other than uploads: its ticket and its server side.
struct ServerReader {
  let templates: TemplateReader
  /// How replies to the target's uploads are judged. The default for its other requests.
  let rules: ReplyRules
  /// Whether the target has a ticket, whose values other requests can use.
  var hasTicket = false

  private var response: ResponseReader { ResponseReader(templates: templates) }

  func ticket(_ node: ConfigNode) throws(ConfigError) -> Ticket {
    let entries = try node.table(Self.callKeys + ["upload_url", "fields", "headers"])
    guard let place = entries["upload_url"] else {
      throw node.fault("\"upload_url\" is missing: where the reply holds the address for the file")
    }
    let call = try call(
      node, entries, method: "POST", scope: Template.Placeholder.ofFile, inherits: false)
    return Ticket(
      call: call, uploadURL: try response.value(place, scope: Template.Placeholder.ofFile),
      fields: try entries["fields"].map(response.pointer),
      headers: try entries["headers"].map(response.pointer))
  }

  func side(_ node: ConfigNode) throws(ConfigError) -> ServerSide {
    let entries = try node.table(["list", "get", "delete", "create"])
    var side = ServerSide()
    if let node = entries["list"] {
      let entries = try node.table(
        Self.callKeys + [
          "items", "id", "title", "size", "time", "location", "next", "total", "columns",
        ])
      guard let id = entries["id"] else {
        throw node.fault("\"id\" is missing: the JSON Pointer to the ID of an entry")
      }
      let pointer = try response.pointer(id)
      var list = ServerSide.Listing(
        call: try call(node, entries, method: "GET", scope: Template.Placeholder.always),
        items: try entries["items"].map(response.pointer) ?? .whole,
        id: pointer, title: try entries["title"].map(response.pointer) ?? pointer)
      list.size = try entries["size"].map(response.pointer)
      list.time = try entries["time"].map(column)
      list.location = try entries["location"].map(response.pointer)
      list.next = try entries["next"].map(next)
      list.total = try entries["total"].map { (node) throws(ConfigError) in
        try response.value(node)
      }
      list.columns = try entries["columns"]?.array().map(column) ?? []
      side.list = list
    }
    if let node = entries["get"] { side.get = try call(onEntry: node, method: "GET") }
    if let node = entries["delete"] {
      side.delete = try call(onEntry: node, method: "DELETE")
    }
    if let node = entries["create"] {
      let entries = try node.table(Self.callKeys)
      let scope = Template.Placeholder.ofResult + (hasTicket ? [.ticket] : [])
      side.create = try call(node, entries, method: "POST", scope: scope)
    }
    return side
  }

  /// Reads a request about one entry of the server's list.
  private func call(
    onEntry node: ConfigNode, method: String
  ) throws(ConfigError) -> ServerCall {
    let entries = try node.table(Self.callKeys)
    let call = try call(node, entries, method: method, scope: Template.Placeholder.ofEntry)
    guard call.templates.contains(where: { $0.asks(for: .id) }) else {
      throw node.fault("{id} is missing: every request would be about the same entry")
    }
    return call
  }

  /// Reads `"/time"` or `{ pointer = "/time", format = "epoch" }`.
  private func column(_ node: ConfigNode) throws(ConfigError) -> Column {
    guard case .table = node.value else { return Column(try response.pointer(node)) }
    let entries = try node.table(["pointer", "format"])
    guard let place = entries["pointer"] else {
      throw node.fault("\"pointer\" is missing: it must point to the value in the entry")
    }
    var column = Column(try response.pointer(place))
    if let node = entries["format"] {
      column.format = try node.choice()
    }
    return column
  }

  /// Reads `"link"`, `{ pointer = "/next" }`, `{ pointer = "/cursor", query = "after" }` or `{ query = "page",
  /// from = 1 }`.
  private func next(_ node: ConfigNode) throws(ConfigError) -> NextPage {
    if case .string(let text) = node.value {
      guard text == "link" else {
        throw node.fault(
          "expected \"link\" or a table with \"pointer\" or \"query\", found \"\(text)\"")
      }
      return .link
    }
    let entries = try node.table(["pointer", "query", "from"])
    let pointer = try entries["pointer"].map(response.pointer)
    let query = try entries["query"]?.fixed()
    if let node = entries["query"], query?.isEmpty == true {
      throw node.fault("expected the name of a query item, found nothing")
    }
    if let node = entries["from"], pointer != nil || query == nil {
      throw node.fault("only pages that are counted have a first number; leave \"from\" out")
    }
    switch (pointer, query) {
    case (let pointer?, let query?): return .token(pointer, query: query)
    case (let pointer?, nil): return .address(pointer)
    case (nil, let query?):
      return .number(query: query, from: try entries["from"]?.integer(in: 0...1_000_000) ?? 1)
    case (nil, nil):
      throw node.fault("expected \"link\" or a table with \"pointer\" or \"query\"")
    }
  }

  private static let callKeys = [
    "url", "method", "json", "form", "query", "ok", "fail_when", "unreadable",
  ]

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
      call.method = try node.word(of: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    }
    if let node = entries["form"] {
      guard call.json == nil else {
        throw node.fault("a request has one body; leave \"json\" or \"form\" out")
      }
      call.form = try templates.pairs(node, scope: scope)
    }
    if let node = entries["query"] { call.query = try templates.pairs(node, scope: scope) }
    if let body = entries["json"] ?? entries["form"], call.method == "GET" {
      throw body.fault("a GET request has no body")
    }
    if let node = entries["ok"] { call.rules.ok = try response.statuses(node) }
    if inherits { call.rules = call.rules.inheriting(rules) }
    if let node = entries["fail_when"] {
      call.rules.failures = try response.failures(node)
      if call.rules.ofWholeRequest != call.rules {
        throw node.fault("\"*\" stands for a file of an upload, and this request has none")
      }
    }
    if let node = entries["unreadable"] { call.rules.unreadable = try node.choice() }
    return call
  }
}

extension ReplyRules {
  /// These rules, with the failure rules for whole requests taken from `others`.
  func inheriting(_ others: ReplyRules) -> ReplyRules {
    var rules = self
    rules.failures = others.ofWholeRequest.failures
    rules.unreadable = others.unreadable
    return rules
  }
}
