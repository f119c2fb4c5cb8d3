import Foundation
import MultipartForm
import ScalarText

/// Options of curl as words of a POSIX shell (XCU §2.2). Secrets are shell variables.
struct CurlOptions {
  /// A piece of a word.
  enum Piece {
    case bytes([UInt8])
    /// The value of a shell variable.
    case variable(String)

    static func text(_ text: String) -> Piece { .bytes(text.rawBytes) }
  }

  /// Each option with its value.
  private(set) var lines: [String] = []
  /// The variables that contain the secrets, each once.
  private(set) var variables: [String] = []

  mutating func add(_ option: String) { lines.append(option) }

  mutating func add(_ option: String, _ value: [Piece]) throws(InvalidInput) {
    let word = try word(value)
    lines.append(option.isEmpty ? word : "\(option) \(word)")
  }

  mutating func add(_ header: RequestHead.Header) throws(InvalidInput) {
    // Default header fields are left out, since curl writes its own `User-Agent` and `Accept`.
    guard !header.isDefault else { return }
    let (name, value) = (header.name, pieces(header.value))
    // curl removes a header field if nothing follows the colon; with a semicolon instead of the colon, curl sends the
    // field empty.
    try add("--header", value.isEmpty ? [.text("\(name);")] : [.text("\(name): ")] + value)
  }

  /// Adds the options that sign or authorize requests to the target's own origin. `sum` is the SHA-256 of the content,
  /// for a service that wants it.
  mutating func addCredentials(
    of target: Target, _ head: RequestHead, sum: String?
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
    let sum = target.signsContent ? sum : SignatureV4.unsignedContent
    if let sum { try add("--header", [.text("\(SignatureV4.digestName): \(sum)")]) }
  }

  private mutating func addUser(_ name: Template, _ password: Template) throws(InvalidInput) {
    let values = Template.Values.none
    let (name, password) = (name.stretches(with: values), password.stretches(with: values))
    try add("--user", pieces(name) + [.text(":")] + pieces(password))
  }

  /// Adds a part of a form. If it is an item's own file, `content` is where its content is; nil for the file itself.
  mutating func add(_ part: RequestPlan.Part, content: Piece? = nil) throws(InvalidInput) {
    guard !part.name.utf8.contains(UInt8(ascii: "=")) else {
      throw InvalidInput(
        "curl cannot send the field \"\(part.name)\" because its name contains \"=\"")
    }
    switch part.value {
    case .text(let text, let type): try add(text, as: part.name, type)
    case .file(let file):
      let own = file.isCompanion ? nil : content
      try add(own ?? Self.path(file.location), named: file.name, as: part.name, file.type)
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
    let value = pieces(
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

  mutating func pieces(_ text: RequestHead.Text) -> [Piece] {
    var pieces: [Piece] = []
    for stretch in text {
      switch stretch {
      case .text(let text): pieces.append(.text(text))
      case .secret(let secret, _):
        if !variables.contains(secret.variable) { variables.append(secret.variable) }
        pieces.append(.variable(secret.variable))
      case .unfilled(let placeholder): pieces.append(.text(placeholder))
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
      case .variable(let name): "\"$\(name)\""
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
}
