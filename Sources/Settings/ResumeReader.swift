import UploadModel

/// Reads how a target resumes uploads.
struct ResumeReader {
  /// Reads texts with placeholders.
  let templates: TemplateReader

  /// Keys that cannot be combined with resuming, and why.
  private static let conflicts = [
    ("batch", "each file is an upload of its own"),
    ("ticket", "the server itself grants the permission"),
    ("prepare", "the command produces a different file each time"),
  ]
  /// Keys that cannot be combined with tus, which sends the file without a form, and what to use instead.
  private static let tusConflicts = [
    ("fields", "use tus.metadata instead"), ("file_field", "there is no form"),
    ("file_name", "use tus.metadata instead: { filename = \"…\" }"),
    ("method", "the protocol determines the method"),
  ]

  /// Reads `resume`, `resume_from`, `chunk` and `tus` of a target's entries.
  func read(_ entries: [String: ConfigNode], into target: inout Target) throws(ConfigError) {
    if let node = entries["resume"] {
      target.resume.mode = try node.choice()
    }
    guard target.resume.isOn else {
      if let node = entries["chunk"] { throw node.fault("works only with resume") }
      if let node = entries["resume_from"] {
        throw node.fault("works only with resume = \"http\"")
      }
      if let node = entries["tus"] {
        throw node.fault("works only with resume = \"tus\" or \"auto\"")
      }
      return
    }
    let isTus = target.resume.createsFirst
    for (key, why) in Self.conflicts + (isTus ? Self.tusConflicts : []) {
      if let node = entries[key] {
        throw node.fault("does not go with resume = \"\(target.resume.mode.rawValue)\": \(why)")
      }
    }
    if isTus {
      if let node = entries["body"], try node.string() != Target.Body.binary.rawValue {
        throw node.fault("does not go with resume = \"tus\": the file goes by itself")
      }
      target.body = .binary
    }
    if let node = entries["chunk"] {
      target.resume.chunk = try node.bytes()
    }
    if let node = entries["resume_from"] {
      guard target.resume.mode == .http else {
        throw node.fault("works only with resume = \"http\"")
      }
      target.resume.least = try node.bytes()
    }
    if let node = entries["tus"] {
      if target.resume.mode == .http {
        throw node.fault("works only with resume = \"tus\" or \"auto\"")
      }
      let entries = try node.table(["metadata", "with_upload"])
      if let node = entries["with_upload"] { target.resume.sendsAlong = try node.bool() }
      if let node = entries["metadata"] { target.resume.metadata = try metadata(node) }
    }
  }

  /// Reads `{ name = "value", … }`, sorted by name, since TOML tables are unordered.
  private func metadata(_ node: ConfigNode) throws(ConfigError) -> [Target.Field] {
    var fields: [Target.Field] = []
    for (key, node) in try node.entries() {
      // Keys are sent unencoded, separated by commas and spaces (tus 1.0.0, "Creation").
      guard !key.isEmpty, key.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x2C }) else {
        throw node.fault("a key of metadata has ASCII characters, no blanks and no commas")
      }
      fields.append(
        Target.Field(name: try node.fixed(key), value: try templates.value(node, named: key)))
    }
    return fields
  }
}
