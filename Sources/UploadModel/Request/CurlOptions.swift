import Foundation
import MultipartForm
import ScalarText

/// Options of curl as words of a POSIX shell (XCU §2.2). Secrets are shell variables.
struct CurlOptions {
  /// A piece of a word.
  enum Piece {
    case bytes([UInt8])
    /// Text that a shell expands between double quotes, such as `$number`.
    case expansion(String)

    static func text(_ text: String) -> Piece { .bytes(Array(text.utf8)) }
  }

  /// The placeholder values; a script computes the missing ones.
  private let values: Template.Values
  /// Each option with its value.
  private(set) var lines: [String] = []
  /// The variables that contain the secrets, each once.
  private(set) var variables: [String] = []
  /// The functions of the script that the options call.
  private(set) var functions: Set<ShellFunction> = []
  /// The values of a piece that the options use.
  private(set) var asked: Set<Template.Placeholder> = []
  /// The values of tickets that the options use, in the order of their variables.
  private(set) var ticketValues: [JSONPointer] = []

  init(_ values: Template.Values = SigV4Auth.values) { self.values = values }

  /// Removes and returns the options so far, so that the next command can begin.
  mutating func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  mutating func add(_ option: String) { lines.append(option) }

  mutating func add(_ option: String, _ value: [Piece]) throws(InvalidInput) {
    let word = try word(value)
    lines.append(option.isEmpty ? word : "\(option) \(word)")
  }

  mutating func add(_ header: RequestHead.Header) throws(InvalidInput) {
    // Default header fields are left out, since curl writes its own `User-Agent` and `Accept`.
    guard !header.isDefault else { return }
    let (name, value) = (header.name, try pieces(header.value))
    // curl removes a header field if nothing follows the colon; with a semicolon instead of the colon, curl sends the
    // field empty.
    try add("--header", value.isEmpty ? [.text("\(name);")] : [.text("\(name): ")] + value)
  }

  /// Adds the options that sign or authorize requests to the target's own origin. `sum` is the SHA-256 of the content,
  /// for a service that wants it.
  mutating func addCredentials(
    of target: Target, _ head: RequestHead, sum: Piece?
  ) throws(InvalidInput) {
    if let digest = target.digest {
      add("--digest")
      try addUser(digest.user, digest.password)
    }
    guard let keys = target.sigV4 else { return }
    try add("--aws-sigv4", [.text("aws:amz:\(keys.region):\(keys.service)")])
    try addUser(keys.key, keys.secret)
    for header in keys.tokenHeaders { try add(header) }
    // Add the digest that S3 requires, since older versions of curl do not add it.
    guard keys.isS3, !head.has(SignatureV4.digestName) else { return }
    let sum = target.signsContent ? sum : .text(SignatureV4.unsignedContent)
    if let sum { try add("--header", [.text("\(SignatureV4.digestName): "), sum]) }
  }

  private mutating func addUser(_ name: Template, _ password: Template) throws(InvalidInput) {
    let values = SigV4Auth.values
    let (name, password) = (name.stretches(with: values), password.stretches(with: values))
    try add("--user", pieces(name) + [.text(":")] + pieces(password))
  }

  /// Adds a part of a form. If it is an uploaded file, `content` is where its content is; nil for the file itself.
  mutating func add(_ part: RequestPlan.Part, content: Piece? = nil) throws(InvalidInput) {
    guard !part.name.utf8.contains(UInt8(ascii: "=")) else {
      throw InvalidInput(
        "curl cannot send the field \"\(part.name)\" because its name contains \"=\"")
    }
    switch part.value {
    case .text(let text): try add(text, as: part.name, part.type)
    case .file(let item, let name):
      let content = content ?? Self.path(item.location)
      try add(content, named: name, as: part.name, part.type ?? item.mediaType)
    case .companion(let companion, of: _):
      try add(
        Self.path(companion.location), named: companion.location.lastComponent, as: part.name,
        companion.rule.type)
    }
  }

  private mutating func add(
    _ file: Piece, named name: String, as field: String, _ type: String
  ) throws(InvalidInput) {
    try add(
      "--form",
      [
        .text("\(field)=@\""), Self.escaped(file), .text("\";filename=\""),
        Self.escaped(.text(name)), .text("\";type=\(type)"),
      ])
  }

  private mutating func add(
    _ text: RequestHead.Text, as name: String, _ type: String?
  ) throws(InvalidInput) {
    let value = try pieces(
      text.map { if case .text(let text) = $0 { .text(Self.lineBreaks(text)) } else { $0 } })
    guard let type else {
      try add("--form-string", [.text("\(name)=")] + value)
      return
    }
    try add("--form", [.text("\(name)=\"")] + value.map(Self.escaped) + [.text("\";type=\(type)")])
  }

  /// Adds the options for connections to a target.
  mutating func addTLS(of target: Target) throws(InvalidInput) {
    if let file = target.tls.caFile { try add("--cacert", [.text(file)]) }
    if let pin = target.tls.pin {
      // Without a CA file, the pinned key alone decides.
      if target.tls.caFile == nil { add("--insecure") }
      try add("--pinnedpubkey", [.text(pin.description)])
    }
    if let file = target.tls.clientCertificate { try add("--cert", [.text(file)]) }
    if let file = target.tls.clientKey { try add("--key", [.text(file)]) }
    if target.url.scheme == "https" { add(target.http == .http2 ? "--http2" : "--http1.1") }
  }

  // MARK: Words

  mutating func word(_ text: RequestHead.Text) throws(InvalidInput) -> String {
    try word(pieces(text))
  }

  mutating func pieces(_ text: RequestHead.Text) throws(InvalidInput) -> [Piece] {
    var pieces: [Piece] = []
    for stretch in text {
      switch stretch {
      case .text(let text): pieces.append(.text(text))
      case .secret(let secret, _):
        if !variables.contains(secret.variable) { variables.append(secret.variable) }
        pieces.append(.expansion("$\(secret.variable)"))
      case .unfilled(let unfilled): pieces.append(.expansion(try expansion(of: unfilled)))
      }
    }
    return pieces
  }

  func word(_ pieces: [Piece]) throws(InvalidInput) -> String {
    for case .bytes(let bytes) in pieces where bytes.contains(0) {
      throw InvalidInput("a value contains a NUL, which cannot be passed to a program")
    }
    let joined = pieces.reduce(into: [Piece]()) { joined, piece in
      if case .bytes(let more) = piece, case .bytes(let bytes)? = joined.last {
        joined[joined.count - 1] = .bytes(bytes + more)
      } else {
        joined.append(piece)
      }
    }
    let word = joined.map { piece in
      switch piece {
      case .bytes(let bytes): bytes.isEmpty ? "" : ShellWord.quoted(bytes: bytes)
      case .expansion(let text): "\"\(text)\""
      }
    }.joined()
    return word.isEmpty ? "''" : word
  }

  /// The path of a file, as curl reads it.
  static func path(_ location: FileLocation) -> Piece {
    // To curl, a dash alone means standard input.
    .bytes(location.bytes == Array("-".utf8) ? Array("./-".utf8) : location.bytes)
  }

  /// Escapes a value for the quotes of curl's own syntax for forms.
  private static func escaped(_ piece: Piece) -> Piece {
    guard case .bytes(let bytes) = piece else { return piece }
    return .bytes(bytes.flatMap { "\\\"".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] })
  }

  /// Makes every line break CRLF, as in forms.
  private static func lineBreaks(_ text: String) -> String {
    text.replacing(scalars: "\r\n", with: "\n").replacing(scalars: "\r", with: "\n")
      .replacing(scalars: "\n", with: "\r\n")
  }

  // MARK: What a script fills in

  /// The variable that contains a value of a ticket.
  static func ticketVariable(_ index: Int) -> String { "ticket_\(index + 1)" }

  /// A call to one of the script's functions.
  mutating func call(_ function: ShellFunction, _ words: String...) -> String {
    functions.insert(function)
    return ([function.rawValue] + words).joined(separator: " ")
  }

  /// The output of a call to one of the script's functions.
  mutating func output(_ function: ShellFunction, _ words: String...) -> String {
    functions.insert(function)
    return "$(\(([function.rawValue] + words).joined(separator: " ")))"
  }

  /// The SHA-256 of the piece under way.
  mutating func pieceSum() -> Piece {
    asked.insert(.pieceSHA256)
    return .expansion("$sha256")
  }

  private mutating func expansion(of unfilled: Template.Unfilled) throws(InvalidInput) -> String {
    var writing = unfilled.writing
    // Base64 encodes the bytes of a digest, not its hexadecimal digits.
    let isBase64 = writing.filters.first == .base64
    switch unfilled.content {
    case .derived(let value):
      if isBase64 { writing.filters.removeFirst() }
      return expansion(of: try digest(value, isBase64: isBase64), writing, isPlain: !isBase64)
    case .slot(let slot):
      if isBase64, let digest = slot.placeholder.pieceDigest {
        writing.filters.removeFirst()
        return expansion(of: output(.piece64, digest.rawValue), writing, isPlain: false)
      }
      asked.insert(slot.placeholder)
      return expansion(
        of: variable(slot, writing), writing, isPlain: slot.key == nil && slot.pointer == nil)
    }
  }

  /// A value with its filters and its escaping applied. A plain value has only letters, digits and dashes, which need
  /// no escaping anywhere.
  private mutating func expansion(
    of value: String, _ writing: Template.Writing, isPlain: Bool
  ) -> String {
    var (value, isPlain) = (value, isPlain)
    func quoted() -> String { "\"\(value)\"" }
    for filter in writing.filters {
      switch filter {
      case .digits(let count): value = output(.pad, "\(count)", quoted())
      case .base64: (value, isPlain) = (output(.base64, quoted()), false)
      case .url where !isPlain: value = output(.url, quoted())
      case .xml where !isPlain: value = output(.xml, quoted())
      case .json where !isPlain, .quoted where !isPlain: value = output(.escaped, quoted())
      case .url, .xml, .json, .quoted, .number, .raw: break
      }
    }
    guard !isPlain, !writing.isBare else { return value }
    switch writing.escaping {
    case .none: return value
    case .json: return output(.escaped, quoted())
    case .url: return output(.url, quoted())
    }
  }

  /// The variable that contains a placeholder's value.
  private mutating func variable(_ slot: Template.Slot, _ writing: Template.Writing) -> String {
    if let key = slot.key { return "$\((slot.placeholder.prefix ?? "").dropLast())_\(key)" }
    if let pointer = slot.pointer {
      if !ticketValues.contains(pointer) { ticketValues.append(pointer) }
      return "$" + Self.ticketVariable(ticketValues.firstIndex(of: pointer) ?? 0)
    }
    return switch slot.placeholder {
    case .uploadID: "$upload"
    case .pieceNumber: "$number"
    case .pieceIndex: "$index"
    case .pieceOffset: "$offset"
    case .pieceEnd: "$end"
    case .pieceNext: "$next"
    case .pieceSize: "$length"
    case .pieceIsLast: "$last"
    case .pieces: writing.isJSON ? "[$pieces]" : "$pieces"
    default: slot.placeholder.pieceDigest.map { "$\($0.rawValue)" } ?? ""
    }
  }

  /// The digest or HMAC of a text.
  private mutating func digest(_ value: DerivedValue, isBase64: Bool) throws(InvalidInput) -> String
  {
    let text = try word(value.text.stretches(with: values))
    guard let key = value.key else {
      return output(isBase64 ? .digest64 : .digest, value.algorithm.hash, text)
    }
    return output(
      isBase64 ? .hmac64 : .hmac, value.algorithm.hash, try word(key.stretches(with: values)), text)
  }
}

extension DerivedValue.Algorithm {
  /// The hash function as OpenSSL calls it.
  fileprivate var hash: String {
    switch self {
    case .md5: "md5"
    case .sha1, .hmacSHA1: "sha1"
    case .sha256, .hmacSHA256: "sha256"
    }
  }
}
