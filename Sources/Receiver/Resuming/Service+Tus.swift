import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import ScalarText

/// tus 1.0.0 (https://tus.io/protocols/resumable-upload): uploads that come in several requests.
extension Service {
  private static let version = "1.0.0"
  private static let extensions = "creation,creation-with-upload,checksum,termination,expiration"
  /// The type of a body that is a piece of a file.
  private static let pieceType = "application/offset+octet-stream"

  /// - Parameter id: the upload's; nil where they are made.
  func answerTus(
    _ id: String?, _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let version = ("Tus-Resumable", Self.version)
    do {
      var reply = try await tus(id, head, &body, on: channel)
      reply.headers.append(version)
      return reply
    } catch {
      guard var refusal = Refusal(of: error) else { throw error }
      refusal.headers.append(version)
      throw refusal
    }
  }

  private func tus(
    _ id: String?, _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    var method = head.method
    // For clients behind something that knows no PATCH.
    if method == .POST, let name = head.headers["x-http-method-override"].first {
      method = HTTPMethod(rawValue: name.trimming(\.isBlank).uppercased())
    }
    if method == .OPTIONS {
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return tusOptions()
    }
    guard head.headers["tus-resumable"].first?.trimming(\.isBlank) == Self.version else {
      throw Refusal(
        .preconditionFailed, "This is an address for tus \(Self.version): send Tus-Resumable.",
        headers: [("Tus-Version", Self.version)])
    }
    switch (id, method) {
    case (nil, .POST): return try await create(head, &body, on: channel)
    case (let id?, .HEAD):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try await status(of: id, head, on: channel)
    case (let id?, .PATCH): return try await append(to: id, head, &body, on: channel)
    case (let id?, .DELETE):
      try await body.skip(atMost: configuration.maxHeaderBytes)
      return try await terminate(id, on: channel)
    default:
      throw Refusal(.methodNotAllowed, "This method does nothing here.")
    }
  }

  private func tusOptions() -> Reply {
    var headers = [
      ("Tus-Version", Self.version), ("Tus-Extension", Self.extensions),
      ("Tus-Checksum-Algorithm", Checksum.algorithms),
    ]
    if configuration.maxFileBytes < .max {
      headers.append(("Tus-Max-Size", "\(configuration.maxFileBytes)"))
    }
    return .empty(.noContent, headers)
  }

  // MARK: Requests

  private func create(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let length = try Self.number("Upload-Length", head)
    try Admission.checkRoom(
      for: length, of: "file", atMost: configuration.maxFileBytes, configuration, inbox.freeBytes)
    let metadata = try UploadMetadata(head.headers["upload-metadata"].first)
    let record = PartialUploads.Record(
      length: length, name: metadata.first(of: "filename", "name") ?? "file",
      type: metadata.first(of: "filetype", "type") ?? "application/octet-stream",
      metadata: head.headers["upload-metadata"].first)
    let hasContent = head.headers["content-type"].first?.lowercased() == Self.pieceType
    if !hasContent { try await body.skip(atMost: configuration.maxHeaderBytes) }
    let id = try uploads.create(record)
    guard let file = try await uploads.open(id, for: channel) else {
      throw Refusal(.notFound, "The upload was removed while it was made.")
    }
    var reply = Reply.empty(
      .created,
      [
        ("Location", "\(baseURL(head, on: channel))/uploads/\(id)"),
        ("Upload-Expires", Self.date(file.expires)),
      ])
    if hasContent {
      _ = try await receive(file, head, &body, on: channel)
      reply.headers.append(("Upload-Offset", "\(file.offset)"))
    }
    if file.isUnpublished { try publish(file, nil, head, on: channel) }
    return reply
  }

  private func status(
    of id: String, _ head: HTTPRequestHead, on channel: any Channel
  ) async throws -> Reply {
    // Whoever asks has lost the connection on which it sent: what comes on that one counts no more.
    let file = try await opened(id, for: channel)
    if file.isUnpublished { try publish(file, nil, head, on: channel) }
    var headers = [
      ("Upload-Offset", "\(file.offset)"), ("Upload-Length", "\(file.record.length)"),
    ]
    if let metadata = file.record.metadata { headers.append(("Upload-Metadata", metadata)) }
    headers += place(of: file, head, on: channel)
    return .empty(.ok, headers)
  }

  private func append(
    to id: String, _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    guard head.headers["content-type"].first?.lowercased() == Self.pieceType else {
      throw Refusal(.unsupportedMediaType, "Send a piece of the file as \(Self.pieceType).")
    }
    let offset = try Self.number("Upload-Offset", head)
    let file = try await opened(id, for: channel)
    guard offset == file.offset else {
      throw Refusal(
        .conflict, "There are \(file.offset) bytes of the upload, not \(offset).",
        headers: [("Upload-Offset", "\(file.offset)")])
    }
    let sum = try await receive(file, head, &body, on: channel)
    if file.isUnpublished { try publish(file, sum, head, on: channel) }
    return .empty(
      .noContent, [("Upload-Offset", "\(file.offset)")] + place(of: file, head, on: channel))
  }

  private func terminate(_ id: String, on channel: any Channel) async throws -> Reply {
    let file = try await opened(id, for: channel)
    guard file.record.stored == nil else {
      throw Refusal(.forbidden, "All of it has arrived; only unfinished uploads are taken back.")
    }
    uploads.remove(id)
    return .empty(.noContent)
  }

  /// Where a file is that has arrived, or until when the rest of it is awaited.
  private func place(
    of file: PartialFile, _ head: HTTPRequestHead, on channel: any Channel
  ) -> [(String, String)] {
    guard file.isWhole else { return [("Upload-Expires", Self.date(file.expires))] }
    return file.record.stored.map {
      [("Location", FileURL.make(baseURL(head, on: channel), $0))]
    } ?? []
  }

  // MARK: Header fields

  /// A count of bytes.
  private static func number(_ name: String, _ head: HTTPRequestHead) throws(Refusal) -> Int64 {
    let text = head.headers[name].first?.trimming(\.isBlank) ?? ""
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int64(text)
    else { throw Refusal(.badRequest, "\(name) is to be a number of bytes.") }
    return number
  }
}
