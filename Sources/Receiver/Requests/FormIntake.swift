import MultipartForm

/// Reads one form: files go to the inbox as they arrive, fields are kept in memory. Nothing is visible
/// before the whole form has arrived and has been accepted.
final class FormIntake {
  private struct Incoming {
    var header: PartHeader
    var fileName: String
    var file: TemporaryFile
    var sha256 = ""
    var beginning: [UInt8] = []
    /// A part without a type is text (RFC 7578, section 4.4).
    var type: String { header.contentType ?? "text/plain" }
  }

  private enum Part {
    case file(Incoming)
    case field(name: String, value: [UInt8])
  }

  private let inbox: Inbox
  private let maxFiles: Int
  private let configuration: UploadReceiver.Configuration
  private var reserve: DiskReserve
  private var parser: FormParser
  private var current: Part?
  private var files: [Incoming] = []
  private var form = ReceivedForm(order: [], types: [:], fields: [:], files: [])

  init(
    boundary: Boundary, inbox: Inbox, maxFiles: Int, configuration: UploadReceiver.Configuration
  ) {
    self.inbox = inbox
    self.maxFiles = maxFiles
    self.configuration = configuration
    reserve = DiskReserve(bytes: configuration.reservedBytes) { inbox.freeBytes }
    parser = FormParser(boundary: boundary, limits: configuration.limits)
  }

  /// How many bytes from the start of each file are passed to the check of a form.
  private static let beginning = 4096

  /// Parses the next bytes of the body.
  func push(_ bytes: UnsafeRawBufferPointer) throws {
    do throws(FormReadError) { try parser.push(bytes, handle) } catch { throw error.cause }
  }

  /// Ends the body, and makes the files visible under `baseURL/files/`.
  ///
  /// Either all files appear or none: if one cannot get its name, those before it are removed again.
  ///
  /// - Parameters:
  ///   - named: the numbers that an earlier call passed to `naming`, if the receiver was killed before it stored the
  ///     form's reply. Files that already have their names then keep them.
  ///   - naming: called with the numbers of the files before the first of them is visible.
  ///   - check: examines the form before any of its files is visible.
  func finish(
    baseURL: String, named: [FileNumber] = [], naming: ([FileNumber]) throws -> Void = { _ in },
    checking check: (ReceivedForm) throws -> Void = { _ in }
  ) throws -> StoredForm {
    try parser.finish()
    guard !files.isEmpty else { throw Refusal(.badRequest, "The form has no file in it.") }
    try check(form)
    let earlier = files.enumerated().map { index, incoming in
      named.indices.contains(index) ? find(incoming, numbered: named[index]) : nil
    }
    try naming(files.indices.map { try earlier[$0] == nil ? files[$0].file.number() : named[$0] })
    var stored: [StoredFile] = []
    var names: [EntryName] = []
    do {
      for (incoming, name) in zip(files, earlier) {
        let name = try name ?? incoming.file.publish(as: SafeFileName(incoming.fileName))
        names.append(name)
        stored.append(
          StoredFile(
            field: incoming.header.name, name: incoming.fileName, stored: name.text,
            size: incoming.file.size, type: incoming.type, sha256: incoming.sha256,
            url: FileURL.make(baseURL, name.text)))
      }
      if configuration.syncsToDisk { try inbox.sync() }
    } catch {
      for name in names { inbox.remove(name) }
      throw error
    }
    return StoredForm(files: stored, fields: form.fields)
  }

  /// The name that a file already has, found by its number and content; nil if it has none yet.
  private func find(_ incoming: Incoming, numbered number: FileNumber) -> EntryName? {
    inbox.find(number, named: SafeFileName(incoming.fileName)).flatMap { name in
      (try? inbox.openFile(name, doing: "read the file"))?.sha256 == incoming.sha256 ? name : nil
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
    let fileName = configuration.decodesEscapedNames ? header.unescapedFileName : header.fileName
    guard let fileName else { return .field(name: header.name, value: []) }
    return .file(Incoming(header: header, fileName: fileName, file: try inbox.makeTemporary()))
  }

  private func append(_ bytes: UnsafeRawBufferPointer) throws {
    switch current {
    case .file(var incoming):
      if incoming.file.size == 0 { try countFile() }
      try reserve.reserve(bytes.count)
      try incoming.file.append(bytes)
      let missing = Self.beginning - incoming.beginning.count
      guard missing > 0 else { return }
      current = nil
      incoming.beginning += bytes.prefix(missing)
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
        if incoming.fileName.isEmpty { return }
        try countFile()
      }
      incoming.sha256 = try incoming.file.finish(syncing: configuration.syncsToDisk)
      files.append(incoming)
      form.files.append(
        ReceivedForm.File(
          field: incoming.header.name, name: incoming.fileName, type: incoming.type,
          size: incoming.file.size, beginning: incoming.beginning))
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
