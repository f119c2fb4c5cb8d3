import JSONText
import ScalarText
import UploadModel

/// The requests of a target other than uploads: its ticket and its server side.
extension Schema where Root == ExistenceCheck {
  /// The table `exists` of a target.
  static let exists = Schema<Call>.call(scope: Template.Placeholder.ofFile + [.files], "HEAD")
    .within(
      \.call,
      [
        Key("each", \.each, .json(scope: Template.Placeholder.ofFile)),
        Key("max_files", \.maxFiles, .integer(in: 1...1000)),
        Key("is_there_when", \.signs, .list(.failure)),
        Key("address", \.call.rules.url, .place()),
      ]
    ) { try $0.check($1) }
}

extension ExistenceCheck {
  /// A check before its keys are read; also the defaults for writing.
  static let start = ExistenceCheck(call: Call(method: "GET"))

  fileprivate func check(_ entries: [String: ConfigNode]) throws {
    let usesFiles = call.templates.contains { $0.asks(for: .files) }
    guard each != nil else {
      try entries.refuse("max_files", "works only with \"each\"")
      if usesFiles { throw InvalidInput("{files} has no value without \"each\"") }
      return try entries.refuseFileNumbers(
        "is_there_when", if: signs.contains(where: \.place.dependsOnFile))
    }
    guard usesFiles else {
      throw InvalidInput("\"each\" has no effect, since the request does not use {files}")
    }
    if let slot = call.templates.flatMap(\.placeholders).first(where: {
      $0 != .files && $0.belongsToFile
    }) {
      throw InvalidInput(
        "{\(slot.rawValue)} differs from file to file, but the request is about several files; use it in \"each\""
      )
    }
    guard !signs.isEmpty, signs.allSatisfy(\.place.dependsOnFile) else {
      throw InvalidInput(
        "with \"each\", \"is_there_when\" needs pointers with \"*\" in place of a file's number, such as "
          + "\"/results/*/known\"")
    }
  }
}

extension [String: ConfigNode] {
  /// Throws an error at a key, if the condition says that its rules contain the number of a file.
  func refuseFileNumbers(_ key: String, if condition: Bool) throws(ConfigError) {
    try refuse(
      key, "\"*\" stands for the number of a file, but this request has no file", if: condition)
  }
}

extension Schema where Root == WaitRule {
  /// The table `wait` of a target.
  static let wait = Schema(
    [
      Key(
        name: "url", need: "where the server is asked about a file that it has accepted",
        read: { node, rule, reader in
          guard case .string(let text) = node.value, !text.hasPrefix(scalars: "/") else {
            rule.place = try Codec<ReplyValue>.place().read(node, reader)
            return
          }
          let address = try reader.address(node, scope: [.reply])
          rule.call.address = .own(address)
          guard address.secrets.isEmpty else {
            throw node.fault(
              "hoist keeps this address in its queue, so it must not contain a secret; requests to it already carry "
                + "the target's headers")
          }
        },
        write: { rule, _, writer in
          rule.place.flatMap { Codec<ReplyValue>.place().write($0, writer) }
            ?? writer.string(rule.call.address.template)
        }),
      Key("statuses", \.statuses, .set(.integer(in: 200...299))),
      Key("every", \.interval, .seconds(in: 0.1...3600)),
      Key("for", \.limit, .seconds(in: 1...2_592_000)),
      Key("until", \.signs, .oneOrMore(.failure)),
    ]
      + Schema<ReplyRules>.judgement.filter { $0.name != "unreadable" }
      .map { $0.within(\.call.rules) }
      + [
        Schema<ReplyRules>.duplicates.within(\.call.rules),
        Key("address", \.call.rules.url, .place()),
      ])
}

extension WaitRule {
  /// Checks that the keys fit together and fit the target.
  func check(_ node: ConfigNode, of target: Target) throws(ConfigError) {
    let rules = signs + call.rules.failures + call.rules.duplicates.compactMap(\.rule)
    if rules.contains(where: \.place.dependsOnFile) {
      throw node.fault("\"*\" stands for the number of a file, but this request has no file")
    }
    if place == nil, Origin(text: call.address.template.sample("a")) != target.origin {
      throw node.fault("\"url\" is on another server, which would not get the target's credentials")
    }
    guard target.server.create == nil else {
      throw node.fault(
        "cannot be combined with server.create, which would be sent before the server has finished with the file"
      )
    }
  }
}

extension Schema where Root == Ticket {
  static let ticket = Schema<Call>.call(scope: Template.Placeholder.ofFile).within(
    \.call,
    [
      Key(
        "upload_url", \.uploadURL, .place(scope: Template.Placeholder.ofFile),
        need: "where the reply holds the address for the file"),
      Key("fields", \.fields, .pointer), Key("headers", \.headers, .pointer),
      Key("send_auth_to", \.namedHosts, .set(.namedHost)),
      Key("is_there_when", \.signs, .list(.failure)),
      Key("confirm", \.confirmation, from: .start, .confirmation),
    ]
  ) { ticket, entries in
    try entries.refuseFileNumbers(
      "is_there_when", if: ticket.signs.contains(where: \.place.dependsOnFile))
  }
}

extension Schema where Root == Ticket.Confirmation {
  /// The table `confirm` of a ticket.
  fileprivate static let confirmation = Schema<Call>.call(scope: Template.Placeholder.ofTicket)
    .without("url").within(
      \.call,
      [
        Key("url", \.url, .pointer, need: "where the ticket holds the address of the request"),
        Key("headers", \.headers, .pointer),
      ])
}

extension Ticket {
  /// A ticket before its keys are read; also the defaults for writing.
  static let start = Ticket(
    call: Call(method: "POST"), uploadURL: ReplyValue(.pointer(.whole)))
}

extension Schema where Root == ServerSide {
  /// The table `server` of a target. Its requests use the target's `fail_when` and `unreadable` unless they have their
  /// own.
  static func server(of target: Target) -> Schema {
    var usual = ReplyRules()
    usual.failures = target.response.ofWholeRequest.failures
    usual.unreadable = target.response.unreadable
    let result = Template.Placeholder.ofResult + (target.ticket == nil ? [] : [.ticket])
    return Schema([
      Key(
        "list", \.list,
        from: ServerSide.Listing(
          call: Call(method: "GET", rules: usual), items: .whole, id: .whole, title: .whole),
        .listing),
      ofEntry("get", \.get, Call(method: "GET", rules: usual)),
      ofEntry("delete", \.delete, Call(method: "DELETE", rules: usual)),
      Key("create", \.create, from: Call(method: "POST", rules: usual), .call(scope: result)),
    ])
  }

  /// A request about one entry of the server's list.
  private static func ofEntry(
    _ name: String, _ path: WritableKeyPath<ServerSide, Call?> & Sendable, _ start: Call
  ) -> Key {
    Key(name, path, from: start, .call(scope: Template.Placeholder.ofEntry)).checked { server in
      if let call = server[keyPath: path], !call.templates.contains(where: { $0.asks(for: .id) }) {
        throw InvalidInput("{id} is missing: every request would be about the same entry")
      }
    }
  }
}

extension Schema where Root == ServerSide.Listing {
  fileprivate static let listing = Schema<Call>.call(
    scope: Template.Placeholder.always, "PROPFIND"
  ).within(
    \.call,
    [
      Key("items", \.items, .pointer),
      Key("id", \.id, .pointer, need: "the JSON Pointer to the ID of an entry"),
      // By default, an entry's title is its identifier.
      Key(
        name: "title", read: { node, list, _ in list.title = try JSONPointer(node) },
        write: { list, _, _ in list.title == list.id ? nil : list.title.text }),
      Key("size", \.size, .pointer), Key("location", \.location, .pointer),
      Key("time", \.time, .column), Key("next", \.next, .next), Key("total", \.total, .place()),
      Key("columns", \.columns, .list(.column)),
    ]
  ) { list, entries in
    if entries["title"] == nil { list.title = list.id }
    for key in ["json", "form"] {
      try entries.refuse(key, "a PROPFIND request has a body of its own", if: list.call.isListing)
    }
  }
}

extension Codec where Value == Column {
  /// `"/time"` or `{ pointer = "/time", format = "epoch" }`.
  fileprivate static var column: Codec {
    let pointer = Schema<Column>.Key(
      "pointer", \.pointer, .pointer, need: "it must point to the value in the entry")
    return .table(
      Schema([pointer, .init("format", \.format, .choice)]), from: Column(.whole), short: pointer)
  }
}

extension Codec where Value == NextPage {
  /// `"link"`, `{ pointer = "/next" }`, `{ pointer = "/cursor", query = "after" }` or `{ query = "page", from = 1 }`.
  fileprivate static var next: Codec {
    Codec(
      { node in
        if case .string(let text) = node.value {
          guard text == "link" else {
            throw node.fault(
              "expected \"link\" or a table with \"pointer\" or \"query\", found \"\(text)\"")
          }
          return .link
        }
        let entries = try node.table(["pointer", "query", "from"])
        let pointer = try entries["pointer"].map(JSONPointer.init)
        let query = try entries["query"]?.fixed()
        try entries.refuse(
          "query", "expected the name of a query item, found nothing", if: query?.isEmpty == true)
        try entries.refuse(
          "from",
          "\"from\" is the number of the first page: use it with \"query\" and without \"pointer\"",
          if: pointer != nil || query == nil)
        switch (pointer, query) {
        case (let pointer?, let query?): return .token(pointer, query: query)
        case (let pointer?, nil): return .address(pointer)
        case (nil, let query?):
          return .number(query: query, from: try entries["from"]?.integer(in: 0...1_000_000) ?? 1)
        case (nil, nil):
          throw node.fault("expected \"link\" or a table with \"pointer\" or \"query\"")
        }
      },
      { next in
        switch next {
        case .link: TOMLText.string("link")
        case .address(let place): TOMLText.table([("pointer", place.text)])
        case .token(let place, let query):
          TOMLText.table([
            ("pointer", place.text), ("query", TOMLText.string(Template.braced(query))),
          ])
        case .number(let query, let from):
          TOMLText.table([("query", TOMLText.string(Template.braced(query))), ("from", "\(from)")])
        }
      })
  }
}
