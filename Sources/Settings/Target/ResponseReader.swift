import ScalarText
import UploadModel

/// Reads how replies are judged.
struct ResponseReader {
  let templates: TemplateReader

  static let keys = ["ok", "fail_when", "unreadable", "url", "deletion_url"]

  func rules(_ node: ConfigNode) throws(ConfigError) -> ReplyRules {
    let entries = try node.table(Self.keys)
    var rules = ReplyRules()
    if let node = entries["ok"] { rules.ok = try statuses(node) }
    if let node = entries["fail_when"] { rules.failures = try failures(node) }
    if let node = entries["unreadable"] { rules.unreadable = try node.choice() }
    if let node = entries["url"] { rules.url = try value(node) }
    if let node = entries["deletion_url"] { rules.deletionURL = try value(node) }
    return rules
  }

  /// Reads `"200-299"`, `201`, or an array of these.
  func statuses(_ node: ConfigNode) throws(ConfigError) -> [ClosedRange<Int>] {
    guard case .array = node.value else { return [try range(node)] }
    let ranges = try node.array().map(range)
    guard !ranges.isEmpty else { throw node.fault("no status would mean success") }
    return ranges
  }

  private func range(_ node: ConfigNode) throws(ConfigError) -> ClosedRange<Int> {
    let statuses = 200...599
    let text: String
    switch node.value {
    case .integer(let number): text = String(number)
    case .string(let string): text = string
    case .bool, .float, .array, .table, .other:
      throw node.fault("expected statuses such as \"200-299\" or 201, found \(node.value.kind)")
    }
    let ends = text.split(scalar: "-")
      .map { Int($0.trimmingPrefix(while: { $0 == " " })) }
    guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
      statuses.contains(first), statuses.contains(last), first <= last
    else {
      throw node.fault(
        "expected statuses from 200 to 599 such as \"200-299\" or 201, found \"\(text)\"")
    }
    return first...last
  }

  func failures(_ node: ConfigNode) throws(ConfigError) -> [FailureRule] {
    var rules: [FailureRule] = []
    for element in try node.array() {
      let entries = try element.table(["pointer", "regex", "header", "is", "not", "message"])
      let place = try failurePlace(element, entries)
      let test: FailureRule.Test
      switch (place, entries["is"], entries["not"]) {
      case (.pattern, nil, nil): test = .equals(.bool(true))
      case (.pattern, let wanted?, nil): test = .equals(.bool(try wanted.bool()))
      case (.pattern, nil, let wanted?): test = .differs(.bool(try wanted.bool()))
      case (.header, let wanted?, nil): test = .equalsText(try sum(wanted))
      case (.header, nil, let wanted?): test = .differsText(try sum(wanted))
      case (.pointer, let wanted?, nil): test = .equals(try templates.fixed(wanted))
      case (.pointer, nil, let wanted?): test = .differs(try templates.fixed(wanted))
      case (_, nil, nil), (_, .some, .some):
        throw element.fault("expected one of \"is\" and \"not\": the value that means failure")
      }
      var rule = FailureRule(place, test: test)
      if let node = entries["message"] {
        let isPointer = try node.string().hasPrefix(scalars: "/")
        rule.message = isPointer ? .pointer(try pointer(node)) : .text(try node.fixed())
      }
      rules.append(rule)
    }
    return rules
  }

  private func failurePlace(
    _ element: ConfigNode, _ entries: [String: ConfigNode]
  ) throws(ConfigError) -> FailureRule.Place {
    switch (entries["pointer"], entries["regex"], entries["header"]) {
    case (let node?, nil, nil): return .pointer(try pointer(node))
    case (nil, let node?, nil): return .pattern(try pattern(node))
    case (nil, nil, let node?): return .header(try header(node))
    case (nil, nil, nil):
      throw element.fault("\"pointer\" is missing: the value of the reply to look at")
    default: throw element.fault("expected one of \"pointer\", \"regex\" and \"header\"")
    }
  }

  /// The text to compare a header field with, which may contain digests of the file that was sent.
  private func sum(_ node: ConfigNode) throws(ConfigError) -> Template {
    try templates.template(node, scope: [.fileSHA256, .fileMD5])
  }

  private func header(_ node: ConfigNode) throws(ConfigError) -> String {
    let name = try node.fixed()
    guard !name.isEmpty else { throw node.fault("expected a header name, found nothing") }
    return name.lowercased()
  }

  func pointer(_ node: ConfigNode) throws(ConfigError) -> JSONPointer {
    guard case .string = node.value else {
      throw node.fault("expected a JSON Pointer, found \(node.value.kind)")
    }
    let text = try node.foreign()
    return try node.checked { try JSONPointer(text) }
  }

  /// Reads `"/files/0/url"`, `{ regex = … }` or `{ header = … }`.
  ///
  /// - Parameter scope: the placeholders allowed in `prefix` and `suffix`, which are then parts of a URL; nil
  ///   for none.
  func value(
    _ node: ConfigNode, scope: [Template.Placeholder]? = nil
  ) throws(ConfigError) -> ReplyValue {
    guard case .table = node.value else { return ReplyValue(.pointer(try pointer(node))) }
    let entries = try node.table(["pointer", "regex", "header", "prefix", "suffix"])
    let place: ReplyValue.Place
    switch (entries["pointer"], entries["regex"], entries["header"]) {
    case (let node?, nil, nil): place = .pointer(try pointer(node))
    case (nil, let node?, nil): place = .pattern(try pattern(node))
    case (nil, nil, let node?): place = .header(try header(node))
    default: throw node.fault("expected one of \"pointer\", \"regex\" and \"header\"")
    }
    var value = ReplyValue(place)
    if let node = entries["prefix"] { value.prefix = try around(node, scope) }
    if let node = entries["suffix"] { value.suffix = try around(node, scope) }
    return value
  }

  private func around(
    _ node: ConfigNode, _ scope: [Template.Placeholder]?
  ) throws(ConfigError) -> Template {
    guard let scope else { return Template(literal: try node.fixed()) }
    return try templates.template(node, scope: scope, escaping: .url)
  }

  private func pattern(_ node: ConfigNode) throws(ConfigError) -> Pattern {
    let source = try node.foreign()
    guard !source.isEmpty else { throw node.fault("expected a regular expression, found nothing") }
    return try node.checked { try Pattern(source) }
  }
}
