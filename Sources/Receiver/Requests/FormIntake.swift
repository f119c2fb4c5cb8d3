import MultipartForm

/// Reads one form: files go to the inbox as they arrive, fields are kept in memory. Nothing is visible
/// before the whole form has arrived and has been accepted.
final class FormIntake {
  private struct Incoming {
    var about: ReceivedForm.File
    var file: TemporaryFile
    var sha256 = ""
  }

  private enum Part {
    case file(Incoming)
    case field(name: String, value: [UInt8])
  }

  private let site: Site
  private let minFiles: Int
  private let maxFiles: Int
  private var reserve: DiskReserve
  private var parser: FormParser
  private var current: Part?
  private var files: [Incoming] = []
  private var form = ReceivedForm(order: [], types: [:], fields: [:], files: [])

  init(boundary: Boundary, minFiles: Int = 1, maxFiles: Int, site: Site) {
    self.site = site
    (self.minFiles, self.maxFiles) = (minFiles, maxFiles)
    reserve = site.reserve
    parser = FormParser(boundary: boundary, limits: site.configuration.limits)
  }

  /// How many bytes from the start of each file are passed to the check of a form.
  private static let beginning = 4096

  func push(_ bytes: UnsafeRawBufferPointer) throws {
    do throws(FormReadError) { try parser.push(bytes, handle) } catch { throw error.cause }
  }

  /// Ends the body, and makes the files visible under `baseURL/files/`, all or none: if one cannot get its name, those
  /// before it are removed again.
  ///
  /// Before the first file is visible, `check` examines the form, and `naming` gets the numbers of all files. If the
  /// receiver was killed after that, and before it stored the form's reply, `named` are these numbers, and files that
  /// have their names keep them.
  func finish(
    baseURL: String, named: [FileNumber] = [], naming: ([FileNumber]) throws -> Void = { _ in },
    checking check: (ReceivedForm) throws -> Void = { _ in }
  ) throws -> StoredForm {
    try parser.finish()
    guard files.count >= minFiles else {
      throw Refusal(
        .badRequest,
        files.isEmpty
          ? "The form has no file in it." : "Send at least \(minFiles) files in one request.")
    }
    try check(form)
    let earlier = files.enumerated().map { index, incoming in
      named.indices.contains(index) ? find(incoming, numbered: named[index]) : nil
    }
    try naming(files.indices.map { try earlier[$0] == nil ? files[$0].file.number() : named[$0] })
    var stored: [StoredFile] = []
    var names: [EntryName] = []
    do {
      for (incoming, name) in zip(files, earlier) {
        let about = incoming.about
        let name = try name ?? incoming.file.publish(as: SafeFileName(about.name))
        names.append(name)
        stored.append(
          StoredFile(
            field: about.field, name: about.name, stored: name.text, size: about.size,
            type: about.type, sha256: incoming.sha256, url: FileURL.make(baseURL, name.text)))
      }
      if site.configuration.syncsToDisk { try site.inbox.sync() }
    } catch {
      for name in names { site.inbox.remove(name) }
      throw error
    }
    return StoredForm(files: stored, fields: form.fields)
  }

  /// The name that a file already has, found by its number and content; nil if it has none yet.
  private func find(_ incoming: Incoming, numbered number: FileNumber) -> EntryName? {
    site.inbox.find(number, named: SafeFileName(incoming.about.name)).flatMap { name in
      let file = try? site.inbox.openFile(name, doing: "read the file")
      return file?.sha256 == incoming.sha256 ? name : nil
    }
  }

  private func handle(_ event: FormParser.Event) throws {
    switch event {
    case .partBegan(let header): current = try begin(header)
    case .content(let bytes): try append(bytes)
    case .partEnded: try end()
    }
  }

  private func begin(_ header: PartHeader) throws -> Part {
    form.order.append(header.name)
    if let type = header.contentType { form.types[header.name] = type }
    let decodes = site.configuration.decodesEscapedNames
    guard let fileName = decodes ? header.unescapedFileName : header.fileName else {
      return .field(name: header.name, value: [])
    }
    // A part without a type is text (RFC 7578, section 4.4).
    let about = ReceivedForm.File(
      field: header.name, name: fileName, type: header.contentType ?? "text/plain", size: 0,
      beginning: [])
    return .file(Incoming(about: about, file: try site.inbox.makeTemporary()))
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws {
    switch current {
    case .file(var incoming):
      if incoming.file.size == 0 { try countFile() }
      try reserve.reserve(bytes.count)
      try incoming.file.append(bytes)
      let missing = Self.beginning - incoming.about.beginning.count
      guard missing > 0 else { return }
      current = nil
      incoming.about.beginning += bytes.prefix(missing)
      current = .file(incoming)
    case .field(let name, var value):
      // Release the other reference, or appending would copy the whole value each time.
      current = nil
      value.append(contentsOf: bytes)
      current = .field(name: name, value: value)
    case nil: break
    }
  }

  private func end() throws {
    defer { current = nil }
    switch current {
    case .file(var incoming):
      if incoming.file.size == 0 {
        // A browser sends an empty part without a file name for a file input in which nothing was chosen.
        if incoming.about.name.isEmpty { return }
        try countFile()
      }
      incoming.sha256 = try incoming.file.finish(syncing: site.configuration.syncsToDisk)
      incoming.about.size = incoming.file.size
      files.append(incoming)
      form.files.append(incoming.about)
    case .field(let name, let value):
      form.fields[name, default: []].append(String(decoding: value, as: UTF8.self))
    case nil: break
    }
  }

  private func countFile() throws {
    guard files.count < maxFiles else {
      throw Refusal(
        .badRequest,
        maxFiles == 1
          ? "Send exactly one file in one request."
          : "Send at most \(maxFiles) files in one request.")
    }
  }
}
