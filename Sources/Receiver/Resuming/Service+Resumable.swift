import Foundation
import MultipartForm
import NIOCore
import NIOHTTP1
import ScalarText

/// Resumable Uploads for HTTP (draft-ietf-httpbis-resumable-upload-12): an upload to an ordinary endpoint that goes
/// on in further requests where the first one was broken off.
extension Service {
  private static let pieceType = "application/partial-upload"

  /// Which limits uploads have ("Limits").
  func resumableLimits() -> Reply {
    .empty(.noContent, [("Upload-Limit", limits(of: nil))])
  }

  /// Takes the request that begins an upload ("Upload Creation").
  func beginResumable(
    _ asked: ResumableRequest, _ head: HTTPRequestHead, _ body: inout RequestBody, maxFiles: Int,
    on channel: any Channel
  ) async throws -> Reply {
    try await refusing { () async throws -> Reply in
      try Admission.check(head, configuration: configuration, freeBytes: inbox.freeBytes)
      _ = try Admission.awaitsContinue(head)
      let type = head.headers["content-type"].first ?? "application/octet-stream"
      let isForm = type.lowercasedASCII.hasPrefix(scalars: "multipart/")
      if isForm {
        do throws(FormError) { _ = try Boundary(contentType: type) } catch {
          throw Refusal(.unsupportedMediaType, error.description)
        }
      }
      let length = try asked.wholeLength(after: 0, known: nil)
      if let length {
        try Admission.checkRoom(
          for: length, of: "upload", atMost: mostBytes(isForm: isForm), configuration,
          inbox.freeBytes, headers: [("Upload-Limit", limits(of: nil))])
      }
      let id = try uploads.create(
        PartialUploads.Record(
          length: length ?? .max, name: Self.fileName(head), type: type,
          purpose: PartialUploads.Record.Purpose(form: isForm ? type : nil, maxFiles: maxFiles)))
      let file = try await resumable(id, on: channel)
      let place = [
        ("Location", "\(baseURL(head, on: channel))/uploads/\(id)"),
        ("Upload-Limit", limits(of: file)),
      ]
      try await Self.inform(head, place, on: channel)
      var reply = try await take(asked, file, head, &body, on: channel)
      if !asked.isLast {
        reply.status = .created
        reply.headers += place.prefix(1)
      }
      return reply
    }
  }

  /// Sends an interim reply ("Status Code 104").
  private static func inform(
    _ head: HTTPRequestHead, _ fields: [(String, String)], on channel: any Channel
  ) async throws {
    // A client of HTTP/1.0 cannot be told (RFC 9110, section 15.2).
    guard head.version != .http1_0 else { return }
    let version = ("Upload-Draft-Interop-Version", "\(ResumableRequest.interopVersion)")
    try await channel.writeAndFlush(
      HTTPServerResponsePart.head(
        HTTPResponseHead(
          version: head.version,
          status: .custom(code: 104, reasonPhrase: "Upload Resumption Supported"),
          headers: HTTPHeaders(fields + [version]))))
  }

  /// Takes a request about an upload.
  func answerResumable(
    _ id: String, _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    try await refusing { () async throws -> Reply in
      if head.method != .PATCH { try await body.skip(atMost: configuration.maxHeaderBytes) }
      let file = try await resumable(id, on: channel)
      switch head.method {
      case .HEAD, .GET: return status(of: file)
      case .DELETE:
        uploads.remove(id)
        return .empty(.noContent)
      case .PATCH: return try await append(to: file, head, &body, on: channel)
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
  private func append(
    to file: PartialFile, _ head: HTTPRequestHead, _ body: inout RequestBody,
    on channel: any Channel
  ) async throws -> Reply {
    guard head.headers["content-type"].first?.lowercasedASCII == Self.pieceType else {
      throw Refusal(
        .unsupportedMediaType, "Send a piece of the upload as \(Self.pieceType).",
        headers: [("Accept-Patch", Self.pieceType)])
    }
    guard let asked = ResumableRequest(head), let offset = asked.offset else {
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
      _ = try await receive(file, head, &body, on: channel)
      return Self.reply(answer)
    }
    return try await take(asked, file, head, &body, on: channel)
  }

  /// Takes the content of a request, and all of the upload if it is the last.
  private func take(
    _ asked: ResumableRequest, _ file: PartialFile, _ head: HTTPRequestHead,
    _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let known = file.record.length == .max ? nil : file.record.length
    if let length = try asked.wholeLength(after: file.offset, known: known), known == nil {
      try file.update { $0.length = length }
    }
    let most = mostBytes(isForm: file.record.purpose?.form != nil)
    _ = try await receive(file, head, &body, atMost: most, on: channel) { offset in
      try await Self.inform(head, [("Upload-Offset", "\(offset)")], on: channel)
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
    do { answer = try complete(file, head, on: channel) } catch let refusal as Refusal {
      uploads.remove(file.id)
      var refusal = refusal
      refusal.headers.append(("Upload-Complete", "?1"))
      throw refusal
    }
    return Self.reply(answer)
  }

  /// Does what the request that began the upload was for, and keeps the reply for whoever misses it.
  private func complete(
    _ file: PartialFile, _ head: HTTPRequestHead, on channel: any Channel
  ) throws -> PartialUploads.Record.Answer {
    let receipt: StoredForm
    if let form = file.record.purpose?.form, !file.isElsewhere {
      receipt = try storeForm(form, of: file, head, on: channel)
    } else if file.isElsewhere {
      // The receiver was killed between giving the file its name and saying so.
      receipt = StoredForm(files: [], fields: [:])
    } else {
      receipt = StoredForm(files: [try publish(file, nil, head, on: channel)], fields: [:])
    }
    let reply = Self.reply(receipt)
    guard case .bytes(let bytes) = reply.body else {
      throw Refusal(.internalServerError, "The receiver could not answer this.")
    }
    let answer = PartialUploads.Record.Answer(
      status: Int(reply.status.code), location: receipt.files.first?.url,
      text: String(decoding: bytes, as: UTF8.self))
    try file.finish(with: answer)
    return answer
  }

  private func storeForm(
    _ type: String, of file: PartialFile, _ head: HTTPRequestHead, on channel: any Channel
  ) throws -> StoredForm {
    do {
      let intake = FormIntake(
        boundary: try Boundary(contentType: type), inbox: inbox,
        maxFiles: file.record.purpose?.maxFiles ?? 1, configuration: configuration)
      try file.read(intake.push)
      let receipt = try intake.finish(
        baseURL: baseURL(head, on: channel), named: file.record.named ?? [],
        naming: { identities in try file.update { $0.named = identities } })
      tell(of: receipt, on: channel)
      return receipt
    } catch {
      throw Refusal(of: error) ?? error
    }
  }

  // MARK: Steps

  private func resumable(_ id: String, on channel: any Channel) async throws -> PartialFile {
    let file = try await opened(id, for: channel)
    guard file.record.purpose != nil else {
      throw Refusal(.notFound, "This upload was begun with tus: send Tus-Resumable.")
    }
    return file
  }

  /// Says in each refusal whether it is about the whole of an upload.
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
      ? configuration.maxRequestBytes
      : min(configuration.maxRequestBytes, configuration.maxFileBytes)
  }

  /// `Upload-Limit` of an upload, or of all.
  private func limits(of file: PartialFile?) -> String {
    let most = mostBytes(isForm: file.map { $0.record.purpose?.form != nil } ?? true)
    var limits = most == .max ? ["min-size=0"] : ["max-size=\(min(most, 999_999_999_999_999))"]
    if let file {
      limits.append("max-age=\(max(0, Int64(file.expires.timeIntervalSinceNow)))")
    }
    return limits.joined(separator: ", ")
  }

  private static func reply(_ answer: PartialUploads.Record.Answer) -> Reply {
    var headers = [("Content-Type", "application/json"), ("Upload-Complete", "?1")]
    if let location = answer.location { headers.append(("Location", location)) }
    return Reply(status: answer.status, headers: headers, body: Array(answer.text.utf8))
  }

  /// The name of a file that comes by itself (RFC 6266).
  private static func fileName(_ head: HTTPRequestHead) -> String {
    guard let value = head.headers["content-disposition"].first else { return "file" }
    return PartHeader.fileName(disposition: value) ?? "file"
  }
}
