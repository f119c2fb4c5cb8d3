import ScalarText

// All text in here is Unicode scalars.

/// A text with placeholders: `{file.name}`, `{now.iso8601}`, … A literal brace is written twice.
/// A template never runs code.
package struct Template: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case text(String)
    case slot(Slot, Writing)
    case secret(Secret, Writing)
    case derived(DerivedValue, Writing)

    /// Whether it has no quotation marks around it in JSON.
    var isBare: Bool { if case .slot(_, let writing) = self { writing.isBare } else { false } }
  }

  /// A piece of a filled-in text.
  package enum Filled: Hashable, Sendable {
    /// Text that may be shown.
    case text(String)
    /// A secret, and its value as it is written in the text.
    case secret(Secret, written: String)
    /// A placeholder that stays as it is, such as "{begin.id}", since only the upload itself gives it a value.
    case unfilled(String)

    /// The same piece, percent-encoded for a query or a form.
    var encoded: Filled {
      switch self {
      case .text(let text): return .text(PercentEncoding.encode(text))
      case .secret(let secret, let written):
        return .secret(secret, written: PercentEncoding.encode(written))
      case .unfilled: return self
      }
    }
  }

  /// What `{env.…}`, `{secret.…}` and `{value.…}` stand for.
  package struct Lookup {
    /// Answers `{env.NAME}`; nil if the variable is not set.
    var environment: (String) -> String?
    /// Answers `{secret.NAME}`, or says why it cannot.
    var secret: (String) throws(InvalidInput) -> String
    /// What `{value.NAME}` may stand for, by name.
    var values: [String: DerivedValue] = [:]

    package init(
      environment: @escaping (String) -> String?,
      secret: @escaping (String) throws(InvalidInput) -> String = {
        name throws(InvalidInput) in
        throw InvalidInput("there is no secret called \"\(name)\"")
      }
    ) {
      (self.environment, self.secret) = (environment, secret)
    }

    /// The same lookup, but every variable and secret is empty.
    package var withoutSecrets: Lookup {
      var copy = self
      copy.environment = { _ in "" }
      copy.secret = { (_) throws(InvalidInput) in "" }
      return copy
    }

    /// A copy of the lookup that also knows these values.
    package func knowing(_ values: [DerivedValue]) -> Lookup {
      var copy = self
      for value in values { copy.values[value.name] = value }
      return copy
    }
  }

  var pieces: [Piece]

  /// A template that is just this text.
  package init(literal text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

  /// A template that is just this secret.
  package init(_ secret: Secret) { pieces = [.secret(secret, Writing())] }

  /// Reads `source`, in which the placeholders in `scope` have a value. For JSON, the text around them is escaped as
  /// well as their values; in a URL it stays as it is. `lookup` is asked only while `source` is read.
  package init(
    _ source: String, scope: [Placeholder] = Placeholder.ofFile, escaping: Escaping = .none,
    lookup: Lookup
  ) throws(InvalidInput) {
    pieces = []
    var text = ""
    func end(_ pieces: inout [Piece]) {
      if !text.isEmpty { pieces.append(.text(escaping == .json ? escaping(text) : text)) }
      text = ""
    }
    var rest = source.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        text.unicodeScalars.append(scalar)
        rest.removeFirst()
      case "}": throw InvalidInput("\"}\" without \"{\" before it; write \"}}\" for a brace")
      case "{":
        guard let close = rest.firstIndex(of: "}") else {
          throw InvalidInput("\"{\" without \"}\" after it; write \"{{\" for a brace")
        }
        let name = String(rest[..<close])
        rest = rest[rest.index(after: close)...]
        end(&pieces)
        pieces.append(try Self.piece(name, scope, escaping, lookup))
      default: text.unicodeScalars.append(scalar)
      }
    }
    end(&pieces)
  }

  /// Reads `source` with no secrets except those from `environment`.
  package init(
    _ source: String, environment: @escaping @Sendable (String) -> String? = { _ in nil }
  ) throws(InvalidInput) {
    try self.init(source, lookup: Lookup(environment: environment))
  }

  private static func piece(
    _ text: String, _ scope: [Placeholder], _ escaping: Escaping, _ lookup: Lookup
  ) throws(InvalidInput) -> Piece {
    var (name, writing) = try Writing.read(text, escaping)
    writing.isJSON = escaping == .json && [.pieces, .files].contains(Placeholder(rawValue: name))
    if writing.filters.contains(.number),
      escaping != .json || writing.filters != [.number] || !Slot.mayBeNumber(name)
    {
      throw InvalidInput(
        "{\(text)}: |number works only in JSON, and only for placeholders whose value is a number")
    }
    guard writing.hasSoundDates(of: name) else {
      throw InvalidInput(
        "{\(text)}: a date is written of {now} and {file.mtime}, before other filters, and |local follows it: "
          + "{now|%Y/%m|local}")
    }
    let isOwn = name.hasPrefix(scalars: "env.") || name.hasPrefix(scalars: "secret.")
    if writing.filters.contains(.raw), escaping != .url || writing.filters != [.raw] || !isOwn {
      throw InvalidInput("{\(text)}: |raw works only in a URL, for {env.…} and {secret.…}")
    }
    if let variable = name.removingPrefix(scalars: "env.") {
      guard !variable.isEmpty else { throw InvalidInput("{env.} names no environment variable") }
      guard let value = lookup.environment(variable) else {
        throw InvalidInput("the environment variable \(variable) is not set")
      }
      return .secret(Secret(name: variable, value: value, source: .environment), writing)
    }
    if let secret = name.removingPrefix(scalars: "secret.") {
      let value = try lookup.secret(secret)
      return .secret(Secret(name: secret, value: value, source: .table), writing)
    }
    if let value = name.removingPrefix(scalars: "value.") {
      guard let derived = lookup.values[value] else {
        throw InvalidInput("there is no value called \"\(value)\"; define it under \"values\"")
      }
      if let slot = derived.text.slots.first(where: { !scope.contains($0.placeholder) }) {
        throw InvalidInput("{\(name)} contains {\(slot.name)}, which has no value here")
      }
      return .derived(derived, writing)
    }
    return .slot(try Slot(name, scope), writing)
  }

  /// The second template appended to the first.
  package static func + (a: Template, b: Template) -> Template {
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

  /// The text outside the placeholders, including secrets.
  package var fixedText: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot, .derived: ""
      case .secret(let secret, let writing): writing(secret.value)
      }
    }.joined()
  }

  /// Whether it is nothing but values of a ticket, after the name of a scheme if there is one: "Bearer {ticket:/token}".
  package var isOfTicket: Bool {
    var rest = pieces[...]
    if case .text(let text)? = rest.first, text.utf8.last == UInt8(ascii: " "),
      text.utf8.dropLast().allSatisfy(\.isAlphanumeric)
    {
      rest.removeFirst()
    }
    return !rest.isEmpty
      && rest.allSatisfy { piece in
        switch piece {
        case .slot(let slot, _): slot.placeholder == .ticket
        case .text(let text): text == " "
        case .secret, .derived: false
        }
      }
  }

  /// The text if it is the same in each request, with secrets marked; nil if it has placeholders to fill in.
  var fixed: [Filled]? {
    let isFixed = pieces.allSatisfy { piece in
      switch piece {
      case .text, .secret: true
      case .slot, .derived: false
      }
    }
    return isFixed ? stretches(with: .none) : nil
  }

  /// Whether it has no placeholders at all.
  package var isLiteral: Bool { pieces.allSatisfy { if case .text = $0 { true } else { false } } }

  /// The text with `sample` in place of every placeholder, to check the text around the placeholders.
  package func sample(_ sample: String) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .slot, .secret, .derived: sample
      }
    }.joined()
  }

  /// Whether it is a JSON number, to be written without quotation marks; nil if only part of it is one, which is a
  /// mistake.
  package var isNumber: Bool? {
    guard pieces.contains(where: \.isBare) else { return false }
    return pieces.count == 1 ? true : nil
  }

  package func asks(for slot: Placeholder) -> Bool { placeholders.contains(slot) }

  package var secrets: [Secret] {
    pieces.flatMap { piece in
      switch piece {
      case .text, .slot: [Secret]()
      case .secret(let secret, _): [secret]
      case .derived(let value, _): value.secrets
      }
    }
  }

  /// Stands in for the value of a secret that is not looked up. It is not empty, because empty
  /// credentials are an error.
  package static let unknown = "?"

  /// The environment variables in it that contain only white space.
  package var emptyVariables: [String] {
    secrets.filter { $0.source == .environment && $0.value.trimming(\.isWhiteSpace).isEmpty }
      .map(\.name)
  }

  /// The template as a secret, unless it has placeholders.
  package func hidden(as name: String) -> Template {
    guard isLiteral, !pieces.isEmpty else { return self }
    return Template(Secret(name: name, value: fixedText, source: .literal))
  }

  /// The placeholders in the template, in order.
  package var placeholders: [Placeholder] { slots.map(\.placeholder) }

  var slots: [Slot] {
    pieces.flatMap { piece in
      switch piece {
      case .text, .secret: [Slot]()
      case .slot(let slot, _): [slot]
      case .derived(let value, _): value.text.slots
      }
    }
  }

  /// The digests and HMACs in it.
  var derivedValues: [DerivedValue] {
    pieces.compactMap { if case .derived(let value, _) = $0 { value } else { nil } }
  }

  /// The names in its placeholders of this kind, in order.
  package func names(of kind: Placeholder) -> [String] {
    slots.compactMap { $0.placeholder == kind ? $0.key : nil }
  }

  /// The text with every placeholder filled in.
  package func filled(with values: Values) -> String { stretches(with: values).written }

  /// The text with secrets marked.
  package func stretches(with values: Values) -> [Filled] {
    pieces.map { piece in
      switch piece {
      case .text(let text): .text(text)
      case .slot(let slot, let writing):
        values.leaves(slot)
          ? .unfilled("{\(slot.name)}")
          : .text(writing(slot, in: values))
      case .secret(let secret, let writing): .secret(secret, written: writing(secret.value))
      case .derived(let value, let writing): value.stretch(writing, with: values)
      }
    }
  }
}
