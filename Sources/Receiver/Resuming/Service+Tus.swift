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
    var reply: Reply
    do {
      reply = try await tus(id, head, &body, on: channel)
    } catch var refusal as Refusal {
      refusal.headers.append(("Tus-Resumable", Self.version))
      throw refusal
    } catch let failure as Inbox.Failure {
      var refusal = Refusal(failure)
      refusal.headers.append(("Tus-Resumable", Self.version))
      throw refusal
    }
    reply.headers.append(("Tus-Resumable", Self.version))
    return reply
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
    return Reply(status: .noContent, headers: headers, body: .bytes([]))
  }

  // MARK: Requests

  private func create(
    _ head: HTTPRequestHead, _ body: inout RequestBody, on channel: any Channel
  ) async throws -> Reply {
    let length = try Self.number("Upload-Length", head)
    guard length <= configuration.maxFileBytes else {
      throw Refusal(
        .payloadTooLarge,
        "The file has \(length) bytes; at most \(configuration.maxFileBytes) are taken.")
    }
    if let free = inbox.freeBytes, length > free - configuration.reservedBytes {
      throw Refusal(
        .insufficientStorage, "The file has \(length) bytes, and the disk has no room for them.")
    }
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
    var reply = Reply(
      status: .created,
      headers: [
        ("Location", "\(baseURL(head, on: channel))/uploads/\(id)"),
        ("Upload-Expires", Self.date(file.expires)),
      ], body: .bytes([]))
    if hasContent {
      _ = try await receive(file, head, &body, on: channel)
      reply.headers.append(("Upload-Offset", "\(file.offset)"))
    }
    if file.isUnpublished { _ = try publish(file, nil, head, on: channel) }
    return reply
  }

  private func status(
    of id: String, _ head: HTTPRequestHead, on channel: any Channel
  ) async throws -> Reply {
    // Whoever asks has lost the connection on which it sent: what comes on that one counts no more.
    let file = try await opened(id, for: channel)
    if file.isUnpublished { _ = try publish(file, nil, head, on: channel) }
    var headers = [
      ("Upload-Offset", "\(file.offset)"), ("Upload-Length", "\(file.record.length)"),
    ]
    if let metadata = file.record.metadata { headers.append(("Upload-Metadata", metadata)) }
    headers += place(of: file, head, on: channel)
    return Reply(status: .ok, headers: headers, body: .bytes([]))
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
    if file.isUnpublished { _ = try publish(file, sum, head, on: channel) }
    return Reply(
      status: .noContent,
      headers: [("Upload-Offset", "\(file.offset)")] + place(of: file, head, on: channel),
      body: .bytes([]))
  }

  private func terminate(_ id: String, on channel: any Channel) async throws -> Reply {
    let file = try await opened(id, for: channel)
    guard file.record.stored == nil else {
      throw Refusal(.forbidden, "All of it has arrived; only unfinished uploads are taken back.")
    }
    uploads.remove(id)
    return Reply(status: .noContent, headers: [], body: .bytes([]))
  }

  // MARK: Steps

  private func opened(_ id: String, for channel: any Channel) async throws -> PartialFile {
    guard let file = try await uploads.open(id, for: channel) else {
      throw Refusal(.notFound, "There is no such upload; it may have been kept too long.")
    }
    return file
  }

  /// Adds the body to an upload as it comes: what has come stays, whatever becomes of the request.
  /// - Returns: the SHA-256 of the whole file, where all of it came with this request.
  private func receive(
    _ file: PartialFile, _ head: HTTPRequestHead, _ body: inout RequestBody,
    on channel: any Channel
  ) async throws -> SHA256.Digest? {
    let start = file.offset
    let rest = file.record.length - start
    if let length = head.headers["content-length"].first.flatMap({ Int64($0.trimming(\.isBlank)) }),
      length > rest
    {
      throw Refusal(.payloadTooLarge, "The upload lacks \(rest) bytes, and \(length) are sent.")
    }
    var checksum = try head.headers["upload-checksum"].first.map { value throws(Refusal) in
      try Checksum(value)
    }
    if head.version != .http1_0,
      head.headers[canonicalForm: "expect"].contains(where: { $0.lowercased() == "100-continue" })
    {
      try await channel.writeAndFlush(
        HTTPServerResponsePart.head(.init(version: head.version, status: .continue)))
    }
    try file.begin(awaitingSum: checksum != nil)
    var reserve = DiskReserve(bytes: configuration.reservedBytes) { [inbox] in inbox.freeBytes }
    var hash: SHA256? = start == 0 ? SHA256() : nil
    do {
      while let buffer = try await body.next() {
        guard Int64(buffer.readableBytes) <= file.record.length - file.offset else {
          throw Refusal(.payloadTooLarge, "More was sent than the upload lacks.")
        }
        try reserve.reserve(buffer.readableBytes)
        try buffer.withUnsafeReadableBytes { bytes in
          hash?.update(bufferPointer: bytes)
          checksum?.update(bytes)
          try file.append(bytes)
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
        "What came does not have the checksum that was sent with it, and was dropped.")
    }
    try file.settle(syncing: configuration.syncsToDisk)
    return file.isWhole ? hash?.finalize() : nil
  }

  /// Makes a file visible of which everything has arrived.
  private func publish(
    _ file: PartialFile, _ sum: SHA256.Digest?, _ head: HTTPRequestHead, on channel: any Channel
  ) throws -> EntryName {
    var digest = sum
    if digest == nil {
      var hash = SHA256()
      try file.read { hash.update(bufferPointer: $0) }
      digest = hash.finalize()
    }
    let name = try file.publish()
    if configuration.syncsToDisk { try inbox.sync() }
    onEvent?(
      .stored(
        StoredFile(
          field: "", name: file.record.name, stored: name.text, size: file.record.length,
          type: file.record.type, sha256: digest.map(Self.hexadecimal) ?? "",
          url: FileURL.make(baseURL(head, on: channel), name.text)),
        client: ClientName.of(channel)))
    return name
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

  private static func hexadecimal(_ sum: SHA256.Digest) -> String {
    sum.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// A date as HTTP has it (RFC 9110, section 5.6.7).
  private static func date(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }
}
