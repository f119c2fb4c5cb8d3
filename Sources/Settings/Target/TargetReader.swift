import UploadModel

extension Target {
  /// Reads a target from a table of the configuration, and checks that its options can be combined.
  init(named name: String, _ node: ConfigNode, _ reader: TemplateReader) throws(ConfigError) {
    let known = ["type"] + Schema<Target>.target.names
    let entries = try ReceiverPreset.complete(try node.table(known), of: node)
    // Read these values first, since any other text may contain `{value.…}`.
    var values: [DerivedValue] = []
    if let node = entries["values"] { values = try Codec.derivedValues.read(node, reader) }
    let reader = reader.knowing(values)
    try self.init(name, addressIn: entries, of: node, reader)
    self.values = values
    try Schema<Target>.target.read(entries, into: &self, reader)
    try checkPublicHeaders(entries)
    try checkRedirects(entries)
    try checkBody(entries)
    try checkResuming(entries)
    try checkCompanions(entries)
    try checkRemoval(entries)
    try checkNames(entries)
    try checkFolders(entries)
    try run.check(node, entries, of: self)
    if let node = entries["wait"] { try wait?.check(node, of: self) }
    // A batch of one file is the same as no batch.
    if batch?.maxFiles == 1 { batch = nil }
    if let conflict = batchConflict { try entries.refuse("batch", conflict) }
    if let conflict = signatureConflict { try entries.refuse("auth", conflict) }
  }

  /// A target with only its address, which is that of its ticket request if it has a ticket.
  private init(
    _ name: String, addressIn entries: [String: ConfigNode], of node: ConfigNode,
    _ reader: TemplateReader
  ) throws(ConfigError) {
    if let node = entries["ticket"] {
      for key in ["url", "query"] {
        try entries.refuse(key, "the ticket says where files go; leave out \"\(key)\"")
      }
      var ticket = Ticket.start
      try Schema.ticket.read(node, into: &ticket, reader)
      let address = ticket.call.address.template
      self.init(name: name, url: try TemplateReader.url(address.commonStart, node))
      self.ticket = ticket
      return
    }
    guard let url = entries["url"] else {
      throw node.fault("\"url\" is missing: the address that files are sent to")
    }
    guard case .string(let text) = url.value, text.utf8.contains(where: { "{}".utf8.contains($0) })
    else {
      self.init(name: name, url: try TemplateReader.url(try url.fixed(), url))
      return
    }
    let template = try reader.address(url, scope: Template.Placeholder.ofFile)
    self.init(name: name, url: try TemplateReader.url(template.commonStart, url))
    if !template.isLiteral { address = template }
  }

  /// Header fields that are sent to every server must not be credentials, except those that a ticket gives for that
  /// server.
  private func checkPublicHeaders(_ entries: [String: ConfigNode]) throws(ConfigError) {
    for (name, node) in try entries["public_headers"]?.entries() ?? [] {
      let field = publicHeaders.first { $0.name == name }
      if SecretName.matches(name), field?.value.isOfTicket != true {
        throw node.fault("this header is sent to every server, but its name suggests a secret")
      }
      if headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
        throw node.fault("this header is in \"headers\" as well; remove one of the two")
      }
    }
  }

  /// Nothing that goes to a target by https goes on in clear.
  private func checkRedirects(_ entries: [String: ConfigNode]) throws(ConfigError) {
    guard let node = entries["redirect_to"],
      let origin = redirectOrigins.filter(isDowngrade).min(by: { $0.description < $1.description })
    else { return }
    throw node.fault(
      "\(origin) is not encrypted, but the target is; files would be sent on unencrypted")
  }

  private mutating func checkBody(_ entries: [String: ConfigNode]) throws(ConfigError) {
    if resume.createsFirst {
      try entries.refuse(
        "body",
        "cannot be combined with resume = \"\(resume.mode.rawValue)\": the file is sent by itself",
        if: body != .binary)
      body = .binary
    } else if body == .binary {
      for key in ["fields", "file_field", "file_name"] {
        try entries.refuse(
          key, "a binary body contains only the file; there is no form for \"\(key)\"")
      }
    }
  }

  private func checkCompanions(_ entries: [String: ConfigNode]) throws(ConfigError) {
    try entries.refuse(
      "companions", "needs a form: a file sent by itself leaves no room for another",
      if: body == .binary)
    try entries.refuse(
      "companions",
      "cannot be combined with \"\(entries["pieces"] == nil ? "resume" : "pieces")\": both files go in one request",
      if: entries["pieces"] != nil || resume.mode != .off)
    try entries.refuse(
      "companions",
      "cannot be combined with \"prepare\": the file that the command makes has no other files beside it",
      if: entries["prepare"] != nil)
  }

  private func checkNames(_ entries: [String: ConfigNode]) throws(ConfigError) {
    guard let ifThere, ifThere.keepsOthers, let node = entries["if_there"] else { return }
    guard nameCheck != nil else {
      throw node.fault(
        "needs a way to tell whether a name is taken: an address that the file is PUT to by itself, \"exists\" without a "
          + "digest, \"server.list\", or a rule of \"duplicate_when\" with the status of a refusal")
    }
    if let batch, batch.maxFiles > 1 {
      throw node.fault("cannot be combined with \"batch\": it is decided for each file")
    }
    guard ifThere == .rename else { return }
    guard !resume.isOn else {
      throw node.fault(
        "\"rename\" cannot be combined with \"\(resume.pieces == nil ? "resume" : "pieces")\": an upload that goes on "
          + "keeps its name")
    }
    guard sendsNames else {
      throw node.fault(
        "\"rename\" needs the file's name in what is sent: put {file.name}, {file.stem} or {file.path} into "
          + "\(body == .binary ? "the address" : "file_name")")
    }
  }

  private func checkRemoval(_ entries: [String: ConfigNode]) throws(ConfigError) {
    guard let call = beforeRetry, let node = entries["before_retry"] else { return }
    if let batch, batch.maxFiles > 1 {
      throw node.fault("cannot be combined with \"batch\": a remnant belongs to one file")
    }
    guard !resume.isOn else {
      throw node.fault(
        "cannot be combined with \"\(resume.pieces == nil ? "resume" : "pieces")\": another attempt goes on with "
          + "what an earlier one left")
    }
    if call.templates.contains(where: { $0.asks(for: .id) }), server.list == nil {
      throw node.fault("{id} has no value: the target needs a server.list with the names of files")
    }
  }

  private func checkFolders(_ entries: [String: ConfigNode]) throws(ConfigError) {
    guard folders != nil else { return }
    try entries.refuse(
      "folders", "the ticket says where files go, so no folder is known", if: ticket != nil)
    try entries.refuse(
      "folders",
      "cannot be combined with resume = \"\(resume.mode.rawValue)\": the server decides where files go",
      if: resume.mode != .off)
    try entries.refuse(
      "folders", "has nothing to make: there is no folder in the path of \"url\"",
      if: !mayHaveFolders)
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

  private func checkResuming(_ entries: [String: ConfigNode]) throws(ConfigError) {
    let mode = resume.mode
    if let pieces = resume.pieces, let node = entries["pieces"] {
      try entries.refuse(
        "resume", "cannot be combined with \"pieces\": such uploads resume without it",
        if: mode != .off)
      for (key, why) in Self.conflicts {
        try entries.refuse(key, "cannot be combined with \"pieces\": \(why)")
      }
      try pieces.check(node, of: self)
    }
    try entries.refuse("chunk", "works only with resume", if: mode == .off)
    try entries.refuse("resume_from", "works only with resume = \"http\"", if: mode != .http)
    try entries.refuse(
      "tus", "works only with resume = \"tus\" or \"auto\"", if: mode != .tus && mode != .auto)
    guard mode != .off else { return }
    for (key, why) in Self.conflicts + (resume.createsFirst ? Self.tusConflicts : []) {
      try entries.refuse(key, "cannot be combined with resume = \"\(mode.rawValue)\": \(why)")
    }
  }
}
