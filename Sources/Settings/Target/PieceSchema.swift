import ScalarText
import UploadModel

/// The table `pieces` of a target: the requests that send a file in pieces.
extension Schema where Root == PieceRules {
  static let pieces: Schema = {
    let file = Template.Placeholder.ofUpload
    let begun = file + [.begun]
    let ofPiece = begun + Template.Placeholder.ofPiece
    return Schema([
      Key("url", \.url, .address(scope: file)), Key("size", \.size, .bytes),
      Key("min", \.min, .bytes), Key("max", \.max, .bytes), Key("round", \.round, .bytes),
      Key("max_pieces", \.maxPieces, .integer(in: 1...PieceRules.mostPieces)),
      Key("min_pieces", \.minPieces, .integer(in: 1...100)),
      Key("parallel", \.parallel, .integer(in: 1...16)), Key("above", \.above, .bytes),
      Key("first", \.first, .integer(in: 0...1_000_000)),
      Key("begin", \.begin, from: PieceCall(method: "POST"), .small(file, .values(.begun))),
      Key("ticket", \.ticket, from: PieceCall(method: "POST"), .small(ofPiece)),
      Key(
        "piece", \.piece,
        .piece(
          ofPiece + [.ticket], .init("unanswered", \.unanswered, .choice),
          .init("begins", \.beginning, .values(.begun)))),
      Key("last", \.last, from: PieceCall(method: "PUT"), .piece(ofPiece + [.ticket])),
      Key("finish", \.finish, from: PieceCall(method: "POST"), .small(begun + [.pieces])),
      Key("abort", \.abort, from: PieceCall(method: "DELETE"), .small(begun)),
      Key(
        "status", \.status, from: PieceCall(method: "GET"), .small(begun + [.pieceOffset], .offset)),
      Key("each", \.each, .each(scope: ofPiece + [.pieceValue])),
      Key("forgotten", \.forgotten, .list(.failure)),
    ])
  }()
}

extension Schema where Root == PieceCall {
  /// How a reply is judged. The reply to the request that ends an upload is judged by the target's `response`, unless
  /// that request has rules of its own.
  private static var judged: [Key] { Schema<ReplyRules>.judgement.map { $0.within(\.rules) } }

  /// Where a request goes, and with which header fields.
  private static func head(_ scope: [Template.Placeholder]) -> [Key] {
    [
      Key(
        "method", \.method,
        .word(of: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "MKCOL", "MOVE", "COPY"])),
      Key("url", \.address, .pieceAddress(scope: scope)),
      Key("query", \.query, .pairs(scope: scope)),
      Key("headers", \.headers, .headers(scope: scope)), Key("type", \.type, .mediaType),
    ]
  }

  /// A request that carries no part of the file.
  static func small(_ scope: [Template.Placeholder], _ more: Key...) -> Schema {
    let bodies = [
      Key("json", \.json, .json(scope: scope)), Key("form", \.form, .pairs(scope: scope)),
      Key("text", \.text, .text(scope: scope)),
    ]
    return Schema(head(scope) + bodies + more + judged) { try $0.check($1) }
  }

  /// A request with a piece.
  fileprivate static func piece(_ scope: [Template.Placeholder], _ more: Key...) -> Schema {
    let own = [Key("body", \.body, .choice), .values(.pieceValue), .offset]
    return Schema(head(scope) + own + judged + more) { call, _ in try call.checkPiece() }
  }
}

extension Schema<PieceCall>.Key {
  /// The values that are read from the reply.
  static func values(_ placeholder: Template.Placeholder) -> Self {
    Self("values", \.values, .values(placeholder))
  }

  fileprivate static var offset: Self { Self("offset", \.offset, .offset) }
}

extension PieceCall {
  fileprivate func checkPiece() throws(InvalidInput) {
    if ["GET", "HEAD"].contains(method) {
      throw InvalidInput("a \(method) request cannot carry a piece")
    }
    if rules.ofWholeRequest != rules {
      throw InvalidInput(
        "\"*\" in \"fail_when\" stands for the number of a file, but this request has only a piece of a file"
      )
    }
  }

  /// Checks a request that carries no part of the file.
  func check(_ entries: [String: ConfigNode]) throws(ConfigError) {
    let bodies = ["json", "form", "text"].compactMap { entries[$0] }
    if bodies.count > 1 { throw bodies[1].fault("a request has one body; leave the others out") }
    if let body = bodies.first, ["GET", "HEAD"].contains(method) {
      throw body.fault("a \(method) request has no body")
    }
    try entries.refuseFileNumbers("fail_when", if: rules.ofWholeRequest != rules)
  }
}

extension Codec where Value == PieceCall.Address {
  /// `"{url}/…"`, a whole URL, or a URL that begins with a value from a reply.
  fileprivate static func pieceAddress(scope: [Template.Placeholder]) -> Codec {
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

extension Codec where Value == [PieceCall.Value] {
  /// `{ name = place, … }`.
  fileprivate static func values(_ placeholder: Template.Placeholder) -> Codec {
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
          return PieceCall.Value(name: name, place: try place.read(node, reader))
        }
      },
      write: { values, writer in
        writer.table(values.map { ($0.name, place.write($0.place, writer)) })
      })
  }
}

extension Codec where Value == PieceCall.Offset {
  /// `"/offset"`, `{ header = "Range", regex = 'bytes=0-(\d+)', plus = 1 }`.
  fileprivate static var offset: Codec {
    Codec(
      read: { node, _ in
        guard case .table = node.value else {
          return PieceCall.Offset(.pointer(try JSONPointer(node)))
        }
        var entries = try node.table(ReplyPlace.keys + ["plus", "missing"])
        var pattern: Pattern?
        if entries["header"] != nil, let node = entries.removeValue(forKey: "regex") {
          let source = try node.foreign()
          pattern = try node.checked { try Pattern(source) }
        }
        var offset = PieceCall.Offset(try ReplyPlace(entries, of: node))
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

extension Codec where Value == PieceRules.Each {
  /// `{ json = … }` or `{ text = "…" }`.
  fileprivate static func each(scope: [Template.Placeholder]) -> Codec {
    Codec(
      read: { node, reader in
        let entries = try node.table(["json", "text", "separator"])
        try entries.refuse("separator", "works only with \"text\"", if: entries["text"] == nil)
        switch (entries["json"], entries["text"]) {
        case (let node?, nil): return PieceRules.Each(try reader.json(node, scope: scope))
        case (nil, let node?):
          return PieceRules.Each(
            try reader.template(node, scope: scope),
            separator: try entries["separator"]?.fixed() ?? "")
        default: throw node.fault("expected either \"json\" or \"text\"")
        }
      },
      write: { each, writer in
        guard let separator = each.separator else {
          return TOMLText.table([("json", writer.json(each.template))])
        }
        return TOMLText.table([
          ("text", writer.string(each.template)),
          ("separator", separator.isEmpty ? nil : TOMLText.string(Template.braced(separator))),
        ])
      })
  }
}

// MARK: What the requests ask of one another

extension PieceRules {
  /// Checks that something gives each placeholder its value, that pieces can have the configured size, and that the
  /// keys of the table `pieces` can be combined.
  func check(_ node: ConfigNode, of target: Target) throws(ConfigError) {
    let entries = try node.entries()
    func place(_ name: String) -> ConfigNode { entries.first { $0.key == name }?.node ?? node }
    let kept = piece.values.map(\.name)
    let kinds: [(Template.Placeholder, Set<String>, String)] = [
      (.begun, begunNames, "\"values\" of \"begin\", or in \"begins\" of \"piece\""),
      (.pieceValue, Set(kept), "\"values\" of \"piece\""),
      (.pieceValue, Set(last?.values.map(\.name) ?? kept), "\"values\" of \"last\" as well"),
    ]
    for (name, template) in namedTemplates {
      for (kind, known, home) in kinds {
        for value in template.names(of: kind) where !known.contains(value) {
          throw place(name).fault(
            "{\(kind.prefix ?? "")\(value)} has no value: define it in \(home)")
        }
      }
      if ticket == nil, template.placeholders.contains(.ticket) {
        throw place(name).fault("{ticket:…} has no value without \"ticket\"")
      }
      if each == nil, template.asks(for: .pieces) {
        throw place(name).fault("{pieces} has no value without \"each\"")
      }
    }
    if each != nil, !namedTemplates.contains(where: { $0.template.asks(for: .pieces) }) {
      throw place("each").fault("has no effect, since no request uses {pieces}")
    }
    if let status, status.offset == nil {
      throw place("status").fault(
        "\"offset\" is missing: where the reply says how many bytes have arrived")
    }
    if !keptValues.isEmpty, status != nil || piece.offset != nil || last?.offset != nil {
      throw place("each").fault(
        "can use only the numbers and offsets of pieces: with \"status\" or \"offset\", their other values "
          + "may be unknown")
    }
    if piece.unanswered == .taken, !keptValues.isEmpty {
      throw place("piece").fault(
        "\"unanswered\" cannot be \"taken\", since \"each\" needs values from the reply to each piece"
      )
    }
    try checkSizes(place)
    try checkOrder(place)
    for (name, call) in calls {
      let form = call.body == .multipart ? target.fields.map(\.value) : []
      let secrets = (call.templates + form).flatMap(\.secrets)
      if case .reply = call.address, !secrets.isEmpty {
        throw place(name).fault(
          "its address comes from a reply, so the request cannot contain secrets")
      }
      if call.body == .multipart, target.body == .binary {
        throw place(name).fault("a form is possible only if the target has body = \"multipart\"")
      }
      if case .base(let suffix) = call.address, !suffix.sample("x").isEmpty,
        base(of: target).sample("x").contains(scalars: "?")
      {
        throw place(name).fault("{url} ends in a query, so nothing can follow it; use \"query\"")
      }
    }
  }

  private func checkOrder(_ place: (String) -> ConfigNode) throws(ConfigError) {
    guard parallel > 1, let reason = orderedBy else { return }
    let why =
      switch reason {
      case "finish": "without \"finish\", the last piece ends the upload"
      case "offset", "status": "\"\(reason)\" counts the bytes from the beginning of the file"
      case "begins": "with \"begins\", the other pieces need the reply to the first one"
      default: "with \"unanswered\", the reply to each piece decides what comes next"
      }
    throw place("parallel").fault("these pieces go one after the other: \(why)")
  }

  private func checkSizes(_ place: (String) -> ConfigNode) throws(ConfigError) {
    /// The size as the user may have written it.
    func text(_ size: Int64) -> String {
      let units: [(String, Int64)] = [
        ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("GB", 1_000_000_000),
        ("MB", 1_000_000), ("kB", 1000),
      ]
      let unit = units.first { size > 0 && size % $0.1 == 0 } ?? ("B", 1)
      return "\(size / unit.1) \(unit.0)"
    }
    func fault(
      _ key: String, _ size: Int64, is relation: String, _ other: String, _ bound: Int64
    ) -> ConfigError {
      place(key).fault("\(text(size)) is \(relation) \"\(other)\", \(text(bound))")
    }
    if let max, max < min { throw fault("max", max, is: "less than", "min", min) }
    if let max, max < round { throw fault("max", max, is: "less than", "round", round) }
    if minPieces > maxPieces {
      throw place("min_pieces").fault("\(minPieces) is more than \"max_pieces\", \(maxPieces)")
    }
    guard let size else { return }
    if size < min { throw fault("size", size, is: "less than", "min", min) }
    if let max, size > max { throw fault("size", size, is: "more than", "max", max) }
    if size % round != 0 { throw fault("size", size, is: "not a multiple of", "round", round) }
  }
}
