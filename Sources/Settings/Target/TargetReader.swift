import Foundation
import ScalarText
import UploadModel

/// Reads a target from a table of the configuration.
struct TargetReader {
  /// Reads texts with placeholders.
  let templates: TemplateReader
  /// Reads the `tls` table.
  let tls: TLSReader

  static let keys = [
    "type", "url", "method", "file_field", "fields", "query", "headers", "concurrency", "retry",
    "timeout",
    "deadline", "idempotent", "redirect_to", "rate_limit", "tls", "http", "connection", "batch",
    "auth", "body", "file_name", "file_type", "public_headers", "same_names", "resume", "chunk",
    "resume_from", "tus", "limits", "response", "prepare", "ticket", "server",
  ]

  func target(named name: String, _ node: ConfigNode) throws(ConfigError) -> Target {
    let entries = try ReceiverPreset.complete(try node.table(Self.keys), of: node)
    var target = try start(name, node, entries)
    if let node = entries["method"] { target.method = try node.word(of: ["POST", "PUT", "PATCH"]) }
    if let node = entries["file_field"] {
      target.fileField = try fileField(node)
    }
    // A ticket's values are available only if there is a ticket.
    let scope = target.ticket == nil ? Template.Placeholder.ofFile : Template.Placeholder.ofTicket
    if let node = entries["fields"] { target.fields = try fields(node, scope) }
    if let node = entries["query"] { target.query = try templates.pairs(node) }
    if let node = entries["headers"] { target.headers = try headers(node) }
    if let node = entries["public_headers"] {
      target.publicHeaders = try publicHeaders(node, scope, besides: target.headers)
    }
    if let node = entries["auth"] {
      try AuthReader(templates: templates).read(node, into: &target)
    }
    if let node = entries["concurrency"] {
      target.concurrency = try node.integer(in: Target.concurrencyRange)
    }
    if let node = entries["retry"] { target.retry = try retry(node) }
    if let node = entries["idempotent"] { target.retry.isIdempotent = try node.bool() }
    if let node = entries["timeout"] { target.stallTimeout = try node.seconds(in: 1...86_400) }
    if let node = entries["deadline"] { target.deadline = try node.seconds(in: 1...604_800) }
    if let node = entries["rate_limit"] {
      guard let limit = ByteCount.speed(try node.string()) else {
        throw node.fault("expected a speed such as \"2 MB/s\"")
      }
      target.rateLimit = limit
    }
    if let node = entries["redirect_to"] { target.redirectOrigins = try origins(node) }
    if let node = entries["tls"] { target.tls = try tls.rules(node, for: target.url) }
    if let node = entries["http"] { target.http = try http(node, for: target.url) }
    if let node = entries["connection"] { target.closesConnections = try closes(node, target) }
    if let node = entries["file_name"] { target.fileName = try fileName(node) }
    if let node = entries["file_type"] { target.fileType = try mediaType(node) }
    if let node = entries["same_names"] { target.takesSameNames = try node.bool() }
    if let node = entries["limits"] { target.limits = try limits(node) }
    if let node = entries["prepare"] { target.prepare = try prepare(node) }
    if let node = entries["response"] {
      target.response = try ResponseReader(templates: templates).rules(node)
    }
    let server = ServerReader(
      templates: templates, rules: target.response, hasTicket: target.ticket != nil)
    if let node = entries["server"] { target.server = try server.side(node) }
    if let node = entries["body"] { target.body = try body(node, entries) }
    try ResumeReader(templates: templates).read(entries, into: &target)
    if let node = entries["batch"] {
      target.batch = try batch(node)
      if let conflict = target.batchConflict { throw node.fault(conflict) }
    }
    return target
  }

  /// A target with nothing but its address, which is that of its ticket request if it has a ticket.
  private func start(
    _ name: String, _ node: ConfigNode, _ entries: [String: ConfigNode]
  ) throws(ConfigError) -> Target {
    if let node = entries["ticket"] {
      for key in ["url", "query"] {
        if let node = entries[key] {
          throw node.fault("the ticket says where files go; leave out \"\(key)\"")
        }
      }
      let ticket = try ServerReader(templates: templates, rules: ReplyRules()).ticket(node)
      var target = Target(name: name, url: try address(ticket.call.url, node).base)
      target.ticket = ticket
      return target
    }
    guard let url = entries["url"] else {
      throw node.fault("\"url\" is missing: the address that files are sent to")
    }
    guard case .string(let text) = url.value, text.utf8.contains(where: { "{}".utf8.contains($0) })
    else {
      return Target(name: name, url: try self.url(url))
    }
    let template = try templates.address(url, scope: Template.Placeholder.ofFile)
    let (base, isWhole) = try address(template, url)
    var target = Target(name: name, url: base)
    if !isWhole { target.address = template }
    return target
  }

  /// The part of an address that is the same for all files: up to the last slash before the first placeholder.
  private func address(
    _ template: Template, _ node: ConfigNode
  ) throws(ConfigError) -> (base: URL, isWhole: Bool) {
    if template.isLiteral { return (try TemplateReader.url(template.fixedText, node), true) }
    return (try TemplateReader.url(template.commonStart, node), false)
  }

  private func fileField(_ node: ConfigNode) throws(ConfigError) -> Template {
    _ = try node.string()
    let field = try templates.template(node)
    guard !field.sample("x").isEmpty else {
      throw node.fault("expected a field name, found nothing")
    }
    // Field names are shown with the request.
    guard field.secrets.isEmpty else { throw node.fault("the name of a field holds no secrets") }
    return field
  }

  /// The template of the file name; nil for the file's own name, which is the default.
  private func fileName(_ node: ConfigNode) throws(ConfigError) -> Template? {
    let name = try templates.template(node)
    guard !name.sample("x").isEmpty else { throw node.fault("expected a file name, found nothing") }
    return name.source == "{file.name}" ? nil : name
  }

  private func body(
    _ node: ConfigNode, _ entries: [String: ConfigNode]
  ) throws(ConfigError) -> Target.Body {
    let body = try node.choice(of: Target.Body.self)
    if body == .binary {
      for key in ["fields", "file_field", "file_name"] {
        if let node = entries[key] {
          throw node.fault("a binary body is the file alone; there is no form for \"\(key)\"")
        }
      }
    }
    return body
  }

  private func limits(_ node: ConfigNode) throws(ConfigError) -> UploadLimits {
    let entries = try node.table(["max_bytes", "refuse_empty", "types", "check"])
    var limits = UploadLimits()
    if let node = entries["max_bytes"] { limits.maxBytes = try node.bytes() }
    if let node = entries["refuse_empty"] { limits.takesEmpty = !(try node.bool()) }
    if let node = entries["check"] {
      limits.checksContent = try node.word(of: ["name", "content"]) == "content"
    }
    if let node = entries["types"] {
      for element in try node.array() {
        let text = try element.string()
        guard let pattern = TypePattern(text) else {
          throw element.fault(
            "expected a media type such as \"image/jpeg\" or \"image/*\", found \"\(text)\"")
        }
        limits.types.append(pattern)
      }
      guard !limits.types.isEmpty else {
        throw node.fault("an empty list would accept no files")
      }
    }
    return limits
  }

  /// Reads an array of words, or `{ command = [ … ], timeout = "60s" }`.
  private func prepare(_ node: ConfigNode) throws(ConfigError) -> PrepareCommand {
    var (command, timeout) = (node, 60.0)
    if case .table = node.value {
      let entries = try node.table(["command", "timeout"])
      guard let inner = entries["command"] else {
        throw node.fault("\"command\" is missing: the program and its arguments")
      }
      command = inner
      if let node = entries["timeout"] { timeout = try node.seconds(in: 0.1...86_400) }
    }
    try Secrets.checkWords(command)
    let words = try command.array().map { (word) throws(ConfigError) in
      try templates.template(word, scope: Template.Placeholder.ofCommand)
    }
    for slot in [Template.Placeholder.input, .output]
    where !words.contains(where: { $0.asks(for: slot) }) {
      throw command.fault(
        "{\(slot.rawValue)} is missing: the path of the file to \(slot == .input ? "read" : "write")"
      )
    }
    return PrepareCommand(words: words, timeout: timeout)
  }

  private func batch(_ node: ConfigNode) throws(ConfigError) -> BatchRule? {
    let entries = try node.table(["max_files", "max_bytes", "split_refused"])
    guard let files = entries["max_files"] else {
      throw node.fault("\"max_files\" is missing: how many files go in one request")
    }
    var rule = BatchRule(maxFiles: try files.integer(in: 1...1000))
    if let node = entries["max_bytes"] {
      let text = try node.string()
      guard let bytes = ByteCount.size(text) else {
        throw node.fault("expected a size such as \"64 MiB\", found \"\(text)\"")
      }
      rule.maxBytes = bytes
    }
    if let node = entries["split_refused"] { rule.splitsRefused = try node.bool() }
    // A batch of one file is the same as no batch.
    return rule.maxFiles > 1 ? rule : nil
  }

  private func http(_ node: ConfigNode, for url: URL) throws(ConfigError) -> HTTPVersion {
    let version = try node.choice(of: HTTPVersion.self)
    guard version != .http2 || url.scheme?.lowercased() == "https" else {
      throw node.fault("HTTP/2 needs an https:// URL, but this target's is \(TargetURL.shown(url))")
    }
    return version
  }

  /// Reads "keep-alive" or "close" (RFC 9112 §9.6).
  private func closes(_ node: ConfigNode, _ target: Target) throws(ConfigError) -> Bool {
    let text = try node.word(of: ["keep-alive", "close"])
    guard text == "keep-alive" || target.http != .http2 else {
      throw node.fault(
        "HTTP/2 cannot use a separate connection for each request; remove \"http\" or \"connection\""
      )
    }
    return text == "close"
  }

  private func url(_ node: ConfigNode) throws(ConfigError) -> URL {
    try TemplateReader.url(try node.fixed(), node)
  }

  private func retry(_ node: ConfigNode) throws(ConfigError) -> RetryPolicy {
    let entries = try node.table(["attempts", "base", "max", "statuses"])
    var policy = RetryPolicy()
    if let node = entries["attempts"] { policy.attempts = try node.integer(in: 1...100) }
    if let node = entries["base"] { policy.base = try node.seconds(in: 0...3600) }
    if let node = entries["max"] { policy.cap = try node.seconds(in: 0...86_400) }
    for status in try entries["statuses"]?.array() ?? [] {
      policy.statuses.insert(try status.integer(in: 400...599))
    }
    guard policy.base <= policy.cap else {
      throw node.fault(
        "\"base\" (\(HumanReadable.seconds(policy.base))) is longer than "
          + "\"max\" (\(HumanReadable.seconds(policy.cap)))")
    }
    return policy
  }

  private func origins(_ node: ConfigNode) throws(ConfigError) -> Set<Origin> {
    var origins: Set<Origin> = []
    for element in try node.array() {
      guard let origin = Origin(try url(element)) else { throw element.fault("expected a URL") }
      origins.insert(origin)
    }
    return origins
  }
}
