import Foundation
import NIOHTTP1
import ScalarText

/// tus 1.0.0 (https://tus.io/protocols/resumable-upload): uploads that arrive in several requests.
struct TusService: Sendable {
  private static let version = "1.0.0"
  private static let extensions =
    "creation,creation-with-upload,checksum,termination,expiration,concatenation"
  /// The media type of a body that is a piece of a file.
  private static let pieceType = "application/offset+octet-stream"

  private let site: Site
  private let intake: PartialIntake

  init(_ site: Site, _ intake: PartialIntake) { (self.site, self.intake) = (site, intake) }

  /// - Parameter id: the upload's identifier; nil for the address where uploads are created.
  func answer(_ id: String?, _ request: Request) async throws -> Reply {
    let version = ("Tus-Resumable", Self.version)
    do {
      var reply = try await perform(id, request)
      reply.headers.append(version)
      return reply
    } catch {
      throw Refusal.adding(version, to: error)
    }
  }

  private func perform(_ id: String?, _ request: Request) async throws -> Reply {
    var method = request.head.method
    // Clients behind a proxy that does not allow PATCH send POST with this header field.
    if method == .POST, let name = request.header("x-http-method-override") {
      method = HTTPMethod(rawValue: name.trimming(\.isBlank).uppercased())
    }
    if method == .OPTIONS { return try await options(request) }
    guard request.header("tus-resumable")?.trimming(\.isBlank) == Self.version else {
      throw Refusal(
        .preconditionFailed, "This is an address for tus \(Self.version): send Tus-Resumable.",
        headers: [("Tus-Version", Self.version)])
    }
    switch (id, method) {
    case (nil, .POST): return try await create(request)
    case (let id?, .HEAD): return try await status(of: id, request)
    case (let id?, .PATCH): return try await append(to: id, request)
    case (let id?, .DELETE): return try await terminate(id, request)
    default: throw Refusal(.methodNotAllowed, "This method is not supported here.")
    }
  }

  private func options(_ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    var headers = [
      ("Tus-Version", Self.version), ("Tus-Extension", Self.extensions),
      ("Tus-Checksum-Algorithm", Checksum.algorithms),
    ]
    if site.configuration.limits.fileBytes < .max {
      headers.append(("Tus-Max-Size", "\(site.configuration.limits.fileBytes)"))
    }
    return .empty(.noContent, headers)
  }

  private func create(_ request: Request) async throws -> Reply {
    let concat = request.header("upload-concat")
    if let concat, let parts = try Concatenation.parts(concat) {
      return try await join(parts, concat, request)
    }
    var record = try record(ofLength: Self.number("Upload-Length", request), request)
    if concat != nil { record.concat = Concatenation.partial }
    let hasContent = request.header("content-type")?.lowercased() == Self.pieceType
    if !hasContent { try await site.skipBody(of: request) }
    let file = try await intake.create(record, for: request)
    var reply = Reply.empty(.created, [("Location", site.location("/uploads/\(file.id)"))])
    if hasContent {
      _ = try await intake.receive(file, request)
      reply.headers.append(("Upload-Offset", "\(file.offset)"))
    }
    if let expires = file.expires { reply.headers.append(("Upload-Expires", Self.date(expires))) }
    if file.isUnpublished { try await intake.publish(file, nil, request) }
    return reply
  }

  /// The record for an upload that is about to begin.
  private func record(ofLength length: Int64, _ request: Request) throws -> PartialUploads.Record {
    try site.checkRoom(
      for: length, of: "file", within: ByteLimit(site.configuration.limits.fileBytes))
    let said = request.header("upload-metadata")
    let metadata = try UploadMetadata(said)
    return PartialUploads.Record(
      length: length, name: metadata.first(of: "filename", "name") ?? "file",
      type: metadata.first(of: "filetype", "type") ?? "application/octet-stream", metadata: said)
  }

  /// Joins uploads that are the parts of one file. A request that is repeated because its reply was lost gets the same
  /// reply: each part's record names the upload that the part was joined into.
  private func join(_ ids: [String], _ concat: String, _ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    var (length, earlier) = (Int64(0), String?.none)
    var isComplete = true
    for id in ids {
      // One at a time, since there may be more parts than files that can be open at once.
      let part = try await intake.open(id, for: request)
      guard part.isPart else {
        throw Refusal(.badRequest, "Only uploads with Upload-Concat: partial can be joined.")
      }
      guard part.isWhole else {
        throw Refusal(.badRequest, "One of the parts has not arrived in full.")
      }
      length = length.addingReportingOverflow(part.offset).partialValue
      isComplete = isComplete && !part.isElsewhere
      earlier = part.record.whole
    }
    let file: PartialFile
    if let earlier, let known = try await intake.uploads.open(earlier, for: request.channel),
      known.record.concat == concat
    {
      file = known
    } else {
      guard isComplete else {
        throw Refusal(.gone, "One of the parts has already been joined into another file.")
      }
      var record = try record(ofLength: length, request)
      record.concat = concat
      file = try await intake.create(record, for: request)
    }
    let sum = file.isWhole ? nil : try await intake.join(ids, into: file, for: request)
    if file.isUnpublished { try await intake.publish(file, sum, request) }
    for id in ids { intake.uploads.removeContent(id) }
    return .empty(.created, [("Location", site.location("/uploads/\(file.id)"))])
  }

  private func status(of id: String, _ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    // A client that asks for the offset has lost the connection on which it was sending, so opening the upload aborts
    // that connection, even if more could still arrive on it.
    let file = try await intake.open(id, for: request)
    if file.isUnpublished { try await intake.publish(file, nil, request) }
    var headers = [("Upload-Offset", "\(file.offset)"), ("Upload-Length", "\(file.record.length)")]
    if let metadata = file.record.metadata { headers.append(("Upload-Metadata", metadata)) }
    if let concat = file.record.concat { headers.append(("Upload-Concat", concat)) }
    return .empty(.ok, headers + place(of: file))
  }

  private func append(to id: String, _ request: Request) async throws -> Reply {
    guard request.header("content-type")?.lowercased() == Self.pieceType else {
      throw Refusal(
        .unsupportedMediaType, "Send a piece of the file with Content-Type: \(Self.pieceType).")
    }
    let offset = try Self.number("Upload-Offset", request)
    let file = try await intake.open(id, for: request)
    guard file.record.concat == nil || file.isPart else {
      throw Refusal(.forbidden, "Nothing can be added to an upload that was joined from parts.")
    }
    guard offset == file.offset else {
      throw Refusal(
        .conflict, "The receiver has \(file.offset) bytes of the upload, not \(offset).",
        headers: [("Upload-Offset", "\(file.offset)")])
    }
    let sum = try await intake.receive(file, request)
    if file.isUnpublished { try await intake.publish(file, sum, request) }
    return .empty(.noContent, [("Upload-Offset", "\(file.offset)")] + place(of: file))
  }

  private func terminate(_ id: String, _ request: Request) async throws -> Reply {
    try await site.skipBody(of: request)
    let file = try await intake.open(id, for: request)
    guard file.record.stored == nil else {
      throw Refusal(.forbidden, "The upload is complete; only unfinished uploads can be deleted.")
    }
    intake.uploads.remove(file.id)
    return .empty(.noContent)
  }

  /// The header field with the complete file's address, or with the time at which an incomplete upload expires.
  private func place(of file: PartialFile) -> [(String, String)] {
    guard file.isWhole else {
      return file.expires.map { [("Upload-Expires", Self.date($0))] } ?? []
    }
    return file.record.stored.map { [("Location", site.location(ofStored: $0))] } ?? []
  }

  /// The number of bytes that a header field gives.
  private static func number(_ name: String, _ request: Request) throws(Refusal) -> Int64 {
    guard let text = request.header(name)?.trimming(\.isBlank), text.utf8.allSatisfy(\.isDigit),
      let number = Int64(text)
    else { throw Refusal(.badRequest, "\(name) must be a number of bytes.") }
    return number
  }

  /// A date in HTTP's format (RFC 9110, section 5.6.7).
  private static func date(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }
}
