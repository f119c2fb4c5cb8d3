import Foundation
import UploadModel

/// Reads a target from a table of the configuration, and checks that its options can be combined.
struct TargetReader {
  /// Reads texts with placeholders.
  let templates: TemplateReader

  static let keys = ["type"] + Schema<Target>.target.names

  func target(named name: String, _ node: ConfigNode) throws(ConfigError) -> Target {
    let entries = try ReceiverPreset.complete(try node.table(Self.keys), of: node)
    // Read these values first, since any other text may contain `{value.…}`.
    let values = try entries["values"].map { (node) throws(ConfigError) in
      try Codec<[DerivedValue]>.derivedValues.read(node, templates)
    }
    return try TargetReader(templates: templates.knowing(values ?? []))
      .target(named: name, node, entries, values ?? [])
  }

  private func target(
    named name: String, _ node: ConfigNode, _ entries: [String: ConfigNode],
    _ values: [DerivedValue]
  ) throws(ConfigError) -> Target {
    var target = try start(name, node, entries)
    target.values = values
    try Schema<Target>.target.read(entries, into: &target, templates)
    try checkPublicHeaders(of: target, entries)
    try checkBody(of: &target, entries)
    try checkResuming(of: target, entries)
    try checkCompanions(of: target, entries)
    try target.run.check(node, entries, of: target)
    if let node = entries["wait"] { try target.wait?.check(node, of: target) }
    if let node = entries["batch"] {
      // A batch of one file is the same as no batch.
      if target.batch?.maxFiles == 1 { target.batch = nil }
      if let conflict = target.batchConflict { throw node.fault(conflict) }
    }
    if let node = entries["auth"], let conflict = target.signatureConflict {
      throw node.fault(conflict)
    }
    return target
  }

  // MARK: The address

  /// A target with only its address, which is that of its ticket request if it has a ticket.
  private func start(
    _ name: String, _ node: ConfigNode, _ entries: [String: ConfigNode]
  ) throws(ConfigError) -> Target {
    if let node = entries["ticket"] {
      for key in ["url", "query"] {
        if let node = entries[key] {
          throw node.fault("the ticket says where files go; leave out \"\(key)\"")
        }
      }
      let ticket = try Ticket(node, templates)
      var target = Target(name: name, url: try address(ticket.call.url, node).base)
      target.ticket = ticket
      return target
    }
    guard let url = entries["url"] else {
      throw node.fault("\"url\" is missing: the address that files are sent to")
    }
    guard case .string(let text) = url.value, text.utf8.contains(where: { "{}".utf8.contains($0) })
    else {
      return Target(name: name, url: try TemplateReader.url(try url.fixed(), url))
    }
    let template = try templates.address(url, scope: Template.Placeholder.ofFile)
    let (base, isWhole) = try address(template, url)
    var target = Target(name: name, url: base)
    if !isWhole { target.address = template }
    return target
  }

  /// The part of an address that is the same for all files: all of it if it has no placeholder, otherwise up to the
  /// last slash before the first placeholder or the query.
  private func address(
    _ template: Template, _ node: ConfigNode
  ) throws(ConfigError) -> (base: URL, isWhole: Bool) {
    if template.isLiteral { return (try TemplateReader.url(template.fixedText, node), true) }
    return (try TemplateReader.url(template.commonStart, node), false)
  }

  // MARK: Conflicts

  /// Header fields that are sent to every server must not be credentials.
  private func checkPublicHeaders(
    of target: Target, _ entries: [String: ConfigNode]
  ) throws(ConfigError) {
    for (name, node) in try entries["public_headers"]?.entries() ?? [] {
      if SecretName.matches(name) {
        throw node.fault("this header is sent to every server, but its name suggests a secret")
      }
      if target.headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
        throw node.fault("this header is in \"headers\" as well; remove one of the two")
      }
    }
  }

  private func checkBody(
    of target: inout Target, _ entries: [String: ConfigNode]
  ) throws(ConfigError) {
    if target.resume.createsFirst {
      if let node = entries["body"], target.body != .binary {
        throw node.fault(
          "cannot be combined with resume = \"\(target.resume.mode.rawValue)\": the file is sent by itself"
        )
      }
      target.body = .binary
    } else if target.body == .binary {
      for key in ["fields", "file_field", "file_name"] {
        if let node = entries[key] {
          throw node.fault("a binary body contains only the file; there is no form for \"\(key)\"")
        }
      }
    }
  }

  private func checkCompanions(
    of target: Target, _ entries: [String: ConfigNode]
  ) throws(ConfigError) {
    guard let node = entries["companions"] else { return }
    if target.body == .binary {
      throw node.fault("needs a form: a file sent by itself leaves no room for another")
    }
    if entries["pieces"] != nil || target.resume.mode != .off {
      throw node.fault(
        "cannot be combined with \"\(entries["pieces"] == nil ? "resume" : "pieces")\": both files go in one request"
      )
    }
    if entries["prepare"] != nil {
      throw node.fault(
        "cannot be combined with \"prepare\": the file that the command makes has no other files beside it"
      )
    }
  }

  /// Keys that cannot be combined with resuming, and why.
  private static let conflicts = [
    ("batch", "each file is an upload of its own"),
    ("ticket", "resuming begins each upload with its own request"),
    ("prepare", "the command produces a different file each time"),
  ]
  /// Keys that cannot be combined with tus, which sends the file without a form, and what to use instead.
  private static let tusConflicts = [
    ("fields", "use tus.metadata instead"), ("file_field", "there is no form"),
    ("file_name", "use tus.metadata instead: { filename = \"…\" }"),
    ("method", "the protocol determines the method"),
  ]

  private func checkResuming(
    of target: Target, _ entries: [String: ConfigNode]
  ) throws(ConfigError) {
    let mode = target.resume.mode
    if let pieces = target.resume.pieces, let node = entries["pieces"] {
      if let node = entries["resume"], mode != .off {
        throw node.fault("cannot be combined with \"pieces\": such uploads resume without it")
      }
      for (key, why) in Self.conflicts {
        if let node = entries[key] {
          throw node.fault("cannot be combined with \"pieces\": \(why)")
        }
      }
      try pieces.check(node, of: target)
    }
    if let node = entries["chunk"], mode == .off { throw node.fault("works only with resume") }
    if let node = entries["resume_from"], mode != .http {
      throw node.fault("works only with resume = \"http\"")
    }
    if let node = entries["tus"], mode != .tus, mode != .auto {
      throw node.fault("works only with resume = \"tus\" or \"auto\"")
    }
    guard mode != .off else { return }
    for (key, why) in Self.conflicts + (target.resume.createsFirst ? Self.tusConflicts : []) {
      if let node = entries[key] {
        throw node.fault("cannot be combined with resume = \"\(mode.rawValue)\": \(why)")
      }
    }
  }
}
