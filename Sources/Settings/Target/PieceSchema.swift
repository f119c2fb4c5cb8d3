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
      Key("parallel", \.parallel, .integer(in: Concurrency.range)), Key("above", \.above, .bytes),
      Key("first", \.first, .integer(in: 0...1_000_000)),
      Key("begin", \.begin, from: Call(method: "POST"), .step(file, .values(.begun))),
      Key("ticket", \.ticket, from: Call(method: "POST"), .step(ofPiece)),
      Key("piece", \.self, piece(ofPiece + [.ticket])),
      Key("last", \.last, from: Call(method: "PUT"), .carrier(ofPiece + [.ticket])),
      Key("finish", \.finish, from: Call(method: "POST"), .step(begun + [.pieces])),
      Key("abort", \.abort, from: Call(method: "DELETE"), .step(begun)),
      Key("status", \.status, from: Call(method: "GET"), .step(begun + [.pieceOffset], .offset)),
      Key("each", \.each, .each(scope: ofPiece + [.pieceValue])),
      Key("forgotten", \.forgotten, .list(.failure)),
    ])
  }()

  /// The table `piece`, which also has what concerns all pieces.
  private static func piece(_ scope: [Template.Placeholder]) -> Schema {
    Schema<Call>.carrier(scope).within(
      \.piece,
      [
        Key("unanswered", \.unanswered, .choice),
        Key("begins", \.beginning, .values(.begun)),
      ])
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
    if unanswered == .taken, !keptValues.isEmpty {
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
    guard let parallel, parallel > 1, let reason = orderedBy else { return }
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
