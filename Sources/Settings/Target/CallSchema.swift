import ScalarText
import UploadModel

/// The tables that describe a request to a server. All are made of the same keys. They differ in where the request may
/// go and what it may carry.
extension Schema where Root == Call {
  /// A request to a URL of its own, such as the one for a ticket or for a list. `more` are further methods.
  static func call(scope: [Template.Placeholder], _ more: String...) -> Schema {
    let address = Key("url", \.address, .own(scope: scope), need: "the address of the request")
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] + more
    return Schema(
      head(address, methods, scope) + [.json(scope), .form(scope)] + judged
    ) { call, entries in
      try entries.refuse(
        "form", "a request has one body; leave \"json\" or \"form\" out", if: call.json != nil)
      try call.check(entries)
      try entries.refuse(
        "type", "the request has no body; add \"json\" or \"form\", or leave out \"type\"",
        if: call.json == nil && call.form.isEmpty)
    }
  }

  /// A request of a run, or of an upload in pieces, that carries no part of the file.
  static func step(_ scope: [Template.Placeholder], _ more: Key...) -> Schema {
    let bodies: [Key] = [.json(scope), .form(scope), Key("text", \.text, .text(scope: scope))]
    return Schema(stepHead(scope) + bodies + more + judged) { try $0.check($1) }
  }

  /// A request that carries a piece of a file.
  static func carrier(_ scope: [Template.Placeholder]) -> Schema {
    let own = [Key("body", \.body, .choice), .values(.pieceValue), .offset]
    return Schema(stepHead(scope) + own + judged) { call, _ in try call.checkCarrier() }
  }

  private static func stepHead(_ scope: [Template.Placeholder]) -> [Key] {
    let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MKCOL", "MOVE", "COPY"]
    return head(Key("url", \.address, .step(scope: scope)), methods, scope)
      + [Key("headers", \.headers, .headers(scope: scope))]
  }

  /// How and where a request goes.
  private static func head(
    _ address: Key, _ methods: [String], _ scope: [Template.Placeholder]
  ) -> [Key] {
    [
      address, Key("method", \.method, .word(of: methods)),
      Key("query", \.query, .pairs(scope: scope)), Key("type", \.type, .mediaType),
    ]
  }

  /// How a reply is judged. The reply to the request that ends an upload is judged by the target's `response`, unless
  /// that request has rules of its own.
  private static var judged: [Key] { Schema<ReplyRules>.judgement.map { $0.within(\.rules) } }
}

extension Schema<Call>.Key {
  fileprivate static func json(_ scope: [Template.Placeholder]) -> Self {
    Self("json", \.json, .json(scope: scope))
  }

  fileprivate static func form(_ scope: [Template.Placeholder]) -> Self {
    Self("form", \.form, .pairs(scope: scope))
  }

  /// The values that are read from the reply.
  static func values(_ placeholder: Template.Placeholder) -> Self {
    Self("values", \.values, .values(placeholder))
  }

  static var offset: Self { Self("offset", \.offset, .offset) }
}

extension Call {
  /// A request that removes something, before its keys are read.
  static let removal = Call(method: "DELETE")

  /// Checks a request that carries no part of a file.
  fileprivate func check(_ entries: [String: ConfigNode]) throws(ConfigError) {
    let bodies = ["json", "form", "text"].compactMap { entries[$0] }
    if bodies.count > 1 { throw bodies[1].fault("a request has one body; leave the others out") }
    if let body = bodies.first, ["GET", "HEAD"].contains(method) {
      throw body.fault("a \(method) request has no body")
    }
    try entries.refuseFileNumbers("fail_when", if: rules.ofWholeRequest != rules)
  }

  /// Checks a request that carries a piece.
  fileprivate func checkCarrier() throws(InvalidInput) {
    if ["GET", "HEAD"].contains(method) {
      throw InvalidInput("a \(method) request cannot carry a piece")
    }
    if rules.ofWholeRequest != rules {
      throw InvalidInput(
        "\"*\" in \"fail_when\" stands for the number of a file, but this request has only a piece of a file"
      )
    }
  }
}

extension Codec where Value == Call.Address {
  /// A whole URL.
  fileprivate static func own(scope: [Template.Placeholder]) -> Codec {
    let whole = Codec<Template>.address(scope: scope)
    return Codec(
      read: { .own(try whole.read($0, $1)) }, write: { whole.write($0.template, $1) })
  }

  /// `"{url}/…"`, a whole URL, or a URL that begins with a value from a reply.
  fileprivate static func step(scope: [Template.Placeholder]) -> Codec {
    let base = "{url}"
    return Codec(
      read: { node, reader in
        func part(_ text: String, escaping: Template.Escaping) throws -> Template {
          let part = ConfigNode(value: .string(text), path: node.path)
          return try reader.template(part, scope: scope, escaping: escaping)
        }
        let text = try node.string()
        if let rest = text.removingPrefix(scalars: base) {
          let suffix = try part(rest, escaping: .url)
          // The text after `{url}` must not be able to change the host.
          let sample = suffix.sample("x")
          guard sample.isEmpty || sample.hasPrefix(scalars: "/") else {
            throw node.fault("expected a slash after {url}; for a query, use \"query\"")
          }
          return .base(suffix)
        }
        let replies = [Template.Placeholder.begun, .opened, .ticket].compactMap(\.prefix)
        guard replies.contains(where: { text.hasPrefix(scalars: "{" + $0) }),
          let close = text.unicodeScalars.firstIndex(of: "}")
        else { return .own(try reader.address(node, scope: scope)) }
        let end = text.unicodeScalars.index(after: close)
        return .reply(
          try part(String(text[..<end]), escaping: .none)
            + part(String(text[end...]), escaping: .url))
      },
      write: { address, writer in
        switch address {
        case .base(let suffix):
          suffix == Template(literal: "") ? nil : TOMLText.string(base + writer.source(suffix))
        case .own(let template), .reply(let template): writer.string(template)
        }
      })
  }
}

extension Codec where Value == [Call.Value] {
  /// `{ name = place, … }`.
  static func values(_ placeholder: Template.Placeholder) -> Codec {
    let place = Codec<ReplyValue>.place()
    return Codec(
      read: { node, reader in
        try node.entries().map { name, node in
          let whole = (placeholder.prefix ?? "") + name
          guard Template.Placeholder(rawValue: whole) == nil else {
            throw node.fault("{\(whole)} already has a meaning; choose another name")
          }
          guard !name.isEmpty, name == name.lowercasedASCII,
            name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") })
          else { throw node.fault("expected a name made of a-z, 0-9 and _, found \"\(name)\"") }
          return Call.Value(name: name, place: try place.read(node, reader))
        }
      },
      write: { values, writer in
        writer.table(values.map { ($0.name, place.write($0.place, writer)) })
      })
  }
}

extension Codec where Value == Call.Offset {
  /// `"/offset"`, `{ header = "Range", regex = 'bytes=0-(\d+)', plus = 1 }`.
  fileprivate static var offset: Codec {
    Codec(
      read: { node, _ in
        guard case .table = node.value else {
          return Call.Offset(.pointer(try JSONPointer(node)))
        }
        var entries = try node.table(ReplyPlace.keys + ["plus", "missing"])
        var pattern: Pattern?
        if entries["header"] != nil, let node = entries.removeValue(forKey: "regex") {
          let source = try node.foreign()
          pattern = try node.checked { try Pattern(source) }
        }
        var offset = Call.Offset(try ReplyPlace(entries, of: node))
        offset.pattern = pattern
        if let node = entries["plus"] { offset.plus = Int64(try node.integer(in: 0...1)) }
        if let node = entries["missing"] { offset.missing = try node.choice() }
        return offset
      },
      write: { offset, _ in
        offset.place.text(with: [
          ("regex", offset.pattern.map { TOMLText.string($0.source) }),
          ("plus", offset.plus == 0 ? nil : "\(offset.plus)"),
          ("missing", offset.missing == .failure ? nil : TOMLText.string(offset.missing.rawValue)),
        ])
      })
  }
}
