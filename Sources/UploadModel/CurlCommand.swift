import Foundation

/// The command that makes curl send what hoist would send. Secrets are variables of the shell, so that
/// it can be shown and copied.
///
/// It needs curl 7.81 or newer, whose forms are encoded as browsers do it.
public struct CurlCommand: Hashable, Sendable {
  /// Why there is no such command.
  public struct Mistake: Error, Hashable, CustomStringConvertible {
    /// What curl cannot be told, as a sentence without its full stop.
    public let description: String
  }

  /// Each option with its value, as a shell reads them.
  public private(set) var lines: [String] = []

  /// The command as a shell reads it, an option a line.
  public var text: String { lines.joined(separator: " \\\n  ") }

  /// The variables that have to be set for the command, each once.
  public private(set) var variables: [String] = []

  /// The command for the files of one request.
  ///
  /// - Parameters:
  ///   - items: one file, or those that go together; at least one.
  ///   - key: what `{uuid}` stands for.
  public init(
    _ items: [UploadItem], to target: Target, now: Date, key: UUID? = nil
  ) throws(Mistake) {
    guard let first = items.first else { throw Mistake(description: "there is no file") }
    guard target.ticket == nil else {
      throw Mistake(
        description: "the target asks for a ticket first, and only that says where the file goes")
    }
    func values(_ item: UploadItem) -> Template.Values {
      Template.Values(
        fileName: item.fileName, fileSize: item.size, fileType: item.mediaType,
        now: now, uuid: key ?? item.uuid)
    }
    let own = values(first)
    lines = ["curl --globoff --request \(target.method)"]
    add("", target.addressStretches(with: own))
    tls(target)
    var headers = target.headers
    if target.tokenCommand != nil {
      // The command is not run for this.
      let token = Template(Template.Secret(name: "TOKEN", value: "", source: .derived))
      headers.append(
        Target.Field(name: "Authorization", value: Template(literal: "Bearer ") + token))
    }
    for field in headers {
      let (name, value) = (field.name, field.value.stretches(with: own))
      // curl takes a name with nothing after its colon for one to be left out.
      add("--header", value.isEmpty ? [.text("\(name);")] : [.text("\(name): ")] + value)
    }
    guard target.body == .multipart else {
      add("--header", [.text("Content-Type: \(first.mediaType)")])
      add("--data-binary", [.text("@\(try Self.path(first))")])
      return
    }
    for field in target.fields { try add(field, own) }
    for item in items {
      let name = target.fileName?.filled(with: values(item)) ?? item.fileName
      try add(
        "--form",
        [
          .text(
            "\(Self.fieldName(item.field ?? target.fileField))=@\(Self.quoted(Self.path(item)))"
              + ";filename=\(Self.quoted(name));type=\(item.mediaType)")
        ])
    }
  }

  private mutating func add(_ field: Target.Field, _ values: Template.Values) throws(Mistake) {
    let name = try Self.fieldName(field.name)
    let value = field.value.stretches(with: values)
    guard let type = field.type else {
      add(
        "--form-string",
        [.text("\(name)=")]
          + value.map { stretch in
            if case .text(let text) = stretch { .text(Self.lineBreaks(text)) } else { stretch }
          })
      return
    }
    add(
      "--form",
      [.text("\(name)=\"")]
        + value.map { stretch in
          if case .text(let text) = stretch {
            .text(Self.escaped(Self.lineBreaks(text)))
          } else {
            stretch
          }
        } + [.text("\";type=\(type)")])
  }

  private mutating func tls(_ target: Target) {
    if let file = target.tls.caFile { add("--cacert", [.text(file)]) }
    if let pin = target.tls.pin {
      // Without authorities the key alone decides.
      if target.tls.caFile == nil { lines.append("--insecure") }
      add("--pinnedpubkey", [.text(pin.description)])
    }
    if let file = target.tls.clientCertificate { add("--cert", [.text(file)]) }
    if let file = target.tls.clientKey { add("--key", [.text(file)]) }
    if target.url.scheme == "https" {
      lines.append(target.http == .http2 ? "--http2" : "--http1.1")
    }
  }

  private mutating func add(_ option: String, _ value: [Template.Filled]) {
    for case .secret(let secret, _) in value where !variables.contains(secret.variable) {
      variables.append(secret.variable)
    }
    let word = Self.word(value)
    lines.append(option.isEmpty ? word : "\(option) \(word)")
  }

  // MARK: Quoting

  /// A word of a POSIX shell (XCU §2.2).
  private static func word(_ stretches: [Template.Filled]) -> String {
    let joined = stretches.reduce(into: [Template.Filled]()) { joined, stretch in
      if case .text(let more) = stretch, case .text(let text)? = joined.last {
        joined[joined.count - 1] = .text(text + more)
      } else {
        joined.append(stretch)
      }
    }
    let word = joined.map { stretch in
      switch stretch {
      case .text(let text): text.isEmpty ? "" : ShellWord.quoted(text)
      case .secret(let secret, _): "\"$\(secret.variable)\""
      }
    }.joined()
    return word.isEmpty ? "''" : word
  }

  /// A value between the quotes of curl's own syntax for forms.
  private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private static func fieldName(_ name: String) throws(Mistake) -> String {
    guard !name.contains("=") else {
      throw Mistake(description: "curl cannot be told of the field \"\(name)\", for its \"=\"")
    }
    return name
  }

  private static func path(_ item: UploadItem) throws(Mistake) -> String {
    guard String(validating: item.location.bytes, as: UTF8.self) != nil else {
      throw Mistake(description: "the file's name is not UTF-8 text")
    }
    let path = item.location.description
    // A dash alone is curl's standard input.
    return path == "-" ? "./-" : path
  }

  /// As forms are sent: every line break is CRLF.
  private static func lineBreaks(_ text: String) -> String {
    // A CRLF is one character, and stays.
    text.map { $0 == "\n" || $0 == "\r" ? "\r\n" : String($0) }.joined()
  }
}
