import UploadModel

/// Reads a target from a table of the configuration, and checks that its options can be combined.
struct TargetReader {
  /// Reads texts with placeholders.
  let templates: TemplateReader

  static let keys = ["type"] + Schema<Target>.target.names

  func target(named name: String, _ node: ConfigNode) throws(ConfigError) -> Target {
    let entries = try ReceiverPreset.complete(try node.table(Self.keys), of: node)
    // Read these values first, since any other text may contain `{value.…}`.
    var values: [DerivedValue] = []
    if let node = entries["values"] { values = try Codec.derivedValues.read(node, templates) }
    let reader = TargetReader(templates: templates.knowing(values))
    var target = try reader.start(name, node, entries)
    target.values = values
    try Schema<Target>.target.read(entries, into: &target, reader.templates)
    try checkPublicHeaders(of: target, entries)
    try checkBody(of: &target, entries)
    try checkResuming(of: target, entries)
    try checkCompanions(of: target, entries)
    try target.run.check(node, entries, of: target)
    if let node = entries["wait"] { try target.wait?.check(node, of: target) }
    // A batch of one file is the same as no batch.
    if target.batch?.maxFiles == 1 { target.batch = nil }
    if let conflict = target.batchConflict { try entries.refuse("batch", conflict) }
    if let conflict = target.signatureConflict { try entries.refuse("auth", conflict) }
    return target
  }

  // MARK: The address

  /// A target with only its address, which is that of its ticket request if it has a ticket.
  private func start(
    _ name: String, _ node: ConfigNode, _ entries: [String: ConfigNode]
  ) throws(ConfigError) -> Target {
    if let node = entries["ticket"] {
      for key in ["url", "query"] {
        try entries.refuse(key, "the ticket says where files go; leave out \"\(key)\"")
      }
      let ticket = try Ticket(node, templates)
      let url = try TemplateReader.url(ticket.call.url.commonStart, node)
      var target = Target(name: name, url: url)
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
    var target = Target(name: name, url: try TemplateReader.url(template.commonStart, url))
    if !template.isLiteral { target.address = template }
    return target
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
      try entries.refuse(
        "body",
        "cannot be combined with resume = \"\(target.resume.mode.rawValue)\": the file is sent by itself",
        if: target.body != .binary)
      target.body = .binary
    } else if target.body == .binary {
      for key in ["fields", "file_field", "file_name"] {
        try entries.refuse(
          key, "a binary body contains only the file; there is no form for \"\(key)\"")
      }
    }
  }

  private func checkCompanions(
    of target: Target, _ entries: [String: ConfigNode]
  ) throws(ConfigError) {
    try entries.refuse(
      "companions", "needs a form: a file sent by itself leaves no room for another",
      if: target.body == .binary)
    try entries.refuse(
      "companions",
      "cannot be combined with \"\(entries["pieces"] == nil ? "resume" : "pieces")\": both files go in one request",
      if: entries["pieces"] != nil || target.resume.mode != .off)
    try entries.refuse(
      "companions",
      "cannot be combined with \"prepare\": the file that the command makes has no other files beside it",
      if: entries["prepare"] != nil)
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
      try entries.refuse(
        "resume", "cannot be combined with \"pieces\": such uploads resume without it",
        if: mode != .off)
      for (key, why) in Self.conflicts {
        try entries.refuse(key, "cannot be combined with \"pieces\": \(why)")
      }
      try pieces.check(node, of: target)
    }
    try entries.refuse("chunk", "works only with resume", if: mode == .off)
    try entries.refuse("resume_from", "works only with resume = \"http\"", if: mode != .http)
    try entries.refuse(
      "tus", "works only with resume = \"tus\" or \"auto\"", if: mode != .tus && mode != .auto)
    guard mode != .off else { return }
    for (key, why) in Self.conflicts + (target.resume.createsFirst ? Self.tusConflicts : []) {
      try entries.refuse(key, "cannot be combined with resume = \"\(mode.rawValue)\": \(why)")
    }
  }
}
