import Foundation
import MultipartForm
import ScalarText

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload): an upload to an ordinary endpoint that continues
/// in further requests if the first one was broken off.
struct ResumableService: Sendable {
  private static let pieceType = "application/partial-upload"

  private let site: Site
  private let intake: PartialIntake

  init(_ site: Site, _ intake: PartialIntake) { (self.site, self.intake) = (site, intake) }

  /// The limits of uploads ("Limits").
  func limits() -> Reply {
    .empty(.noContent, [("Upload-Limit", limits(of: nil))])
  }

  /// Handles the request that begins an upload ("Upload Creation").
  func begin(
    _ asked: ResumableRequest, _ request: Request, maxFiles: Int
  ) async throws -> Reply {
    try await refusing { () async throws -> Reply in
      try Admission.check(
        request.head, configuration: site.configuration, freeBytes: site.inbox.freeBytes)
      _ = try Admission.awaitsContinue(request.head)
      let type = request.header("content-type") ?? "application/octet-stream"
      let isForm = type.lowercasedASCII.hasPrefix(scalars: "multipart/")
      if isForm {
        do throws(FormError) { _ = try Boundary(contentType: type) } catch {
          throw Refusal(.unsupportedMediaType, error.description)
        }
      }
      let length = try asked.wholeLength(after: 0, known: nil)
      if let length {
        try Admission.checkRoom(
          for: length, of: "upload", atMost: mostBytes(isForm: isForm), site.configuration,
          site.inbox.freeBytes, headers: [("Upload-Limit", limits(of: nil))])
      }
      let record = PartialUploads.Record(
        length: length ?? .max, name: Self.fileName(request), type: type,
        purpose: PartialUploads.Record.Purpose(form: isForm ? type : nil, maxFiles: maxFiles))
      let file = try await intake.create(record, for: request)
      let place = [
        ("Location", site.location("/uploads/\(file.id)")),
        ("Upload-Limit", limits(of: file)),
      ]
      try await request.inform(place)
      var reply = try await store(asked, file, request)
      if !asked.isLast {
        reply.status = .created
        reply.headers += place.prefix(1)
      }
      return reply
    }
  }

  /// Handles a request about an upload.
  func answer(_ id: String, _ request: Request) async throws -> Reply {
    try await refusing { () async throws -> Reply in
      if request.head.method != .PATCH { try await site.skipBody(of: request) }
      let file = try await open(id, request)
      switch request.head.method {
      case .HEAD, .GET: return status(of: file)
      case .DELETE:
        intake.remove(file)
        return .empty(.noContent)
      case .PATCH: return try await append(to: file, request)
      default: throw Refusal(.methodNotAllowed, "This method does nothing here.")
      }
    }
  }

  /// "Offset Retrieval".
  private func status(of file: PartialFile) -> Reply {
    var headers = [
      ("Upload-Offset", "\(file.offset)"),
      ("Upload-Complete", file.record.reply == nil ? "?0" : "?1"),
      ("Upload-Limit", limits(of: file)),
    ]
    if file.record.length != .max { headers.append(("Upload-Length", "\(file.record.length)")) }
    return .empty(.noContent, headers)
  }

  /// "Upload Append".
  private func append(to file: PartialFile, _ request: Request) async throws -> Reply {
    guard request.header("content-type")?.lowercasedASCII == Self.pieceType else {
      throw Refusal(
        .unsupportedMediaType, "Send a piece of the upload as \(Self.pieceType).",
        headers: [("Accept-Patch", Self.pieceType)])
    }
    guard let asked = ResumableRequest(request.head), let offset = asked.offset else {
      throw Refusal(
        .badRequest,
        "Send Upload-Complete, Upload-Offset and Upload-Draft-Interop-Version: "
          + "\(ResumableRequest.interopVersion).")
    }
    guard offset == file.offset else {
      throw Refusal(
        .conflict, "offset from request does not match offset of resource",
        headers: [("Upload-Offset", "\(file.offset)")], problem: "mismatching-upload-offset",
        members: ["expected-offset": file.offset, "provided-offset": offset])
    }
    if let answer = file.record.reply {
      guard asked.isLast, asked.contentLength == 0 else {
        throw Refusal(.badRequest, "The upload is complete.")
      }
      _ = try await intake.receive(file, request)
      return Self.reply(answer)
    }
    return try await store(asked, file, request)
  }

  /// Stores the content of a request, and completes the upload if it is the last.
  private func store(
    _ asked: ResumableRequest, _ file: PartialFile, _ request: Request
  ) async throws -> Reply {
    let known = file.record.length == .max ? nil : file.record.length
    if let length = try asked.wholeLength(after: file.offset, known: known), known == nil {
      try file.update { $0.length = length }
    }
    let most = mostBytes(isForm: file.record.purpose?.form != nil)
    _ = try await intake.receive(file, request, atMost: most) { offset in
      try await request.inform([("Upload-Offset", "\(offset)")])
    }
    guard asked.isLast else {
      return .empty(
        .noContent,
        [
          ("Upload-Complete", "?0"), ("Upload-Offset", "\(file.offset)"),
          ("Upload-Limit", limits(of: file)),
        ])
    }
    guard known == nil || file.isWhole else {
      throw Refusal(.badRequest, "The upload is said to be complete, and it is not.")
    }
    let answer: PartialUploads.Record.Answer
    do { answer = try complete(file, request) } catch let refusal as Refusal {
      intake.remove(file)
      var refusal = refusal
      refusal.headers.append(("Upload-Complete", "?1"))
      throw refusal
    }
    return Self.reply(answer)
  }

  /// Does what the request that began the upload was for, and keeps the reply in case it gets lost.
  private func complete(
    _ file: PartialFile, _ request: Request
  ) throws -> PartialUploads.Record.Answer {
    let receipt: StoredForm
    if let form = file.record.purpose?.form, !file.isElsewhere {
      receipt = try storeForm(form, of: file, request)
    } else if file.isElsewhere {
      // The receiver was killed between giving the file its name and saying so.
      receipt = StoredForm(files: [], fields: [:])
    } else {
      receipt = StoredForm(files: [try intake.publish(file, nil, request)], fields: [:])
    }
    let reply = site.reply(receipt, to: request)
    guard case .bytes(let bytes) = reply.body else {
      throw Refusal(.internalServerError, "The receiver could not answer this.")
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
  ) throws -> StoredForm {
    do {
      let form = FormIntake(
        boundary: try Boundary(contentType: type), inbox: site.inbox,
        maxFiles: file.record.purpose?.maxFiles ?? 1, configuration: site.configuration)
      try file.read(form.push)
      let receipt = try form.finish(
        baseURL: site.baseURL(request), named: file.record.named ?? [],
        naming: { identities in try file.update { $0.named = identities } })
      site.tell(of: receipt.files, request)
      return receipt
    } catch {
      throw Refusal(of: error) ?? error
    }
  }

  // MARK: Steps

  private func open(_ id: String, _ request: Request) async throws -> PartialFile {
    let file = try await intake.open(id, for: request)
    guard file.record.purpose != nil else {
      throw Refusal(.notFound, "This upload was begun with tus: send Tus-Resumable.")
    }
    return file
  }

  /// Says in each refusal whether it concerns the whole upload.
  private func refusing(_ work: () async throws -> Reply) async throws -> Reply {
    do { return try await work() } catch {
      guard var refusal = Refusal(of: error) else { throw error }
      if !refusal.headers.contains(where: { $0.0 == "Upload-Complete" }) {
        refusal.headers.append(("Upload-Complete", "?0"))
      }
      throw refusal
    }
  }

  private func mostBytes(isForm: Bool) -> Int64 {
    isForm
      ? site.configuration.limits.bodyBytes
      : min(site.configuration.limits.bodyBytes, site.configuration.limits.fileBytes)
  }

  /// `Upload-Limit` for an upload, or for all.
  private func limits(of file: PartialFile?) -> String {
    let most = mostBytes(isForm: file.map { $0.record.purpose?.form != nil } ?? true)
    var limits = most == .max ? ["min-size=0"] : ["max-size=\(min(most, 999_999_999_999_999))"]
    if let expires = file?.expires {
      limits.append("max-age=\(max(0, Int64(expires.timeIntervalSinceNow)))")
    }
    return limits.joined(separator: ", ")
  }

  private static func reply(_ answer: PartialUploads.Record.Answer) -> Reply {
    var headers = [("Content-Type", "application/json"), ("Upload-Complete", "?1")]
    if let location = answer.location { headers.append(("Location", location)) }
    if let digest = answer.digest { headers.append(("Repr-Digest", digest)) }
    return Reply(status: answer.status, headers: headers, body: Array(answer.text.utf8))
  }

  /// The name of a file that comes without a form (RFC 6266).
  private static func fileName(_ request: Request) -> String {
    request.header("content-disposition").flatMap(PartHeader.fileName) ?? "file"
  }
}
