import Foundation
import MultipartForm
import ScalarText
import UploadDraft

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload): an upload to an ordinary path that continues in
/// further requests if the first one was interrupted. Each client is answered in its version of the draft.
struct ResumableService: Sendable {
  private let site: Site
  private let intake: PartialIntake

  init(_ site: Site, _ intake: PartialIntake) { (self.site, self.intake) = (site, intake) }

  func limits(_ request: Request, maxFiles: Int) async throws -> Reply {
    try await site.skipBody(of: request)
    let version = DraftVersion.of(request.head) ?? .newest
    return .empty(
      .noContent,
      [
        ("Upload-Limit", limits(limit(isForm: true, maxFiles: maxFiles), in: version)),
        ("Accept-Patch", DraftVersion.partialUpload),
        version.stamp,
      ])
  }

  /// Handles the request that begins an upload ("Upload Creation").
  func begin(
    _ asked: ResumableRequest, _ request: Request, maxFiles: Int
  ) async throws -> Reply {
    try await refusing(in: asked.version) { () async throws -> Reply in
      try site.checkHead(request.head)
      _ = try Admission.awaitsContinue(request.head)
      let type = request.header("content-type") ?? "application/octet-stream"
      let isForm = type.lowercasedASCII.hasPrefix(scalars: "multipart/")
      if isForm {
        do throws(FormError) { _ = try Boundary(contentType: type) } catch {
          throw Refusal(.unsupportedMediaType, error.description)
        }
      }
      let purpose = PartialUploads.Record.Purpose(
        form: isForm ? type : nil, maxFiles: maxFiles, draft: asked.version)
      let length = try asked.wholeLength(after: 0, known: nil)
      if let length {
        let limit = limit(for: purpose)
        try site.checkRoom(
          for: length, of: isForm ? "form" : "upload", within: limit,
          headers: limitFields(limit, in: asked.version))
      }
      let record = PartialUploads.Record(
        length: length ?? .max, name: Self.fileName(request), type: type, purpose: purpose)
      let file = try await intake.create(record, for: request)
      let place = ("Location", site.location("/uploads/\(file.id)"))
      try await request.inform(
        [place] + limitFields(of: file, in: asked.version), in: asked.version)
      var reply = try await store(asked, file, request)
      if !asked.isLast {
        reply.status = .created
        reply.headers.append(place)
      } else if !asked.version.has(.markedReplies) {
        // In these versions, `Location` is the address of the upload, so the stored file's address moves to
        // `Content-Location`.
        reply.headers = reply.headers.map { $0.0 == "Location" ? ("Content-Location", $0.1) : $0 }
        reply.headers.append(place)
      }
      return reply
    }
  }

  func answer(_ id: String, _ request: Request) async throws -> Reply {
    let named = DraftVersion.of(request.head)
    return try await refusing(in: named ?? .newest) { () async throws -> Reply in
      if request.head.method != .PATCH {
        try await site.skipBody(of: request)
        try Self.checkQuestion(request, in: named)
      }
      let file = try await open(id, request)
      switch request.head.method {
      case .HEAD, .GET:
        return status(of: file, in: named ?? file.record.purpose?.draft ?? .newest)
      case .DELETE:
        intake.uploads.remove(file.id)
        return .empty(.noContent)
      case .PATCH: return try await append(to: file, request)
      default: throw Refusal(.methodNotAllowed, "This method is not supported here.")
      }
    }
  }

  /// Refuses a HEAD, GET or DELETE with header fields that belong to other requests, in versions that forbid them.
  private static func checkQuestion(_ request: Request, in version: DraftVersion?) throws(Refusal) {
    guard let version, version.has(.bareQuestions) else { return }
    let names =
      ["Upload-Offset", version.completeness(true).0]
      + (version.has(.length) ? ["Upload-Length"] : [])
    for name in names where request.header(name) != nil {
      throw Refusal(.badRequest, "\(request.head.method) must not have \(name).")
    }
  }

  /// Tells how much of an upload has arrived ("Offset Retrieval").
  private func status(of file: PartialFile, in version: DraftVersion) -> Reply {
    var headers =
      [("Upload-Offset", "\(file.offset)"), version.completeness(file.record.reply != nil)]
      + limitFields(of: file, in: version)
    if version.has(.length), file.record.length != .max {
      headers.append(("Upload-Length", "\(file.record.length)"))
    }
    return .empty(.noContent, headers)
  }

  /// Appends the content of a request ("Upload Append").
  private func append(to file: PartialFile, _ request: Request) async throws -> Reply {
    guard let asked = ResumableRequest(request.head, appends: true) else {
      throw Refusal(
        .badRequest,
        "Send \(DraftVersion.versionField) (\(Self.versions)), Upload-Offset, and Upload-Complete.")
    }
    do {
      return try await append(asked, to: file, request)
    } catch {
      guard !asked.version.has(.markedReplies) else { throw error }
      throw Refusal.adding(("Upload-Offset", "\(file.offset)"), to: error)
    }
  }

  private static let versions =
    "\(DraftVersion.allCases[0].number) to \(DraftVersion.newest.number)"

  private func append(
    _ asked: ResumableRequest, to file: PartialFile, _ request: Request
  ) async throws -> Reply {
    if let type = asked.version.pieceType,
      request.header("content-type")?.lowercasedASCII != type
    {
      throw Refusal(
        .unsupportedMediaType, "Send a piece of the upload with Content-Type: \(type).",
        headers: [("Accept-Patch", type)])
    }
    guard let offset = asked.offset else {
      throw Refusal(.badRequest, "Send Upload-Offset, the number of bytes already received.")
    }
    guard offset == file.offset else {
      throw Refusal(
        .conflict, "offset from request does not match offset of resource",
        headers: [("Upload-Offset", "\(file.offset)")], problem: "mismatching-upload-offset",
        members: ["expected-offset": file.offset, "provided-offset": offset])
    }
    if let answer = file.record.reply {
      guard asked.isLast, asked.contentLength == 0, asked.version.has(.replay) else {
        throw Refusal(.badRequest, "upload is already completed", problem: "completed-upload")
      }
      _ = try await intake.receive(file, request)
      return Self.reply(answer, file, in: asked.version)
    }
    return try await store(asked, file, request)
  }

  /// Stores the content of a request, and completes the upload if the request is its last.
  private func store(
    _ asked: ResumableRequest, _ file: PartialFile, _ request: Request
  ) async throws -> Reply {
    let version = asked.version
    let known = file.record.length == .max ? nil : file.record.length
    if let length = try asked.wholeLength(after: file.offset, known: known), known == nil {
      try file.update { $0.length = length }
    }
    let limit = limit(for: file.record.purpose)
    _ = try await intake.receive(file, request, within: limit) { offset in
      guard version.has(.progress) else { return }
      try await request.inform([("Upload-Offset", "\(offset)")], in: version)
    }
    guard asked.isLast else {
      return .empty(
        version.has(.markedReplies) ? .noContent : .created,
        [version.completeness(false), ("Upload-Offset", "\(file.offset)")]
          + limitFields(of: file, in: version))
    }
    guard file.record.length == .max || file.isWhole else {
      throw Refusal(
        .badRequest, "The request says that the upload is complete, but bytes are missing.")
    }
    let answer: PartialUploads.Record.Answer
    do { answer = try await complete(file, request) } catch let refusal as Refusal {
      intake.uploads.remove(file.id)
      guard version.has(.markedReplies) else { throw refusal }
      throw Refusal.adding(version.completeness(true), to: refusal)
    }
    return Self.reply(answer, file, in: version)
  }

  /// Does what the request that began the upload asked for, and saves the reply in case it gets lost.
  private func complete(
    _ file: PartialFile, _ request: Request
  ) async throws -> PartialUploads.Record.Answer {
    let receipt: StoredForm
    if file.isElsewhere {
      // The receiver was killed after it had given the file its name, but before it had recorded the reply.
      receipt = StoredForm(files: [], fields: [:])
    } else if let form = file.record.purpose?.form {
      receipt = try await storeForm(form, of: file, request)
    } else {
      receipt = StoredForm(files: [try await intake.publish(file, nil, request)], fields: [:])
    }
    let reply = site.reply(receipt, to: request)
    guard case .bytes(let bytes) = reply.body else {
      throw Refusal(.internalServerError, "The receiver could not answer this request.")
    }
    let answer = PartialUploads.Record.Answer(
      status: Int(reply.status.code),
      location: receipt.files.first.map { site.location(ofStored: $0.stored) },
      text: String(decoding: bytes, as: UTF8.self),
      digest: request.wantsDigest ? receipt.files.first?.digestField : nil)
    try file.finish(with: answer)
    return answer
  }

  private func storeForm(
    _ type: String, of file: PartialFile, _ request: Request
  ) async throws -> StoredForm {
    do {
      let form = FormIntake(
        boundary: try Boundary(contentType: type),
        maxFiles: file.record.purpose?.maxFiles ?? 1, site: site)
      try await file.read(form.push)
      let receipt = try form.finish(
        baseURL: site.baseURL(request), named: file.record.named ?? [],
        naming: { identities in try file.update { $0.named = identities } })
      site.report(receipt.files, request)
      return receipt
    } catch {
      throw Refusal(of: error) ?? error
    }
  }

  private func open(_ id: String, _ request: Request) async throws -> PartialFile {
    let file = try await intake.open(id, for: request)
    guard file.record.purpose != nil else {
      throw Refusal(.notFound, "This upload was created with tus: send Tus-Resumable.")
    }
    return file
  }

  /// In versions where replies are marked, marks a refusal as concerning only this request, unless it is already marked
  /// as concerning the whole upload.
  private func refusing(
    in version: DraftVersion, _ work: () async throws -> Reply
  ) async throws -> Reply {
    do { return try await work() } catch {
      guard version.has(.markedReplies) else { throw error }
      throw Refusal.adding(version.completeness(false), to: error)
    }
  }

  private func limit(for purpose: PartialUploads.Record.Purpose?) -> ByteLimit {
    limit(isForm: purpose?.form != nil, maxFiles: purpose?.maxFiles ?? 1)
  }

  /// The most bytes that an upload can have without breaking one of the limits.
  private func limit(isForm: Bool, maxFiles: Int) -> ByteLimit {
    let limits = site.configuration.limits
    guard isForm else { return ByteLimit(min(limits.bodyBytes, limits.fileBytes)) }
    // 128 bytes are enough for the delimiter of a part: at most 76, and white space after it, which hardly any client
    // sends.
    let parts =
      Int128(limits.fileBytes) * Int128(maxFiles) + Int128(limits.allFieldBytes)
      + Int128(limits.parts) * 128
    guard parts < limits.bodyBytes else { return ByteLimit(limits.bodyBytes) }
    return ByteLimit(
      Int64(parts),
      words: maxFiles == 1
        ? "a file may have at most \(limits.fileBytes)"
        : "each of at most \(maxFiles) files may have \(limits.fileBytes)")
  }

  private func limitFields(of file: PartialFile, in version: DraftVersion) -> [(String, String)] {
    limitFields(limit(for: file.record.purpose), until: file.expires, in: version)
  }

  /// The header field with the limits for an upload. Empty in versions without that field.
  private func limitFields(
    _ limit: ByteLimit, until expires: Date? = nil, in version: DraftVersion
  ) -> [(String, String)] {
    version.has(.limits) ? [("Upload-Limit", limits(limit, until: expires, in: version))] : []
  }

  private func limits(
    _ limit: ByteLimit, until expires: Date? = nil, in version: DraftVersion
  ) -> String {
    let most = limit.bytes
    var limits = most == .max ? ["min-size=0"] : ["max-size=\(min(most, 999_999_999_999_999))"]
    if let expires {
      limits.append("\(version.ageKey)=\(max(0, Int64(expires.timeIntervalSinceNow)))")
    }
    return limits.joined(separator: ", ")
  }

  private static func reply(
    _ answer: PartialUploads.Record.Answer, _ file: PartialFile, in version: DraftVersion
  ) -> Reply {
    var headers = [("Content-Type", "application/json"), version.completeness(true)]
    if !version.has(.markedReplies) { headers.append(("Upload-Offset", "\(file.offset)")) }
    if let location = answer.location { headers.append(("Location", location)) }
    if let digest = answer.digest { headers.append(("Repr-Digest", digest)) }
    return Reply(status: answer.status, headers: headers, body: Array(answer.text.utf8))
  }

  /// The name of a file that is sent without a form (RFC 6266).
  private static func fileName(_ request: Request) -> String {
    request.header("content-disposition").flatMap(PartHeader.fileName) ?? "file"
  }
}
