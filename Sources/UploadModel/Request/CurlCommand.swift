import Foundation

/// The command that makes curl send what hoist would send. Secrets are shell variables, so that the
/// command can be shown and copied; every other word is quoted (`ShellWord`).
///
/// It needs curl 7.81 or newer, which encodes forms as browsers do, and 7.87 to sign requests to S3.
package struct CurlCommand: Hashable, Sendable {
  /// Each option with its value, as a shell reads them.
  private(set) var lines: [String] = []

  /// The command as a shell reads it, with one option on each line.
  package var text: String { lines.joined(separator: " \\\n  ") }

  /// The variables that have to be set for the command, each once.
  package private(set) var variables: [String] = []

  /// The command for the files of one request.
  ///
  /// - Parameters:
  ///   - items: one file, or those that go together; at least one.
  ///   - key: what `{uuid}` stands for.
  /// - Throws: `InvalidInput` if curl cannot send the same request.
  package init(
    _ items: [UploadItem], to target: Target, now: Date, key: UUID? = nil
  ) throws(InvalidInput) {
    guard target.ticket == nil else {
      throw InvalidInput(
        "the target asks for a ticket first, and only that says where the file goes")
    }
    guard target.resume.mode != .tus else {
      throw InvalidInput(
        "a resumable upload takes several requests, and the server says where they go")
    }
    if let pieces = target.resume.pieces, items.contains(where: { pieces.holds(for: $0.size) }) {
      throw InvalidInput(
        "a file in pieces takes several requests, which depend on the server's replies")
    }
    let plan: RequestPlan
    do throws(Failure.Cause) {
      plan = try RequestPlan(
        items, to: target, at: .target, credentials: .all(token: target.tokenPlaceholder),
        key: key ?? items.first?.uuid ?? UUID(), now: now)
    } catch {
      throw InvalidInput(Failure(error).explanation)
    }
    lines = ["curl --globoff --request \(ShellWord.quoted(plan.head.method))"]
    try add("", Self.pieces(plan.head.address ?? []))
    try tls(target)
    // curl writes its own `User-Agent` and `Accept`.
    for header in plan.head.headers where !header.isDefault {
      let (name, value) = (header.name, Self.pieces(header.value))
      // curl removes a header field if nothing follows the colon; a semicolon sends it empty.
      try add("--header", value.isEmpty ? [.text("\(name);")] : [.text("\(name): ")] + value)
    }
    if let digest = target.digest {
      lines.append("--digest")
      try addUser(digest.user, digest.password)
    }
    if let keys = target.sigV4 {
      try add("--aws-sigv4", [.text("aws:amz:\(keys.region):\(keys.service)")])
      try addUser(keys.key, keys.secret)
      for field in keys.tokenHeaders {
        try add("--header", [.text("\(field.name): ")] + Self.pieces(field.value))
      }
      // Newer versions of curl would add it themselves.
      if keys.isS3, !plan.head.has(SignatureV4.digestName) {
        let sum = target.signsContent ? items.first?.digests?[.sha256] : SignatureV4.unsignedContent
        if let sum { try add("--header", [.text("\(SignatureV4.digestName): \(sum)")]) }
      }
    }
    switch plan.content {
    case .file(let item): try add("--data-binary", [.text("@"), .bytes(Self.path(item))])
    case .form(let parts): for part in parts { try add(part) }
    }
  }

  private mutating func addUser(_ name: Template, _ password: Template) throws(InvalidInput) {
    let values = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())
    let (name, password) = (name.stretches(with: values), password.stretches(with: values))
    try add("--user", Self.pieces(name) + [.text(":")] + Self.pieces(password))
  }

  private mutating func add(_ part: RequestPlan.Part) throws(InvalidInput) {
    guard !part.name.utf8.contains(UInt8(ascii: "=")) else {
      throw InvalidInput("curl cannot send the field \"\(part.name)\" because of its \"=\"")
    }
    switch part.value {
    case .text(let text): try add(text, as: part.name, part.type)
    case .file(let item, let name):
      try add(
        "--form",
        [
          .text("\(part.name)=@"), .bytes(Self.quoted(Self.path(item))), .text(";filename="),
          .bytes(Self.quoted(Array(name.utf8))), .text(";type=\(part.type ?? item.mediaType)"),
        ])
    }
  }

  private mutating func add(
    _ text: RequestHead.Text, as name: String, _ type: String?
  ) throws(InvalidInput) {
    let value = Self.pieces(text).map { piece -> Piece in
      if case .bytes(let bytes) = piece { .bytes(Self.lineBreaks(bytes)) } else { piece }
    }
    guard let type else {
      try add("--form-string", [.text("\(name)=")] + value)
      return
    }
    let escaped = value.map { piece -> Piece in
      if case .bytes(let bytes) = piece { .bytes(Self.escaped(bytes)) } else { piece }
    }
    try add("--form", [.text("\(name)=\"")] + escaped + [.text("\";type=\(type)")])
  }

  private mutating func tls(_ target: Target) throws(InvalidInput) {
    if let file = target.tls.caFile { try add("--cacert", [.text(file)]) }
    if let pin = target.tls.pin {
      // Without authorities, the key alone decides.
      if target.tls.caFile == nil { lines.append("--insecure") }
      try add("--pinnedpubkey", [.text(pin.description)])
    }
    if let file = target.tls.clientCertificate { try add("--cert", [.text(file)]) }
    if let file = target.tls.clientKey { try add("--key", [.text(file)]) }
    if target.url.scheme == "https" {
      lines.append(target.http == .http2 ? "--http2" : "--http1.1")
    }
  }

  // MARK: Quoting

  /// A piece of a word.
  private enum Piece {
    case bytes([UInt8])
    case secret(Template.Secret)

    static func text(_ text: String) -> Piece { .bytes(Array(text.utf8)) }
  }

  private static func pieces(_ stretches: [Template.Filled]) -> [Piece] {
    stretches.map { stretch in
      switch stretch {
      case .text(let text): .text(text)
      case .secret(let secret, _): .secret(secret)
      }
    }
  }

  private mutating func add(_ option: String, _ value: [Piece]) throws(InvalidInput) {
    for case .bytes(let bytes) in value where bytes.contains(0) {
      throw InvalidInput("a value holds a NUL, which no program can be given")
    }
    for case .secret(let secret) in value where !variables.contains(secret.variable) {
      variables.append(secret.variable)
    }
    let word = Self.word(value)
    lines.append(option.isEmpty ? word : "\(option) \(word)")
  }

  /// A word of a POSIX shell (XCU §2.2).
  private static func word(_ pieces: [Piece]) -> String {
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
      case .secret(let secret): "\"$\(secret.variable)\""
      }
    }.joined()
    return word.isEmpty ? "''" : word
  }

  /// A value between the quotes of curl's own syntax for forms.
  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    let quote = [UInt8(ascii: "\"")]
    return quote + escaped(bytes) + quote
  }

  private static func escaped(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { byte in
      byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"")
        ? [UInt8(ascii: "\\"), byte] : [byte]
    }
  }

  private static func path(_ item: UploadItem) -> [UInt8] {
    let path = item.location.bytes
    // A dash alone is curl's standard input.
    return path == Array("-".utf8) ? Array("./-".utf8) : path
  }

  /// Makes every line break CRLF, as in forms.
  private static func lineBreaks(_ bytes: [UInt8]) -> [UInt8] {
    let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      switch byte {
      case lineFeed where index > 0 && bytes[index - 1] == carriageReturn: break
      case lineFeed, carriageReturn: result += [carriageReturn, lineFeed]
      default: result.append(byte)
      }
    }
    return result
  }
}
