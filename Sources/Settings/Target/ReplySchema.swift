import JSONText
import ScalarText
import UploadModel

/// How replies are judged, and where values are found in them.
extension Schema where Root == ReplyRules {
  /// The keys for judging a reply, which every request can have.
  static let judgement = [
    Key("ok", \.ok, .statuses), Key("fail_when", \.failures, .list(.failure)),
    Key("unreadable", \.unreadable, .choice),
  ]

  /// The key for replies by which the server had the file already.
  static let duplicates = Key("duplicate_when", \.duplicates, .list(.sign))

  /// The table `response` of a target.
  static let response = Schema(
    judgement + [
      duplicates, Key("url", \.url, .places), Key("deletion_url", \.deletionURL, .places),
      Key("verify", \.sum, .sum),
    ])
}

extension Codec where Value == ClosedRange<Int> {
  /// `"200-299"` or `201`.
  fileprivate static var statuses: Codec {
    Codec({ try range($0) }) { range in
      range.count == 1
        ? "\(range.lowerBound)" : TOMLText.string("\(range.lowerBound)-\(range.upperBound)")
    }
  }

  private static func range(_ node: ConfigNode) throws(ConfigError) -> ClosedRange<Int> {
    let text: String
    switch node.value {
    case .integer(let number): text = String(number)
    case .string(let string): text = string
    case .bool, .float, .array, .table, .other:
      throw node.fault("expected statuses such as \"200-299\" or 201, found \(node.value.kind)")
    }
    let statuses = 200...599
    let ends = text.split(scalar: "-").map { Int($0.trimmingPrefix(while: { $0 == " " })) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
      statuses.contains(first), statuses.contains(last), first <= last
    else {
      throw node.fault(
        "expected statuses from 200 to 599 such as \"200-299\" or 201, found \"\(text)\"")
    }
    return first...last
  }
}

extension Codec where Value == [ClosedRange<Int>] {
  /// `"200-299"`, `201`, or an array of these.
  static var statuses: Codec {
    .oneOrMore(.statuses, nothing: "an empty list would make every reply a failure")
  }
}

extension JSONPointer {
  init(_ node: ConfigNode) throws(ConfigError) {
    guard case .string = node.value else {
      throw node.fault("expected a JSON Pointer, found \(node.value.kind)")
    }
    let text = try node.foreign()
    self = try node.checked { try JSONPointer(text) }
  }

  /// The pointer as written in the configuration.
  var text: String { TOMLText.string(description) }
}

extension Codec where Value == JSONPointer {
  static var pointer: Codec { Codec({ try JSONPointer($0) }, \.text) }
}

extension ReplyPlace {
  static let keys = ["pointer", "regex", "header"]

  /// Reads a table that has exactly one of `keys`. `missing` is the error if it has none; nil for a general one.
  init(
    _ entries: [String: ConfigNode], of node: ConfigNode, missing: String? = nil
  ) throws(ConfigError) {
    let oneOfThem = "expected one of \"pointer\", \"regex\" and \"header\""
    switch (entries["pointer"], entries["regex"], entries["header"]) {
    case (let node?, nil, nil): self = .pointer(try JSONPointer(node))
    case (nil, let node?, nil):
      let source = try node.foreign()
      guard !source.isEmpty else {
        throw node.fault("expected a regular expression, found nothing")
      }
      self = .pattern(try node.checked { try Pattern(source) })
    case (nil, nil, let node?):
      let name = try node.fixed()
      guard !name.isEmpty else { throw node.fault("expected a header name, found nothing") }
      self = .header(name.lowercased())
    case (nil, nil, nil): throw node.fault(missing ?? oneOfThem)
    default: throw node.fault(oneOfThem)
    }
  }

  /// A table with the place and these entries; only the JSON Pointer if there is nothing else to say.
  func text(with more: TOMLText.Entries) -> String? {
    if case .pointer(let pointer) = self, more.allSatisfy({ $0.value == nil }) {
      return pointer.text
    }
    return TOMLText.table([entry] + more)
  }

  var entry: (key: String, value: String?) {
    switch self {
    case .pointer(let pointer): ("pointer", pointer.text)
    case .pattern(let pattern): ("regex", TOMLText.string(pattern.source))
    case .header(let name): ("header", TOMLText.string(Template.braced(name)))
    }
  }
}

extension Codec where Value == ReplyValue {
  /// A value that `place` reads, or an array of such values, whose texts are joined.
  static var places: Codec {
    let parts = Codec<[ReplyValue]>.oneOrMore(place(), nothing: "expected at least one value")
    return Codec(
      read: { node, reader in
        let values = try parts.read(node, reader)
        var value = values[0]
        value.next = Array(values.dropFirst())
        return value
      },
      write: { value, writer in
        var first = value
        first.next = []
        return parts.write([first] + value.next, writer)
      })
  }

  /// `"/files/0/url"`, `{ regex = … }` or `{ header = … }`. With a scope, `prefix` and `suffix` are parts of a
  /// URL and may contain its placeholders.
  static func place(scope: [Template.Placeholder]? = nil) -> Codec {
    @Sendable func around(
      _ node: ConfigNode, _ reader: TemplateReader
    ) throws(ConfigError) -> Template {
      guard let scope else { return Template(literal: try node.fixed()) }
      return try reader.template(node, scope: scope, escaping: .url)
    }
    let empty = Template(literal: "")
    return Codec(
      read: { node, reader in
        guard case .table = node.value else { return ReplyValue(.pointer(try JSONPointer(node))) }
        let entries = try node.table(ReplyPlace.keys + ["prefix", "suffix"])
        var value = ReplyValue(try ReplyPlace(entries, of: node))
        if let node = entries["prefix"] { value.prefix = try around(node, reader) }
        if let node = entries["suffix"] { value.suffix = try around(node, reader) }
        return value
      },
      write: { value, writer in
        value.place.text(with: [
          ("prefix", value.prefix == empty ? nil : writer.string(value.prefix)),
          ("suffix", value.suffix == empty ? nil : writer.string(value.suffix)),
        ])
      })
  }
}

extension Codec where Value == ReplyPlace {
  /// `"/wait"`, `{ pointer = "/wait" }`, `{ regex = … }` or `{ header = … }`.
  static var place: Codec {
    Codec(
      { node in
        guard case .table = node.value else { return .pointer(try JSONPointer(node)) }
        return try ReplyPlace(try node.table(ReplyPlace.keys), of: node)
      }, { $0.text(with: []) })
  }
}

extension Codec where Value == ReplySum {
  /// `{ header = "Repr-Digest" }` or `{ pointer = "/sha1", sum = "sha1" }`.
  static var sum: Codec {
    Codec(
      { node in
        let entries = try node.table(["pointer", "header", "sum"])
        var sum = ReplySum(
          try ReplyPlace(entries, of: node, missing: "expected one of \"pointer\" and \"header\""))
        sum.algorithm = try entries["sum"]?.choice()
        guard sum.wanted != nil else {
          let known = ContentDigests.Algorithm.allCases.map(\.rawValue)
          throw node.fault(
            "\"sum\" is missing: the checksum's algorithm, one of \(known.joined(separator: ", "))"
          )
        }
        return sum
      },
      { sum in
        TOMLText.table([
          sum.place.entry, ("sum", sum.algorithm.map { TOMLText.string($0.rawValue) }),
        ])
      })
  }
}

extension Codec where Value == FailureRule {
  /// `{ pointer = "/error", not = "", message = "/error" }`.
  static var failure: Codec {
    Codec(
      read: { node, reader in
        try FailureRule(try node.table(FailureRule.keys), of: node, reader)
      },
      write: { rule, writer in TOMLText.table(rule.entries(writer)) })
  }
}

extension Codec where Value == ReplySign {
  /// `{ status = 400, regex = "dataset lock" }`: a rule as in `fail_when`, for replies with this status.
  static var signWithRule: Codec {
    Codec(
      read: { node, reader in
        let entries = try node.table(["status"] + FailureRule.keys)
        return ReplySign(
          status: try entries["status"]?.integer(in: 200...599),
          try FailureRule(entries, of: node, reader))
      },
      write: { sign, writer in
        TOMLText.table(
          [("status", sign.status.map { "\($0)" })] + (sign.rule?.entries(writer) ?? []))
      })
  }

  /// The same, or only `{ status = 409 }`.
  static var sign: Codec {
    Codec(
      read: { node, reader in
        let entries = try node.table(["status"] + FailureRule.keys)
        guard Set(entries.keys) == ["status"], let status = entries["status"] else {
          return try signWithRule.read(node, reader)
        }
        return ReplySign(status: try status.integer(in: 200...599))
      },
      write: signWithRule.write)
  }
}

extension FailureRule {
  fileprivate static let keys = ReplyPlace.keys + ["is", "not", "missing", "message"]

  fileprivate init(
    _ entries: [String: ConfigNode], of node: ConfigNode, _ reader: TemplateReader
  ) throws {
    let place = try ReplyPlace(
      entries, of: node,
      missing:
        "expected \"pointer\", \"regex\" or \"header\", to say where in the reply to look")
    let test: FailureRule.Test
    // A header field may repeat a digest of the file that was sent.
    let digests = Template.Placeholder.digestsOfFile
    switch (place, entries["missing"], entries["is"], entries["not"]) {
    case (.pointer, let wanted?, nil, nil), (.header, let wanted?, nil, nil):
      test = .missing(try wanted.bool())
    case (_, .some, _, _):
      throw node.fault(
        "\"missing\" works only with \"pointer\" or \"header\", and without \"is\" and \"not\"")
    case (.pattern, nil, nil, nil): test = .equals(.bool(true))
    case (.pattern, nil, let wanted?, nil): test = .equals(.bool(try wanted.bool()))
    case (.pattern, nil, nil, let wanted?): test = .differs(.bool(try wanted.bool()))
    case (.header, nil, let wanted?, nil):
      test = .equalsText(try reader.template(wanted, scope: digests))
    case (.header, nil, nil, let wanted?):
      test = .differsText(try reader.template(wanted, scope: digests))
    case (.pointer, nil, let wanted?, nil): test = .equals(try reader.fixed(wanted))
    case (.pointer, nil, nil, let wanted?): test = .differs(try reader.fixed(wanted))
    case (_, nil, nil, nil), (_, nil, .some, .some):
      throw node.fault(
        "expected either \"is\" (a value that means failure) or \"not\" (the only value that "
          + "means success)")
    }
    self.init(place, test: test)
    if let node = entries["message"] {
      message =
        try node.string().hasPrefix(scalars: "/")
        ? .pointer(try JSONPointer(node)) : .text(try node.fixed())
    }
  }

  fileprivate func entries(_ writer: TemplateWriter) -> TOMLText.Entries {
    let test: (key: String, value: String?) =
      switch self.test {
      case .equals(let value): ("is", TOMLText.json(value, Template.braced))
      case .differs(let value): ("not", TOMLText.json(value, Template.braced))
      case .equalsText(let text): ("is", writer.string(text))
      case .differsText(let text): ("not", writer.string(text))
      case .missing(let isMissing): ("missing", "\(isMissing)")
      }
    let message: String? =
      switch self.message {
      case .pointer(let place): place.text
      case .text(let text): TOMLText.string(Template.braced(text))
      case nil: nil
      }
    return [place.entry, test, ("message", message)]
  }
}
