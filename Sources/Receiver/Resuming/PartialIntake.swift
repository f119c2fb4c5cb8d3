import Digests

/// Receives uploads that arrive in several requests, for both protocols.
struct PartialIntake: Sendable {
  private let site: Site
  let uploads: PartialUploads

  init(_ site: Site) {
    self.site = site
    uploads = PartialUploads(site)
  }

  func create(_ record: PartialUploads.Record, for request: Request) async throws -> PartialFile {
    try await open(uploads.create(record), for: request)
  }

  func open(_ id: String, for request: Request) async throws -> PartialFile {
    guard let file = try await uploads.open(id, for: request.channel) else {
      throw Refusal(.notFound, "There is no such upload; it may have expired.")
    }
    return file
  }

  /// Appends a request's body to an upload as it arrives. The bytes that have arrived are kept even if the request
  /// fails, unless it has a checksum. Returns the SHA-256 of the whole file, if all of it arrived with this request.
  /// - Parameters:
  ///   - limit: the most bytes that the whole file may have.
  ///   - progress: called now and then with the number of bytes of the whole file that have arrived.
  func receive(
    _ file: PartialFile, _ request: Request, within limit: ByteLimit = ByteLimit(.max),
    progress: (Int64) async throws -> Void = { _ in }
  ) async throws -> [UInt8]? {
    let start = file.offset
    // The limit may be lower than when the upload began.
    let size = file.record.length == .max ? start : file.record.length
    guard size <= limit.bytes || start >= file.record.length else {
      throw Refusal(.payloadTooLarge, "The upload has \(size) bytes; \(limit.words).")
    }
    let end = max(start, min(file.record.length, limit.bytes))
    let rest = end - start
    if let length = request.head.contentLength, length > rest {
      throw Refusal(
        .payloadTooLarge,
        "Only \(rest) bytes of the upload are missing, but the request has \(length).")
    }
    var checksum = try request.header("upload-checksum").map(Checksum.init)
    if try Admission.awaitsContinue(request.head) { try await request.sendContinue() }
    try file.begin(awaitingSum: checksum != nil)
    var reserve = site.reserve
    var hash: SHA256? = start == 0 ? SHA256() : nil
    // The client is told its progress only a few times while the rest arrives, not after every megabyte.
    let step = max(8 << 20, min(rest / 8, 256 << 20))
    var next = start + step
    do {
      while let buffer = try await request.body.next() {
        guard Int64(buffer.readableBytes) <= end - file.offset else {
          throw Refusal(
            .payloadTooLarge, "The request has more bytes than are missing from the upload.")
        }
        try reserve.reserve(buffer.readableBytes)
        try buffer.withUnsafeReadableBytes { bytes in
          hash?.update(bytes)
          checksum?.update(bytes)
          try file.append(bytes)
        }
        if file.offset >= next, file.offset < end {
          next = file.offset + step
          try await progress(file.offset)
        }
      }
    } catch {
      if checksum != nil { try? file.cut(to: start) }
      throw error
    }
    if let checksum, !checksum.matches {
      try file.cut(to: start)
      throw Refusal(
        .custom(code: 460, reasonPhrase: "Checksum Mismatch"),
        "The data does not match its checksum and was discarded.")
    }
    try file.settle(syncing: site.configuration.syncsToDisk)
    return file.isWhole ? hash?.finalize() : nil
  }

  /// Copies uploads, one after the other, into `file`, and records in each that it is a part of `file`. If this fails,
  /// `file` is removed. Returns the SHA-256 of the whole file.
  func join(_ ids: [String], into file: PartialFile, for request: Request) async throws -> [UInt8] {
    do {
      for id in ids { try await open(id, for: request).update { $0.whole = file.id } }
      // An earlier attempt may have left some bytes.
      try file.cut(to: 0)
      var reserve = site.reserve
      var hash = SHA256()
      for id in ids {
        try await open(id, for: request).read { bytes in
          try reserve.reserve(bytes.count)
          hash.update(bytes)
          try file.append(bytes)
        }
      }
      try file.settle(syncing: site.configuration.syncsToDisk)
      guard file.isWhole else {
        throw Refusal(.conflict, "The parts changed while they were being joined.")
      }
      return hash.finalize()
    } catch {
      uploads.remove(file.id)
      for id in ids { try? await uploads.open(id, for: request.channel)?.update { $0.whole = nil } }
      throw error
    }
  }

  /// Makes a completely received file visible.
  @discardableResult
  func publish(
    _ file: PartialFile, _ sum: [UInt8]?, _ request: Request
  ) async throws -> StoredFile {
    var hash = SHA256()
    if sum == nil { try await file.read { hash.update($0) } }
    let name = try file.publish()
    if site.configuration.syncsToDisk { try site.inbox.sync() }
    let stored = StoredFile(
      field: "", name: file.record.name, stored: name.text, size: file.offset,
      type: file.record.type, sha256: (sum ?? hash.finalize()).hexadecimal,
      url: FileURL.make(site.baseURL(request), name.text))
    site.report([stored], request)
    return stored
  }
}
