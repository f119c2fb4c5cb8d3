import ScalarText
import TOMLKit
import UploadModel

/// A configuration value with its key path. This is the only file that uses TOMLKit.
struct ConfigNode: Sendable {
  enum Value {
    case string(String)
    case integer(Int)
    case float(Double)
    case bool(Bool)
    case array([Value])
    case table([String: Value])
    case other(String)

    /// The kind of value, in words.
    var kind: String {
      switch self {
      case .string: "a string"
      case .integer, .float: "a number"
      case .bool: "a boolean"
      case .array: "an array"
      case .table: "a table"
      case .other(let kind): kind
      }
    }
  }

  let value: Value
  let path: String

  /// `lines` is where the keys of the text are, if that is known already.
  static func parse(
    _ text: String, file: String, _ lines: KeyLocator? = nil
  ) throws(ConfigError) -> ConfigNode {
    let lines = lines ?? KeyLocator(text)
    guard let flaw = lines.flaw else { return try parse(sound: text, file: file) }
    // The parser crashes on the flaw, so parse only the text before it. An error there is reported first.
    _ = try parse(sound: String(decoding: text.utf8.prefix(flaw.start), as: UTF8.self), file: file)
    throw ConfigError(file: file, line: flaw.line, "not valid TOML: \(flaw.words)")
  }

  private static func parse(sound text: String, file: String) throws(ConfigError) -> ConfigNode {
    do {
      return ConfigNode(value: convert(try TOMLTable(string: text)), path: "")
    } catch let error as TOMLParseError {
      throw ConfigError(
        file: file, line: error.source.begin.line, "not valid TOML: \(error.description)")
    } catch {
      throw ConfigError(file: file, "not valid TOML: \(error)")
    }
  }

  private static func convert(_ value: any TOMLValueConvertible) -> Value {
    if let table = value.table {
      return .table(table.keys.reduce(into: [:]) { $0[$1] = table[$1].map(convert) })
    }
    if let array = value.array { return .array(array.map(convert)) }
    if let text = value.string { return .string(text) }
    if let flag = value.bool { return .bool(flag) }
    if let number = value.int { return .integer(number) }
    if let number = value.double { return .float(number) }
    return .other("a date or time")
  }

  func fault(_ problem: String) -> ConfigError { ConfigError(keyPath: path, problem) }

  /// An error that holds whatever the other keys are.
  func fault(_ problem: String, of scope: ConfigError.Scope) -> ConfigError {
    var error = fault(problem)
    error.scope = scope
    return error
  }

  private func expected(_ what: String) -> ConfigError {
    fault("expected \(what), found \(value.kind)", of: .value)
  }

  /// The same without the key at this path, or without the array that contains it; nil if there is no such key.
  func without(_ keyPath: String) -> ConfigNode? {
    guard case .table(var entries) = value else { return nil }
    for (key, value) in entries {
      let child = child(key, value)
      guard let rest = keyPath.keys(below: child.path) else { continue }
      entries[key] = rest.hasPrefix(scalars: ".") ? child.without(keyPath)?.value : nil
      return ConfigNode(value: .table(entries), path: path)
    }
    return nil
  }

  /// The same with some URL; nil if it has one, or is no table.
  func withSomeURL() -> ConfigNode? {
    guard case .table(var entries) = value, entries["url"] == nil else { return nil }
    entries["url"] = .string("https://host.invalid/")
    return ConfigNode(value: .table(entries), path: path)
  }

  private func child(_ key: String, _ value: Value) -> ConfigNode {
    // A key that TOML requires to be quoted is shown quoted.
    let name = TOMLText.isBare(key) ? key : "\"\(key)\""
    return ConfigNode(value: value, path: path.isEmpty ? name : "\(path).\(name)")
  }

  // MARK: Typed access, with errors that name what was expected

  func string() throws(ConfigError) -> String {
    guard case .string(let text) = value else { throw expected("a string") }
    return text
  }

  /// A string without placeholders. Braces must be doubled, as in strings with placeholders: otherwise, a placeholder
  /// would silently be taken literally.
  func fixed() throws(ConfigError) -> String { try fixed(try string()) }

  /// A text, such as a key of a table whose keys the user chooses, decoded like `fixed()`.
  func fixed(_ text: String) throws(ConfigError) -> String {
    guard text.utf8.contains(where: { "{}".utf8.contains($0) }) else { return text }
    guard let template = try? Template(text), template.isLiteral else {
      throw fault("placeholders are not supported here; write {{ and }} for literal braces")
    }
    return template.fixedText
  }

  /// A string with its own syntax, such as a command or a path, in which braces have another meaning.
  /// Placeholders of hoist are rejected.
  func foreign() throws(ConfigError) -> String {
    let text = try string()
    if let slot = Template.firstPlaceholder(in: text) {
      throw fault("placeholders such as {\(slot)} are not supported here")
    }
    return text
  }

  func word(of known: [String]) throws(ConfigError) -> String {
    let text = try string()
    guard known.contains(text) else {
      let quoted = known.map { "\"\($0)\"" }
      let all = quoted.dropLast().joined(separator: ", ")
      throw fault("expected \(all) or \(quoted.last ?? ""), found \"\(text)\"", of: .value)
    }
    return text
  }

  /// The case that a string names.
  func choice<Choice: RawRepresentable<String> & CaseIterable>() throws(ConfigError) -> Choice {
    let text = try word(of: Choice.allCases.map(\.rawValue))
    guard let choice = Choice(rawValue: text) else { throw expected("another word") }
    return choice
  }

  /// Runs `body` and reports its errors at this place, except those that already name a place.
  func checked<Value>(
    of scope: ConfigError.Scope = .others, _ body: () throws -> Value
  ) throws(ConfigError) -> Value {
    do { return try body() } catch let error as ConfigError {
      throw error
    } catch { throw fault("\(error)", of: scope) }
  }

  /// A string or an array of strings, each with its own syntax.
  func strings() throws(ConfigError) -> [String] {
    if case .string = value { return [try foreign()] }
    guard case .array = value else { throw expected("a string or an array of strings") }
    return try array().map { node throws(ConfigError) in try node.foreign() }
  }

  func bool() throws(ConfigError) -> Bool {
    guard case .bool(let flag) = value else { throw expected("true or false") }
    return flag
  }

  func integer(in range: ClosedRange<Int>) throws(ConfigError) -> Int {
    let wanted = "a whole number from \(HumanReadable.range(range))"
    guard case .integer(let number) = value else { throw expected(wanted) }
    guard range.contains(number) else {
      throw fault("expected \(wanted), found \(number)", of: .value)
    }
    return number
  }

  /// The elements of an array, with indexes in their key paths.
  func array() throws(ConfigError) -> [ConfigNode] {
    guard case .array(let elements) = value else { throw expected("an array") }
    return elements.enumerated().map { index, element in
      ConfigNode(value: element, path: "\(path)[\(index)]")
    }
  }

  /// The entries of a table, sorted by key.
  func entries() throws(ConfigError) -> [(key: String, node: ConfigNode)] {
    guard case .table(let entries) = value else { throw expected("a table") }
    return entries.sorted { $0.key < $1.key }.map { ($0.key, child($0.key, $0.value)) }
  }

  /// The entries of a table that may have only these keys.
  func table(_ known: [String]) throws(ConfigError) -> [String: ConfigNode] {
    var fields: [String: ConfigNode] = [:]
    for (key, node) in try entries() {
      guard known.contains(key) else {
        let near = NearestName.of(key, among: known).map { "did you mean \"\($0)\"?" }
        throw node.fault(
          "unknown key; \(near ?? "valid here: \(known.sorted().joined(separator: ", "))")",
          of: .key)
      }
      fields[key] = node
    }
    return fields
  }

  /// A number of bytes: a whole number, or a string such as "100 MB".
  func bytes() throws(ConfigError) -> Int64 {
    let wanted = "expected a size such as \"100 MB\""
    if case .integer(let number) = value, number >= 1 { return Int64(number) }
    guard case .string(let text) = value else { throw fault(wanted, of: .value) }
    guard let count = ByteCount.size(text) else {
      throw fault("\(wanted), found \"\(text)\"", of: .value)
    }
    return count
  }

  /// A number of seconds: a number, or a string such as "500ms", "60s", "5m", "1h".
  func seconds(in range: ClosedRange<Double>) throws(ConfigError) -> Double {
    let seconds: Double? =
      switch value {
      case .integer(let number): Double(number)
      case .float(let number): number
      case .string(let text): TimeSpan.seconds(text)
      case .bool, .array, .table, .other: nil
      }
    guard let seconds else {
      let wanted = "a time such as \"30s\" or \"5m\""
      guard case .string(let text) = value else { throw expected(wanted) }
      throw fault("expected \(wanted), found \"\(text)\"", of: .value)
    }
    guard range.contains(seconds) else {
      let ends = [range.lowerBound, range.upperBound].map { HumanReadable.seconds($0) }
      throw fault("expected a time from \(ends.joined(separator: " to "))", of: .value)
    }
    return seconds
  }
}

extension String {
  /// What follows in this path of keys after the one at `path`; nil if that is neither this key nor contains it.
  func keys(below path: String) -> String? {
    guard hasPrefix(scalars: path) else { return nil }
    let rest = String(unicodeScalars.dropFirst(path.unicodeScalars.count))
    return rest.isEmpty || rest.hasPrefix(scalars: ".") || rest.hasPrefix(scalars: "[") ? rest : nil
  }
}

extension [String: ConfigNode] {
  /// Throws an error at a key, if the entries have it and the condition holds.
  func refuse(
    _ key: String, _ why: @autoclosure () -> String, if condition: Bool = true
  ) throws(ConfigError) {
    if condition, let node = self[key] { throw node.fault(why()) }
  }
}
