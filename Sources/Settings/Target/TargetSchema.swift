import UploadModel

/// The options of a target, in the order in which they are written. Each row gives an option's key, how its value is
/// read and written, and the question of `hoist target new`, if any.
extension Schema where Root == Target {
  static let target = Schema([
    // `Target.init(named:)` reads these two before all others.
    Key(name: "values", read: { _, _, _ in }) { target, _, writer in
      Codec<[DerivedValue]>.derivedValues.write(target.values, writer)
    },
    Key(name: "url", read: { _, _, _ in }) { target, _, writer in
      guard target.ticket == nil else { return nil }
      let address = target.address ?? Template(literal: target.url.absoluteString)
      return writer.string(address.hidingQuery())
    },
    Key("resume", \.resume.mode, .choice)
      .asking("\"tus\" if it is a tus server, which can resume uploads"),
    Key("chunk", \.resume.chunk, .bytes),
    Key("resume_from", \.resume.least, .bytes).written { $0.resume.least > 0 },
    Key(
      "tus", \.resume,
      Schema<ResumeRules>([
        .init("metadata", \.metadata, .metadata), .init("with_upload", \.sendsAlong, .flag),
      ])
    ).written { [.tus, .auto].contains($0.resume.mode) },
    Key("method", \.method, .word(of: ["POST", "PUT", "PATCH"]))
      .written { !$0.resume.createsFirst }
      .asking("Method, POST, PUT or PATCH"),
    Key("body", \.body, .choice)
      .written { !$0.resume.createsFirst }
      .asking("How the file is sent, \"multipart\" (a form) or \"binary\" (the file by itself)"),
    Key("file_field", \.fileField, .fieldName)
      .written { $0.body == .multipart }
      .asking("Form field that carries the file"),
    Key("file_name", \.fileName, .fileName)
      .written { $0.body == .multipart }
      .asking("File name to tell the server"),
    Key("folders", \.folders, .folders),
    Key("file_type", \.fileType, .mediaType),
    Key("companions", \.companions, .list(.companion, nothing: "an empty list names no file")),
    Key("if_there", \.ifThere, .choice),
    Key("same_names", \.takesSameNames, .flag)
      .asking("Does the server keep two files with the same name apart, yes or no", .flag),
    Key("fields", \.fields) { .formFields(scope: $0.scope) },
    Key("query", \.query, .pairs()),
    Key("headers", \.headers, .headers(scope: Template.Placeholder.ofFile)),
    Key("public_headers", \.publicHeaders) { .headers(scope: $0.scope) },
    .auth,
    Key(
      "batch", \.batch, from: BatchRule(maxFiles: 0),
      Schema<BatchRule>([
        .init(
          "max_files", \.maxFiles, .integer(in: 1...1000),
          need: "how many files go in one request"),
        .init("max_bytes", \.maxBytes, .bytes), .init("split_refused", \.splitsRefused, .flag),
      ])
    ).asking("Most files in one request", .member("max_files"), usual: "1", trial: "2"),
    Key(
      "limits", \.limits,
      Schema<UploadLimits>([
        .init("max_bytes", \.maxBytes, .bytes),
        .init(
          "types", \.types, .list(.typePattern, nothing: "an empty list would accept no files")),
        .init("check", \.checksContent, .words("name", "content")),
        .init("refuse_empty", \.takesEmpty, .opposite),
      ])),
    Key("prepare", \.prepare, .prepare),
    Key("after", \.after, .after).checked { target in
      guard target.after.way != nil, target.prepare != nil else { return }
      throw InvalidInput(
        "cannot be combined with \"prepare\": the server gets a copy that the command makes, not the original"
      )
    },
    Key("concurrency", \.concurrency, .concurrency)
      .asking("Files sent at once, a number or auto", .number),
    Key("rate_limit", \.rateLimit, .speed),
    Key(
      "retry", \.retry,
      Schema<RetryPolicy>([
        .init("attempts", \.attempts, .integer(in: 1...100)),
        .init("base", \.base, .seconds(in: 0...3600)),
        .init("max", \.cap, .seconds(in: 0...86_400)),
        .init("statuses", \.statuses, .set(.integer(in: 400...599))),
        .init("when", \.signs, .list(.signWithRule)),
      ]) { policy, _ in
        guard policy.base > policy.cap else { return }
        throw InvalidInput(
          "\"base\" (\(HumanReadable.seconds(policy.base))) is longer than "
            + "\"max\" (\(HumanReadable.seconds(policy.cap)))")
      }
    ).asking("Attempts in total", .member("attempts"), usual: "5"),
    Key("retry_after", \.retry.waitPlace, .place),
    Key("idempotent", \.retry.isIdempotent, .flag)
      .asking(
        "Is a second copy of a file harmless, yes or no", .flag, usual: "it depends", trial: "no"),
    Key("timeout", \.stallTimeout, .seconds(in: 1...86_400))
      .asking("Time without progress before an attempt ends"),
    Key("deadline", \.deadline, .seconds(in: 1...604_800)),
    Key("redirect_to", \.redirectOrigins, .set(.origin))
      .asking(
        "Other servers that uploads may be redirected to, as URLs", .list, usual: "none", trial: ""),
    .tls,
    Key("http", \.http, .choice).checked { target in
      guard target.http == .http2, target.url.scheme?.lowercased() != "https" else { return }
      throw InvalidInput(
        "HTTP/2 needs an https:// URL, but this target's is \(TargetURL.shown(target.url))")
    }.asking("Version of HTTP, auto, 1.1 or 2"),
    // "keep-alive" or "close" (RFC 9112 §9.6).
    Key("connection", \.closesConnections, .words("keep-alive", "close"))
      .checked { target in
        guard target.closesConnections, target.http == .http2 else { return }
        throw InvalidInput(
          "HTTP/2 cannot use a separate connection for each request; remove \"http\" or "
            + "\"connection\"")
      }.asking("\"close\" to use a new connection for each request"),
    // These are written as tables of their own by `TargetText`. A ticket is read with the address.
    Key("response", \.response, .response).written { _ in false },
    Key("pieces", \.resume.pieces, from: PieceRules(), .pieces).written { _ in false },
    Key("exists", \.exists, from: .start, .exists).written { _ in false },
    Key("wait", \.wait, from: WaitRule(), .wait).written { _ in false },
    Key(
      "before_retry", \.beforeRetry, from: .removal,
      .call(scope: Template.Placeholder.ofFile + [.id])
    ).written { _ in false },
    Key("open", \.run.open, from: Call(method: "POST"), .open).written { _ in false },
    Key("close", \.run.close, from: RunRules.Closing(), .close).written { _ in false },
    Key(name: "ticket", read: { _, _, _ in }, write: { _, _, _ in nil }),
    Key(
      name: "server",
      read: { node, target, reader in
        try Schema<ServerSide>.server(of: target).read(node, into: &target.server, reader)
      },
      write: { _, _, _ in nil }),
  ])
}

extension Target {
  /// Sets an option, such as `timeout` or `retry.attempts`, to the text of a command-line option.
  package mutating func set(_ key: String, to text: String) throws(InvalidInput) {
    try set(key, to: .string(text))
  }

  package mutating func set(_ key: String, to number: Int) throws(InvalidInput) {
    try set(key, to: .integer(number))
  }

  private mutating func set(_ key: String, to value: ConfigNode.Value) throws(InvalidInput) {
    var value = value
    let path = key.split(scalar: ".")
    for name in path.dropFirst().reversed() { value = .table([name: value]) }
    let node = ConfigNode(value: value, path: path[0])
    let reader = TemplateReader(
      lookup: Template.Lookup(environment: { _ in nil }), paths: FilePath(folder: "", home: ""))
    do throws(ConfigError) {
      try Schema<Target>.target.read([path[0]: node], into: &self, reader)
    } catch {
      throw InvalidInput(error.problem)
    }
  }

  /// The placeholders that the target's fields may contain.
  fileprivate var scope: [Template.Placeholder] {
    ticket == nil ? Template.Placeholder.ofFile : Template.Placeholder.ofTicket
  }
}
