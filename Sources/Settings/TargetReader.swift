import Foundation
import UploadModel

/// Turns a table of the configuration into a target, or says what is wrong with it.
struct TargetReader {
  /// Answers `{env.NAME}`.
  let environment: (String) -> String?
  /// Reads what the target says about TLS.
  let tls: TLSReader

  static let keys = [
    "url", "method", "file_field", "fields", "query", "headers", "concurrency", "retry", "timeout",
    "deadline", "idempotent", "redirect_to", "rate_limit", "tls", "http",
  ]

  func target(named name: String, _ node: ConfigNode) throws(ConfigError) -> Target {
    let entries = try node.table(Self.keys)
    guard let url = entries["url"] else {
      throw node.fault("\"url\" is missing: the address that files are sent to")
    }
    var target = Target(name: name, url: try self.url(url))
    if let node = entries["method"] { target.method = try method(node) }
    if let node = entries["file_field"] {
      target.fileField = try node.string()
      if target.fileField.isEmpty { throw node.fault("expected a field name, found nothing") }
    }
    if let node = entries["fields"] { target.fields = try fields(node) }
    if let node = entries["query"] { target.query = try pairs(node) }
    if let node = entries["headers"] { target.headers = try headers(node) }
    if let node = entries["concurrency"] { target.concurrency = try node.integer(in: 1...64) }
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
    return target
  }

  private func http(_ node: ConfigNode, for url: URL) throws(ConfigError) -> HTTPVersion {
    let text = try node.string()
    guard let version = HTTPVersion(rawValue: text) else {
      throw node.fault("expected \"auto\", \"1.1\" or \"2\", found \"\(text)\"")
    }
    guard version != .http2 || url.scheme?.lowercased() == "https" else {
      throw node.fault("HTTP/2 needs an https:// URL, and this target's is \(url)")
    }
    return version
  }

  private func url(_ node: ConfigNode) throws(ConfigError) -> URL {
    do {
      return try TargetURL.parse(try node.string())
    } catch let mistake as TargetURL.Mistake {
      throw node.fault(mistake.description)
    } catch let error as ConfigError {
      throw error
    } catch {
      throw node.fault("\(error)")
    }
  }

  private func method(_ node: ConfigNode) throws(ConfigError) -> String {
    let method = try node.string()
    guard ["POST", "PUT", "PATCH"].contains(method) else {
      throw node.fault("expected \"POST\", \"PUT\" or \"PATCH\", found \"\(method)\"")
    }
    return method
  }

  /// `[ { name = "a", value = "b", type = "text/plain" }, … ]`, in that order.
  private func fields(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    if case .table = node.value { return try pairs(node) }
    var fields: [Target.Field] = []
    for element in try node.array() {
      let entries = try element.table(["name", "value", "type"])
      guard let name = entries["name"], let value = entries["value"] else {
        throw element.fault("a field needs \"name\" and \"value\"")
      }
      fields.append(
        Target.Field(
          name: try name.string(), value: try template(value),
          type: try entries["type"].map(mediaType)))
    }
    return fields
  }

  private func mediaType(_ node: ConfigNode) throws(ConfigError) -> String {
    let type = try node.string()
    let halves = type.split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2, halves.allSatisfy({ !$0.isEmpty }),
      type.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else { throw node.fault("expected a media type such as \"text/plain\", found \"\(type)\"") }
    return type
  }

  /// `{ a = "b", … }`, sorted by name, for TOML keeps no order in a table.
  private func pairs(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    var fields: [Target.Field] = []
    for (key, node) in try node.entries() {
      fields.append(Target.Field(name: key, value: try template(node)))
    }
    return fields
  }

  private func headers(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    var headers: [Target.Field] = []
    for (name, node) in try node.entries() {
      do throws(HeaderRule.Mistake) {
        try HeaderRule.check(name: name, value: nil)
      } catch {
        throw node.fault(error.description)
      }
      guard !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) else {
        throw node.fault("this header is there twice: capitals make no difference")
      }
      let value = try template(node)
      // The value with its environment variables, and never in the message: it may be a secret.
      do throws(HeaderRule.Mistake) {
        try HeaderRule.check(name: name, value: value.fixedText)
      } catch {
        throw node.fault(error.description)
      }
      headers.append(Target.Field(name: name, value: value))
    }
    return headers
  }

  private func retry(_ node: ConfigNode) throws(ConfigError) -> RetryPolicy {
    let entries = try node.table(["attempts", "base", "max"])
    var policy = RetryPolicy()
    if let node = entries["attempts"] { policy.attempts = try node.integer(in: 1...100) }
    if let node = entries["base"] { policy.base = try node.seconds(in: 0...3600) }
    if let node = entries["max"] { policy.cap = try node.seconds(in: 0...86_400) }
    guard policy.base <= policy.cap else {
      throw node.fault(
        "\"base\" (\(Wording.seconds(policy.base))) is longer than "
          + "\"max\" (\(Wording.seconds(policy.cap)))")
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

  private func template(_ node: ConfigNode) throws(ConfigError) -> Template {
    let source: String
    switch node.value {
    case .integer(let number): source = String(number)
    case .bool(let flag): source = String(flag)
    case .string, .float, .array, .table, .other: source = try node.string()
    }
    do throws(Template.Mistake) {
      return try Template(source, environment: environment)
    } catch {
      throw node.fault(error.description)
    }
  }
}
