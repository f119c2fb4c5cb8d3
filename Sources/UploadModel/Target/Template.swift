import Foundation
import JSONText
import ScalarText

// All text in here is Unicode scalars.

/// A text with placeholders: `{file.name}`, `{now.iso8601}`, … Braces are doubled to stand for
/// themselves. A template never runs code.
public struct Template: Hashable, Sendable {
  private enum Piece: Hashable, Sendable {
    case text(String)
    case slot(Placeholder, Escaping)
    case secret(Secret, Escaping)
  }

  /// How a placeholder's value is written where it stands.
  public enum Escaping: Hashable, Sendable {
    /// As it is.
    case none
    /// Between the quotes of a JSON string (RFC 8259 §7).
    case json
    /// In a URL: everything but the unreserved characters is percent-encoded (RFC 3986 §2).
    case url

    /// The value of a placeholder as it is written. The slashes of a path lead from folder to folder in a URL too.
    func callAsFunction(_ slot: Placeholder, in values: Values) -> String {
      let value = slot.value(in: values)
      guard self == .url, slot == .filePath else { return self(value) }
      return value.split(scalar: "/").map { self($0) }.joined(separator: "/")
    }

    func callAsFunction(_ text: String) -> String {
      switch self {
      case .none: text
      case .json: JSONValue.escaped(text)
      case .url: PercentEncoding.encode(text)
      }
    }
  }

  /// A value that is sent and never shown.
  public struct Secret: Hashable, Sendable {
    /// Where it comes from.
    public enum Source: Hashable, Sendable {
      /// An environment variable.
      case environment
      /// The configuration's table of secrets.
      case table
      /// It stands in the configuration as it is.
      case literal
      /// It was made of others.
      case derived
    }

    /// The name of the variable or of the secret.
    public var name: String
    /// What is sent.
    public var value: String
    /// Where it comes from.
    public var source: Source

    /// A secret that is called `name`.
    public init(name: String, value: String, source: Source) {
      self.name = name
      self.value = value
      self.source = source
    }

    /// A name that a shell takes for a variable's: `ALBUM_TOKEN`. That of an environment variable
    /// stays as it is where a shell can have it; anything else could end the word that it stands in.
    public var variable: String {
      let text = String(
        String.UnicodeScalarView(
          (source == .environment ? name : name.uppercased()).unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
              ? scalar : "_"
          }))
      guard let first = text.utf8.first else { return "_" }
      return (0x30...0x39).contains(first) ? "_\(text)" : text
    }

    /// How the configuration asks for it.
    var placeholder: String {
      switch source {
      case .environment: "{env.\(name)}"
      case .table: "{secret.\(name)}"
      case .literal, .derived: "…"
      }
    }
  }

  /// A stretch of a text that is filled in.
  public enum Filled: Hashable, Sendable {
    /// What may be shown.
    case text(String)
    /// What may not, as it is written where it stands.
    case secret(Secret, written: String)
  }

  /// What `{env.…}` and `{secret.…}` stand for.
  public struct Lookup: Sendable {
    /// Answers `{env.NAME}`; nil where the variable is not set.
    public var environment: @Sendable (String) -> String?
    /// Answers `{secret.NAME}`, or says why it cannot.
    public var secret: @Sendable (String) throws(ExpansionError) -> String

    /// Answers from these two.
    public init(
      environment: @escaping @Sendable (String) -> String?,
      secret: @escaping @Sendable (String) throws(ExpansionError) -> String = {
        name throws(ExpansionError) in
        throw ExpansionError(description: "no secret is called \"\(name)\"")
      }
    ) {
      self.environment = environment
      self.secret = secret
    }
  }

  /// A placeholder that does not exist, or a brace without its partner.
  public struct ExpansionError: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what would be right.
    public let description: String

    /// An error in these words.
    public init(description: String) { self.description = description }
  }

  private var pieces: [Piece]

  /// A template that is just this text.
  public init(literal text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

  /// A template that is just this secret.
  public init(_ secret: Secret) { pieces = [.secret(secret, .none)] }

  /// Reads `source`.
  ///
  /// - Parameters:
  ///   - scope: the placeholders that have a value where the template is used.
  ///   - escaping: how their values are written. Text of a JSON string is escaped as well; that of a
  ///     URL stays as it is.
  ///   - lookup: asked once, now.
  public init(
    _ source: String, scope: [Placeholder] = Placeholder.ofFile, escaping: Escaping = .none,
    lookup: Lookup
  ) throws(ExpansionError) {
    pieces = []
    var text = String.UnicodeScalarView()
    func end(_ pieces: inout [Piece]) {
      let literal = String(text)
      if !text.isEmpty { pieces.append(.text(escaping == .json ? escaping(literal) : literal)) }
      text = String.UnicodeScalarView()
    }
    var rest = source.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        text.append(scalar)
        rest.removeFirst()
      case "}":
        throw ExpansionError(description: "\"}\" without \"{\" before it; write \"}}\" for a brace")
      case "{":
        guard let close = rest.firstIndex(of: "}") else {
          throw ExpansionError(
            description: "\"{\" without \"}\" after it; write \"{{\" for a brace")
        }
        let name = String(rest[..<close])
        rest = rest[rest.index(after: close)...]
        end(&pieces)
        pieces.append(try Self.piece(name, scope, escaping, lookup))
      default:
        text.append(scalar)
      }
    }
    end(&pieces)
  }

  /// Reads `source` where there are no secrets but `environment`'s.
  public init(
    _ source: String, environment: @escaping @Sendable (String) -> String? = { _ in nil }
  ) throws(ExpansionError) {
    try self.init(source, lookup: Lookup(environment: environment))
  }

  private static func piece(
    _ name: String, _ scope: [Placeholder], _ escaping: Escaping, _ lookup: Lookup
  ) throws(ExpansionError) -> Piece {
    if name.hasPrefix(scalars: "env.") {
      let variable = String(name.unicodeScalars.dropFirst(4))
      guard !variable.isEmpty else {
        throw ExpansionError(description: "{env.} names no environment variable")
      }
      guard let value = lookup.environment(variable) else {
        throw ExpansionError(description: "the environment variable \(variable) is not set")
      }
      return .secret(Secret(name: variable, value: value, source: .environment), escaping)
    }
    if name.hasPrefix(scalars: "secret.") {
      let secret = String(name.unicodeScalars.dropFirst(7))
      let value = try lookup.secret(secret)
      return .secret(Secret(name: secret, value: value, source: .table), escaping)
    }
    if let slot = Placeholder(rawValue: name), scope.contains(slot) { return .slot(slot, escaping) }
    let known = scope.map { "{\($0.rawValue)}" }.joined(separator: " ")
    let problem =
      Placeholder(rawValue: name) == nil
      ? "unknown placeholder {\(name)}" : "{\(name)} has no value here"
    throw ExpansionError(
      description:
        "\(problem); there are \(known)\(known.isEmpty ? "" : " "){env.NAME} {secret.NAME}"
    )
  }

  /// One template after the other.
  public static func + (a: Template, b: Template) -> Template {
    var sum = a
    for piece in b.pieces {
      if case .text(let more) = piece, case .text(let text)? = sum.pieces.last {
        sum.pieces[sum.pieces.count - 1] = .text(text + more)
      } else {
        sum.pieces.append(piece)
      }
    }
    return sum
  }

  /// What stands outside the placeholders, secrets included.
  public var fixedText: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot: ""
      case .secret(let secret, let escaping): escaping(secret.value)
      }
    }.joined()
  }

  /// Whether it has no placeholders at all.
  public var isLiteral: Bool {
    pieces.allSatisfy { if case .text = $0 { true } else { false } }
  }

  /// The text with `sample` in place of every placeholder, to look at what stands around them.
  public func sample(_ sample: String) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot, .secret: sample
      }
    }.joined()
  }

  /// Whether it has this placeholder.
  public func asks(for slot: Placeholder) -> Bool {
    pieces.contains { if case .slot(slot, _) = $0 { true } else { false } }
  }

  /// The secrets in it.
  public var secrets: [Secret] {
    pieces.compactMap { if case .secret(let secret, _) = $0 { secret } else { nil } }
  }

  /// Stands for the value of a secret that is not looked up. Not nothing: empty credentials are a mistake.
  public static let unknown = "?"

  /// The environment variables in it that hold nothing but white space.
  public var emptyVariables: [String] {
    secrets.filter { $0.source == .environment && $0.value.trimming(\.isWhiteSpace).isEmpty }
      .map(\.name)
  }

  /// The template with its whole text kept from view, where it has no placeholders.
  public func hidden(as name: String) -> Template {
    guard isLiteral, !pieces.isEmpty else { return self }
    var copy = self
    copy.pieces = [.secret(Secret(name: name, value: fixedText, source: .literal), .none)]
    return copy
  }

  /// The template of a URL with those values of its query kept from view whose names tell them to be
  /// secrets.
  public func hidingQuery() -> Template {
    var (copy, isInQuery, name) = (self, false, "")
    copy.pieces = []
    for piece in pieces {
      guard case .text(let text) = piece else {
        copy.pieces.append(piece)
        continue
      }
      var rest = text.unicodeScalars[...]
      if !isInQuery {
        guard let mark = rest.firstIndex(of: "?") else {
          copy.append(rest)
          continue
        }
        copy.append(rest[...mark])
        rest = rest[rest.index(after: mark)...]
        (isInQuery, name) = (true, "")
        name = copy.appendName(from: &rest)
      }
      // What comes before the next "&" belongs to the value that the piece before it began.
      while true {
        let value = rest.prefix { $0 != "&" }
        rest = rest[value.endIndex...]
        if !value.isEmpty, SecretName.matches(name.removingPercentEncoding ?? name) {
          let secret = Secret(name: name, value: String(value), source: .literal)
          copy.pieces.append(.secret(secret, .none))
        } else {
          copy.append(value)
        }
        guard let separator = rest.popFirst() else { break }
        copy.append(String.UnicodeScalarView([separator])[...])
        name = copy.appendName(from: &rest)
      }
    }
    return copy
  }

  /// Moves the name of a query's item over, with its "="; an item without one has a value only.
  private mutating func appendName(from rest: inout Substring.UnicodeScalarView) -> String {
    let item = rest.prefix { $0 != "&" }
    guard let equals = item.firstIndex(of: "=") else { return "" }
    append(item[...equals])
    rest = rest[rest.index(after: equals)...]
    return String(item[..<equals])
  }

  private mutating func append(_ text: Substring.UnicodeScalarView) {
    self = self + Template(literal: String(text))
  }

  /// What the template asks for, in order.
  public var placeholders: [Placeholder] {
    pieces.compactMap { if case .slot(let slot, _) = $0 { slot } else { nil } }
  }

  /// The text with every placeholder filled in.
  public func filled(with values: Values) -> String {
    stretches(with: values).map { stretch in
      switch stretch {
      case .text(let text), .secret(_, let text): text
      }
    }.joined()
  }

  /// The text as it may be shown: with `$NAME` for each secret.
  public func shown(with values: Values) -> String {
    stretches(with: values).map { stretch in
      switch stretch {
      case .text(let text): text
      case .secret(let secret, _): "$\(secret.variable)"
      }
    }.joined()
  }

  /// The text in stretches that may be shown and such that may not.
  public func stretches(with values: Values) -> [Filled] {
    pieces.map { piece in
      switch piece {
      case .text(let text): .text(text)
      case .slot(let slot, let escaping): .text(escaping(slot, in: values))
      case .secret(let secret, let escaping): .secret(secret, written: escaping(secret.value))
      }
    }
  }

  /// The template as it would be written, secrets by their names.
  public var source: String { source(isRevealing: false) }

  /// The template as it would be written.
  ///
  /// - Parameter isRevealing: whether literal secrets are written out; "…" otherwise.
  public func source(isRevealing: Bool) -> String {
    pieces.map { piece in
      if case .text(let text) = piece { return Self.braced(text) }
      return Self.source(of: piece, isRevealing)
    }.joined()
  }

  /// The text with a character of its own in place of each placeholder, from `firstMark` on, and how
  /// those would be written.
  public func marked(isRevealing: Bool) -> (text: String, slots: [String]) {
    var (text, slots) = ("", [String]())
    for piece in pieces {
      if case .text(let literal) = piece {
        text += literal
      } else if let mark = Unicode.Scalar(Self.firstMark + UInt32(slots.count)) {
        text.unicodeScalars.append(mark)
        slots.append(Self.source(of: piece, isRevealing))
      }
    }
    return (text, slots)
  }

  /// The first of a plane's characters that nobody uses (Unicode's private use area B).
  public static let firstMark: UInt32 = 0x100000

  private static func source(of piece: Piece, _ isRevealing: Bool) -> String {
    switch piece {
    case .text(let text): braced(text)
    case .slot(let slot, _): "{\(slot.rawValue)}"
    case .secret(let secret, _):
      isRevealing && secret.source == .literal ? braced(secret.value) : secret.placeholder
    }
  }

  private static func braced(_ text: String) -> String {
    text.replacing(scalars: "{", with: "{{").replacing(scalars: "}", with: "}}")
  }
}
