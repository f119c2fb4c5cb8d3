import Foundation
import JSONText
import UploadModel

/// Writes a target as a table of the configuration. Reading the table gives the same target again.
package struct TargetText {
  let target: Target
  private let name: String
  /// Whether literal secrets in the configuration are written out.
  private let isRevealing: Bool
  private let showsDefaults: Bool
  private var rows: TOMLText.Entries = []
  var tables: [(name: String, rows: TOMLText.Entries)] = []

  /// The text of `[targets.NAME]` and its subtables.
  ///
  /// - Parameters:
  ///   - isRevealing: whether literal secrets in the configuration are written out rather than as "…".
  ///   - showsDefaults: whether default values are written.
  package static func of(
    _ target: Target, named name: String, isRevealing: Bool = false, showsDefaults: Bool = false
  ) -> String {
    var text = TargetText(
      target: target, name: name, isRevealing: isRevealing, showsDefaults: showsDefaults)
    text.write()
    return text.text
  }

  /// A string as written in the configuration.
  package static func string(_ text: String) -> String { TOMLText.string(text) }

  private var text: String {
    let path = "targets.\(TOMLText.key(name))"
    let lines = [(path, rows)] + tables.map { ("\(path).\($0.name)", $0.rows) }
    return lines.map { header, rows in
      "[\(header)]\n" + TOMLText.lines(rows).map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }

  /// Writes a row, unless its value is the default and defaults are not shown.
  private mutating func row<Value: Equatable>(
    _ key: String, _ value: Value, usually usual: Value, _ write: (Value) -> String?
  ) {
    guard showsDefaults || value != usual, let text = write(value) else { return }
    rows.append((key, text))
  }

  private mutating func write() {
    // A copy, because closures cannot read `self` while it is being modified.
    let form = self
    let usual = Target(name: name, url: target.url)
    if target.ticket == nil {
      let address = target.address ?? Template(literal: target.url.absoluteString)
      rows.append(("url", string(address.hidingQuery())))
    }
    // tus itself determines both.
    if target.resume.mode != .tus {
      row("method", target.method, usually: usual.method, TOMLText.string)
      row("body", target.body, usually: usual.body) { TOMLText.string($0.rawValue) }
    }
    if target.body == .multipart {
      row("file_field", target.fileField, usually: usual.fileField, form.string)
      row("file_name", target.fileName, usually: nil) {
        TOMLText.string($0.map(form.source) ?? "{file.name}")
      }
    }
    row("file_type", target.fileType, usually: nil) { $0.map(TOMLText.string) }
    row("same_names", target.takesSameNames, usually: false) { "\($0)" }
    row("fields", target.fields, usually: []) { fields in
      fields.isEmpty ? nil : form.list(fields.map(form.field))
    }
    row("query", target.query, usually: [], form.pairs)
    row("headers", target.headers, usually: [], form.pairs)
    row("public_headers", target.publicHeaders, usually: [], form.pairs)
    row("auth", target.tokenCommand, usually: nil) {
      $0.map { TOMLText.table([("bearer_command", TOMLText.array($0.words.map(TOMLText.string)))]) }
    }
    row("auth", target.digest, usually: nil) {
      $0.map { digest in
        let (user, password) = (form.string(digest.user), form.string(digest.password))
        return TOMLText.table([
          ("digest", TOMLText.table([("user", user), ("password", password)]))
        ])
      }
    }
    row("resume", target.resume.mode, usually: .off) { TOMLText.string($0.rawValue) }
    row("chunk", target.resume.chunk, usually: nil) { $0.map { "\"\($0) B\"" } }
    row("resume_from", target.resume.least, usually: 0) { $0 > 0 ? "\"\($0) B\"" : nil }
    var tus = target.resume
    (tus.mode, tus.chunk, tus.least) = (.off, nil, 0)
    row("tus", tus, usually: ResumeRules()) { tus in
      tus == ResumeRules()
        ? nil
        : TOMLText.table([
          ("metadata", form.pairs(tus.metadata)), ("with_upload", tus.sendsAlong ? "true" : nil),
        ])
    }
    row("batch", target.batch, usually: nil) { $0.map(form.batch) }
    row("limits", target.limits, usually: usual.limits, form.limits)
    row("prepare", target.prepare, usually: nil) { $0.map(form.prepare) }
    row("concurrency", target.concurrency, usually: usual.concurrency) { "\($0)" }
    row("rate_limit", target.rateLimit, usually: nil) { $0.map { "\"\($0) B/s\"" } }
    let retry = RetryPolicy(
      attempts: target.retry.attempts, base: target.retry.base, cap: target.retry.cap,
      statuses: target.retry.statuses)
    row("retry", retry, usually: usual.retry) {
      TOMLText.table([
        ("attempts", "\($0.attempts)"), ("base", TOMLText.seconds($0.base)),
        ("max", TOMLText.seconds($0.cap)),
        (
          "statuses",
          $0.statuses.isEmpty ? nil : TOMLText.array($0.statuses.sorted().map(String.init))
        ),
      ])
    }
    row("idempotent", target.retry.isIdempotent, usually: nil) { $0.map { "\($0)" } }
    row("timeout", target.stallTimeout, usually: usual.stallTimeout, TOMLText.seconds)
    row("deadline", target.deadline, usually: nil) { $0.map(TOMLText.seconds) }
    row("redirect_to", target.redirectOrigins, usually: []) {
      TOMLText.array($0.map(\.description).sorted().map(TOMLText.string))
    }
    row("tls", target.tls, usually: TLSRules()) { $0.isEmpty ? nil : form.tls($0) }
    row("http", target.http, usually: .auto) { TOMLText.string($0.rawValue) }
    row("connection", target.closesConnections, usually: false) {
      TOMLText.string($0 ? "close" : "keep-alive")
    }
    if target.response != ReplyRules() {
      tables.append(("response", reply(target.response)))
    }
    if let ticket = target.ticket {
      let rows = call(ticket.call, usually: "POST", inherited: ReplyRules())
      tables.append(
        (
          "ticket",
          rows + [
            ("upload_url", place(ticket.uploadURL)),
            ("fields", ticket.fields.map { TOMLText.string($0.description) }),
            ("headers", ticket.headers.map { TOMLText.string($0.description) }),
          ]
        ))
    }
    server()
  }

  // MARK: Values

  private func source(_ template: Template) -> String {
    template.source(isRevealing: isRevealing)
  }

  func string(_ template: Template) -> String { TOMLText.string(source(template)) }

  private func list(_ values: [String]) -> String {
    "[\n" + values.map { "  \($0),\n" }.joined() + "]"
  }

  func pairs(_ fields: [Target.Field]) -> String? {
    fields.isEmpty
      ? nil : TOMLText.table(fields.map { (Template.braced($0.name), string($0.value)) })
  }

  private func field(_ field: Target.Field) -> String {
    let name = TOMLText.string(Template.braced(field.name))
    if field.type == "application/json", let json = json(field.value) {
      return TOMLText.table([("name", name), ("json", json)])
    }
    return TOMLText.table([
      ("name", name), ("value", string(field.value)), ("type", field.type.map(TOMLText.string)),
    ])
  }

  /// JSON text as a TOML value; nil if it is not valid JSON.
  func json(_ template: Template) -> String? {
    // Replace placeholders by marks. They occur only inside strings.
    let (text, slots) = template.marked(isRevealing: isRevealing)
    guard let value = JSONValue(text: text) else { return nil }
    return TOMLText.json(value) { text in
      text.unicodeScalars.map { scalar -> String in
        let index = Int(scalar.value) - Int(Template.firstMark)
        return slots.indices.contains(index) ? slots[index] : Template.braced(String(scalar))
      }.joined()
    }
  }

  private func batch(_ rule: BatchRule) -> String {
    TOMLText.table([
      ("max_files", "\(rule.maxFiles)"), ("max_bytes", "\"\(rule.maxBytes) B\""),
      ("split_refused", rule.splitsRefused ? "true" : nil),
    ])
  }

  private func limits(_ limits: UploadLimits) -> String? {
    let types = TOMLText.array(limits.types.map { TOMLText.string($0.description) })
    return limits == UploadLimits()
      ? nil
      : TOMLText.table([
        ("max_bytes", limits.maxBytes.map { "\($0)" }),
        ("types", limits.types.isEmpty ? nil : types),
        ("check", limits.checksContent ? TOMLText.string("content") : nil),
        ("refuse_empty", limits.takesEmpty ? nil : "true"),
      ])
  }

  private func prepare(_ command: PrepareCommand) -> String {
    let words = TOMLText.array(command.words.map(string))
    guard command.timeout != 60 else { return words }
    return TOMLText.table([("command", words), ("timeout", TOMLText.seconds(command.timeout))])
  }

  private func tls(_ rules: TLSRules) -> String {
    TOMLText.table([
      ("ca_file", rules.caFile.map(TOMLText.string)),
      ("pin", rules.pin.map { TOMLText.string($0.description) }),
      ("client_cert", rules.clientCertificate.map(TOMLText.string)),
      ("client_key", rules.clientKey.map(TOMLText.string)),
    ])
  }
}
